package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/piprate/json-gold/ld"
)

// Term is a name to which a format gives one meaning.
type Term struct {
	Name string
	IRI  string
	Type string // how its values are read (@type in the context): "", "@json" or "@vocab"

	// Spare says that the reference library also loads documents in which the name has
	// another meaning or none; it then ignores what is under it. Coerced are the other types
	// by which the library accepts the values; "" stands for addresses of types.
	Spare   bool
	Coerced []string
}

// passes reports whether the reference library accepts a term as a context defines it.
func (t Term) passes(means, coercion string) bool {
	if means != t.IRI {
		return t.Spare
	}
	// Coerced has one entry for all addresses of types; keywords such as @id have one each.
	if coercion != "" && coercion[0] != '@' {
		coercion = ""
	}
	return slices.Contains(t.Coerced, coercion)
}

func (t Term) definition() any {
	if t.Type == "" {
		return t.IRI
	}
	return map[string]any{"@id": t.IRI, "@type": t.Type}
}

// scope is the cleaned context of a document, with caches of what its names mean.
type scope struct {
	terms  map[string]any
	active *ld.Context
	names  map[string]string // cache: name to IRI
	short  map[string]string // cache: IRI to name
	spaces []Term            // the prefixes of the format

	assumed bool // the document has no usable context, so that of the format is assumed
}

// refusing is a loader of remote documents that loads none.
type refusing struct{}

var errRefused = errors.New("nothing outside the document is read")

func (refusing) LoadDocument(string) (*ld.RemoteDocument, error) { return nil, errRefused }

func options() *ld.JsonLdOptions {
	o := ld.NewJsonLdOptions("") // no base, so that relative @ids stay as they are written
	o.ProcessingMode = ld.JsonLd_1_1
	o.DocumentLoader = refusing{}
	return o
}

// Prepare makes the context of the document usable: it reports and removes what is not allowed
// in one. canonical is the context that is used if the document has none.
func (d *Document) Prepare(canonical map[string]any) {
	d.context = &scope{names: map[string]string{}, short: map[string]string{}}
	root, _ := d.Root.(map[string]any)
	given, present := root["@context"]
	terms, inline := given.(map[string]any)
	switch {
	case !present:
		d.report(Context, "/@context", "the document has no @context, so its names mean nothing; begin it with the context of the format, inline")
	case !inline:
		d.report(Context, "/@context", fmt.Sprintf("@context is %s; it must be one inline object that maps names to addresses, because nothing is fetched or opened", kindOf(given)))
	default:
		if d.context.terms = d.clean(terms); d.context.terms != nil && d.parse() {
			return
		}
	}
	d.context.terms, d.context.assumed = maps.Clone(canonical), true
	d.context.active, _ = parse(d.context.terms)
}

// clean returns the members of a context that are allowed, or nil if it is too large.
func (d *Document) clean(given map[string]any) map[string]any {
	if len(given) > MaxTerms {
		d.remark(Context, "/@context", fmt.Sprintf("@context has %d members; at most %d are read, and the context of the format has about 45", len(given), MaxTerms))
		return nil
	}
	if size(given) > MaxContext {
		d.remark(Context, "/@context", fmt.Sprintf("@context is longer than %d bytes, the most that is read", MaxContext))
		return nil
	}
	terms := make(map[string]any, len(given))
	// Sorted, so that the same document gives its problems in the same order.
	for _, name := range slices.Sorted(maps.Keys(given)) {
		pointer := Child("/@context", name)
		v, wrong := given[name], ""
		passes := true
		if strings.HasPrefix(name, "@") {
			passes = passesKeyword(name, v)
			v, wrong = keyword(name, v)
		} else {
			passes = passesTerm(v)
			v, wrong = d.term(pointer, v)
		}
		if wrong != "" {
			d.add(Problem{Kind: Context, Pointer: pointer, Message: wrong, Passes: passes})
		} else if v != nil || name[:min(1, len(name))] != "@" {
			d.oldSpace(pointer, v)
			terms[name] = v
		}
	}
	return terms
}

// oldSpace reports an address that begins with http://schema.org/.
func (d *Document) oldSpace(pointer string, v any) {
	if s := address(v, "@id"); strings.HasPrefix(s, oldSchema) {
		d.add(oldSpaceAt(pointer, s))
	}
}

// oldSpaceAt returns the problem of such an address.
func oldSpaceAt(pointer, address string) Problem {
	return Problem{Kind: OldSpace, Pointer: pointer, Property: address, Message: fmt.Sprintf(
		"%q begins with http://, and the format's schema.org addresses begin with https://schema.org/; some readers find nothing under http", shorten(address))}
}

// passesKeyword reports whether the reference library loads a document with a member of the
// context that begins with @ and is refused here.
func passesKeyword(name string, v any) bool {
	switch name {
	case "@version":
		_, number := v.(json.Number)
		return number
	case "@protected", "@propagate", "@direction":
		return true
	}
	return false
}

// passesTerm reports whether the reference library loads a document with a definition of a term
// that is refused here. It fails if the @id or @type of the definition is not text.
func passesTerm(v any) bool {
	def, _ := v.(map[string]any)
	for _, key := range []string{"@id", "@type"} {
		if s, there := def[key]; there {
			if _, text := s.(string); !text {
				return false
			}
		}
	}
	return true
}

// keyword checks a member of a context that begins with @. It returns the value to use, which is
// nil if the member can be left out, or what is wrong with it.
func keyword(name string, v any) (any, string) {
	s, text := v.(string)
	switch name {
	case "@version":
		if n, ok := v.(json.Number); ok && n == "1.1" {
			return 1.1, ""
		}
		return nil, "@version must be the number 1.1, or be left out"
	case "@base":
		if v != nil && !text {
			return nil, "@base must be text"
		}
		if !ld.IsAbsoluteIri(s) {
			return nil, "" // has no effect on documents without absolute addresses to resolve against
		}
	case "@vocab", "@language", "@direction":
		if v != nil && !text {
			return nil, name + " must be text"
		}
		if name == "@language" && text && !isTag(s) {
			return nil, fmt.Sprintf("%q is not the tag of a language; write it as in \"en\"", shorten(s))
		}
	case "@protected":
		if _, ok := v.(bool); !ok {
			return nil, "@protected must be true or false"
		}
	case "@type":
	default:
		return nil, name + " is not read in a context, because nothing is fetched and only one context is used; write the terms themselves"
	}
	if len(s) > MaxIRI {
		return nil, fmt.Sprintf("%s is longer than %d bytes", name, MaxIRI)
	}
	return v, ""
}

// term checks the definition of a term and returns the definition to use, or what is wrong.
func (d *Document) term(pointer string, v any) (any, string) {
	switch v := v.(type) {
	case string:
		if len(v) > MaxIRI {
			return nil, fmt.Sprintf("the address is longer than %d bytes", MaxIRI)
		}
		return v, ""
	case map[string]any:
		return d.expandedTerm(pointer, v)
	case nil:
		return nil, "" // the name has no meaning, and what is under it is ignored
	}
	return nil, fmt.Sprintf("a term is an address or an object with @id, got %s", kindOf(v))
}

func (d *Document) expandedTerm(pointer string, def map[string]any) (any, string) {
	out := make(map[string]any, len(def))
	for _, key := range slices.Sorted(maps.Keys(def)) {
		v := def[key]
		s, text := v.(string)
		_, truth := v.(bool)
		switch key {
		case "@context":
			// A context inside a term (JSON-LD 1.1, section 4.1.8) would give names another
			// meaning at each place. It is reported, and the term is used without it.
			d.remark(Context, Child(pointer, key), "a term has a context of its own; the document has one @context, at its root, so move the terms there")
			continue
		case "@reverse", "@nest", "@index":
			return nil, key + " is not used in the terms of this format; leave the term out"
		case "@protected", "@prefix":
			if !truth {
				return nil, key + " must be true or false"
			}
		case "@container":
			if !containers(v) {
				return nil, `@container must be "@language", "@set" or "@list"`
			}
		case "@language", "@direction":
			if v != nil && !text {
				return nil, key + " must be text"
			}
		case "@id", "@type":
			if !text || len(s) > MaxIRI {
				return nil, fmt.Sprintf("%s must be text of at most %d bytes", key, MaxIRI)
			}
		}
		out[key] = v
	}
	// The library would refuse every document with such a term, so it is caught here with a
	// sentence of ours.
	if typ, typed := out["@type"]; typed && contains(out["@container"], "@language") {
		return nil, fmt.Sprintf(`a term with "@container": "@language" holds text, and cannot have "@type": %q; leave one of them out`, typ)
	}
	return out, ""
}

func containers(v any) bool {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, c := range list {
		if c != "@language" && c != "@set" && c != "@list" {
			return false
		}
	}
	return len(list) > 0
}

// contains reports whether a container, which is text or an array of texts, is or contains one.
func contains(container any, one string) bool {
	list, _ := container.([]any)
	return container == one || slices.Contains(list, any(one))
}

// parse gives the terms to the JSON-LD library. If it refuses them, the terms that it refuses are
// reported and removed.
func (d *Document) parse() bool {
	var err error
	if d.context.active, err = parse(d.context.terms); err == nil {
		return true
	}
	// The library names one fault and stops. All terms that it refuses are found here, so
	// that the others can be used and one reading shows every fault.
	refused := refusals(d.context.terms)
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		d.report(Context, Child("/@context", name), "the context cannot be used: "+reason(refused[name])+"; write a full address, or a prefix that the context defines")
		delete(d.context.terms, name)
	}
	if d.context.active, err = parse(d.context.terms); err != nil {
		d.report(Context, "/@context", "the context cannot be used: "+reason(err))
	}
	return err == nil
}

func parse(terms map[string]any) (active *ld.Context, err error) {
	defer contain(&err)
	return ld.NewContext(nil, options()).Parse(terms)
}

// reason returns the error code of the library, without text of the document.
func reason(err error) string {
	if e, ok := errors.AsType[*ld.JsonLdError](err); ok {
		return string(e.Code)
	}
	return err.Error()
}

var errPanic = errors.New("the JSON-LD reader gave up on it")

// contain turns a panic of the library into an error. Documents are hostile, and the library was
// not written for that.
func contain(err *error) {
	if recover() != nil {
		*err = errPanic
	}
}

func size(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case map[string]any:
		n := 0
		for k, e := range v {
			n += len(k) + size(e)
		}
		return n
	case []any:
		n := 0
		for _, e := range v {
			n += 1 + size(e)
		}
		return n
	}
	return 8
}

func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the text %q", shorten(v))
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	}
	return "null"
}

package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	oldSchema = "http://schema.org/"
	schema    = "https://schema.org/"
)

// Schema returns an address of schema.org with https://, and any other address unchanged.
func Schema(iri string) string {
	if rest, ok := strings.CutPrefix(iri, oldSchema); ok {
		return schema + rest
	}
	return iri
}

// Require reports terms that the document uses with another meaning than the format gives them,
// and changes the context so that the document is read with the right one.
func (d *Document) Require(terms []Term) {
	used := map[string]bool{}
	d.used(d.Root, used)
	patched := false
	for _, t := range terms {
		if !used[t.Name] {
			continue
		}
		means, _ := d.context.expand(t.Name)
		coercion := d.context.coercion(t.Name)
		if means == t.IRI && coercion == t.Type {
			continue
		}
		// In an assumed context a missing term is not the document's fault: the missing context is
		// reported already.
		if !d.context.assumed {
			d.add(Problem{
				Kind: Context, Pointer: Child("/@context", t.Name), Message: mismatch(t, means, coercion),
				Passes: t.passes(means, coercion),
			})
		}
		// The document is read as it was meant, so that what follows is checked too and one
		// wrong term does not hide all other faults.
		d.context.terms[t.Name] = t.definition()
		patched = true
	}
	if patched {
		d.context.parseAgain()
	}
	d.requireOneColon(used)
}

// RequireVocabulary reports an @vocab that gives the names of a vocabulary another meaning or
// none, and changes the context so that the document is read with the right one.
func (d *Document) RequireVocabulary(vocabulary string, names []string) {
	used := map[string]bool{}
	d.used(d.Root, used)
	given, present := d.context.terms["@vocab"].(string)
	if Schema(given) == vocabulary {
		return
	}
	for _, name := range names {
		means, ok := d.context.expand(name)
		// A name with a term of its own does not depend on @vocab.
		if !used[name] || ok && means != given+name {
			continue
		}
		if present {
			d.report(Context, "/@context/@vocab", fmt.Sprintf("@vocab is %q, which gives %q another meaning; write \"@vocab\": %q", shorten(given), name, vocabulary))
		} else {
			d.report(Context, "/@context/@vocab", fmt.Sprintf("@context has no @vocab, so %q has no meaning; write \"@vocab\": %q", name, vocabulary))
		}
		d.context.terms["@vocab"] = vocabulary
		d.context.parseAgain()
		return
	}
}

func mismatch(t Term, means, coercion string) string {
	mend := fmt.Sprintf("%q: %q", t.Name, t.IRI)
	if t.Type != "" {
		mend = fmt.Sprintf("%q: {\"@id\": %q, \"@type\": %q}", t.Name, t.IRI, t.Type)
	}
	switch {
	case means == t.IRI:
		return fmt.Sprintf("%q is used, and its values are read as %s, and must be %s; write %s in @context", t.Name, readAs(coercion), readAs(t.Type), mend)
	case means == "" || !strings.Contains(means, ":"):
		return fmt.Sprintf("%q is used and has no meaning; write %s in @context", t.Name, mend)
	}
	return fmt.Sprintf("%q is used and means %q; write %s in @context", t.Name, shorten(means), mend)
}

// readAs says how the values of a term with a type are read.
func readAs(coercion string) string {
	switch coercion {
	case "", "@none":
		return "plain text"
	case "@id":
		return "addresses"
	case "@vocab":
		return "names of types (@vocab)"
	case "@json":
		return "JSON that is kept as it is (@json)"
	}
	return fmt.Sprintf("values of type %q", shorten(coercion))
}

// used collects the names of all members, except inside JSON literals.
func (d *Document) used(v any, names map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k == "@context" {
				continue
			}
			names[k] = true
			// The values under data and examples are literals in the format, even where the
			// context fails to say so. Their names are not the document's.
			if d.context.coercion(k) != "@json" && k != "data" && k != "examples" {
				d.used(e, names)
			}
		}
	case []any:
		for _, e := range v {
			d.used(e, names)
		}
	}
}

func (c *scope) coercion(name string) string {
	if td := c.active.GetTermDefinition(name); td != nil {
		return td.Type
	}
	return ""
}

// expand returns what the name of a member means, and false if it means nothing.
func (c *scope) expand(name string) (string, bool) {
	if iri, ok := c.names[name]; ok {
		return iri, iri != ""
	}
	iri := c.expandAnew(name)
	c.names[name] = iri
	return iri, iri != ""
}

func (c *scope) expandAnew(name string) (iri string) {
	defer func() {
		// The library panics on some hostile names.
		if recover() != nil {
			iri = ""
		}
	}()
	iri, err := c.active.ExpandIri(name, false, true, nil, nil)
	if err != nil || !strings.HasPrefix(iri, "@") && !strings.Contains(iri, ":") {
		return ""
	}
	return iri
}

// Means returns the address that a name stands for in the context, and false if it stands for
// none.
func (d *Document) Means(name string) (string, bool) { return d.context.expand(name) }

// Name returns the name that the document would use for a property.
func (d *Document) Name(iri string) string {
	if name, ok := d.context.short[iri]; ok {
		return name
	}
	name := d.nameAnew(iri)
	d.context.short[iri] = name
	return name
}

func (d *Document) nameAnew(iri string) string {
	local := iri[strings.LastIndexAny(iri, "/#")+1:]
	// The shortest name first: with the usual @vocab the last part of the address is
	// enough.
	if means, _ := d.context.expand(local); Schema(means) == iri {
		return local
	}
	for _, prefix := range slices.Sorted(maps.Keys(d.context.terms)) {
		space, ok := d.context.terms[prefix].(string)
		if !ok || strings.HasPrefix(prefix, "@") {
			continue
		}
		if rest, ok := strings.CutPrefix(iri, Schema(space)); ok && space != "" {
			if means, _ := d.context.expand(prefix + ":" + rest); Schema(means) == iri {
				return prefix + ":" + rest
			}
		}
	}
	return local
}

// Terms reports whether the document's own context has a member.
func (d *Document) Terms(name string) bool {
	root, _ := d.Root.(map[string]any)
	terms, _ := root["@context"].(map[string]any)
	_, ok := terms[name]
	return ok
}

// Language returns the language of text that has none of its own, or "".
func (d *Document) Language() string { return d.context.active.Values.Language }

// Peek returns the texts that the top-level objects have under a property. It can be called
// before the document is expanded.
func (d *Document) Peek(iri string) []string {
	root, _ := d.Root.(map[string]any)
	tops := []any{root}
	if list, ok := root["@graph"].([]any); ok {
		tops = append(tops, list...)
	}
	var texts []string
	for _, top := range tops {
		m, _ := top.(map[string]any)
		var keys []string
		for key := range m {
			if means, _ := d.context.expand(key); means == iri || key == iri[strings.LastIndexByte(iri, '/')+1:] {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		for _, key := range keys {
			texts = append(texts, textsOf(m[key])...)
		}
	}
	return texts
}

func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		return append(textsOf(v["@id"]), textsOf(v["@value"])...)
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, textsOf(e)...)
		}
		return out
	}
	return nil
}

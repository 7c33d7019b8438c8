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

// Schema returns an address of schema.org in the one spelling that is looked for.
func Schema(iri string) string {
	if rest, ok := strings.CutPrefix(iri, oldSchema); ok {
		return schema + rest
	}
	return iri
}

// Require reports the terms that the document uses with another meaning than
// theirs, and reads them with theirs.
func (d *Document) Require(terms []Term) {
	used := map[string]bool{}
	d.used(d.Root, used)
	patched := false
	for _, t := range terms {
		if !used[t.Name] {
			continue
		}
		means, _ := d.expand(t.Name)
		coercion := d.coercion(t.Name)
		if means == t.IRI && coercion == t.Type {
			continue
		}
		if !d.context.assumed {
			d.add(Problem{
				Kind: Context, Pointer: Child("/@context", t.Name), Message: mismatch(t, means, coercion),
				Passes: t.passes(means, coercion),
			})
		}
		d.context.terms[t.Name] = t.definition()
		patched = true
	}
	if patched {
		d.parseAgain()
	}
	d.requireOneColon(used)
}

// RequireVocabulary reports an @vocab that gives names of a vocabulary another
// meaning, or none, and reads the document with the right one.
func (d *Document) RequireVocabulary(vocabulary string, names []string) {
	used := map[string]bool{}
	d.used(d.Root, used)
	given, present := d.context.terms["@vocab"].(string)
	if Schema(given) == vocabulary {
		return
	}
	for _, name := range names {
		means, ok := d.expand(name)
		if !used[name] || ok && means != given+name {
			continue
		}
		if present {
			d.report(Context, "/@context/@vocab", fmt.Sprintf("@vocab is %q, which gives %q another meaning; write \"@vocab\": %q", shorten(given), name, vocabulary))
		} else {
			d.report(Context, "/@context/@vocab", fmt.Sprintf("@context has no @vocab, so %q has no meaning; write \"@vocab\": %q", name, vocabulary))
		}
		d.context.terms["@vocab"] = vocabulary
		d.parseAgain()
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

// readAs says what values of a term with a type are read as.
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

// used collects the names of members, but of those inside literal JSON.
func (d *Document) used(v any, names map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k == "@context" {
				continue
			}
			names[k] = true
			if d.coercion(k) != "@json" && k != "data" && k != "examples" {
				d.used(e, names)
			}
		}
	case []any:
		for _, e := range v {
			d.used(e, names)
		}
	}
}

func (d *Document) coercion(name string) string {
	if td := d.context.active.GetTermDefinition(name); td != nil {
		return td.Type
	}
	return ""
}

// expand returns what a member's name means, and whether it means anything.
func (d *Document) expand(name string) (string, bool) {
	if iri, ok := d.context.names[name]; ok {
		return iri, iri != ""
	}
	iri := d.expandAnew(name)
	d.context.names[name] = iri
	return iri, iri != ""
}

func (d *Document) expandAnew(name string) (iri string) {
	defer func() {
		if recover() != nil {
			iri = ""
		}
	}()
	iri, err := d.context.active.ExpandIri(name, false, true, nil, nil)
	if err != nil || !strings.HasPrefix(iri, "@") && !strings.Contains(iri, ":") {
		return ""
	}
	return iri
}

// Means returns the address that a name stands for, as the context of the document has
// it; false if it stands for none.
func (d *Document) Means(name string) (string, bool) { return d.expand(name) }

// Name returns how the document would write the name of a property.
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
	if means, _ := d.expand(local); Schema(means) == iri {
		return local
	}
	for _, prefix := range slices.Sorted(maps.Keys(d.context.terms)) {
		space, ok := d.context.terms[prefix].(string)
		if !ok || strings.HasPrefix(prefix, "@") {
			continue
		}
		if rest, ok := strings.CutPrefix(iri, Schema(space)); ok && space != "" {
			if means, _ := d.expand(prefix + ":" + rest); Schema(means) == iri {
				return prefix + ":" + rest
			}
		}
	}
	return local
}

// Terms says whether the document's own context has a member.
func (d *Document) Terms(name string) bool {
	root, _ := d.Root.(map[string]any)
	terms, _ := root["@context"].(map[string]any)
	_, ok := terms[name]
	return ok
}

// Language is the language of text that names none; empty where there is none.
func (d *Document) Language() string { return d.context.active.Values.Language }

// Peek returns the texts that the objects at the top give a property, before the
// document is expanded.
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
			if means, _ := d.expand(key); means == iri || key == iri[strings.LastIndexByte(iri, '/')+1:] {
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

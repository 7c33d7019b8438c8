package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RequirePrefixes reports the prefixes that the document uses and that stand for
// another address than theirs, or for none, and reads them with theirs. It comes
// before what is asked of terms, which are written with prefixes.
func (d *Document) RequirePrefixes(prefixes []Term) {
	d.context.spaces = prefixes
	if d.context.assumed {
		return
	}
	used := map[string]bool{}
	d.prefixesOfTerms(used)
	d.prefixes(d.Root, false, used)
	patched := false
	for _, p := range prefixes {
		if !used[p.Name] {
			continue
		}
		means := d.stands(p.Name)
		if Schema(means) == p.IRI {
			continue
		}
		d.add(Problem{Kind: Context, Pointer: Child("/@context", p.Name), Message: wrongPrefix(p, means), Passes: p.Spare})
		d.context.terms[p.Name] = p.IRI
		patched = true
	}
	if patched {
		d.parseAgain()
	}
}

// stands returns what a prefix stands for; "" where it is none.
func (d *Document) stands(prefix string) string {
	td := d.context.active.GetTermDefinition(prefix)
	if td == nil {
		return ""
	}
	if iri, _ := d.expand(prefix + ":x"); iri != td.ID+"x" {
		return "" // defined in a way that makes a name of it and no prefix
	}
	return td.ID
}

func wrongPrefix(p Term, means string) string {
	if means == "" {
		return fmt.Sprintf("%q is used as a prefix and @context does not make it one; write %q: %q in @context", p.Name, p.Name, p.IRI)
	}
	return fmt.Sprintf("the prefix %q is used and stands for %q; write %q: %q in @context", p.Name, shorten(means), p.Name, p.IRI)
}

// parseAgain reads the context after its terms were changed.
func (d *Document) parseAgain() {
	if active, err := parse(d.context.terms); err == nil {
		d.context.active = active
		clear(d.context.names)
		clear(d.context.short)
	}
}

// prefixesOfTerms collects the prefixes that the context itself uses.
func (d *Document) prefixesOfTerms(used map[string]bool) {
	for name, def := range d.context.terms {
		if strings.HasPrefix(name, "@") {
			continue
		}
		for _, s := range []string{name, address(def, "@id"), address(def, "@type")} {
			usePrefix(s, used)
		}
	}
}

// prefixes collects the prefixes of names in a value: of members, of types, and of
// values that are read as names. v is such a value where named is set.
func (d *Document) prefixes(v any, named bool, used map[string]bool) {
	switch v := v.(type) {
	case string:
		if named {
			usePrefix(v, used)
		}
	case []any:
		for _, e := range v {
			d.prefixes(e, named, used)
		}
	case map[string]any:
		for k, e := range v {
			usePrefix(k, used)
			if k != "@context" && d.coercion(k) != "@json" && k != "data" && k != "examples" {
				d.prefixes(e, k == "@type" || k == "dataType" || d.coercion(k) == "@vocab" || named && k == "@id", used)
			}
		}
	}
}

func usePrefix(name string, used map[string]bool) {
	if prefix, rest, found := strings.Cut(name, ":"); found && !strings.HasPrefix(rest, "//") {
		used[prefix] = true
	}
}

// twiceCut returns the terms that are defined by a prefix and more than one colon.
func (d *Document) twiceCut() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(d.context.terms)) {
		prefix, rest, _ := strings.Cut(address(d.context.terms[name], "@id"), ":")
		space, _ := d.context.terms[prefix].(string)
		if strings.Contains(rest, ":") && strings.HasPrefix(space, "http") {
			names = append(names, name)
		}
	}
	return names
}

// requireOneColon reports terms that are defined by a prefix and more than one
// colon, where the document uses a name of another vocabulary than it must: readers
// look the terms up to write that name, and give up on such a term.
func (d *Document) requireOneColon(used map[string]bool) {
	terms := d.twiceCut()
	if len(terms) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if means, ok := d.expand(name); !ok || !d.foreign(means) {
			continue
		}
		for _, term := range terms {
			d.report(Context, Child("/@context", term), "an address with a prefix has one colon; write the full address")
		}
		return
	}
}

// foreign says whether an address is of none of the vocabularies of the format.
func (d *Document) foreign(iri string) bool {
	vocabulary, _ := d.context.terms["@vocab"].(string)
	if iri[0] == '@' || vocabulary != "" && strings.HasPrefix(iri, vocabulary) {
		return false
	}
	for _, p := range d.context.spaces {
		if rest, ok := strings.CutPrefix(Schema(iri), p.IRI); ok && !strings.Contains(rest, ":") {
			return false
		}
	}
	return true
}

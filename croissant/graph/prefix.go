package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RequirePrefixes reports prefixes that the document uses and that stand for another address than
// in the format, or for none, and corrects the context. It must be called before Require,
// because terms are defined with prefixes.
func (d *Document) RequirePrefixes(prefixes []Term) {
	d.context.spaces = prefixes
	if d.context.assumed {
		return
	}
	used := map[string]bool{}
	d.context.prefixesOfTerms(used)
	d.prefixes(d.Root, false, used)
	patched := false
	for _, p := range prefixes {
		if !used[p.Name] {
			continue
		}
		means := d.context.stands(p.Name)
		if Schema(means) == p.IRI {
			continue
		}
		d.add(Problem{Kind: Context, Pointer: Child("/@context", p.Name), Message: wrongPrefix(p, means), Passes: p.Spare})
		d.context.terms[p.Name] = p.IRI
		patched = true
	}
	if patched {
		d.context.parseAgain()
	}
}

// stands returns the address that a prefix stands for, or "" if it is not a prefix.
func (c *scope) stands(prefix string) string {
	td := c.active.GetTermDefinition(prefix)
	if td == nil {
		return ""
	}
	if iri, _ := c.expand(prefix + ":x"); iri != td.ID+"x" {
		return "" // defined so that JSON-LD does not allow it as a prefix
	}
	return td.ID
}

func wrongPrefix(p Term, means string) string {
	if means == "" {
		return fmt.Sprintf("%q is used as a prefix and @context does not make it one; write %q: %q in @context", p.Name, p.Name, p.IRI)
	}
	return fmt.Sprintf("the prefix %q is used and stands for %q; write %q: %q in @context", p.Name, shorten(means), p.Name, p.IRI)
}

// parseAgain parses the context after its terms were changed.
func (c *scope) parseAgain() {
	if active, err := parse(c.terms); err == nil {
		c.active = active
		clear(c.names)
		clear(c.short)
	}
}

// prefixesOfTerms collects the prefixes that the context itself uses.
func (c *scope) prefixesOfTerms(used map[string]bool) {
	for name, def := range c.terms {
		if strings.HasPrefix(name, "@") {
			continue
		}
		for _, s := range []string{name, address(def, "@id"), address(def, "@type")} {
			usePrefix(s, used)
		}
	}
}

// prefixes collects the prefixes in a value: in names of members, in types, and in values that
// are read as names. named says that v is such a value.
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
			if k != "@context" && d.context.coercion(k) != "@json" && k != "data" && k != "examples" {
				// dataType holds names of types even where the context does not say that
				// its values are names (@vocab).
				d.prefixes(e, k == "@type" || k == "dataType" || d.context.coercion(k) == "@vocab" || named && k == "@id", used)
			}
		}
	}
}

func usePrefix(name string, used map[string]bool) {
	// "https://example.org" is an address and no name with the prefix https (JSON-LD 1.1
	// API, section 5.2.2).
	if prefix, rest, found := strings.Cut(name, ":"); found && !strings.HasPrefix(rest, "//") {
		used[prefix] = true
	}
}

// twiceCut returns the terms that are defined with a prefix and more than one colon.
func (c *scope) twiceCut() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.terms)) {
		prefix, rest, _ := strings.Cut(address(c.terms[name], "@id"), ":")
		space, _ := c.terms[prefix].(string)
		if strings.Contains(rest, ":") && strings.HasPrefix(space, "http") {
			names = append(names, name)
		}
	}
	return names
}

// requireOneColon reports terms that are defined with a prefix and more than one colon, if the
// document uses a name of a foreign vocabulary: the library then searches the terms for a
// shorter form of that name, and fails at such a term.
func (d *Document) requireOneColon(used map[string]bool) {
	terms := d.context.twiceCut()
	if len(terms) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if means, ok := d.context.expand(name); !ok || !d.context.foreign(means) {
			continue
		}
		for _, term := range terms {
			d.report(Context, Child("/@context", term), "an address with a prefix has one colon; write the full address")
		}
		return
	}
}

// foreign reports whether an address belongs to none of the vocabularies of the format.
func (c *scope) foreign(iri string) bool {
	vocabulary, _ := c.terms["@vocab"].(string)
	if iri[0] == '@' || vocabulary != "" && strings.HasPrefix(iri, vocabulary) {
		return false
	}
	for _, p := range c.spaces {
		if rest, ok := strings.CutPrefix(Schema(iri), p.IRI); ok && !strings.Contains(rest, ":") {
			return false
		}
	}
	return true
}

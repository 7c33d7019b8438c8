package graph

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/piprate/json-gold/ld"
)

// resolver finds the terms of a context that the library refuses. It gives the library each term
// alone, together with the terms that its definition uses, which are resolved to full
// addresses by then. So the cost grows with the number of terms and not with the length of
// their chains.
type resolver struct {
	terms   map[string]any
	base    map[string]any   // the keywords that are usable
	usable  map[string]any   // definitions of usable terms, with full addresses
	refused map[string]error // terms that are not usable, with the reason
	started map[string]bool
}

var errCycle = errors.New("its definition leads back to itself")

// refusals returns the members of a context that are not usable, with the reasons.
func refusals(terms map[string]any) map[string]error {
	r := &resolver{
		terms: terms, base: map[string]any{}, usable: map[string]any{},
		refused: map[string]error{}, started: map[string]bool{},
	}
	names := slices.Sorted(maps.Keys(terms))
	for _, name := range names {
		if strings.HasPrefix(name, "@") {
			r.keyword(name)
		}
	}
	for _, name := range names {
		r.resolve(name)
	}
	return r.refused
}

func (r *resolver) keyword(name string) {
	r.started[name] = true
	r.base[name] = r.terms[name]
	if _, err := parse(r.base); err != nil {
		r.refused[name] = err
		delete(r.base, name)
	}
}

// resolve decides whether a term is usable, after the terms that it uses. The recursion is at most
// MaxTerms deep.
func (r *resolver) resolve(name string) {
	if r.started[name] {
		return
	}
	r.started[name] = true
	def := r.terms[name]
	// Only what the term uses, so that the library does not parse the whole context for each term.
	part := maps.Clone(r.base)
	for _, need := range r.needs(name, address(def, "@id")) {
		// Neither usable nor refused: it is being resolved further up, so the definitions form a cycle.
		if r.resolve(need); !r.settled(need) {
			r.refused[name] = errCycle
			return
		}
		r.put(part, need)
	}
	// A type that is refused does not refuse the term: the library then decides about the
	// type itself.
	for _, need := range r.needs(name, address(def, "@type")) {
		r.resolve(need)
		r.put(part, need)
	}
	part[name] = def
	active, err := parse(part)
	if err != nil {
		r.refused[name] = err
		return
	}
	r.usable[name] = whole(def, active.GetTermDefinition(name))
}

func (r *resolver) settled(name string) bool {
	_, usable := r.usable[name]
	return usable || r.refused[name] != nil
}

// put adds a usable term to a part of a context.
func (r *resolver) put(part map[string]any, name string) {
	if def, ok := r.usable[name]; ok {
		part[name] = def
	}
	if prefix, _, found := strings.Cut(name, ":"); found {
		if def, ok := r.usable[prefix]; ok {
			part[prefix] = def // JSON-LD requires that a name with a colon means what its parts say
		}
	}
}

// needs returns the other terms that the definition of a term uses.
func (r *resolver) needs(name, address string) []string {
	var needs []string
	add := func(need string) {
		if _, ok := r.terms[need]; ok && need != name && !strings.HasPrefix(need, "@") {
			needs = append(needs, need)
		}
	}
	add(address)
	for _, s := range []string{address, name} {
		if prefix, rest, found := strings.Cut(s, ":"); found && !strings.HasPrefix(rest, "//") {
			add(prefix)
		}
	}
	return needs
}

// address returns a member of the definition of a term. A definition that is text is its @id.
func address(def any, key string) string {
	s, text := def.(string)
	if text && key == "@id" {
		return s
	}
	m, _ := def.(map[string]any)
	s, _ = m[key].(string)
	return s
}

// whole returns the definition of a term with its full address.
func whole(def any, means *ld.TermDefinition) any {
	if means == nil || means.ID == "" {
		return nil
	}
	m, ok := def.(map[string]any)
	if !ok {
		return means.ID
	}
	m = maps.Clone(m)
	// Other terms need only the address. A type would make them depend on further terms.
	delete(m, "@type")
	m["@id"] = means.ID
	return m
}

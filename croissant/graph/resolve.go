package graph

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/piprate/json-gold/ld"
)

// resolver finds the terms of a context that the library refuses. It gives the
// library each term by itself, with those that it is written with, whose whole
// addresses are known by then: what that costs grows with the number of terms, and
// not with how long their chains are.
type resolver struct {
	terms   map[string]any
	base    map[string]any   // the keywords that can be used
	usable  map[string]any   // terms that can be used, with their whole addresses
	refused map[string]error // and those that cannot, with the reason
	started map[string]bool
}

var errCycle = errors.New("its definition leads back to itself")

// refusals returns the members of a context that cannot be used, with the reasons.
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

// resolve finds out whether a term can be used, after those that it needs. It goes
// as deep as terms are written with each other, MaxTerms at most.
func (r *resolver) resolve(name string) {
	if r.started[name] {
		return
	}
	r.started[name] = true
	def := r.terms[name]
	part := maps.Clone(r.base)
	for _, need := range r.needs(name, address(def, "@id")) {
		if r.resolve(need); !r.settled(need) {
			r.refused[name] = errCycle
			return
		}
		r.put(part, need)
	}
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

// put adds a term that can be used to a part of a context.
func (r *resolver) put(part map[string]any, name string) {
	if def, ok := r.usable[name]; ok {
		part[name] = def
	}
	if prefix, _, found := strings.Cut(name, ":"); found {
		if def, ok := r.usable[prefix]; ok {
			part[prefix] = def // a name with a colon must mean what its parts say
		}
	}
}

// needs returns the other terms that a term with an address is written with.
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

// address returns a member of the definition of a term; a definition that is text
// is its @id.
func address(def any, key string) string {
	s, text := def.(string)
	if text && key == "@id" {
		return s
	}
	m, _ := def.(map[string]any)
	s, _ = m[key].(string)
	return s
}

// whole returns the definition of a term with the whole address that it has.
func whole(def any, means *ld.TermDefinition) any {
	if means == nil || means.ID == "" {
		return nil
	}
	m, ok := def.(map[string]any)
	if !ok {
		return means.ID
	}
	m = maps.Clone(m)
	delete(m, "@type")
	m["@id"] = means.ID
	return m
}

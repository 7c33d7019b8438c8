package main

import (
	"fmt"
	"strings"
)

// samples writes the sample numbers that CLDR gives for its plural rules, for
// every locale of the extract that has its own: lines of locale, kind, category
// and samples, divided by tabs.
func (s *source) samples(locales []*locale) []byte {
	var b strings.Builder
	b.WriteString("# Samples of the plural rules of CLDR " + version + ". Written by generate; do not edit.\n")
	for _, l := range locales {
		s.samplesOf(&b, l.name, "plural", s.cardinal)
		s.samplesOf(&b, l.name, "ordinal", s.ordinal)
	}
	return []byte(b.String())
}

// samplesOf writes the samples of one kind of rules of a locale.
func (s *source) samplesOf(b *strings.Builder, name, kind string, table map[string]map[string]string) {
	rules, ok := table[key(name)]
	if !ok || name == root {
		return
	}
	for _, c := range categories {
		_, samples, ok := strings.Cut(rules["pluralRule-count-"+c], "@")
		if ok {
			samples = strings.NewReplacer(" @decimal", ",", "integer ", "", "decimal ", "", ", …", "", ",  …", "").Replace(samples)
			fmt.Fprintf(b, "%s\t%s\t%s\t%s\n", name, kind, c, strings.Join(strings.Fields(samples), " "))
		}
	}
}

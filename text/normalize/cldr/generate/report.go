package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// parts are the kinds of records that the report counts apart, by what their
// keys begin with.
var parts = []string{"rules", "unit/", "currency/", "symbol/", "plural", "ordinal", "months", "days"}

// report prints the size of each part before and after compression, and what
// the languages lack.
func report(w io.Writer, locales []*locale, total int) {
	fmt.Fprintf(w, "%d locales, %d bytes\n", len(locales), total)
	for _, p := range parts {
		raw, packed := 0, 0
		for _, l := range locales {
			only := &locale{records: map[string]string{}}
			for k, v := range l.records {
				if strings.HasPrefix(k, p) {
					only.records[k] = v
				}
			}
			s := only.segment()
			d, _ := deflate(s, preset()) // a failure shows as no bytes
			raw, packed = raw+len(s), packed+len(d)
		}
		fmt.Fprintf(w, "%-10s %8d bytes, %7d compressed\n", strings.Trim(p, "/"), raw, packed)
	}
	for _, p := range append([]string{"months-alone", "am", "noon", "midnight", "bc", "per"}, parts...) {
		lacks(w, locales, p)
	}
}

// lacks prints the languages that have no record, or few, of a part.
func lacks(w io.Writer, locales []*locale, part string) {
	var none, few []string
	most := 0
	counts := map[string]int{}
	for _, l := range locales {
		n := 0
		for k, v := range l.records {
			if strings.HasPrefix(k, part) && v != "" {
				n++
			}
		}
		counts[l.name], most = n, max(most, n)
	}
	for _, l := range locales {
		switch n := counts[l.name]; {
		case l.name == root || slices.Contains(variants, l.name):
		case n == 0:
			none = append(none, l.name)
		case n*10 < most*9:
			few = append(few, fmt.Sprintf("%s (%d)", l.name, n))
		}
	}
	fmt.Fprintf(w, "%s: none in %s; under 90 %% of %d in %s\n", part, strings.Join(none, " "), most, strings.Join(few, " "))
}

package rest

import (
	"net/http"
	"slices"
	"strings"
)

// ignoredHeader names the parameters that were sent and changed nothing.
const ignoredHeader = "X-Ignored-Parameters"

// Bounds of that header of an answer to a body: how many names it has, and bytes of one.
const (
	mostIgnoredInBody = 20
	longestIgnored    = 64
)

// noteIgnored adds parameters of a body to those that the answer names as ignored, in
// alphabetical order. Names that a list in a header cannot hold are left out: what is not
// visible ASCII, has a comma or is very long.
func noteIgnored(h http.Header, names ...string) {
	var all []string
	if before := h.Get(ignoredHeader); before != "" {
		all = strings.Split(before, ", ")
	}
	for _, name := range names {
		if name != "" && len(name) <= longestIgnored && !strings.ContainsFunc(name, isNotListed) {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	all = slices.Compact(all)
	h.Set(ignoredHeader, strings.Join(all[:min(len(all), mostIgnoredInBody)], ", "))
}

// isNotListed reports whether a letter cannot stand in a list in a header.
func isNotListed(r rune) bool { return r <= ' ' || r > '~' || r == ',' }

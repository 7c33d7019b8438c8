package frame

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// IgnoredHeader names the parameters that were sent and changed nothing.
const IgnoredHeader = "X-Ignored-Parameters"

// Bounds of that header of an answer to a body: how many names it has, and bytes of one.
const (
	MostIgnoredInBody = 20
	longestIgnored    = 64
)

// NoteIgnored adds parameters of a body to those that the answer names as ignored, in
// alphabetical order. Names that a list in a header cannot hold are left out: what is not
// visible ASCII, has a comma or is very long.
func NoteIgnored(h http.Header, names ...string) {
	var all []string
	if before := h.Get(IgnoredHeader); before != "" {
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
	// Sorted, so that the same body gives the same header: maps have no order.
	slices.Sort(all)
	all = slices.Compact(all)
	h.Set(IgnoredHeader, strings.Join(all[:min(len(all), MostIgnoredInBody)], ", "))
}

// isNotListed reports whether a letter cannot stand in a list in a header.
func isNotListed(r rune) bool { return r <= ' ' || r > '~' || r == ',' }

// mostIgnored bounds the names that an answer repeats.
const mostIgnored = 10

// IgnoredParameters returns the value of [IgnoredHeader] for a query: the names that were sent and
// are not among the known ones, sorted and escaped, at most ten.
func IgnoredParameters(sent url.Values, known ...string) string {
	var names []string
	for name := range sent {
		if !slices.Contains(known, name) {
			names = append(names, url.QueryEscape(name[:min(len(name), 40)]))
		}
	}
	slices.Sort(names)
	return strings.Join(names[:min(len(names), mostIgnored)], ", ")
}

// Printable replaces what a header cannot hold.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

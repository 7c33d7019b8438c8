package layout

import (
	"slices"
	"sort"
	"strings"
)

// Endings finds paths by their ends: it has them backwards and sorted, so that paths with the same
// end lie together, and a search takes no longer where thousands of files have one name. Between
// the parts of a path is a zero byte, which no name has and which sorts before all others: with a
// slash, a-wav would lie between two files of wav.
type Endings []string

// NewEndings returns the paths, for searching. Each must be there once.
func NewEndings(paths []string) Endings {
	all := make(Endings, len(paths))
	for i, p := range paths {
		all[i] = backwards(p)
	}
	slices.Sort(all)
	return all
}

// backwards returns the bytes of a path in reverse order, with zero bytes in place of slashes; and
// turns what it has returned back.
func backwards(p string) string {
	b := []byte(p)
	slices.Reverse(b)
	for i, c := range b {
		switch c {
		case '/':
			b[i] = 0
		case 0:
			b[i] = '/'
		}
	}
	return string(b)
}

// Longest returns the path whose last parts are those of p, as many as possible and one at least.
// It returns two if there are more such paths, and none if there is none.
func (e Endings) Longest(p string) []string {
	want := backwards(p)
	at := sort.SearchStrings(e, want)
	// The neighbours share the longest beginning with what is searched, in bytes and so in parts.
	n := 0
	for _, i := range []int{at - 1, at} {
		if i >= 0 && i < len(e) {
			n = max(n, commonParts(e[i], want))
		}
	}
	if n == 0 {
		return nil
	}
	end := want // the first n parts of it
	for i, rest := 0, 0; rest < n; rest++ {
		if next := strings.IndexByte(want[i:], 0); next >= 0 {
			end, i = want[:i+next], i+next+1
		} else {
			end = want
		}
	}
	var found []string
	if i := sort.SearchStrings(e, end); i < len(e) && e[i] == end {
		found = append(found, backwards(end))
	}
	for i := sort.SearchStrings(e, end+"\x00"); i < len(e) && strings.HasPrefix(e[i], end+"\x00") && len(found) < 2; i++ {
		found = append(found, backwards(e[i]))
	}
	slices.Sort(found)
	return found
}

// commonParts returns how many parts, from the beginning, two backward paths have in common.
func commonParts(a, b string) int {
	n := 0
	for {
		x, restA, moreA := strings.Cut(a, "\x00")
		y, restB, moreB := strings.Cut(b, "\x00")
		if x != y {
			return n
		}
		n++
		if !moreA || !moreB {
			return n
		}
		a, b = restA, restB
	}
}

package segment

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// split returns how much of the gap between two runs belongs to the left one.
// Before the gap, depth brackets were open.
//
// A bracket that closes one of those takes everything up to it to the left, one
// that stays open takes everything from it to the right; for the rest, the
// first space outside the brackets of the gap is the seam.
func split(gap string, depth int) int {
	if gap == "" {
		return 0
	}
	clusters := graphemes.FromString(gap)
	// First pass: find the last bracket that closes one from before the gap. All up to it
	// goes to the left run.
	from, inner := 0, 0
	for clusters.Next() {
		switch bracket(gap[clusters.Start():]) {
		case 1:
			inner++
		case -1:
			if inner > 0 {
				inner--
			} else if depth > 0 {
				depth--
				from = clusters.End()
			}
		}
	}
	// Second pass, over the remainder: find the end of the first spaces outside brackets,
	// and the first bracket that stays open.
	seam, opened := -1, -1
	inner = 0
	clusters.SetText(gap[from:])
	for clusters.Next() {
		at := from + clusters.Start()
		kind, space := bracket(gap[at:]), isSpace(gap[at:])
		switch {
		// The seam lies after all of the spaces, not after the first one.
		case seam >= 0 && !space:
			return seam
		case seam >= 0 || space && inner == 0:
			seam = from + clusters.End()
		case kind == 1:
			if inner == 0 {
				opened = at
			}
			inner++
		case kind == -1 && inner > 0:
			inner--
		}
	}
	switch {
	case seam >= 0:
		return seam
	case inner > 0:
		return opened
	}
	return len(gap)
}

// bracket returns 1 when a text begins with an opening bracket or quotation
// mark, -1 when with a closing one, else 0. Single quotation marks are not
// among them: they are apostrophes too.
func bracket(s string) int {
	switch s[0] {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	if s[0] < utf8.RuneSelf {
		return 0
	}
	switch r, _ := utf8.DecodeRuneInString(s); r {
	case '\u2018', '\u2019', '\u201A', '\u201B':
		return 0
	case '\u201C', '\u201E', '\u00AB':
		return 1
	case '\u201D', '\u00BB':
		return -1
	default:
		if unicode.Is(unicode.Ps, r) {
			return 1
		}
		if unicode.Is(unicode.Pe, r) {
			return -1
		}
	}
	return 0
}

func isSpace(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

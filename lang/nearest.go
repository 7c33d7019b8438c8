package lang

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// neighboursTSV lists languages that are related to languages that are not supported.
//
//go:embed neighbours.tsv
var neighboursTSV string

// neighbours are the codes to suggest for codes and names of languages that are not supported.
var neighbours = sync.OnceValue(func() map[string][]Code {
	all := map[string][]Code{}
	for line := range strings.Lines(neighboursTSV) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		codes, names, _ := strings.Cut(strings.TrimSpace(line), "\t")
		var near []Code
		for code := range strings.SplitSeq(codes, ", ") {
			near = append(near, Code(code))
		}
		for name := range strings.SplitSeq(names, ", ") {
			all[fold(name)] = near
		}
	}
	return all
})

// Instead returns the end of a sentence that suggests what to send instead of an unknown hint:
// "did you mean hi (Hindi) or sd (Sindhi)?", or where all languages are listed if none is near.
// It takes hundreds of times as long as [Find].
func Instead(hint string) string {
	near := nearest(hint)
	if len(near) == 0 {
		return fmt.Sprintf("GET /v1/languages lists the %d that are", len(table.rows))
	}
	text := "did you mean "
	for i, l := range near {
		switch {
		case i > 0 && i == len(near)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += fmt.Sprintf("%s (%s)", l.Code, l.Name)
	}
	return text + "?"
}

// maxNear is the most languages to suggest.
const maxNear = 3

// nearest returns up to three languages that an unknown hint may mean, the likeliest first.
// These are languages named in the hint; else relatives of the language that it names; else
// languages with a name that differs in a few letters. Codes are never compared by letters,
// because similar codes mean unrelated languages.
func nearest(hint string) []Language {
	if len(hint) > maxHint {
		hint = hint[:maxHint]
	}
	key := fold(hint)
	if near := parts(key); len(near) > 0 {
		return near
	}
	// The whole hint first, since a name may have a hyphen in it.
	base, _, _ := strings.Cut(key, "-")
	for _, name := range []string{key, base} {
		if codes := neighbours()[name]; codes != nil {
			near := make([]Language, len(codes))
			for i, c := range codes {
				near[i] = table.rows[table.byCode[c]]
			}
			return near
		}
	}
	return alike([]rune(key))
}

// parts returns the languages that are named in a hint among other text, as in "français,
// English" or "hi-XYZ".
func parts(key string) (near []Language) {
	words := strings.FieldsFunc(key, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) })
	for i, word := range words {
		t, ok := names()[word]
		if !ok || i > 0 && utf8.RuneCountInString(word) < minName {
			continue // a code can begin a tag, but elsewhere it may be any syllable
		}
		l := table.rows[table.byCode[t.Code]]
		if len(near) < maxNear && !slices.ContainsFunc(near, func(o Language) bool { return o.Code == l.Code }) {
			near = append(near, l)
		}
	}
	return near
}

// minName is the shortest hint, in runes, that is compared with names. Shorter ones are codes.
const minName = 4

// maxEdits returns how many edits a name may be away from a hint of so many runes.
func maxEdits(runes int) int { return max(1, runes/4) }

// alike returns the languages whose names are a few edits away, the nearest first, in product
// order among equals.
func alike(want []rune) (near []Language) {
	if len(want) < minName || len(want) > maxShown {
		return nil
	}
	best := make([]int, len(table.rows))
	for i := range best {
		best[i] = maxHint
	}
	for name, t := range names() {
		// Names whose lengths differ by more than the edits need not be compared.
		if n := utf8.RuneCountInString(name); n < minName || max(n-len(want), len(want)-n) > maxEdits(len(want)) {
			continue
		}
		i := table.byCode[t.Code]
		best[i] = min(best[i], distance(want, []rune(name)))
	}
	for d := 1; d <= maxEdits(len(want)); d++ {
		for i, l := range table.rows {
			if best[i] == d && len(near) < maxNear {
				near = append(near, l)
			}
		}
	}
	return near
}

// distance returns the number of edits between a and b: insertions, deletions and replacements
// of a rune, and swaps of two adjacent runes (Damerau-Levenshtein, restricted).
func distance(a, b []rune) int {
	var rows [3][]int // for the current rune of b and the two before it
	for i := range rows {
		rows[i] = make([]int, len(a)+1)
	}
	for i := range rows[0] {
		rows[0][i] = i
	}
	for j, r := range b {
		rows[0], rows[1], rows[2] = rows[2], rows[0], rows[1]
		rows[0][0] = j + 1
		for i, c := range a {
			cost := 1
			if c == r {
				cost = 0
			}
			d := min(rows[0][i]+1, rows[1][i+1]+1, rows[1][i]+cost) // delete, insert, replace or keep
			// A swap continues from two rows and two columns before.
			if i > 0 && j > 0 && c == b[j-1] && a[i-1] == r {
				d = min(d, rows[2][i-1]+1)
			}
			rows[0][i+1] = d
		}
	}
	return rows[0][len(a)]
}

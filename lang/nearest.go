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

// neighboursTSV has the languages that are near to some that are not supported.
//
//go:embed neighbours.tsv
var neighboursTSV string

// neighbours are the codes that are suggested for codes and names that are not
// supported.
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

// Instead says, as the end of a sentence, what may be sent instead of a hint that is no
// language: "did you mean hi (Hindi) or sd (Sindhi)?", and where all languages are
// listed when none is near. It takes hundreds of times as long as [Find].
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

// maxNear is how many languages are suggested.
const maxNear = 3

// nearest returns up to three languages that a hint that is none of them may mean, the
// likeliest first: those of which it is a part, those that are near to the language that
// it means, or those whose names are few edits away. A code is never compared letter by
// letter, since codes that look alike mean languages that have nothing in common.
func nearest(hint string) []Language {
	if len(hint) > maxHint {
		hint = hint[:maxHint]
	}
	key := fold(hint)
	if near := parts(key); len(near) > 0 {
		return near
	}
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

// parts returns the languages that are named in a hint among other things: in
// "français, English", in "hi-XYZ".
func parts(key string) (near []Language) {
	words := strings.FieldsFunc(key, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) })
	for i, word := range words {
		t, ok := names()[word]
		if !ok || i > 0 && utf8.RuneCountInString(word) < leastName {
			continue // a code is the beginning of a tag, and later any syllable
		}
		l := table.rows[table.byCode[t.Code]]
		if len(near) < maxNear && !slices.ContainsFunc(near, func(o Language) bool { return o.Code == l.Code }) {
			near = append(near, l)
		}
	}
	return near
}

// leastName is the length in runes from which a hint is compared with names: shorter
// ones are codes.
const leastName = 4

// mayDiffer returns how many edits away a name may be from a hint of so many runes.
func mayDiffer(runes int) int { return max(1, runes/4) }

// alike returns the languages whose names are a few edits away, in product order among
// equals.
func alike(want []rune) (near []Language) {
	if len(want) < leastName || len(want) > maxShown {
		return nil
	}
	best := make([]int, len(table.rows))
	for i := range best {
		best[i] = maxHint
	}
	for name, t := range names() {
		if n := utf8.RuneCountInString(name); n < leastName || max(n-len(want), len(want)-n) > mayDiffer(len(want)) {
			continue
		}
		i := table.byCode[t.Code]
		best[i] = min(best[i], distance(want, []rune(name)))
	}
	for d := 1; d <= mayDiffer(len(want)); d++ {
		for i, l := range table.rows {
			if best[i] == d && len(near) < maxNear {
				near = append(near, l)
			}
		}
	}
	return near
}

// distance counts the insertions, deletions and replacements of runes between a and b,
// and the swaps of two that stand side by side.
func distance(a, b []rune) int {
	var rows [3][]int // of the rune of b, of the one before it, of the one before that
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
			d := min(rows[0][i]+1, rows[1][i+1]+1, rows[1][i]+cost)
			if i > 0 && j > 0 && c == b[j-1] && a[i-1] == r {
				d = min(d, rows[2][i-1]+1)
			}
			rows[0][i+1] = d
		}
	}
	return rows[0][len(a)]
}

package lang

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Nearest names the three languages whose codes or names are the fewest edits away
// from a hint that is no language, as a sentence that asks which was meant goes on:
// "hi (Hindi), sd (Sindhi) or si (Sinhala)". It takes hundreds of times as long as
// [Find].
func Nearest(hint string) string {
	near := nearest(hint)
	return fmt.Sprintf("%s (%s), %s (%s) or %s (%s)",
		near[0].Code, near[0].Name, near[1].Code, near[1].Name, near[2].Code, near[2].Name)
}

// nearest returns the three languages whose codes or names are the fewest
// edits away from a hint that is none of them, in product order among equals.
// A hint as short as a code is compared with codes too.
func nearest(hint string) [3]Language {
	if len(hint) > maxHint {
		hint = hint[:maxHint]
	}
	key := fold(hint)
	if base, _, ok := strings.Cut(key, "-"); ok && len(base) <= 3 {
		key = base // the language part of a tag
	}
	want := []rune(key)
	want = want[:min(len(want), maxShown)]

	best := make([]int, len(table.rows))
	for i := range best {
		best[i] = maxShown + maxHint
	}
	var scratch [maxShown + 1]int
	for name, t := range names() {
		if n := utf8.RuneCountInString(name); n <= 3 && len(want) > 3 {
			continue
		}
		i := table.byCode[t.Code]
		best[i] = min(best[i], distance(want, name, scratch[:len(want)+1]))
	}
	var near [3]Language
	for k := range near {
		at := 0
		for i, d := range best {
			if d < best[at] {
				at = i
			}
		}
		near[k] = table.rows[at]
		best[at] = 1 << 30
	}
	return near
}

// distance counts the insertions, deletions and replacements of runes between
// a and b. row is scratch space of len(a)+1.
func distance(a []rune, b string, row []int) int {
	for i := range row {
		row[i] = i
	}
	for _, r := range b {
		diagonal := row[0]
		row[0]++
		for i, c := range a {
			cost := 1
			if c == r {
				cost = 0
			}
			next := min(row[i]+1, row[i+1]+1, diagonal+cost)
			diagonal, row[i+1] = row[i+1], next
		}
	}
	return row[len(a)]
}

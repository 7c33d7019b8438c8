package write

import (
	"strings"

	"vaak/catalogue/clean"
)

// sentence returns a text with a full stop, unless it ends with other punctuation.
func sentence(s string) string {
	if s == "" || strings.ContainsRune(".!?…।॥", lastRune(s)) {
		return s
	}
	return s + "."
}

func lastRune(s string) (last rune) {
	for _, r := range s {
		last = r
	}
	return last
}

// labelled returns "label: text." or, if there is no text, "".
func labelled(label, s string) string {
	if s = clean.Line(s); s == "" {
		return ""
	}
	return label + ": " + sentence(s)
}

// some returns the texts that are not empty, without repetitions in any case of letters.
func some(texts ...string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, t := range texts {
		// The first spelling stays.
		if key := strings.ToLower(t); !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

package frontend

import (
	"slices"

	"vaak/lang"
	"vaak/text/normalize"
	"vaak/text/translit"
)

// Warm loads the tables of languages, so that no request waits for them. For all of them
// that takes half a second of processor time and 30 MB of memory. Without it, a language is
// loaded on first use, in 1 to 3 ms, the tables for romanised words in 25 ms, and the words
// of a language that is romanised in 5 to 30 ms.
func Warm(languages []lang.Language) {
	romanised := translit.Codes()
	for _, l := range languages {
		normalize.For(lang.Tag{Code: l.Code})
		if slices.Contains(romanised, l.Code) {
			translit.Write(l.Code, "kya")
		}
	}
	translit.Detect("kya haal hai")
	lang.Detect("how are you")
}

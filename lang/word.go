package lang

import "vaak/lang/internal/gram"

// WordScores tells how much one word in Latin letters indicates each language, in levels of
// 0.75 nats, in the order of [LatinLanguages].
type WordScores [maxLanguages]int32

// LatinLanguages returns the languages that [ScoreWord] tells apart.
func LatinLanguages() []Code { return tables[latin].codes }

// ScoreWord returns what the letters of a word in Latin letters indicate for each language. Other
// characters in it are passed over. It does not allocate.
func ScoreWord(word string) (scores WordScores) {
	var (
		w   gram.Word
		buf [gram.MaxHashes]uint32
	)
	for _, r := range word {
		if scriptOf(r) == latin {
			w.Add(r)
		}
	}
	for _, h := range buf[:w.Hashes(true, &buf)] {
		if levels, _, ok := tables[latin].grams.find(h); ok {
			add(levels, (*[maxLanguages]int32)(&scores))
		}
	}
	return scores
}

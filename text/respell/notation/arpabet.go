package notation

import (
	"slices"
	"strings"
)

var (
	arpabetVowels     = strings.Fields("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW")
	arpabetConsonants = strings.Fields("B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH")
	// unspelled are symbols that nobody writes for anything else.
	unspelled = strings.Fields("DH HH JH ZH")
)

// isARPAbet reports whether a value is nothing but symbols of the CMU pronouncing
// dictionary: two or more of which one has a stress digit ("HH AH0 L OW1"), or, in
// capitals and without digits, three or more that make no other sense ("HH AH L OW").
// Letters to be spelled ("A P I", "K P M G") are none, since most vowels are no
// symbols.
func isARPAbet(s string) bool {
	if !asciiOnly(s) {
		return false
	}
	tokens, vowels, consonants, odd, stressed := 0, 0, 0, 0, false
	for token := range strings.FieldsFuncSeq(s, separatesSymbols) {
		tokens++
		symbol := strings.ToUpper(token)
		base := strings.TrimRight(symbol, "012")
		switch {
		case len(symbol)-len(base) > 1:
			return false
		case slices.Contains(arpabetVowels, base):
			vowels++
			stressed = stressed || base != symbol
		case slices.Contains(arpabetConsonants, symbol):
			consonants++
			if slices.Contains(unspelled, symbol) {
				odd++
			}
		default:
			return false
		}
	}
	if stressed {
		return tokens >= 2
	}
	return s == strings.ToUpper(s) && tokens >= 3 &&
		(odd > 0 && vowels > 0 || tokens >= 4 && vowels >= 2 && consonants >= 2)
}

func separatesSymbols(r rune) bool { return strings.ContainsRune(" \t|,.;-/[]{}<>()\"'", r) }

package piper

import (
	"strings"

	"vaak/engine/ipa"
)

// marks are the punctuation marks for which espeak-ng 1.52 reports each terminator that Piper
// writes as a symbol, as measured with the library of piper-tts 1.8.0.
var marks = map[string]string{
	".": ".۔܁܄።᙮᠃᠉⳹⳾⸳⸼꓿꘎꛳︒﹒｡",
	"!": "!܃߹᥄‼︕﹗",
	"?": "?\u037e؟܉፧᥅⁇⳺⳻꘏꛷︖﹖",
	",": ",՝،܂߸༔፣᠂᠈⸲⸴⹁꓾꘍꛵︐︑﹐﹑､",
	":": ":܆܇፥፦᠄꛴︓﹕",
	";": ";\u0387؛܈፤–—⁏⸵⸺⸻꛶︔︱︲﹔",
}

// terminator returns the symbol with which a clause ends, and whether a sentence does. It is ""
// for marks that Piper leaves out, such as the danda and the ideographic full stop: a voice has
// learned its language without them.
func terminator(c ipa.Clause) (mark string, ends bool) {
	ends = c.EndsSentence()
	if c.Mark == 0 {
		return "", ends
	}
	for symbol, all := range marks {
		if strings.ContainsRune(all, c.Mark) {
			return symbol, ends || symbol == "." || symbol == "!" || symbol == "?"
		}
	}
	return "", ends
}

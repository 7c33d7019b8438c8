package segment

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// usual says whether a word before a full stop is a usual abbreviation.
func usual(w []byte) mark {
	var low [len(token{}.buf) + 4]byte
	n := 0
	for i := 0; i < len(w); {
		r, size := utf8.DecodeRune(w[i:])
		i += size
		// A small letter may take more bytes than its capital, so four bytes of room follow
		// the longest token. A word that does not fit is in no list.
		if r = unicode.ToLower(r); n+utf8.RuneLen(r) > len(low) {
			return stop
		}
		n += utf8.EncodeRune(low[n:], r)
	}
	if kind, ok := usualWords()[string(low[:n])]; ok {
		return kind
	}
	return stop
}

// usualWords are the words below.
var usualWords = sync.OnceValue(func() map[string]mark {
	words := map[string]mark{}
	for w := range strings.FieldsSeq(beforeNumbers) {
		// beforeWords is entered second, so a word in both lists never ends a sentence.
		words[w] = counting
	}
	for w := range strings.FieldsSeq(beforeWords) {
		words[w] = abbreviated
	}
	return words
})

// beforeWords are abbreviations in small letters that stand before what they
// belong to, so that no sentence ends with them. Those that are words of some
// supported language, too, are left out.
const beforeWords = `
mr mrs ms dr prof rev hon sr jr messrs capt lt sgt gov gen maj col rep sen pres supt st mt vs viz cf ph.d dept approx govt asst
hr fr frl dipl bzw evtl ggf inkl zzgl v.chr n.chr sog vgl
mme mlle mgr ste env
sra srta dra dña excmo excma uds vd exmo exma
sig sigg dott dott.ssa avv
dhr mevr drs bijv mw
inż mgr ul tzw św hab
např tzv tj mudr judr phdr ing
kb ún
doç yrd örn
esim
bl.a f.eks fx bijv
гр ул пр тов проф акад св см напр
вул проф напр див
г-н г-жа
κ κα κος δρ π.χ
डॉ प्रो प्रा
ডা ডঃ ড মো মোঃ
ડૉ ડો
திரு
డా
ಡಾ
ഡോ
ਡਾ
ଡା ଡଃ
`

// beforeNumbers are abbreviations that stand before numbers and are words, or
// ends of sentences, elsewhere.
const beforeNumbers = `
rs tk रु ரூ రూ ರೂ રૂ രൂ ਰੁ
no nos nr num núm vol vols fig figs pp ch chap art sec ver ed ext apt eq
jan feb mar apr jun jul aug sep sept oct nov dec
kl abb abs bd kap str tel abt
pág págs pag pagg cap
стр рис гл табл тел
σελ αρ
नं
নং
`

package stop

import (
	"strings"
	"sync"
)

// usual returns the kind of an abbreviation that is usual in some language, given in small
// letters and without its last full stop.
func usual(low string) Kind { return usualWords()[low] }

// Usual returns the kind of an abbreviation that is usual in some language, given in small
// letters and without its last full stop: Before, Count or Word. It does not allocate.
func Usual(low []byte) Kind { return beforeThings()[string(low)] }

// beforeThings are the words of which it is certain everywhere what follows them.
var beforeThings = sync.OnceValue(func() map[string]Kind {
	words := map[string]Kind{}
	for w := range strings.FieldsSeq(beforeNumbers) {
		words[w] = Count
	}
	// These are entered second, so a word in both lists never ends a sentence.
	for w := range strings.FieldsSeq(beforeWords) {
		words[w] = Before
	}
	return words
})

// usualWords are all words below.
var usualWords = sync.OnceValue(func() map[string]Kind {
	words := map[string]Kind{}
	for w, k := range beforeThings() {
		words[w] = k
	}
	for k, list := range map[Kind]string{Tail: tails, Time: times, Weak: weak} {
		for w := range strings.SplitSeq(strings.TrimSpace(list), ";") {
			words[strings.TrimSpace(w)] = k
		}
	}
	return words
})

// usualAfterNumber are units as they are written in most languages.
var usualAfterNumber = func() map[string]Kind {
	words := map[string]Kind{}
	for w := range strings.FieldsSeq(units) {
		words[w] = Unit
	}
	return words
}()

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

// tails are abbreviations that stand behind what they belong to.
const tails = `
etc; et al; inc; ltd; pvt. ltd; corp; co; llc; plc; bros; ph.d; ph. d; m.d; b.a; m.a; b.sc; m.sc; b.tech; m.tech; b.com; m.com; b.ed;
m.phil; d.phil; mba; ll.b; ll.m; a.d; b.c; b.c.e; c.e; s.p.a; s.r.l; s.a; s. a; b.v; n.v; gmbh; sdn. bhd; bhd; ltda; cia; pty. ltd; e.v; e. v
`

// times stand behind hours.
const times = `a.m; p.m; a. m; p. m`

// weak are abbreviations that may end a sentence or stand before a name: "the U.S. Army".
const weak = `jr; pvt; pty; sdn; u.s; u.k; u.s.a; u.n; e.u; d.c; u.a.e`

// units are units behind a number.
const units = `km km² m cm mm kg g mg l ml dl cl h hr hrs min mins s sec secs ft in lb lbs oz mi yd sq.ft kmh km/h kw kwh mb gb tb mw ha kcal cal`

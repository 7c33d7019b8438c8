package accent

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vaak/lang"
)

// TestRender has what speakers of a language are known to make of the sounds of
// another.
func TestRender(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		other, native lang.Code
		ipa, want     string
	}{
		{"en", "hi", "t", "ʈ"},
		{"en", "hi", "d", "ɖ"},
		{"en", "hi", "θ", "tʰ"},
		{"en", "hi", "ð", "d"},
		{"en", "hi", "w", "ʋ"},
		{"en", "hi", "v", "ʋ"},
		{"en", "hi", "ˈoʊ", "ˈoː"},
		{"en", "ta", "f", "v"},
		{"en", "ta", "z", "s"},
		{"en", "bn", "z", "s"},
		{"en", "bn", "v", "w"},
		{"hi", "en", "ʈ", "t"},
		{"hi", "en", "bʰ", "b"},
		{"hi", "ta", "kʰ", "k"},
		{"en", "fr", "ɹ", "ʁ"},
		{"en", "fr", "h", ""},
		{"en", "fr", "tʃ", "tʃ"},
		{"fr", "en", "ʁ", "ɹ"},
		{"fr", "en", "y", "i"},
		{"en", "ja", "l", "ɽ"},
		{"en", "ja", "ð", "d"},
		{"en", "ja", "tʃ", "tɕ"},
		{"en", "de", "w", "v"},
		{"en", "de", "θ", "t"},
		{"en", "de", "tʃ", "tʃ"},
		{"en", "es", "ɪ", "i"},
		{"de", "es", "v", "β"},
		{"de", "es", "ˌiː", "ˌi"},
		{"en", "ru", "h", "x"},
		{"en", "ru", "w", "v"},
		{"ar", "en", "ʔ", ""},
		{"ar", "en", "ħ", "h"},
		{"ru", "en", "sʲ", "s"},
		{"ja", "yue", "ɽ", "l"},
		{"fr", "zh", "b", "p"},
		{"fr", "zh", "p", "pʰ"},
		{"zh", "en", "ˈiɜ", "ˈi"},
		{"vi", "en", "ˌaː2", "ˌɑː"},
		{"yue", "en", "ˈenɡ7", "ˈeɪŋ"},
		{"en", "zh", "ɹ", "ɻ"},
		{"hi", "he", "c", "tʃ"},
		{"en", "ja", "ʌ", "a"},
		{"en", "te", "ə", "a"},
		{"zh", "en", "p", "b"},
		{"zh", "en", "ph", "p"},
		{"ko", "en", "q", "k"},
		{"si", "en", "ᵑ", "ŋ"},
	} {
		r, ok := New(tt.native, tt.other).Render(tt.ipa)
		if got := strings.ReplaceAll(r.IPA, "̪", ""); !ok || got != tt.want {
			t.Errorf("%s in a voice of %s: %s is said [%s] at %.2f (%v), want [%s]", tt.other, tt.native, tt.ipa, r.IPA, r.Cost, ok, tt.want)
		}
	}
}

func TestRenderOfWhatIsNoSound(t *testing.T) {
	t.Parallel()
	a := New("en", "hi")
	for _, ipa := range []string{"", "ˈ", "1", "(en)", "]]", "[[", "k]]", strings.Repeat("ab", 1000), "\x00", "\xff", "ʲ", "語"} {
		if r, ok := a.Render(ipa); ok || r.Mnemonics != "" || r.IPA != "" {
			t.Errorf("Render(%q) = %+v, %v, want nothing", ipa, r, ok)
		}
	}
	if New("xx", "hi") != nil || Of("xx", "hi") != nil {
		t.Error("there is an accent of a language that nothing is known of")
	}
	if first, again := Of("en", "hi"), Of("en", "hi"); first != again {
		t.Error("Of makes an accent twice")
	}
}

// TestEveryPhonemeIsKnown: all of the table can be compared, and a language says its
// own with itself.
func TestEveryPhonemeIsKnown(t *testing.T) {
	t.Parallel()
	rows := strings.Count(phonemesTSV, "\n") - strings.Count(phonemesTSV, "\n#") - 1
	read := 0
	for _, l := range lang.All() {
		own := Inventory(l.Code)
		if len(own) < 15 {
			t.Errorf("%s has %d phonemes", l.Code, len(own))
		}
		a := New(l.Code, l.Code)
		for _, p := range own {
			read++
			if !Known(l.Code, p.IPA) {
				t.Errorf("%s: nothing is known of [%s]", l.Code, p.IPA)
			}
			if strings.ContainsAny(p.Mnemonic, " []\t") && !strings.HasSuffix(p.Mnemonic, "[") || strings.Contains(p.Mnemonic, "]") {
				t.Errorf("%s: mnemonic %q can end the phonemes of a text", l.Code, p.Mnemonic)
			}
			if r, ok := a.Render(p.IPA); !ok || r.Cost > 0.15 {
				t.Errorf("%s: [%s] is said %s at %.2f in its own language", l.Code, p.IPA, r.Mnemonics, r.Cost)
			}
		}
	}
	if read != rows {
		t.Errorf("%d phonemes are read of %d rows", read, rows)
	}
}

// TestRenderIsTotal: for every phoneme of every language there is something that
// stands for it in every native language, of that one's own phonemes, and always the
// same.
func TestRenderIsTotal(t *testing.T) {
	t.Parallel()
	for _, native := range lang.All() {
		own := map[string]bool{}
		for _, p := range Inventory(native.Code) {
			for m := range strings.SplitSeq(p.Mnemonic, "|") {
				own[m] = true
			}
		}
		for _, other := range lang.All() {
			a, again := Of(native.Code, other.Code), New(native.Code, other.Code)
			for _, p := range Inventory(other.Code) {
				r, ok := a.Render(p.IPA)
				if !ok || r.Cost < 0 || r.Cost > maxCost || math.IsNaN(r.Cost) {
					t.Errorf("%s in a voice of %s: [%s] is %+v, %v", other.Code, native.Code, p.IPA, r, ok)
				}
				for m := range strings.SplitSeq(r.Mnemonics, "|") {
					if m != "" && !own[m] {
						t.Errorf("%s in a voice of %s: [%s] is said %q, which is none of its phonemes", other.Code, native.Code, p.IPA, r.Mnemonics)
					}
				}
				if other.Code == "en" {
					if s, _ := again.Render(p.IPA); s != r {
						t.Errorf("%s in a voice of %s: [%s] is %+v, and then %+v", other.Code, native.Code, p.IPA, r, s)
					}
				}
			}
		}
	}
}

// drawSegments draws the sounds of up to three phonemes of the table.
func drawSegments(t *rapid.T, label string) []segment {
	var all []segment
	for range rapid.IntRange(1, 3).Draw(t, label+" phonemes") {
		code := rapid.SampledFrom(lang.All()).Draw(t, label+" language").Code
		all = append(all, rapid.SampledFrom(Inventory(code)).Draw(t, label+" phoneme").segments...)
	}
	return all
}

func TestDistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawSegments(t, "from"), drawSegments(t, "to")
		if d := editCost(x, x); d != 0 {
			t.Errorf("a sound is %v from itself: %+v", d, x)
		}
		d := editCost(x, y)
		bound := 0.0
		for _, s := range x {
			bound += omission(s)
		}
		for _, s := range y {
			bound += insertion(s)
		}
		if d < 0 || d > bound || math.IsNaN(d) {
			t.Errorf("%v, want 0 to %v: %+v %+v", d, bound, x, y)
		}
		if longer := editCost(append(x[:len(x):len(x)], y...), y); longer > editCost(x, nil) {
			t.Errorf("leaving all of %+v out costs %v, beside what is the same %v", x, editCost(x, nil), longer)
		}
	})
}

func TestKinshipIsSymmetric(t *testing.T) {
	t.Parallel()
	for i := range mannerDistance {
		for j := range mannerDistance[i] {
			if mannerDistance[i][j] != mannerDistance[j][i] || (mannerDistance[i][j] == 0) != (i == j) {
				t.Errorf("kinship of %d and %d is %v, of %d and %d %v", i, j, mannerDistance[i][j], j, i, mannerDistance[j][i])
			}
		}
	}
}

func TestVowelShare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code        lang.Code
		least, most float64
	}{
		{"he", 0.05, 0.2}, {"ar", 0.25, 0.35}, {"de", 0.35, 0.4}, {"en", 0.35, 0.45}, {"hi", 0.4, 0.5}, {"ja", 0.45, 0.6}, {"xx", 0, 0},
	} {
		if got := VowelShare(tt.code); got < tt.least || got > tt.most {
			t.Errorf("VowelShare(%s) = %.3f, want %v to %v", tt.code, got, tt.least, tt.most)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "tʃ", "aɪə", "ɛ̃", "ʰχ", "ᵐ", "a.ː", "1", "\xff", "ˈiɜ", "̃", "kʲʲʲ", strings.Repeat("a", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ipa string) {
		all, ok := parse(ipa)
		if ok && len(all) == 0 || len(all) > 2*len(ipa) {
			t.Errorf("parse(%q) = %d sounds, %v", ipa, len(all), ok)
		}
		if ok && editCost(all, all) != 0 {
			t.Errorf("%q is not the same as itself", ipa)
		}
	})
}

package form

import (
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"vaak/lang"
	origin "vaak/text"
)

// z is Silent, in the texts below.
const z = "\u200c"

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code lang.Code
		text string
		want string
	}{
		{"nothing to do", "hi", "नमस्ते, कैसे हैं?", "नमस्ते, कैसे हैं?"},
		{"ASCII", "en", "Hello, 25!", "Hello, 25!"},
		{"digits of any script", "ur", "۲۵ ٢٥ २५", "25 25 25"},
		{"digits beyond 16 bits", "en", "\U0001d7d9\U0001d7e1", "19"},
		{"modifier apostrophe", "uk", "м\u02bcяч", "м’яч"},
		{"turned comma", "uz", "o\u02bbzbek to\u02bbg\u02bbri", "o‘zbek to‘g‘ri"},
		{"joiner", "si", "ශ\u0dca\u200dරී", "ශ\u0dca" + z + "රී"},

		{"Bengali yya", "bn", "হ\u09af\u09bc", "হ\u09df" + z},
		{"Bengali rra", "bn", "প\u09a1\u09bcে", "প\u09dc" + z + "ে"},
		{"Bengali rha", "bn", "গা\u09a2\u09bc", "গা\u09dd" + z},
		{"Assamese rra", "as", "প\u09a2\u09bcিলে", "প\u09f0" + z + "িলে"},
		{"Assamese yya", "as", "এ\u09af\u09bcা", "এ\u09df" + z + "া"},
		{"Assamese with a Bengali ra", "as", "পরে", "পৰে"},
		{"Manipuri wa", "mni", "ৱাহৈ লোৱ", "ওআহৈ লোও"},
		{"Odia wa", "or", "ସ୍ୱର", "ସ୍ଵର"},
		{"Malayalam chillu", "ml", "അവന\u0d4d\u200d", "അവ\u0d7b" + z + z},
		{"Malayalam joiner elsewhere", "ml", "ക\u200dമ", "ക" + z + "മ"},

		{"Sanskrit", "sa", "धर्मक्षेत्रे कुरुक्षेत्रे।", "ಧರ್ಮಕ್ಷೇತ್ರೇ ಕುರುಕ್ಷೇತ್ರೇ।"},
		{"Sanskrit signs", "sa", "सोऽहम् ऋतं नमः॥", "ಸೋ" + z + "ಹಮ್ ಋತಂ ನಮಃ॥"},
		{"Sanskrit with Vedic accents", "sa", "अ॒ग्निमी॑ळे", "ಅ" + z + "ಗ್ನಿಮೀ" + z + "ಳೇ"},

		{"stop after a letter", "en", "nine P M. Then “B.” And A. b", "nine P M। Then “B.” And A. b"},
		{"stop before a brand", "en", "at Tesla. iPhone. phone", "at Tesla। iPhone. phone"},
		{"Santali", "sat", "ᱡᱚᱦᱟᱨ᱾", "ज\u0949हार।"},
		{"Santali aspirate", "sat", "ᱡᱷᱟᱨᱠᱷᱚᱸᱰ", "झ" + z + "ारख" + z + "\u0949\u0901ड"},
		{"Santali vowel alone", "sat", "ᱟᱯᱟ ᱤ", "आपा इ"},
		{"Santali digits", "sat", "᱒᱕", "25"},
		{"Santali aspiration of nothing", "sat", "ᱷᱟ", z + "आ"},
		{"Santali in Devanagari", "sat", "जोहार", "जोहार"},
		{"Meetei Mayek", "mni", "ꯃꯤꯇꯩ", "মিতৈ"},
		{"Meetei Mayek carrier", "mni", "ꯑꯩ", "ঐ" + z},
		{"Meetei Mayek wa and full stop", "mni", "ꯋꯥ꯫", "ওআ।"},

		{"Urdu", "ur", "هذا كتاب علي", "ہذا کتاب علی"},
		{"Urdu heh", "ur", "ھم ٹھیک", "ہم ٹھیک"},
		{"Punjabi in Arabic letters", "pa", "كي", "کی"},
		{"Kashmiri", "ks", "ٲس کٲشِر زۆ", "آس کاشِر زو"},
		{"Kashmiri marks", "ks", "چھےٚ تُہُنٛد", "چھے" + z + " تُہُنُد"},
		{"Sindhi", "sd", "كتاب مدرسة", "ڪتاب مدرسه"},
		{"Arabic", "ar", "علی چاي", "علي شاي"},

		{"Hebrew holam", "he", "של\u05b9ם", "של\u05c7ם"},
		{"Hebrew holam on vav", "he", "של\u05d5\u05b9ם", "של\u05c7" + z + "ם"},
		{"Hebrew shuruk", "he", "ש\u05d5\u05bcלחן", "ש\u05bb" + z + "לחן"},
		{"Hebrew sin with a vowel between", "he", "ש\u05b8\u05c2ר", "ס\u05b8" + z + "ר"},
		{"Hebrew vav that begins a word", "he", "\u05d5\u05bc", "\u05d5" + z},
		{"Hebrew dagesh and maqaf", "he", "ב\u05bcית\u05beספר", "ב" + z + "ית-ספר"},
		{"Hebrew sin dot with no letter", "he", "\u05c2", z},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, _ := Of(tt.code, tt.text); got != tt.want {
				t.Errorf("Of(%q, %q) = %+.80q, want %+.80q", tt.code, tt.text, got, tt.want)
			}
		})
	}
}

// carriers are the scripts that the rules are about, and some that they are not.
var carriers = []*unicode.RangeTable{
	unicode.Arabic, unicode.Bengali, unicode.Devanagari, unicode.Hebrew, unicode.Kannada, unicode.Latin,
	unicode.Malayalam, unicode.Meetei_Mayek, unicode.Ol_Chiki, unicode.Oriya, unicode.Nd, unicode.Mn, unicode.Cf, unicode.Han, unicode.Hiragana, unicode.Katakana,
}

// checkForm checks the laws of a form: its map is a map, nil exactly when nothing
// changed, and outside Japanese and Chinese each code point stands for one of the text.
func checkForm(t interface{ Errorf(string, ...any) }, code lang.Code, s string) string {
	got, m := Of(code, s)
	switch {
	case m == nil && got != s:
		t.Errorf("Of(%q, %+.80q) = %+.80q without a map", code, s, got)
	case m != nil && got == s:
		t.Errorf("Of(%q, %+.80q) is the text itself, with a map", code, s)
	case m != nil:
		if err := m.Check(len(got), len(s)); err != nil {
			t.Errorf("Of(%q, %+.80q) = %+.80q with a map that is none: %v", code, s, got, err)
		}
	}
	if a, b := utf8.RuneCountInString(s), utf8.RuneCountInString(got); code != "ja" && code != "zh" && a != b {
		t.Errorf("Of(%q, %+.80q) has %d code points, the text %d", code, s, b, a)
	}
	return got
}

func TestLawsOfForms(t *testing.T) {
	t.Parallel()
	codes := []lang.Code{"xx"}
	for _, l := range lang.All() {
		codes = append(codes, l.Code)
	}
	text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom(nil, carriers...), rapid.Rune()))
	rapid.Check(t, func(t *rapid.T) {
		s, code := text.Draw(t, "text"), rapid.SampledFrom(codes).Draw(t, "code")
		got := checkForm(t, code, s)
		if again, _ := Of(code, got); code != "ja" && code != "zh" && again != got {
			t.Errorf("Of(%q, %+.80q) = %+.80q, and of that %+.80q", code, s, got, again)
		}
	})
}

func TestOfBytesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	const text = "क\xff\xfeख"
	want := origin.Map{
		{Out: origin.Span{Start: 0, End: 3}, In: origin.Span{Start: 0, End: 3}, Verbatim: true},
		{Out: origin.Span{Start: 3, End: 6}, In: origin.Span{Start: 3, End: 4}},
		{Out: origin.Span{Start: 6, End: 9}, In: origin.Span{Start: 4, End: 5}},
		{Out: origin.Span{Start: 9, End: 12}, In: origin.Span{Start: 5, End: 8}, Verbatim: true},
	}
	got, m := Of("hi", text)
	if want := "क\ufffd\ufffdख"; got != want {
		t.Errorf("Of(%q) = %q, want %q", text, got, want)
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("Of(%q) has another map (-want +got):\n%s", text, diff)
	}
}

func TestUnchangedTextTakesNoMemory(t *testing.T) {
	for _, s := range []string{"Hello, world", "Übergrößen äußerst schön", "नमस्ते दुनिया", "привет, мир"} {
		least := 1.0
		for range 30 { // the race detector takes buffers away at random
			least = min(least, testing.AllocsPerRun(1, func() { Of("de", s) }))
		}
		if least > 0 {
			t.Errorf("Of(de, %q) allocates", s)
		}
	}
}

// A rule that turns on a composed letter would never see it in NFC.
func TestRulesSeeNFC(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]map[rune]rune{
		"toUrdu": toUrdu, "toKashmiri": toKashmiri, "toSindhi": toSindhi, "toArabic": toArabic,
		"santaliConsonants": santaliConsonants, "meeteiLetters": meeteiLetters, "toOdia": toOdia,
	} {
		for from := range table {
			if !norm.NFC.IsNormalString(string(from)) {
				t.Errorf("%s has %+.80q, which is not in NFC", name, from)
			}
		}
	}
}

func TestFormsAreOfLanguages(t *testing.T) {
	t.Parallel()
	for code := range forms {
		if !slices.ContainsFunc(lang.All(), func(l lang.Language) bool { return l.Code == code }) {
			t.Errorf("forms has %q, which is not a supported language", code)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, l := range lang.All() {
		f.Add(string(l.Code), l.Native)
	}
	f.Fuzz(func(t *testing.T, code, text string) {
		checkForm(t, lang.Code(code), text)
	})
}

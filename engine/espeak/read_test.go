package espeak

import (
	_ "embed"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"vaak/engine/espeak/form"
	"vaak/internal/needed"
	"vaak/lang"
	"vaak/voice"
)

//go:embed testdata/udhr.tsv
var udhrTSV string

// phonemesOf returns how the library's own program reads a text in the engine
// form of its language, with the voice that the engine would use.
func phonemesOf(t *testing.T, tag lang.Tag, text string) string {
	t.Helper()
	program := needed.Program(t, "espeak-ng")
	name, ok := voiceFor(tag.Code, tag.Region, text)
	if !ok {
		t.Fatalf("%q has no voice", tag.Code)
	}
	if cli, ok := map[string]string{"en": "en-gb", "fr": "fr-fr"}[name]; ok {
		name = cli // the program knows voices by their tag
	}
	read, _ := form.Of(tag.Code, text)
	cmd := exec.Command(program, "-b", "1", "-x", "-q", "--stdin", "-v", name)
	cmd.Stdin = strings.NewReader(read)
	out, err := cmd.Output() // on the other it may say that a dictionary is a small one
	if err != nil {
		t.Fatalf("espeak-ng -v %s: %v", name, err)
	}
	return string(out)
}

// The library switches to English, or from English to another language, for a
// letter that it does not know.
var foreign = regexp.MustCompile(`\([a-z]{2,3}[a-z-]*\)`)

// ratio returns how many phonemes there are for a letter. One that is read by its
// name, such as the vowel sign "aakaar", has many.
func ratio(phonemes, text string) float64 {
	letters := func(s string) (n int) {
		for _, r := range s {
			if unicode.In(r, unicode.L, unicode.M) {
				n++
			}
		}
		return n
	}
	return float64(letters(phonemes)) / float64(letters(text))
}

// strays are what is left in texts that are read well otherwise.
var strays = map[lang.Code]int{}

// mostPhonemes bounds the ratio of a language; a letter of some is a syllable.
func mostPhonemes(code lang.Code) float64 {
	switch code {
	case "zh", "yue", "ko", "ja":
		return 3.5
	case "am":
		return 1.8
	}
	return 1.6
}

// TestTextIsReadInItsOwnVoice reads a paragraph of every language.
func TestTextIsReadInItsOwnVoice(t *testing.T) {
	var b strings.Builder
	read := func(hint, source, text string) {
		tag, err := lang.Resolve(hint)
		if err != nil {
			t.Fatal(err)
		}
		out := phonemesOf(t, tag, text)
		most := mostPhonemes(tag.Code)
		switches, r := len(foreign.FindAllString(out, -1)), ratio(out, text)
		fmt.Fprintf(&b, "%-8s %-12s %4d characters %2d switches %.2f phonemes a letter\n", hint, source, len([]rune(text)), switches, r)
		if switches > strays[tag.Code] || r > most {
			t.Errorf("%s, %s: %d switches to another voice and %.2f phonemes a letter, want at most %d and %v:\n%s\n%s", hint, source, switches, r, strays[tag.Code], most, text, out)
		}
	}
	for line := range strings.Lines(udhrTSV) {
		if hint, text, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && line[0] != '#' {
			read(hint, "declaration", text)
		}
	}
	for _, l := range lang.All() {
		read(string(l.Code), "preview", voice.PreviewText(l.Code))
	}
	t.Log("\n" + b.String())
}

// TestLettersAreNotSpelled reads what a language writes in several ways, of which
// its voice knows some.
func TestLettersAreNotSpelled(t *testing.T) {
	for _, tt := range []struct{ code, text string }{
		{"uz", "maʼno ma’no oʻzbek o‘zbek o’zbek"},
		{"uk", "пʼять п’ять п'ять"},
		{"be", "абʼява аб’ява"},
		{"ro", "ţară şi țară și"},
		{"he", "שָׁלוֹם עוֹלָם"},
		{"kok", "आंबो कोंकणी"},
		{"sr", "ljubav čokolada љубав чоколада"},
		{"kk", "қазақ тілі әже өңір"},
		{"ky", "кыргыз тили өң үй"},
		{"az", "azərbaycan dili əğış"},
		{"mni", "ꯃꯤꯇꯩꯂꯣꯟ"},
		{"sat", "ᱥᱟᱱᱛᱟᱲᱤ"},
		{"or", "ସ୍ୱାଗତ"},
		{"as", "অসমীয়া ঢ়"},
		{"bn", "হয় নয় পড়ো"},
		{"ur", "كتاب ہے هذا"},
		{"sd", "كتاب ڪتاب"},
		{"ks", "کٲشُر زۆ کٔتھ"},
		{"pa", "شاہ مکھی"},
		{"yue", "佢哋喺度食飯 嘅 咗"},
		{"ja", "々 ヵ ヶ ヴ ゝ １２３ ｱｲｳ"},
		{"hy", "Բարեւ բարև"},
	} {
		out := phonemesOf(t, lang.Tag{Code: lang.Code(tt.code)}, tt.text)
		if r := ratio(out, tt.text); foreign.MatchString(out) || r > mostPhonemes(lang.Code(tt.code)) {
			t.Errorf("%s %q is read with %.1f phonemes a letter: %s", tt.code, tt.text, r, out)
		}
	}
}

package frontend_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/lang"
	"vaak/text/frontend"
)

// sentences are texts to be repeated, of which each is in one language.
var sentences = map[lang.Code]string{
	"en": "The quick brown fox jumps over gardens. ",
	"hi": "मैं आज स्कूल जा रहा हूँ। ",
	"ta": "நான் இன்று பள்ளிக்குச் செல்கிறேன். ",
	"ru": "Съешь же ещё этих мягких французских булок. ",
	"zh": "今天天气很好。",
}

// long returns n code points of a language.
func long(code lang.Code, n int) string {
	return string([]rune(strings.Repeat(sentences[code], n/4))[:n])
}

func prepare(t testing.TB, s string) frontend.Prepared {
	t.Helper()
	p, err := frontend.New().Prepare(s, lang.Tag{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLongTextIsFewRuns(t *testing.T) {
	t.Parallel()
	for code := range sentences {
		s := long(code, 5000)
		runs := slices.Collect(prepare(t, s).Runs())
		if len(runs) < 2 || len(runs) > 5 {
			t.Errorf("%s: %d runs, want 2 to 5", code, len(runs))
		}
		if n := len([]rune(runs[0].Text)); n < 40 || n > 120 {
			t.Errorf("%s: the first run has %d code points, want about 40", code, n)
		}
		var all strings.Builder
		for i, r := range runs {
			all.WriteString(r.Text)
			if last := i == len(runs)-1; r.Last != last || !last && !r.EndsSentence() || r.Language != code {
				t.Errorf("%s: run %d of %d is in %s, ends with %q and says last: %v", code, i, len(runs), r.Language, r.Text[max(0, len(r.Text)-20):], r.Last)
			}
		}
		if diff := cmp.Diff(s, all.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
		again := 0
		for range prepare(t, s).Runs() {
			again++
			break
		}
		if again != 1 {
			t.Errorf("%s: the iteration went on", code)
		}
	}
}

// Where the first run of a long text ends.
func TestFirstStretch(t *testing.T) {
	t.Parallel()
	const forty = "One two three four five six seven eight nine"
	rest := strings.Repeat(" and so on", 60) + ". More."
	for _, tt := range []struct{ name, text, want string }{
		{"full stop", forty + " hundred. And" + rest, forty + " hundred. "},
		{"closing marks", forty + " (hundred!)” And" + rest, forty + " (hundred!)” "},
		{"spaces", forty + "?!  \n And" + rest, forty + "?!    "},
		{"full-width", forty + "。」And" + rest, forty + "。」"},
		{"abbreviation", forty + " Mr. Smith is there. And" + rest, forty + " Mister Smith is there. "},
		{"small letter", forty + " hundred... and more! And" + rest, forty + " hundred, and more! "},
		{"number", forty + " thousands3.14159 there. And" + rest, forty + " thousands three point one four one five nine there. "},
		{"in a tag", forty + ` <sub alias="Hello there. You">x</sub> there. And` + rest, forty + " x there. "},
		{"before a tag", forty + " there.</s><s>And" + rest, forty + " there."},
		{"before a break", forty + ` there. <break time="1s"/> And` + rest, forty + " there.  "},
		{"no space", strings.Repeat("a", 500) + " b " + strings.Repeat("c", 500), strings.Repeat("a", 500) + " "},
		{"spaces only", strings.Repeat("abcd ", 200), strings.Repeat("abcd ", 80)},
		{"short", forty + ". And. And. And.", forty + ". And. And. And."},
	} {
		p := prepare(t, tt.text)
		if diff := cmp.Diff(tt.want, p.Opening[0].Text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A script is read in one language throughout, and a pause goes over to the
// stretch that follows it.
func TestStretchesAreOneText(t *testing.T) {
	t.Parallel()
	s := "The word घर is read as what follows it tells, however late. " + long("en", 2000) +
		` There. <break time="500ms"/> ... <break time="1s"/>` + "शाळा and फळे are Marathi."
	var codes []lang.Code
	pauses := 0
	for r := range prepare(t, s).Runs() {
		if r.Pause > 0 {
			pauses += int(r.Pause.Milliseconds())
		}
		if r.Language != "en" {
			codes = append(codes, r.Language)
		}
	}
	if diff := cmp.Diff([]lang.Code{"mr", "mr", "mr"}, codes); diff != "" || pauses != 1500 {
		t.Errorf("%d ms of pauses, languages (-want +got):\n%s", pauses, diff)
	}
}

// What is made ready before the first run does not grow with the text.
func TestFirstRunDoesNotGrow(t *testing.T) {
	front := frontend.New()
	for code := range sentences {
		allocs := func(n int) float64 {
			s := long(code, n)
			return testing.AllocsPerRun(10, func() {
				if _, err := front.Prepare(s, lang.Tag{}); err != nil {
					t.Fatal(err)
				}
			})
		}
		// The race detector empties pools now and then, which costs a few.
		if a, b := allocs(3000), allocs(5000); b > a+8 {
			t.Errorf("%s: %v allocations for 3000 code points, %v for 5000", code, a, b)
		}
		p := prepare(t, long(code, 5000))
		if len(p.Opening) != 1 || p.Opening[0].Map.Back(p.Opening[0].Map[0].Out).End > 500 {
			t.Errorf("%s: the opening is %d runs, the first of %d bytes", code, len(p.Opening), len(p.Opening[0].Text))
		}
	}
}

func BenchmarkFirstRun(b *testing.B) {
	for _, code := range []lang.Code{"en", "hi", "ta", "ru"} {
		for _, n := range []int{20, 5000} {
			s := long(code, n)
			b.Run(fmt.Sprint(code, "/", n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for range prepare(b, s).Runs() {
						break
					}
				}
			})
		}
	}
}

package stop_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/text/stop"
)

// english is a small usage of a language with capitals.
func english() *stop.Usage {
	u := &stop.Usage{}
	u.Abbreviations("day", "Thurs.")
	u.Abbreviations("month", "Nov.")
	u.Abbreviations("weak", "St.")
	u.Calendar("Monday", "Nov.")
	u.Opens("he", "the", "now")
	return u
}

// german is one whose nouns have capitals and whose ordinals have full stops.
func german() *stop.Usage {
	u := &stop.Usage{Nouns: true, Ordinals: true}
	u.Abbreviations("tail", "usw.", "-str.")
	u.Abbreviations("unit", "Min.")
	u.Opens("dann", "der")
	return u
}

// hindi is one of a script without capitals.
func hindi() *stop.Usage {
	u := &stop.Usage{Caseless: true}
	u.Abbreviations("before", "डॉ.")
	u.Abbreviations("tail", "लि.", "# ई.")
	u.Abbreviations("weak", "एस.", "के.")
	u.Opens("वह", "इसकी")
	u.Links("के", "में")
	u.Verbs("था", "मिला", "-ता")
	u.Cuts("कि")
	return u
}

// arabic is one whose verb comes first.
func arabic() *stop.Usage {
	u := &stop.Usage{Caseless: true, VerbFirst: true}
	u.Abbreviations("tail", "ج.م.", "# م.")
	u.Links("من")
	u.Cuts("في")
	return u
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		usage *stop.Usage
		texts string // a bar stands before each mark that is judged, and then its verdict
	}{
		{"titles", english(), "Dr/i. Mehta met Prof/i. A/i. P/i. Rao and Mr/i. No."},
		{"companies", english(), "At Tesla Inc/e. Then it fell. Tesla Inc/i. fell. Tesla Inc/i. CEO Musk. Tesla Inc/e. iPhone too. Tesla Inc/e. 5 more"},
		{"etc.", english(), "Pens, etc/i., are sold. Pens etc/e. ¿Why? Pens etc/i. (many)"},
		{"times", english(), "At 9 p.m/e. Gates close. At 9 p.m/i. on Friday. At 9 p.m/i. Monday. At 9 p.m/i. EST"},
		{"days", english(), "Come on Thurs/e. Bring it. Thurs/i. Nov/i. 5 or Nov/i. 2024 or 5 Nov/e. 20 came. 5 Nov/i. 10:30"},
		{"initials", english(), "J/i. K/i. Rowling. Signed R/i. K/e. He left. Signed J/i. A/i. Smith"},
		{"weak", english(), "St/i. Paul, Baker St/e. The door. U.S/i. Army. The U.S/e. Now"},
		{"units", english(), "It is 5 ft/i. 6 in/e. Tall. It is 5 km/i. away."},
		{"words", english(), "He left/o. He slept/o. then/o. 5 dogs/o. and. www.x.com/o. Then"},
		{"lines", english(), "Tesla Inc/l.\nthen etc/l."},
		{"ellipsis", english(), "Well/i... maybe. Well/e... Maybe. Well/i… he. Well/l…"},
		{"quotations", english(), `"Who?" "Why/i?" asked he. "Come/i!", he said. "Come/o!" She did. Oh/o! well`},
		{"brackets", english(), "(see p/i. 4/o.) Then (etc/i.) and (etc/e.) Then"},
		{"German nouns", german(), "Butter usw/e. Danach. 30 Min/i. Pause. 30 Min/e. Dann. Die Bahnstr/e. Parken"},
		{"German ordinals", german(), "Am 3/i. Mai. Am 3/i. war. Sie wurde 4/e. Der Sieg. Ludwig XIV/i. Haus. Am 24.12.2025/e. Besuch"},
		{"titles in Hindi", hindi(), "कल डॉ/i. वर्मा, एस/i. के/i. मिश्रा"},
		{"after a verb", hindi(), "ठेका मिला शर्मा लि/e. काम होगा। ठेका मिला कि शर्मा लि/i. काम। शर्मा लि/i. के शेयर। शर्मा लि/e. वह गया"},
		{"years in Hindi", hindi(), "यह बना था 1105 ई/e. दीवार। 1931 ई/i. में"},
		{"verbs in Hindi", hindi(), "वह आता/e... पर। अच्छा/i... पर"},
		{"quotations in Hindi", hindi(), `"कौन/i?" पूछा। उसने कहा, "कौन/e?" मैं`},
		{"Arabic", arabic(), "بلغ السعر 250 ج.م/e. يدخل الأطفال. بلغ 250 ج.م/i. من السوق. في عام 1250 م/i. توفي"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			var at []int
			var want []byte
			rest := tt.texts
			for {
				i := strings.IndexByte(rest, '/')
				if i < 0 {
					break
				}
				b.WriteString(rest[:i])
				at, want = append(at, b.Len()), append(want, rest[i+1])
				rest = rest[i+2:]
			}
			b.WriteString(rest)
			s := b.String()
			for i, place := range at {
				if got := "oiel"[stop.Judge(s, place, tt.usage, tt.usage)]; got != want[i] {
					t.Errorf("Judge behind %q before %q = %c, want %c", s[:place], s[place:], got, want[i])
				}
			}
		})
	}
}

// TestUnsure asks whether the next character alone tells that a sentence ended.
func TestUnsure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		usage *stop.Usage
		word  string
		want  bool
	}{
		{english(), "Dr.", true}, {english(), "St.", true}, {english(), "Inc.", false}, {english(), "dog.", false},
		{german(), "Min.", true}, {german(), "usw.", false}, {german(), "Bahnstr.", false},
		{hindi(), "लि.", true}, {hindi(), "घर.", false},
	} {
		if got := tt.usage.Unsure(tt.word); got != tt.want {
			t.Errorf("Unsure(%q) = %v, want %v", tt.word, got, tt.want)
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, s := range []string{"etc. 12", "a. \u00a0»", "5 म. \xff", "J.-P. R", "\"?\" x", "... ...", "ایم۔ اے۔ x", "۔", "XIV. x", "¡. (", "p.m. Mon"} {
		f.Add(s)
	}
	usages := []*stop.Usage{english(), german(), hindi(), arabic(), {}}
	f.Fuzz(func(t *testing.T, s string) {
		for i, r := range s {
			if !strings.ContainsRune(".…!?؟۔", r) || r == utf8.RuneError {
				continue
			}
			for _, u := range usages {
				stop.Judge(s, i, u, usages[2])
			}
		}
	})
}

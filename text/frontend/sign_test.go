package frontend_test

import (
	"strings"
	"testing"
	"unicode"

	"vaak/lang"
	"vaak/text/frontend"
	"vaak/text/normalize/symbol"
)

// leftSign returns the first character of the runs of a text that an engine may not get,
// 0 for none. Punctuation and the marks of scripts may go there, and two words of Sindhi
// that Unicode counts as signs.
func leftSign(t testing.TB, s string, tag lang.Tag) (rune, string) {
	t.Helper()
	p, err := frontend.New().Prepare(s, tag)
	if err != nil {
		t.Fatalf("Prepare(%q): %v", s, err)
	}
	for run := range p.Runs() {
		for _, r := range run.Text {
			switch {
			case unicode.IsLetter(r) && r != 'º' && r != 'ª', unicode.IsMark(r), unicode.IsSpace(r), r == '\u200c', r == '\u200d', r == '۽', r == '۾', r == '〇':
			case r == '·' && run.Language == "ca": // col·legi
			case !symbol.Punctuates(r):
				return r, run.Text
			}
		}
	}
	return 0, ""
}

// TestNoSignLeft mixes languages, where a sign may come to stand alone in a run.
func TestNoSignLeft(t *testing.T) {
	t.Parallel()
	words := map[lang.Code]string{
		"hi": "घर", "bn": "বাড়ি", "ta": "வீடு", "te": "ఇల్లు", "mr": "घर", "ur": "گھر", "ru": "дом", "ar": "بيت", "ja": "家", "zh": "家", "ko": "집", "de": "Haus", "en": "house", "es": "casa",
	}
	for code, w := range words {
		for _, sign := range strings.Split("/ @ # º _ ~ 〜 · ² • + = & % ° € ₹ | \\ ^ * < > → ½ © № ₂ 5 2024", " ") {
			for _, frame := range []string{
				"S", "W S W", "W S phone", "phone S W", "WSphone", "phoneSW", "W Sphone", "WS phone", "phone S 5 W", "W phone S", "S W phone", "www.x.com S W", "W SS phone", "W a@b.co S W", "#tag S W",
				"W https://x.in/aSb W", "W @xSy W", "W, S, phone", "W (S) phone", "W (phone S) W", "W 5S phone", "W S5 phone", "W XX1234S W", "W file_vS.pdf W", "W AB12S W",
			} {
				s := strings.NewReplacer("S", sign, "W", w).Replace(frame)
				for _, tag := range []lang.Tag{{}, {Code: code}, {Code: "hi", Script: "Latn"}} {
					if r, run := leftSign(t, s, tag); r != 0 {
						t.Errorf("Prepare(%q, %v) has %q in %q", s, tag, r, run)
					}
				}
			}
		}
	}
}

func FuzzNoSignLeft(f *testing.F) {
	for _, s := range []string{
		"a/b @ c", "50 km/h", "₹30/किलो", "x² + y³", "मेल a.b1@c.in", "1〜2", "25º", "C:\\x_y", "#TagName2", "&amp; &nbsp;", "5 • 6", "(月)", "m²", "A4/B5", "+91 98-765", "٪5", "10⁶", "1/2º", "№5",
	} {
		for i := range 10 {
			f.Add(s, uint8(i))
		}
	}
	tags := []lang.Tag{{}, {Code: "en"}, {Code: "hi"}, {Code: "ta"}, {Code: "ur"}, {Code: "fr"}, {Code: "ru"}, {Code: "ja"}, {Code: "ko"}, {Code: "ar"}, {Code: "vi"}, {Code: "hi", Script: "Latn"}}
	f.Fuzz(func(t *testing.T, s string, which uint8) {
		// Beyond its bound a text may not grow, and signs stay.
		if len(s) > 200 {
			s = s[:200]
		}
		if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) }) {
			t.Skip("signs alone that have no name are left")
		}
		if r, run := leftSign(t, s, tags[int(which)%len(tags)]); r != 0 {
			t.Fatalf("Prepare(%q) has %q in %q", s, r, run)
		}
	})
}

// TestAround reads links and codes in Latin letters among words of another script: their
// signs and numbers are in the language of those words.
func TestAround(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ hint, text, want string }{
		{"hi", `मेरा ईमेल ravi.kumar99@gmail.com है`, "मेरा ईमेल ravi डॉट kumar निन्यानबे ऐट gmail डॉट com है"},
		{"hi", `वेबसाइट www.irctc.co.in पर जाएँ`, "वेबसाइट w w w डॉट irctc डॉट co डॉट in पर जाएँ"},
		{"hi", `उड़ान AI-865 अब गेट 32B से`, "उड़ान A I आठ छह पाँच अब गेट बत्तीस B से"},
		{"hi", `वाहन MH 12 AB 1234 है`, "वाहन M H बारह A B एक दो तीन चार है"},
		{"hi", `UPI raju@okaxis पर`, "U P I raju ऐट okaxis पर"},
		{"hi", `फ़ाइल report_v2.pdf खोलें`, "फ़ाइल report अंडरस्कोर v दो डॉट p d f खोलें"},
		{"bn", `আপনার A/c XX4521 থেকে`, "আপনার account X X চার পাঁচ দুই এক থেকে"},
		{"ja", `履歴書は saiyo@yamato.co.jp へ`, "履歴書は saiyoアットマーク yamatoドット coドット jp へ"},
		{"ko", `대한항공 KE901편`, "대한항공 K E 구공일편"},
		{"zh", `您乘坐的G102次, CA1831航班`, "您乘坐的G一零二次, C A一八三一航班"},
		{"ru", `рейс SU-1234`, "рейс S U один два три четыре"},
		{"ar", `زوروا www.souq.com أو @ahmed_90`, "زوروا w w w نقطة souq نقطة com أو آت ahmed شرطة سفلية تسعون"},
		{"ur", `سیکٹر F-10/2، اسلام آباد`, "سیکٹر F دس سلیش دو، اسلام آباد"},
		{"en", `AT&amp;T &quot;hi&quot; don&#39;t&nbsp;go &#8377;500`, "A T and T \"hi\" don't go five hundred rupees"},
		{"hi-Latn", `mera email ravi@gmail.com hai`, "मेरा email ravi at gmail dot com है"},
	} {
		tag, err := lang.Resolve(tt.hint)
		if err != nil {
			t.Fatal(err)
		}
		p, err := frontend.New().Prepare(tt.text, tag)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for run := range p.Runs() {
			b.WriteString(run.Text)
		}
		if got := b.String(); got != tt.want {
			t.Errorf("Prepare(%q, %s) = %q, want %q", tt.text, tt.hint, got, tt.want)
		}
	}
}

// Without Markdown, numbered entities are decoded as named ones are.
func TestEntities(t *testing.T) {
	t.Parallel()
	f := frontend.New().Styled(frontend.Style{PlainText: true})
	for _, s := range []string{"AT&amp;T", "AT&AMP;T", "AT&#38;T", "AT&#x26;T"} {
		p, err := f.Prepare(s, lang.Tag{Code: "en"})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for run := range p.Runs() {
			got.WriteString(run.Text)
		}
		if want := "A T and T"; got.String() != want {
			t.Errorf("Prepare(%q) = %q, want %q", s, got.String(), want)
		}
	}
}

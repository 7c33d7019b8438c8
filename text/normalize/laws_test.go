package normalize

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vaak/lang"
	"vaak/text"
)

// tags are the languages and regions that laws are tried in.
func tags() []lang.Tag {
	list := []lang.Tag{{Code: "en", Region: "US"}, {Code: "en", Region: "IN"}, {Code: "de", Region: "CH"}, {Code: "pt", Region: "PT"}}
	for _, l := range lang.All() {
		list = append(list, lang.Tag{Code: l.Code})
	}
	return list
}

// pieces are what nasty texts are made of.
var pieces = []string{
	"187/4 (18.3 ov) ", "6-4, 7-6(5) ", "10x15 ", "10X15x", "1h 5m 20s ", "1:05:30", "'24 ", "12/05–15/05 ", "(Mon) ", "GMT+5:30 ", "John 3:16-18 ",
	"may 12 ", "May-12-2024", "1:50 000 ", "2x/week ", "6'x4' ", "R6.4.1", "102* ", "45' ", "2023/24 ", "14.03 10:00 ", "3:2:1 ", "विकेट 45/0 ",
	"1", "12", "2024", "0", "007", "98765", "43210", "99999999999999999999", "12,34,567", "1.234,5", "3.14", "½", "1/2", "²",
	" ", " ", " ", "\n", "\u00a0", ".", ",", ":", "-", "–", "/", "+", "%", "$", "₹", "€", "@", "#", "&", "(", ")", "°", "°C", "=", "×",
	"km", "kg", "h", "m", "May", "मई", "Mon", "am", "Dr.", "e.g.", "No.", "API", "USA", "XIV", "Chapter", "A", "v", "www", "com",
	"https://", "word", "शब्द", "рубль", "年", "月", "日", "五", "한국", "5월", "٣", "४", "😀", "\xff", "\u200d", "é", "U.S.", "'", "s", "th",
	"St.", "1-800-", "FLOWERS", "2024-05-12T10:30:00Z", "+05:30", "6'2\"", "SW1A ", "1AA", "CA ", "94105", "Pune-411030", "3/5 stars", "/etc/",
	"file.txt", " x ", "30s", "Mon-", "IBM", "A/C", "'24",
	"XX1234", "****", "xxxx-", "4111 1111 ", "KA 05 MJ 4172", "AI-302", "DE89 3704 ", "#TagName_2", "@a.b_1", "C:\\x", "a_b", "₹/kg", "m²", "10⁶", "25º", " is your OTP", "order ",
	"/91", "•", "〜", "①", "a@b", "localhost:80", "STOP", "550e8400-e29b-41d4-a716-446655440000",
	"etc.", "Inc. ", "p.m. ", "J. K. ", "...", "…", "!\"", "? »", "क्र. सं. ", "लि. ", "है", "ایم۔ ", "II. ", "-str. ", "iPhone", "Then", "¿",
	"million", "lakh", "करोड़", "PIN", "phone", "BC", "AD", "~", "*", "^", "\"", "«", "．", "１",
}

func TestLaws(t *testing.T) {
	t.Parallel()
	all := tags()
	rapid.Check(t, func(t *rapid.T) {
		tag := rapid.SampledFrom(all).Draw(t, "tag")
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		check(t, s, tag)
	})
}

// fataler is what tests of both kinds have.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check proves the laws for one text: the map is whole, the output bounded, the
// work linear, and valid text stays valid.
func check(t fataler, s string, tag lang.Tag) {
	t.Helper()
	out, m, steps := For(tag).text(s, 0, Around{}, For(tag).stops)
	if err := m.Check(len(out), len(s)); err != nil {
		t.Fatalf("%v: map of %q: %v", tag, s, err)
	}
	if !strings.Contains(s, "  ") && strings.Contains(out, "  ") {
		t.Fatalf("%v: %q becomes %q, with two spaces", tag, s, out)
	}
	n := utf8.RuneCountInString(s)
	if got := utf8.RuneCountInString(out); got > expansion*n+slack {
		t.Fatalf("%v: %d code points become %d: %q", tag, n, got, s)
	}
	if most := 60*len(s) + 200; steps > most {
		t.Fatalf("%v: %d steps for %d bytes, over %d: %q", tag, steps, len(s), most, s)
	}
	if utf8.ValidString(s) && !utf8.ValidString(out) {
		t.Fatalf("%v: %q becomes %q, not UTF-8", tag, s, out)
	}
}

// TestLengthyTexts tries texts that are as long as they may be, of one piece or two,
// again and again: the steps a byte must not grow with the length.
func TestLengthyTexts(t *testing.T) {
	t.Parallel()
	codes := []lang.Code{"en", "hi", "ru", "zh"}
	if testing.Short() {
		codes = codes[:1]
	}
	for _, code := range codes {
		tag := lang.Tag{Code: code}
		for i, a := range pieces {
			b := pieces[(i*7+3)%len(pieces)]
			for _, s := range []string{strings.Repeat(a, 5000/len(a)), strings.Repeat(a+b, 5000/len(a+b)), strings.Repeat(a+" ", 5000/len(a+" "))} {
				check(t, s, tag)
			}
		}
	}
}

// TestIdentity says that prose comes back as the same text, and the same map.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", " ", "a plain sentence, no more", "Ein Satz.", "यह एक वाक्य है।", "...", "?!", "«—»", "I am A"} {
		for _, code := range []lang.Code{"en", "hi", "de", "ru"} {
			out, m := Run(s, code, lang.Tag{})
			if out != s || len(m) > 1 {
				t.Errorf("Run(%q, %s) = %q, %v, want it unchanged", s, code, out, m)
			}
		}
	}
}

// TestRegion says that the region of a request counts only for its language.
func TestRegion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		request lang.Tag
		want    string
	}{
		{lang.Tag{}, "three crore rupees"}, {lang.Tag{Code: "hi", Region: "US"}, "twelfth of May"},
		{lang.Tag{Code: "en", Region: "US"}, "December fifth"}, {lang.Tag{Code: "en", Region: "GB"}, "twelfth of May"},
	} {
		s := "12/05/2024"
		if tt.request.IsZero() {
			s = "₹3 crore"
		}
		if got, _ := Run(s, "en", tt.request); !strings.HasPrefix(got, tt.want) {
			t.Errorf("Run(%q, en, %v) = %q, want %q…", s, tt.request, got, tt.want)
		}
	}
}

// TestMap says that a form leads back to what was written, and the words around
// to themselves.
func TestMap(t *testing.T) {
	t.Parallel()
	s := "Pay ₹500 now 😀 to Dr. Roy"
	out, m := Run(s, "en", lang.Tag{})
	for _, tt := range []struct{ spoken, written string }{
		{"five hundred rupees", "₹500"}, {"hundred", "₹500"}, {"now", "now"}, {"Doctor", "Dr."}, {"Doctor Roy", "Dr. Roy"}, {"Pay", "Pay"},
	} {
		i := strings.Index(out, tt.spoken)
		if i < 0 {
			t.Errorf("%q is not in %q", tt.spoken, out)
			continue
		}
		if got := m.Back(text.Span{Start: i, End: i + len(tt.spoken)}).In(s); got != tt.written {
			t.Errorf("%q leads back to %q, want %q", tt.spoken, got, tt.written)
		}
	}
}

func TestAbbreviation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code lang.Code
		word string
		want bool
	}{
		{"en", "Dr.", true}, {"en", "e.g.", true}, {"en", "dog.", false}, {"en", "Inc.", false}, {"en", "St.", true},
		{"hi", "डॉ.", true}, {"hi", "लि.", true}, {"de", "usw.", false}, {"de", "Mio.", true}, {"zh", "好.", false},
	} {
		if got := Abbreviation(tt.code, tt.word); got != tt.want {
			t.Errorf("Abbreviation(%s, %q) = %v, want %v", tt.code, tt.word, got, tt.want)
		}
	}
}

func FuzzRun(f *testing.F) {
	for _, p := range pieces {
		f.Add(p+" 5 "+p, uint8(0))
	}
	for i, s := range []string{
		"Sonnenstr. 3 Str. .str. zw. 5-7 entre 1-2", "1m75 0m00 9m1 1m 34°/18° 34º/18º 3°/4", "2 x €3.50 x € 1 p. 3/8 Rate 3/12", "iOS 18.2 Kap. 3.2.1 cap. . 3", "88. Min. 78e min. op 12-03 t/m 30-06 le 3/4 de",
		"€5.99–7,99 $1 250,50/mo 1.250 Ft-ért 12 000 KG 99,- -,50 € CHF 50.–", "10k€ 1.2w人 2.5 Lacs ₹5 Cr. 15kTL'ye 3 km'lik", "½ taza 1/2 ч. л. 120/80 mmHg BP 130/85",
		"١٢،٥ ٣،٥٠٠ الدور ال3", "第Ⅲ章 Ⅻ. Louis XIV. ⅿ", "KM/H 6,5 l/100 km 5 in 10 1 in 3 l/100km", "3-at 50%-os 2 р. в день /day 5/day", "0k 00k 999999k 1.5k 0.5M -,99",
	} {
		f.Add(s, uint8(i*17))
	}
	all := tags()
	f.Fuzz(func(t *testing.T, s string, which uint8) {
		if len(s) > 5000 {
			s = s[:5000]
		}
		check(t, s, all[int(which)%len(all)])
	})
}

package spelling

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What people type for one word in two ways is one text when it is folded.
func TestFold(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"bankacilik", "bankacılık", "BANKACILIK"}, {"fussball", "Fußball", "FUSSBALL"}, {"gorusme", "görüşme", "go\u0308ru\u0308s\u0327me"},
		{"lodz", "Łódź"}, {"smorrebrod", "Smørrebrød"}, {"oeuvre", "œuvre"}, {"finance", "ﬁnance", "ｆｉｎａｎｃｅ"}, {"ozbek", "o‘zbek", "oʻzbek", "o'zbek"},
		{"тёплый", "теплыи", "Тёплый"}, {"αθηνα", "ΑΘΗΝΑ", "αθήνα"}, {"σκυλος", "σκύλος", "ΣΚΥΛΟΣ"},
		{"हिंदी", "हिन्दी"}, {"संपर्क", "सम्पर्क"}, {"फुटबॉल", "फ़ुटबॉल", "फ\u093cुटबॉल"}, {"चांद", "चाँद"}, {"२०२६", "2026", "২০২৬", "２０２６"},
		{"ব্যাংকিং", "ব্যাঙ্কিং"}, {"বড", "বড়", "ব\u09a1\u09bc"}, {"ఫుట్బాల్", "ఫుట్\u200cబాల్"},
		{"മലയാളം സംഭാഷണങ്ങൾ", "മലയാളം സമ്ഭാഷണങ്ങള്", "മലയാളം സംഭാഷണങ്ങള്\u200d"}, {"അവന്", "അവൻ"},
		{"التامين", "التأمين"}, {"مدرسه", "مدرسة"}, {"بانكداري", "بانکداری"}, {"محمد", "مُحَمَّد", "محـمد"},
		{"שלומ", "שלום", "שָׁלוֹם"}, {"さつか", "サッカ", "ｻｯｶ"}, {"ヴ", "ゔ"}, {"한국어", "\u1112\u1161\u11ab국어"},
	} {
		want := Fold(same[0])
		for _, s := range same[1:] {
			if got := Fold(s); got != want {
				t.Errorf("Fold(%q) = %q, and of %q it is %q", s, got, same[0], want)
			}
		}
	}
	// A nasal that is doubled or that another organ follows is itself.
	for s, want := range map[string]string{"अन्न": "अन्न", "जन्म": "जन्म", "उन्हें": "उन्हें", "தமிழ்": "தமிழ்", "": "", "\xff": "\ufffd"} {
		if got := Fold(s); got != want {
			t.Errorf("Fold(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestWithoutArticle(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"التامين": "تامين", "الصحه": "صحه", "تامين": "", "الله": "", "ال": "", "insurance": ""} {
		if got, ok := WithoutArticle(word); ok != (want != "") || ok && got != want {
			t.Errorf("%s without an article is %q, %v; want %q", word, got, ok, want)
		}
	}
}

// Folding takes time in proportion to the text, also where each letter becomes two: in proportion to
// its square, this text takes minutes.
func TestFoldIsLinear(t *testing.T) {
	t.Parallel()
	const n = 1 << 18
	if got := Fold(strings.Repeat("æ", n)); got != strings.Repeat("ae", n) {
		t.Errorf("%d letters fold to %d bytes, want %d", n, len(got), 2*n)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Hindi", "हिन्दी", "œﬁ＇İ", "ﷺ", "ㅎㅏㄴ", "\u0345\u0301ᾳ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Fold(s)
		if !utf8.ValidString(once) {
			t.Errorf("Fold(%q) = %q is not UTF-8", s, once)
		}
		if again := Fold(once); again != once {
			t.Errorf("Fold(%q) = %q, which folds to %q", s, once, again)
		}
		for _, w := range Words(s) {
			if w.Text == "" || !strings.Contains(once, w.Text) {
				t.Errorf("word %q of %q is not in %q", w.Text, s, once)
			}
			if w.Run {
				Grams(w.Text, false, func(gram string) {
					if n := utf8.RuneCountInString(gram); n < 1 || n > GramLength(w.Text) {
						t.Errorf("gram %q of %q has %d letters", gram, w.Text, n)
					}
				})
			}
		}
	})
}

func TestWords(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Hindi call-centre, 8kHz": "hindi call centre 8khz", "hi_IN": "hi in", "ds_a2b": "ds a2b", "!?": "", "हिन्दी बातचीत।": "हिंदी बातचीत",
		"Hindiの会話2": "hindi +の会話 2", "การสนทนา abc": "+การสนทนา abc", "don't": "dont", "サッカー": "+さつかー",
	} {
		var got []string
		for _, w := range Words(s) {
			if w.Run {
				w.Text = "+" + w.Text
			}
			got = append(got, w.Text)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("Words(%q) = %q, want %q", s, g, want)
		}
	}
}

// A run that contains another has all its whole grams.
func TestGramsOfAPart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		letters := []rune(rapid.StringMatching(`[電話会対]{3,9}|[กขาั่ไ]{5,12}`).Draw(t, "run"))
		from := rapid.IntRange(0, len(letters)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(letters)).Draw(t, "to")
		collect := func(s string, whole bool) (all []string) {
			Grams(s, whole, func(g string) { all = append(all, g) })
			return all
		}
		has := collect(string(letters), false)
		for _, g := range collect(string(letters[from:to]), true) {
			if !slices.Contains(has, g) {
				t.Errorf("gram %q of the part %q is none of %q of %q", g, string(letters[from:to]), has, string(letters))
			}
		}
	})
}

// naiveEdits is the definition, without bounds.
func naiveEdits(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				cost := 1
				if a[i-1] == b[j-1] {
					cost = 0
				}
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
	}
	return d[len(a)][len(b)]
}

// Edits are as defined, of the whole word and of its beginnings, and Far never rules out what is near.
func TestEdits(t *testing.T) {
	t.Parallel()
	for range 20_000 {
		r := rand.New(rand.NewPCG(rand.Uint64(), 1))
		draw := func() (w []rune) {
			for range r.IntN(9) {
				w = append(w, []rune("abcdय")[r.IntN(5)])
			}
			return w
		}
		a, b, most := draw(), draw(), r.IntN(4)
		whole, part := naiveEdits(a, b), len(a)
		for n := range len(b) + 1 {
			part = min(part, naiveEdits(a, b[:n]))
		}
		for _, tt := range []struct {
			part bool
			want int
		}{{false, whole}, {true, part}} {
			if got := Edits(a, b, most, tt.part); got != min(tt.want, most+1) {
				t.Fatalf("Edits(%q, %q, %d, %v) = %d, want %d", string(a), string(b), most, tt.part, got, min(tt.want, most+1))
			}
			if Sign(a).Far(len(a), Sign(b), len(b), most, tt.part) && tt.want <= most {
				t.Fatalf("%q is ruled out for %q with %d edits, part %v", string(b), string(a), most, tt.part)
			}
		}
	}
	if got := Edits(make([]rune, MaxLetters+1), nil, 2, false); got != 3 {
		t.Errorf("Edits of a long word = %d, want 3", got)
	}
	if got, want := fmt.Sprint(Tolerated(3), Tolerated(4), Tolerated(7), Tolerated(8)), "0 1 1 2"; got != want {
		t.Errorf("tolerated of 3, 4, 7 and 8 letters: %s, want %s", got, want)
	}
}

func BenchmarkFold(b *testing.B) {
	for _, s := range []string{"Hindi customer support calls about banking", "हिन्दी टेलीफ़ोन पर बातचीत: बैंकिंग"} {
		b.Run(fmt.Sprint(len(s)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Words(s)
			}
		})
	}
}

package translit

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"vaak/lang"
)

// checkWrite holds the laws of Write for a word.
func checkWrite(t interface{ Errorf(string, ...any) }, word string) {
	for i, code := range codes {
		got := Write(code, word)
		if n, limit := utf8.RuneCountInString(got), 6*utf8.RuneCountInString(word); n > limit {
			t.Errorf("Write(%q, %q) has %d code points, want %d at most", code, word, n, limit)
		}
		if utf8.ValidString(word) && !norm.NFC.IsNormalString(got) {
			t.Errorf("Write(%q, %q) = %q is not in NFC", code, word, got)
		}
		for _, r := range got {
			if unicode.Is(unicode.Latin, r) {
				t.Errorf("Write(%q, %q) = %q has a Latin letter", code, word, got)
				break
			}
		}
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" {
			if bad := strings.IndexFunc(got, func(r rune) bool { return !inScript(i, r) }); bad >= 0 || got == "" && word != "" {
				t.Errorf("Write(%q, %q) = %q, want letters of its script", code, word, got)
			}
			if upper := Write(code, strings.ToUpper(word)); upper != got {
				t.Errorf("Write(%q, %q) = %q in capitals, want %q", code, word, upper, got)
			}
		}
	}
}

func FuzzWrite(f *testing.F) {
	for _, s := range []string{"kya", "vanakkam", "xxx", "bngrrndh", "aeiouaeiou", "nnnggg", "mmnnkhy", "Ǆ", "a\u0301\u0301", "\xff", "12k", "ﬁ", "ʰ", "ａ", strings.Repeat("x", 900)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, word string) { checkWrite(t, word) })
}

func FuzzLabel(f *testing.F) {
	f.Add("main ghar ja raha hoon", "hi", "Latn")
	f.Add("mere timer ko 5 minutes pause karo", "hi", "")
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ka é", "ur", "")
	f.Add("tume kemiti achha x x", "or", "Latn")
	f.Add("the \xff \x00 l'été ĞÜ ÆØ", "ur", "")
	f.Fuzz(func(t *testing.T, text, code, script string) {
		words := strings.Split(text, " ")
		got := Label(words, lang.Tag{Code: lang.Code(code), Script: script})
		if len(got) != len(words) {
			t.Fatalf("Label(%q) has %d labels for %d words", words, len(got), len(words))
		}
		var found lang.Code
		for _, label := range got {
			if label == "" {
				continue
			}
			if found == "" {
				found = label
			}
			if label != found || !slices.Contains(codes[:], label) {
				t.Errorf("Label(%q) = %q, want one language of the package", words, got)
			}
		}
	})
}

func FuzzDetect(f *testing.F) {
	f.Add("mera naam kya hai")
	f.Add("assalam o alaikum KYA kya Kya kaise hain")
	f.Add("\xffé ''' 12")
	f.Fuzz(func(t *testing.T, text string) {
		code, share := Detect(text)
		if code == "" && share != 0 || code != "" && (share > 1 || index(code) < 0) {
			t.Errorf("Detect(%q) = %q, %v", text, code, share)
		}
	})
}

func TestWriteLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkWrite(t, rapid.StringMatching(`[a-z]{1,40}`).Draw(t, "word"))
		checkWrite(t, rapid.String().Draw(t, "any"))
	})
}

// TestEachLetterSounds holds that no letter typed alone gets lost.
func TestEachLetterSounds(t *testing.T) {
	t.Parallel()
	for c := 'a'; c <= 'z'; c++ {
		for _, around := range []string{"", "a", "aka", "q"} {
			checkWrite(t, around+string(c)+around)
		}
	}
}

func BenchmarkLabel(b *testing.B) {
	words := strings.Fields("mera naam Rahul hai aur please mujhe kal office ka address bhej dena")
	Label(words, lang.Tag{})
	for b.Loop() {
		Label(words, lang.Tag{})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(words)), "ns/word")
}

func BenchmarkWrite(b *testing.B) {
	words := strings.Fields("mera naam kya hai samjhaoge gharelu rishtedar khubsurati")
	for b.Loop() {
		for _, w := range words {
			Write("hi", w)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(words)), "ns/word")
}

package accent

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"vaak/lang"
)

func TestSay(t *testing.T) {
	t.Parallel()
	text := "  Hello, «world»… Out of the"
	said := New("hi", "en").Say(text, []Clause{
		{End: 9, Words: []string{"h|ə|l|ˈoʊ"}},
		{End: 22, Words: []string{"w|ˈɜː|l|d"}},
		{End: len(text), Words: []string{"ˌaʊ|t", "ə|v|ð|ə"}},
	})
	places := said.Places
	want := []Place{{2, 2, 8}, {0, 9, 17}, {0, 18, 21}, {0, 22, 28}}
	for i := range want {
		if i > 0 && i < len(places) {
			want[i].At = utf8.RuneCountInString(said.Text[:nth(said.Text, "[[", i)]) + 2
		}
	}
	if d := cmp.Diff(want, places); d != "" {
		t.Errorf("places of %q (-want +got):\n%s", said.Text, d)
	}
	if marks := regexp.MustCompile(`\[\[.*?\]\]`).ReplaceAllString(said.Text, "w"); marks != "w , w . w w " {
		t.Errorf("the words and marks are %q", marks)
	}
	if said.Sounds != 14 || said.Missed != 0 || said.Cost <= 0 {
		t.Errorf("%d sounds, %d missed, cost %v", said.Sounds, said.Missed, said.Cost)
	}
}

// nth returns the byte at which a part stands for the n-th time, from 0.
func nth(s, part string, n int) int {
	at := strings.Index(s, part)
	for range n {
		at += len(part) + strings.Index(s[at+len(part):], part)
	}
	return at
}

func TestMark(t *testing.T) {
	t.Parallel()
	for clause, want := range map[string]string{
		"": "", "a": "", "a.": ".", "a?": "?", "a؟ ": "?", "क्या।": ".", "好。": ".", "a,": ",", "a, ": ",", "a!”": "!", "a…": ".",
		"\xff": "", "a]]": "", "a\x00.": ".", "a —": ",", "?": "?", "3": "",
	} {
		if got := clauseMark(clause); got != want {
			t.Errorf("mark(%q) = %q, want %q", clause, got, want)
		}
	}
}

// checkSaid fails unless a text in phonemes is words of the native language's own
// mnemonics in brackets, and marks.
func checkSaid(t *testing.T, native lang.Code, text string, said Said) {
	t.Helper()
	own := map[string]bool{}
	for _, p := range Inventory(native) {
		for m := range strings.SplitSeq(p.Mnemonic, "|") {
			own[m] = true
		}
	}
	rest, at := said.Text, 0
	for i := 0; rest != ""; {
		if after, ok := strings.CutPrefix(rest, "[["); ok {
			word, left, closed := strings.Cut(after, "]] ")
			if !closed || i >= len(said.Places) || said.Places[i].At != at+2 {
				t.Fatalf("%q: word %d of %q is at %d, places are %v", text, i, said.Text, at+2, said.Places)
			}
			for m := range strings.SplitSeq(word, "|") {
				if m = strings.TrimLeft(m, "',"); !own[m] {
					t.Fatalf("%q: %q is no phoneme of %s", text, m, native)
				}
			}
			at += utf8.RuneCountInString(rest) - utf8.RuneCountInString(left)
			rest, i = left, i+1
			continue
		}
		if len(rest) < 2 || !strings.Contains("?!.,", rest[:1]) || rest[1] != ' ' {
			t.Fatalf("%q: %q has more than words and marks at %q", text, said.Text, rest)
		}
		rest, at = rest[2:], at+2
	}
	last := Place{}
	for _, p := range said.Places {
		if p.Start < last.Start || p.End < last.End || p.Start >= p.End || p.End > utf8.RuneCountInString(text) {
			t.Fatalf("%q: places %v", text, said.Places)
		}
		last = p
	}
}

func FuzzSay(f *testing.F) {
	for _, s := range [][2]string{
		{"", ""}, {"Hello, world.", "h|ə|l|ˈoʊ w|ˈɜː|l|d"}, {"a]] [[b", "]]|[[|k"}, {"\x00\x01[[", "(en)|k"}, {"\xff\xfe", "\xff"},
		{"| |", "|||"}, {strings.Repeat("a ", 300), strings.Repeat("k ", 200)}, {"a", strings.Repeat("k ", 50)}, {"3 千 😀", "t|ʃ ʲ|k"},
		{"k\u2028k]]k", "'k|,k|%k"},
	} {
		f.Add(s[0], s[1], len(s[0])/2)
	}
	f.Fuzz(func(t *testing.T, text, words string, end int) {
		all := strings.Fields(words)
		half := len(all) / 2
		clauses := []Clause{{End: end, Words: all[:half]}, {End: len(text), Words: all[half:]}}
		for _, native := range []lang.Code{"hi", "fr", "zh"} {
			said := Of(native, "en").Say(text, clauses)
			if utf8.ValidString(text) {
				checkSaid(t, native, text, said)
			}
			if strings.ContainsFunc(said.Text, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }) {
				t.Errorf("%q: control characters in %q", text, said.Text)
			}
			if said.Missed > said.Sounds || len(said.Places) > len(all) {
				t.Errorf("%q: %d missed of %d, %d places of %d words", text, said.Missed, said.Sounds, len(said.Places), len(all))
			}
		}
	})
}

func TestPair(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, clause, words string
		want                []string // what each word was written as
	}{
		{"as many", "of the world", "ə|v ð|ə w|ɜː|l|d", []string{"of", "the", "world"}},
		{"two as one", "out of the world", "aʊ|t ə|v|ð|ə w|ɜː|l|d", []string{"out", "of the", "world"}},
		{"one as two", "in 1990 there", "ɪ|n n|aɪ|n|t|iː|n n|aɪ|n|t|i ð|ɛ|ɹ", []string{"in", "1990", "1990", "there"}},
		{"a dash", "here – there", "h|ɪ|ɹ ð|ɛ|ɹ", []string{"here", "there"}},
		{"quotes", "“here” (there)", "h|ɪ|ɹ ð|ɛ|ɹ", []string{"“here”", "(there)"}},
		{"nothing written", " — ", "k", nil},
		{"nothing read", "a b", "", nil},
		{"a sign read", "mail me @ home", "m|eɪ|l m|iː æ|t h|oʊ|m", []string{"mail", "me", "@", "home"}},
		{"a sign not read", "here _ and there", "h|ɪ|ɹ æ|n|d ð|ɛ|ɹ", []string{"here", "_ and", "there"}},
		{"only signs", "+ +", "p|l|ʌ|s p|l|ʌ|s", []string{"+", "+"}},
		{"an address", "to info@example.com or me", "t|uː ɪ|n|f|oʊ æ|t ɪ|ɡ|z|æ|m|p|əl d|ɑː|t k|ɑː|m ɔː|ɹ m|iː",
			[]string{"to", "info@example.com", "info@example.com", "info@example.com", "info@example.com", "info@example.com", "or", "me"}},
		{"more than can be told", "one two", strings.Repeat("k ", 30), append(slices.Repeat([]string{"one"}, 15), slices.Repeat([]string{"two"}, 15)...)},
	} {
		clause := []rune(tt.clause)
		var got []string
		for _, g := range pair(tokens(tt.clause), strings.Fields(tt.words)) {
			got = append(got, string(clause[g.start:g.end]))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzPair(f *testing.F) {
	for _, s := range [][2]string{{"of the world", "ə|v|ð|ə w|ɜː|l|d"}, {"", "k"}, {"a", ""}, {"a b c d e f", "k k"}, {strings.Repeat("ab ", 2000), strings.Repeat("k ", 1999)}, {"\xff \xff", "k k k"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, clause, words string) {
		all, read := tokens(clause), strings.Fields(words)
		groups := pair(all, read)
		if len(all) > 0 && len(groups) != len(read) || len(all) == 0 && groups != nil {
			t.Fatalf("%d words of %d read and %d written", len(groups), len(read), len(all))
		}
		for i, g := range groups {
			if g.word != read[i] || g.start >= g.end || i > 0 && g.start < groups[i-1].start {
				t.Fatalf("word %d is %+v behind %+v", i, g, groups[max(0, i-1)])
			}
		}
	})
}

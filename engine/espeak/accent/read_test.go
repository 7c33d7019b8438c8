package accent

import (
	"slices"
	"strings"
	"testing"
)

func TestWritten(t *testing.T) {
	t.Parallel()
	for word, want := range map[string][]string{
		"":                     nil,
		"h|ə|l|ˈoʊ":            {"h", "ə", "l", "ˈoʊ"},
		"j|ˈɛ|s||":             {"j", "ˈɛ", "s"},
		"(en)|h|ə|(hi)":        {"h", "ə"},
		"(en)h|ə(hi)":          {"h", "ə"},
		"ˈ|a":                  {"ˈa"},
		"b|a|6|n":              {"b", "a6", "n"},
		"t|ʲ":                  {"tʲ"},
		"ʲ|t":                  {"ʲ", "t"},
		"(":                    nil,
		"ˈ":                    nil,
		"k|ˌ|ʲ":                {"k", "ˌʲ"},
		strings.Repeat("|", 9): nil,
	} {
		if got := written(word); !slices.Equal(got, want) {
			t.Errorf("written(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		symbol, want string
		among        []string
	}{
		{"ɻ", "ɹ", []string{"l", "ɹ", "w"}},
		{"ɐ", "ə", []string{"ə", "i", "t"}},
		{"ʂ", "ʃ", []string{"s", "ʃ", "x"}},
		{"p", "", []string{"a", "i"}},
		{"1", "", []string{"a"}},
		{"a", "", nil},
	} {
		if got, ok := Nearest(tt.symbol, tt.among); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Nearest(%q, %q) = %q, %v, want %q", tt.symbol, tt.among, got, ok, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range [][2]string{
		{"", ""}, {"Hello, world.", "h|ə|l|ˈoʊ w|ˈɜː|l|d"}, {"\xff\xfe", "\xff"}, {"| |", "|||"}, {"a", strings.Repeat("k ", 50)},
		{strings.Repeat("a ", 300), strings.Repeat("k ", 200)}, {"…", "k"}, {" ", "k"}, {"x(y", "(en)|k|(|)"},
	} {
		f.Add(s[0], s[1], len(s[0])/2)
	}
	a := Of("hi", "en")
	f.Fuzz(func(t *testing.T, text, words string, end int) {
		all := strings.Fields(words)
		half := len(all) / 2
		r := Read(text, []Clause{{end, all[:half]}, {len(text), all[half:]}})
		if len(r.Clauses) != 2 || r.Words() > len(all)*maxJoined {
			t.Fatalf("%d clauses, %d words of %d", len(r.Clauses), r.Words(), len(all))
		}
		start := 0
		for _, c := range r.Clauses {
			for _, w := range c.Words {
				if w.Start < start || w.End < w.Start || w.End > len(text) || len(w.Phonemes) == 0 {
					t.Fatalf("%q: word %+v behind %d", text, w, start)
				}
				start = w.Start
				for _, p := range w.Phonemes {
					if p == "" || strings.ContainsAny(p, "| ") {
						t.Fatalf("phoneme %q of %q", p, words)
					}
				}
			}
		}
		if adapted := a.Adapt(r); adapted.Words() > r.Words() {
			t.Fatalf("%d words, adapted %d", r.Words(), adapted.Words())
		}
	})
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		clause, words string
		want          []string
	}{
		{"out of the world", "aʊ|t ə|v|ð|ə w|ɜː|l|d", []string{"out=aʊ|t", "of=ə|v", "the+ð|ə", "world=w|ɜː|l|d"}},
		{"in an hour", "ɪ|n|ə|n aʊɚ", []string{"in=ɪ|n", "an+ə|n", "hour=aʊɚ"}},
		{"to a", "t", []string{"to a=t"}},
		{"a (b) c", "k|l|m|n", []string{"a=k", "b+l|m", "c+n"}},
		{"extraordinarily a", "k|l", []string{"extraordinarily=k", "a+l"}},
	} {
		var got []string
		r := Read(tt.clause, []Clause{{len(tt.clause), strings.Fields(tt.words)}})
		for _, w := range r.Clauses[0].Words {
			sign := "="
			if w.Joined {
				sign = "+"
			}
			got = append(got, tt.clause[w.Start:w.End]+sign+strings.Join(w.Phonemes, "|"))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q is read %q, want %q", tt.clause, got, tt.want)
		}
	}
}

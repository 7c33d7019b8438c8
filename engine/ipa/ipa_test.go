package ipa

import (
	"testing"
	"unicode/utf8"

	"vaak/text"
)

func TestMark(t *testing.T) {
	t.Parallel()
	for clause, want := range map[string]rune{
		"": 0, "a": 0, "a.": '.', "a? ": '?', "a؟ ": '؟', "क्या।": '।', "好。": '。', "a, ": ',', "a!”": '!', "a…": '…', "a...": '…', "a?!": '?',
		"a . . .": '.', "a —": '—', "a (b)": 0, "(b.) ": '.', "\xff": 0, "a\x00.": '.', "dit-il : ": ':', "a ;": ';', "3": 0, "?": '?', "5 €.": '.', "a -": 0,
	} {
		if got := Mark(clause); got != want {
			t.Errorf("Mark(%q) = %q, want %q", clause, got, want)
		}
	}
}

func TestEndsSentence(t *testing.T) {
	t.Parallel()
	whole := "a, b. c\n\nd\ne"
	for _, tt := range []struct {
		start, end int
		want       bool
	}{{0, 3, false}, {3, 6, true}, {6, 9, true}, {9, 11, false}, {11, 12, false}} {
		c := Clause{Start: tt.start, End: tt.end}
		if c.Set(whole); c.EndsSentence() != tt.want {
			t.Errorf("a sentence ends with %q: %v", whole[tt.start:tt.end], !tt.want)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, middle, after, want string
		body                        text.Span
	}{
		{"", "a", "", "a", text.Span{Start: 0, End: 1}},
		{"x", "a", "y", "x a y", text.Span{Start: 2, End: 3}},
		{"x ", "a ", "y", "x a y", text.Span{Start: 2, End: 4}},
		{"x", "a", " y", "x a y", text.Span{Start: 2, End: 3}},
	} {
		if got, body := Join(tt.before, tt.middle, tt.after); got != tt.want || body != tt.body {
			t.Errorf("Join(%q, %q, %q) = %q, %v, want %q, %v", tt.before, tt.middle, tt.after, got, body, tt.want, tt.body)
		}
	}
}

func FuzzTrim(f *testing.F) {
	for _, s := range []string{"", "“so.”", "...", "a", " - ", "\xff.", "@"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		start, end := Trim(s, 0, len(s))
		if start < 0 || end < start || end > len(s) || len(s) > 0 && start == end {
			t.Errorf("Trim(%q) = %d, %d", s, start, end)
		}
		if utf8.ValidString(s) && !utf8.ValidString(s[start:end]) {
			t.Errorf("Trim(%q) cuts a character: %q", s, s[start:end])
		}
		if m := Mark(s); m != 0 && m != '…' && !isMark(m) {
			t.Errorf("Mark(%q) = %q", s, m)
		}
	})
}

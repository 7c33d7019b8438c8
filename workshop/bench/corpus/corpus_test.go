package corpus

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, passage string
		size          int
		want          string
	}{
		{"nothing", " \n ", 10, ""},
		{"no word fits", "elephant", 3, ""},
		{"exact", "one two", 7, "one two"},
		{"at a word", "one two three", 9, "one two"},
		{"lines become spaces", "one\ntwo\n\nthree", 13, "one two three"},
		{"repeats", "one two", 15, "one two one two"},
		{"code points, not bytes", "नदी किनारे", 10, "नदी किनारे"},
		{"no dash at the end", "one — two", 6, "one"},
		{"no opening quote at the end", "one “ two", 5, "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := cut(tt.passage, tt.size); got != tt.want {
				t.Errorf("cut(%q, %d) = %q, want %q", tt.passage, tt.size, got, tt.want)
			}
		})
	}
}

func TestSamples(t *testing.T) {
	t.Parallel()
	const longestWord = 30
	for _, l := range Languages {
		for _, size := range []int{20, 200, 500, 5000} {
			s, err := New(l, size)
			if err != nil {
				t.Fatal(err)
			}
			n := utf8.RuneCountInString(s.Text)
			if n > size || n < size-longestWord || n == 0 || !utf8.ValidString(s.Text) {
				t.Errorf("%s: a text of %d characters has %d", l.Code, size, n)
			}
			if strings.TrimSpace(s.Text) != s.Text || strings.ContainsAny(s.Text, "\n\t") {
				t.Errorf("%s, %d: white space in %q", l.Code, size, s.Text)
			}
		}
	}
}

func TestCorpusIsLong(t *testing.T) {
	t.Parallel()
	for _, l := range Languages {
		passage, err := Files.ReadFile(l.Code + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCount(passage); n < 1200 {
			t.Errorf("%s: the passage has %d characters, want 1,200 before it repeats", l.Code, n)
		}
	}
}

func TestShuffled(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i := range 1500 {
		s, err := Shuffled(English, 200, i)
		if err != nil {
			t.Fatal(err)
		}
		opening := s.Text[:30]
		if j, ok := seen[opening]; ok {
			t.Fatalf("listeners %d and %d both hear %q", j, i, opening)
		}
		seen[opening] = i
		if again, _ := Shuffled(English, 200, i); again.Text != s.Text || len(s.Text) > 200 || len(s.Text) < 150 {
			t.Fatalf("listener %d hears %q and %q", i, s.Text, again.Text)
		}
	}
}

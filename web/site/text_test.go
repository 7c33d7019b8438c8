package site

import (
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNumbersInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{Whole(0), "0"},
		{Whole(999), "999"},
		{Whole(1000), "1,000"},
		{Whole(-1234567), "-1,234,567"},
		{Decimal(1204.5, 2), "1,204.5"},
		{Decimal(-23.14, 1), "−23.1"},
		{Decimal(-0.01, 1), "0"},
		{Decimal(math.NaN(), 1), "–"},
		{Decimal(7, 2), "7"},
		{Size(999), "999 bytes"},
		{Size(1_500_000), "1.5 MB"},
		{Size(3e15), "3,000 TB"},
		{Plural(1, "file", "files"), "1 file"},
		{Plural(2000, "file", "files"), "2,000 files"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// A clipped text is valid, no longer than was asked, and a prefix of the text.
func TestClip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(1, 20).Draw(t, "n")
		got := Clip(s, n)
		if c := utf8.RuneCountInString(got); c > n+1 || !utf8.ValidString(got) {
			t.Fatalf("clip(%q, %d) = %q, with %d code points", s, n, got, c)
		}
		if again := Clip(got, n+1); again != got {
			t.Fatalf("clip(%q, %d) = %q, clipped again %q", s, n, got, again)
		}
	})
}

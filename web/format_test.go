package web

import (
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vaak/catalogue"
)

func TestNumbersInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{whole(0), "0"}, {whole(999), "999"}, {whole(1000), "1,000"}, {whole(-1234567), "-1,234,567"},
		{decimal(1204.5, 2), "1,204.5"}, {decimal(-23.14, 1), "−23.1"}, {decimal(-0.01, 1), "0"}, {decimal(math.NaN(), 1), "–"}, {decimal(7, 2), "7"},
		{percent(0.083), "8.3%"}, {percent(0.417), "42%"}, {percent(0.0999), "10%"}, {percent(0), "0%"}, {percent(1), "100%"},
		{clock(0), "0:00"}, {clock(65.9), "1:05"}, {clock(3725), "1:02:05"}, {clock(-3), "0:00"}, {clock(math.Inf(1)), "0:00"},
		{stamp(12.3456), "12.35"}, {stamp(-1), "0"}, {size(999), "999 bytes"}, {size(1_500_000), "1.5 MB"}, {size(3e15), "3,000 TB"},
		{hours(1), "1 hour"}, {hours(0.5), "0.5 hours"}, {day("2025-02-01"), "1 February 2025"}, {day("soon"), "soon"},
		{plural(1, "file", "files"), "1 file"}, {plural(2000, "file", "files"), "2,000 files"}, {hertz("22050"), "22.05 kHz"}, {hertz("odd"), "odd"},
		{spread(&catalogue.Spread{Count: 3, P10: 1, Median: 2, P90: 3}, 1, " dB"), "median 2 dB, p10–p90 1 to 3 dB"},
		{spread(&catalogue.Spread{Count: 1, P10: 2, Median: 2, P90: 2}, 1, " dB"), "2 dB"}, {spread(nil, 1, ""), ""}, {spread(&catalogue.Spread{}, 1, ""), ""},
		{listed([]string{"a"}, 3), "a"}, {listed([]string{"a", "b", "c"}, 3), "a, b and c"}, {listed([]string{"a", "b", "c", "d"}, 2), "a, b and 2 others"},
		{tag("hi-IN"), "hi-IN"}, {tag(`hi" onload="x`), ""}, {outside("https://a.example"), "https://a.example"}, {outside("javascript:alert(1)"), ""}, {outside("//a"), ""},
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
		got := clip(s, n)
		if c := utf8.RuneCountInString(got); c > n+1 || !utf8.ValidString(got) {
			t.Fatalf("clip(%q, %d) = %q, with %d code points", s, n, got, c)
		}
		if again := clip(got, n+1); again != got {
			t.Fatalf("clip(%q, %d) = %q, clipped again %q", s, n, got, again)
		}
	})
}

package catalogue

import (
	"math"
	"testing"

	"vaak/catalogue"
)

func TestNumbersInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{percent(0.083), "8.3%"}, {percent(0.417), "42%"}, {percent(0.0999), "10%"}, {percent(0), "0%"}, {percent(1), "100%"},
		{clock(0), "0:00"}, {clock(65.9), "1:05"}, {clock(3725), "1:02:05"}, {clock(-3), "0:00"}, {clock(math.Inf(1)), "0:00"},
		{stamp(12.3456), "12.35"}, {stamp(-1), "0"},
		{hours(1), "1 hour"}, {hours(0.5), "0.5 hours"}, {day("2025-02-01"), "1 February 2025"}, {day("soon"), "soon"},
		{hertz("22050"), "22.05 kHz"}, {hertz("odd"), "odd"},
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

package normalize

import (
	"testing"

	"vaak/lang"
)

// TestEndings writes case endings to numbers, with and without a hyphen.
func TestEndings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, in, want string }{
		{"ta", "10-ல்", "பத்தில்"},
		{"ta", "10ல்", "பத்தில்"},
		{"ta", "500-க்கு", "ஐநூற்றுக்கு"},
		{"ta", "₹5 கோடிக்கு", "ஐந்து கோடி ரூபாய்க்கு"},
		{"ta", "API-ல்", "A P I-ல்"},  // no number
		{"ta", "10-லா", "பத்து-லா"},   // no ending we know
		{"ta", "10 கள்", "பத்து கள்"}, // a word of its own
		{"kn", "₹500ರ", "ಐನೂರು ರೂಪಾಯಿಯ"},
		{"ml", "6.30-ന്", "ആറ് മുപ്പതിന്"},
		{"te", "₹12.50", "పన్నెండు రూపాయల యాభై పైసలు"},
		{"hi", "10-में", "दस-में"}, // a language without such endings
	} {
		got, _ := For(lang.Tag{Code: lang.Code(c.code)}).Text(c.in)
		if got != c.want {
			t.Errorf("For(%s).Text(%q) = %q, want %q", c.code, c.in, got, c.want)
		}
	}
}

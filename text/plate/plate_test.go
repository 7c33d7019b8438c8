package plate_test

import (
	"strings"
	"testing"

	"vaak/text/plate"
)

func TestIndia(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
	}{
		{"KA 05 MJ 4172 is late", "KA 05 MJ 4172"},
		{"DL-8C-AB-1234", "DL-8C-AB-1234"},
		{"DL 8C AB 1234.", "DL 8C AB 1234"},
		{"UP32 BX 4455", "UP32 BX 4455"},
		{"MH12AB1234", "MH12AB1234"},
		{"DL1A1234", "DL1A1234"},
		{"XX 05 MJ 4172", ""},
		{"KA 05 MJ 41723", ""},
		{"KA 05 MJ 4172x", ""},
		{"KA 05 4172", ""},
		{"KA 055 MJ 4172", ""},
		{"KAR 05 MJ 4172", ""},
		{"KA", ""},
		{"", ""},
	} {
		if got := tt.text[:plate.India(tt.text)]; got != tt.want {
			t.Errorf("India(%q) ends %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzIndia(f *testing.F) {
	f.Add("KA 05 MJ 4172")
	f.Add("DL-8C-")
	f.Fuzz(func(t *testing.T, s string) {
		n := plate.India(s)
		if n < 0 || n > len(s) {
			t.Fatalf("India(%q) = %d", s, n)
		}
		if n > 0 && plate.India(s[:n]+strings.Repeat(" ", 2)) != n {
			t.Errorf("India(%q) depends on what follows", s)
		}
	})
}

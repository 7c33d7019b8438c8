package usage

import (
	"strings"
	"testing"
)

func FuzzMark(f *testing.F) {
	f.Add("1790000000000000.12")
	f.Add("0.0")
	f.Add("1.1e9")
	f.Add("+5.+6")
	f.Fuzz(func(t *testing.T, s string) {
		m, ok := parseMark(s)
		if !ok {
			return
		}
		if m.At.Year() > 9999 || m.Seq < 0 {
			t.Errorf("parseMark(%q) = %+v", s, m)
		}
		if again, ok := parseMark(markText(m)); !ok || again != m {
			t.Errorf("parseMark(%q) = %+v, then %+v, %v", s, m, again, ok)
		}
	})
}

// TestMeanings: every code is told in words, and none twice.
func TestMeanings(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{onlyFailed: true}
	for _, m := range meanings {
		if seen[m.Code] || !strings.HasSuffix(m.Means, ".") || !strings.HasSuffix(m.Do, ".") {
			t.Errorf("%+v is there twice, or has no sentences", m)
		}
		seen[m.Code] = true
	}
	if got := meaningOf("unheard_of"); got.Code != "unheard_of" || got.Means == "" || got.Do == "" {
		t.Errorf("meaningOf(unheard_of) = %+v", got)
	}
}

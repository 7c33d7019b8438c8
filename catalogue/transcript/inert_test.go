package transcript

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestInert(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"": "", "hello": "hello", "a=1": "a=1", "'tis": "'tis", "'": "'", "3-4": "3-4", "हाँ": "हाँ",
		"=1+1": "'=1+1", "+91": "'+91", "-haan": "'-haan", "@me": "'@me", "\tx": "'\tx", "\rx": "'\rx", "\nx": "'\nx", "＝1": "'＝1",
		"'=1": "''=1", "''-": "'''-",
	} {
		if got := Inert(cell); got != want {
			t.Errorf("Inert(%q) = %q, want %q", cell, got, want)
		}
	}
}

// TestInertIsUndone is the law of Inert: no cell begins a formula, and none is lost.
func TestInertIsUndone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cell := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(pieces, "\r", "＋")), 0, 4).Draw(t, "pieces"), "")
		got := Inert(cell)
		if got != "" && strings.IndexAny(got, formula) == 0 || uninert(got) != cell {
			t.Fatalf("Inert(%q) = %q, which reads as %q", cell, got, uninert(got))
		}
	})
}

package layout

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestPathsStayInside checks that a path that is taken is local, whatever it is
// made of.
func TestPathsStayInside(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{"..", ".", "", "a", "a b", "/", "\\", "C:", "\x00", "\n", "\xff", "http://", "नमस्ते", "\u202E", "..."})
	rapid.Check(t, func(t *rapid.T) {
		p := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), rapid.SampledFrom([]string{"/", ""}).Draw(t, "separator"))
		if badPath(p) != "" {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(path.Clean(p))) || !utf8.ValidString(p) || strings.ContainsAny(p, "\x00\\\n\u202E") {
			t.Errorf("badPath(%q) = \"\"", p)
		}
	})
}

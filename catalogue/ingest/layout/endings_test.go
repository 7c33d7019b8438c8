package layout

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLongestEnding compares the search with one that looks at every path.
func TestLongestEnding(t *testing.T) {
	t.Parallel()
	path := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "x.wav", "ax.wav", ".", "b-a", "b a", "b+a", "b.a", "b,a", "!", "a-x.wav"}), 1, 4).Draw(t, "parts"), "/")
	})
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfNDistinct(path, 0, 12, rapid.ID[string]).Draw(t, "paths")
		p := rapid.SampledFrom([]string{"", "/", "/mnt/", "../"}).Draw(t, "before") + path.Draw(t, "path")
		most, want := 0, []string(nil)
		for _, one := range paths {
			x, y := strings.Split(one, "/"), strings.Split(p, "/")
			n := 0
			for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
				n++
			}
			if n > most {
				most, want = n, nil
			}
			if n == most && n > 0 {
				want = append(want, one)
			}
		}
		got := NewEndings(paths).Longest(p)
		if len(got) != min(len(want), 2) || slices.ContainsFunc(got, func(one string) bool { return !slices.Contains(want, one) }) {
			t.Errorf("the longest ending of %q among %q is %q, want of %q", p, paths, got, want)
		}
	})
}

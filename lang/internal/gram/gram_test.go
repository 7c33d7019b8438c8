package gram_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/lang/internal/gram"
)

func TestEach(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		word  string
		edges bool
		want  string
	}{
		{"", true, ""},
		{"A", true, "_a_"},
		{"abc", true, "_ab _abc abc abc_ bc_ _abc_"},
		{"人人都", false, "人 人人 人 人都 都"},
	} {
		var w gram.Word
		for _, r := range tt.word {
			w.Add(r)
		}
		var got []string
		w.Each(tt.edges, func(g []rune) { got = append(got, string(g)) })
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("Each(%q) (-want +got):\n%s", tt.word, diff)
		}
	}
}

func FuzzHashesAreThoseOfEach(f *testing.F) {
	f.Add("word", true)
	f.Add(strings.Repeat("Ж", 40), true)
	f.Add("\xff人", false)
	f.Fuzz(func(t *testing.T, s string, edges bool) {
		var w gram.Word
		for _, r := range s {
			w.Add(r)
		}
		var buf [gram.MaxHashes]uint32
		got := buf[:w.Hashes(edges, &buf)]
		var want []uint32
		w.Each(edges, func(g []rune) { want = append(want, gram.Hash(g)) })
		if !cmp.Equal(append([]uint32(nil), got...), want) {
			t.Errorf("Hashes(%q) = %v, want %v", s, got, want)
		}
	})
}

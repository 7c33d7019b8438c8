package catalogue

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// A vocabulary tells of each beginning what a map of the words tells.
func TestVocabularyLaw(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[ab€य]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		byWord := rapid.MapOf(word, rapid.SliceOfN(rapid.Uint32(), 0, 3)).Draw(t, "words")
		term := word.Draw(t, "term")
		var want [][]uint32
		for _, w := range slices.Sorted(maps.Keys(byWord)) {
			if strings.HasPrefix(w, term) {
				want = append(want, byWord[w])
			}
		}
		v := newVocabulary(byWord)
		got := slices.Collect(v.beginning(term))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("beginning(%q) of %v (-want +got):\n%s", term, byWord, diff)
		}
	})
}

// Entries stay what they were, and equal values become one.
func TestInterner(t *testing.T) {
	t.Parallel()
	entry := func() Entry {
		return Entry{
			Revision: 7, Status: Published,
			Brief: Brief{
				ID: "ds_1", Slug: "one", Title: "One", Language: "Hindi", BCP47: "hi-IN", Hours: 2,
				Channels: new(strings.Clone(Dual)), Domain: new(strings.Clone("banking")), EnglishShare: new(0.5),
			},
			Domains: []string{"banking"}, Names: []string{"hin", "hi"},
		}
	}
	in := newInterner()
	first, second := in.entry(entry()), in.entry(entry())
	if diff := cmp.Diff(entry(), first); diff != "" {
		t.Errorf("an entry changed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("equal entries differ (-first +second):\n%s", diff)
	}
	if first.Brief.Channels != second.Brief.Channels || first.Brief.Domain != second.Brief.Domain || &first.Names[0] != &second.Names[0] {
		t.Error("equal values of two entries are kept apart")
	}
	other := in.list([]string{"a", "b"})
	if diff := cmp.Diff([]string{"ab"}, in.list([]string{"ab"})); diff != "" || len(other) != 2 {
		t.Errorf("lists that read alike when joined are taken for one (-want +got):\n%s", diff)
	}
}

package catalogue

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// A vocabulary tells of each beginning what a map of the words tells, however the words came.
func TestVocabularyLaw(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[ab€य]{1,4}`)
	rapid.Check(t, func(t *rapid.T) {
		d, byWord := newDictionary(), map[string][]uint32{}
		var listed []*kept
		for at := range rapid.IntRange(0, 20).Draw(t, "n") {
			k := &kept{}
			for w := range rapid.MapOfN(word, rapid.Just(true), 0, 4).Draw(t, "words") {
				tier := rapid.SampledFrom([]tier{inTitle, inName}).Draw(t, "tier")
				k.words = append(k.words, d.number(w, false)<<tierBits|uint32(tier))
				byWord[w] = append(byWord[w], uint32(at)<<tierBits|uint32(tier))
			}
			listed = append(listed, k)
			if at%7 == 0 {
				d.sort() // later words are merged in
			}
		}
		term := word.Draw(t, "term")
		var want []uint32
		for _, w := range slices.Sorted(maps.Keys(byWord)) {
			if strings.HasPrefix(w, term) {
				want = append(want, byWord[w]...)
			}
		}
		v := newVocabulary(d.sort(), listed)
		from, to := v.beginning(term)
		if diff := cmp.Diff(want, v.fields.between(from, to), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("places of what begins with %q of %v (-want +got):\n%s", term, byWord, diff)
		}
		if rank, ok := v.has(term); ok != (len(byWord[term]) > 0) || ok && !slices.Equal(v.fields.of(rank), byWord[term]) {
			t.Errorf("word %q: %v, want %v", term, ok, byWord[term])
		}
	})
}

// Entries stay what they were, without their descriptions, and equal values become one.
func TestKept(t *testing.T) {
	t.Parallel()
	entry := func() Entry {
		return Entry{
			Revision: 7, Status: Published,
			Brief: Brief{
				ID: "ds_1", Slug: "one", Title: "One", Language: "Hindi", BCP47: "hi-IN", Hours: 2,
				Channels: new(strings.Clone(Dual)), Domain: new(strings.Clone("banking")), EnglishShare: new(0.5),
			},
			Domains: []string{"banking"}, Names: []string{"hin", "hi"}, Others: []string{"en-IN"}, Script: "Deva",
			Licence: &Terms{Name: "CC BY 4.0"}, Speakers: new(3), SampleRates: []int{8000}, Modified: time.Unix(99, 0).UTC(), Traits: Traits{1, 2},
		}
	}
	l := newLibrary()
	first, second := l.keep(entry()), l.keep(entry())
	if diff := cmp.Diff(entry(), first.entry()); diff != "" {
		t.Errorf("an entry changed (-want +got):\n%s", diff)
	}
	if first.channels != second.channels || first.domains != second.domains || first.tongue != second.tongue || first.licence != second.licence || first.rates != second.rates {
		t.Error("equal values of two entries are kept apart")
	}
	if a, b := l.shared.list([]string{"a", "b"}), l.shared.list([]string{"ab"}); a == b {
		t.Error("lists that read alike when joined are taken for one")
	}
}

package catalogue

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vaak/catalogue/spelling"
)

// TestVocabularyLaw checks that a vocabulary, however it was merged, tells of each beginning what a map of the
// words tells, and finds by a mistyped word what comparing it with each word finds.
func TestVocabularyLaw(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[ab€य각ç]{1,4}|[ab]{5,12}|[ab]{3}1|電話`)
	rapid.Check(t, func(t *rapid.T) {
		var v *vocabulary
		var listed []map[string]tier
		for range rapid.IntRange(1, 4).Draw(t, "merges") {
			// Some go and fresh ones come in, at the same places.
			d, moved, now, fresh := newDictionary(), make([]uint32, len(listed)), []map[string]tier{}, []*kept{}
			come := func() {
				k := &kept{at: uint32(len(now))}
				has := rapid.MapOfN(word, rapid.SampledFrom([]tier{inTitle, inName, inDescription}), 0, 6).Draw(t, "words")
				for w, tier := range has {
					k.words = append(k.words, d.number(w)<<tierBits|uint32(tier))
				}
				now, fresh = append(now, has), append(fresh, k)
			}
			for old, has := range listed {
				for range rapid.IntRange(0, 2).Draw(t, "before") {
					come()
				}
				if moved[old] = nowhere; rapid.Bool().Draw(t, "stays") {
					moved[old] = uint32(len(now))
					now = append(now, has)
				}
			}
			come()
			listed, v = now, v.merged(moved, newVocabulary(&d, fresh))
		}
		byWord := map[string][2][]uint32{}
		for at, has := range listed {
			for w, tier := range has {
				places, of := byWord[w], 0
				if tier == inDescription {
					of = 1
				}
				places[of] = append(places[of], uint32(at)<<tierBits|uint32(tier))
				byWord[w] = places
			}
		}
		sorted := slices.Sorted(maps.Keys(byWord))
		term := word.Draw(t, "term")
		var fields, said []uint32
		for _, w := range sorted {
			if strings.HasPrefix(w, term) {
				fields, said = append(fields, byWord[w][0]...), append(said, byWord[w][1]...)
			}
		}
		from, to := v.beginning(term)
		if diff := gocmp.Diff([][]uint32{fields, said}, [][]uint32{v.fields.between(from, to), v.said.between(from, to)}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("places of what begins with %q of %v (-want +got):\n%s", term, byWord, diff)
		}
		places, want := byWord[term]
		if rank, ok := v.has(term); ok != want || ok && !(slices.Equal(v.fields.of(rank), places[0]) && slices.Equal(v.said.of(rank), places[1])) {
			t.Errorf("word %q: %v, want %v", term, ok, want)
		}
		typed := rapid.StringMatching(`[ab]{4,13}|[ab€य각ç]{4,6}`).Draw(t, "typed")
		letters := spelling.Letters(typed)
		search := newNearSearch(v, letters)
		search.all()
		var near []nearWord
		for rank, w := range sorted {
			other := spelling.Letters(w)
			if len(other) < minMistyped || hasDigit(w) || isRun(w) {
				continue
			}
			if edits := spelling.Edits(letters, other, int(search.most), search.part); edits <= int(search.most) {
				near = append(near, nearWord{rank, edits, v.frequency(rank)})
			}
		}
		slices.SortFunc(near, func(a, b nearWord) int {
			return cmp.Or(a.edits-b.edits, b.frequency-a.frequency, a.rank-b.rank)
		})
		near = near[:min(len(near), maxNear)]
		if diff := gocmp.Diff(near, search.found, cmpopts.EquateEmpty(), gocmp.AllowUnexported(nearWord{})); diff != "" {
			t.Errorf("what %q may mean of %q (-want +got):\n%s", typed, sorted, diff)
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
	if diff := gocmp.Diff(entry(), first.entry()); diff != "" {
		t.Errorf("an entry changed (-want +got):\n%s", diff)
	}
	if first.channels != second.channels || first.domains != second.domains || first.tongue != second.tongue || first.licence != second.licence || first.rates != second.rates {
		t.Error("equal values of two entries are kept apart")
	}
	if a, b := l.shared.list([]string{"a", "b"}), l.shared.list([]string{"ab"}); a == b {
		t.Error("lists that read alike when joined are taken for one")
	}
}

package catalogue

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSortByTexts checks that elements are sorted as comparing whole texts sorts them, also where
// texts begin alike, end early, or have zeros.
func TestSortByTexts(t *testing.T) {
	t.Parallel()
	type pair [2]string
	text := rapid.StringMatching(`(abcdefg|\x00{7}|é){0,3}[ab\x00]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pair { return pair{text.Draw(t, "first"), text.Draw(t, "second")} }), 0, 200).Draw(t, "all")
		want := slices.Clone(all)
		slices.SortFunc(want, func(a, b pair) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		sortByTexts(all, func(p pair) string { return p[0] }, func(p pair) string { return p[1] })
		if diff := gocmp.Diff(want, all); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestByValue checks that entries in the order of titles get into each other order as comparing them
// sorts them.
func TestByValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := newLibrary()
		var all []*kept
		for range rapid.IntRange(0, 60).Draw(t, "entries") {
			e := Entry{Status: Published, Brief: Brief{
				ID: rapid.StringMatching(`ds_[ab]{9}`).Draw(t, "id"), Slug: rapid.StringMatching(`[ab]{9}`).Draw(t, "slug"), Title: rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "title"),
				Hours: float64(rapid.IntRange(0, 3).Draw(t, "hours")),
			}}
			if rapid.Bool().Draw(t, "known") {
				e.Speakers = new(rapid.IntRange(0, 3).Draw(t, "speakers"))
			}
			all = append(all, l.keep(e))
		}
		titled := slices.Clone(all)
		sortByTexts(titled, (*kept).title, (*kept).slug)
		for o := hoursOrder; o < titleOrder; o++ {
			keys := func(all []*kept) (keys []key) {
				for _, k := range all {
					keys = append(keys, o.keyOf(k))
				}
				return keys
			}
			want := slices.SortedFunc(slices.Values(all), o.compare)
			if diff := gocmp.Diff(keys(want), keys(o.byValue(titled)), gocmp.AllowUnexported(key{})); diff != "" {
				t.Fatalf("order %d (-want +got):\n%s", o, diff)
			}
		}
	})
}

// TestShared checks that entries which share their values are told apart by each of these.
func TestShared(t *testing.T) {
	t.Parallel()
	text := rapid.SampledFrom([]string{"", "a", "b", "\x01a"})
	maybe := rapid.Ptr(text, true)
	list := rapid.SliceOfN(text, 0, 2)
	rapid.Check(t, func(t *rapid.T) {
		l := newLibrary()
		for range rapid.IntRange(1, 20).Draw(t, "entries") {
			e := Entry{
				Status: rapid.SampledFrom([]Status{Drafted, Published, Suspended, Retired}).Draw(t, "status"), Script: text.Draw(t, "script"),
				Brief: Brief{Language: text.Draw(t, "language"), BCP47: text.Draw(t, "tag"), Channels: maybe.Draw(t, "channels"), Collection: maybe.Draw(t, "collection"), Domain: maybe.Draw(t, "domain")},
				Names: list.Draw(t, "names"), Others: list.Draw(t, "others"), Domains: list.Draw(t, "domains"), SampleRates: rapid.SliceOfN(rapid.IntRange(1, 2), 0, 2).Draw(t, "rates"),
			}
			if rapid.Bool().Draw(t, "licensed") {
				e.Licence = &Terms{text.Draw(t, "licence"), text.Draw(t, "url")}
			}
			if diff := gocmp.Diff(e, l.keep(e).entry(), gocmp.Transformer("list", func(s []string) []string { return append([]string{}, s...) }), gocmp.Transformer("rates", func(s []int) []int { return append([]int{}, s...) })); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
	})
}

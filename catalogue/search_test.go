package catalogue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// slugs returns what a query finds, in its order.
func slugs(t testing.TB, x *index, q Query) string {
	t.Helper()
	s, err := q.check()
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	var got []string
	for _, b := range x.list(s).Datasets {
		got = append(got, b.Slug)
	}
	return strings.Join(got, " ")
}

// TestLanguagesInEveryForm asks for languages as people and programs write them.
func TestLanguagesInEveryForm(t *testing.T) {
	t.Parallel()
	hours := 100.0
	entry := func(slug, language, tag, script string, others ...string) Entry {
		hours--
		d := &Dataset{
			ID: "ds_" + slug, Slug: slug, Title: "Calls", Status: Published, Hours: hours, BCP47: tag, OtherLanguages: others,
			Language: Language{Name: language, ISO6393: "xxx", BCP47: tag}, Description: "Not in Tamil.",
		}
		if script != "" {
			d.Language.Script = &script
		}
		return EntryOf(d)
	}
	x := newIndex([]Entry{
		entry("hi", "Hindi", "hi-IN", "Deva"), entry("hi-latin", "Hindi", "hi-IN", "Latn"), entry("hi-fiji", "Hindi", "hi-FJ", ""),
		entry("bn", "Bengali", "bn-IN", "Beng", "en-IN"), entry("bd", "Bengali", "bn-BD", ""), entry("pa", "Punjabi", "pa-Arab-PK", ""),
		entry("zh", "Chinese", "zh-TW", "Hant"), entry("en", "English", "en-IN", ""), entry("bho", "Bhojpuri", "bho-IN", ""), entry("xyz", "Kwisi", "xyz-AO", ""),
	}, addresses{})
	for language, want := range map[string]string{
		"Bangla": "bn bd", "बंगाली": "bn bd", "bengalí": "bn bd", "বাঙলা": "bn bd", "ben": "bn bd", "bn_BD": "bd", "BN-in": "bn", "bn_BD.UTF-8": "bd",
		"hi_IN": "hi hi-latin", "hi-Deva": "hi hi-fiji", "hi-Latn": "hi-latin", "Hinglish": "hi-latin", "hin": "hi hi-latin hi-fiji", "हिंदी": "hi hi-latin hi-fiji",
		"Shahmukhi": "pa", "pnb": "pa", "pa": "pa", "zh-Hant-TW": "zh", "zh-Hans": "", "Mandarin": "zh", "Indian English": "en", "भोजपुरी": "bho",
		"xyz": "xyz", "XYZ_ao": "xyz", "kwisi": "xyz", "xyz-Latn": "", "Klingon": "", "auto": "", "": "hi hi-latin hi-fiji bn bd pa zh en bho xyz", "Bangla,, xyz": "bn bd xyz",
	} {
		if got := slugs(t, x, Query{Languages: []string{language}}); got != want {
			t.Errorf("language=%q finds %q, want %q", language, got, want)
		}
	}
	for q, want := range map[string]string{
		"bangla calls": "bn bd", "calls bn_BD": "bd", "calls হিন্দি": "", "bengalli": "bn bd", "indian english calls": "en", "english": "en bn",
		"kwisi": "xyz", "kwissi calls": "xyz", "tamil": "", "tamil calls": "", "marathi calls people": "", "western punjabi": "pa",
	} {
		if got := slugs(t, x, Query{Q: q}); got != want {
			t.Errorf("q=%q finds %q, want %q", q, got, want)
		}
	}
}

// TestMistyped asks with typing errors: what nothing begins with stands for what is near, and no
// more.
func TestMistyped(t *testing.T) {
	t.Parallel()
	var entries []Entry
	add := func(n int, title, description string) {
		for range n {
			slug := fmt.Sprintf("s-%d", len(entries))
			entries = append(entries, Entry{Revision: 1, Status: Published, Description: description, Brief: Brief{ID: "ds_" + slug, Slug: slug, Title: title, Hours: float64(10_000 - len(entries))}})
		}
	}
	add(1, "Insurance calls", "Recorded on landlines.")
	add(1, "Banking calls", "About insurance too.")
	add(4000, "Weather talk", "")
	add(1, "Wether sheep", "")
	add(1, "Visit 12345", "")
	add(1, "전화 상담", "")
	x := newIndex(entries, addresses{})
	count := func(q string) int {
		s, err := Query{Q: q}.check()
		if err != nil {
			t.Fatal(err)
		}
		return x.list(s).Count
	}
	for q, want := range map[string]string{
		"insurence": "s-0 s-1", "insurnace": "s-0 s-1", "insuranc": "s-0 s-1", "nsurance": "s-0 s-1", "insurrannce": "s-0 s-1", "insurensse": "",
		"insurenc": "s-0 s-1", "insurance": "s-0 s-1", "bankng": "s-1", "banknig": "s-1", "bakning": "s-1", "baning": "s-1", "bnking calls": "s-1",
		"landlnies": "s-0", "bak": "", "12346": "", "visit 12354": "", "샹담": "s-4004", "전와": "s-4004", "ds_s-4003": "s-4003",
	} {
		if got := slugs(t, x, Query{Q: q}); got != want {
			t.Errorf("q=%q finds %q, want %q", q, got, want)
		}
	}
	// A word that one dataset has may be meant, but the usual one it is near to, too.
	if got := count("wether"); got != 4001 {
		t.Errorf("q=wether finds %d, want 4001", got)
	}
	if s, _ := (Query{Q: "wether"}).check(); x.list(s).Datasets[0].Slug != "s-4002" {
		t.Errorf("q=wether finds %q first, want what was typed", x.list(s).Datasets[0].Slug)
	}
	if got := count("weather"); got != 4000 {
		t.Errorf("q=weather finds %d, want 4000", got)
	}
}

// TestAlike orders by how much datasets differ, page by page.
func TestAlike(t *testing.T) {
	t.Parallel()
	base := func(slug string, change func(*Dataset)) Entry {
		d := &Dataset{
			ID: "ds_" + slug, Slug: slug, Title: slug, Status: Published, Hours: 100, BCP47: "hi-IN", Language: Language{Name: "Hindi", ISO6393: "hin"},
			Channels: new(Dual), Collection: new(CallCentre), Domain: new("banking"), Domains: []string{"banking"}, Speakers: new(50),
			Specification: &Specification{SampleRateHz: map[string]int{"8000": 1}, SNRDB: &Spread{Median: 30}},
			Measurements:  &Measurements{SilenceRatio: &Spread{Median: 0.2}, TurnTaking: &Turns{OverlapRatio: &Spread{Median: 0.1}, FTOMedianMs: &Spread{Median: 200}, TurnsPerMin: &Spread{Median: 12}}},
			DateModified:  time.Unix(1, 0),
		}
		change(d)
		return EntryOf(d)
	}
	x := newIndex([]Entry{
		base("of", func(*Dataset) {}),
		base("twin", func(d *Dataset) { d.Hours = 110 }),
		base("quieter", func(d *Dataset) { d.Measurements.SilenceRatio = &Spread{Median: 0.4} }),
		base("other-talk", func(d *Dataset) {
			d.Measurements = &Measurements{SilenceRatio: &Spread{Median: 0.7}, TurnTaking: &Turns{OverlapRatio: &Spread{Median: 0.39}, FTOMedianMs: &Spread{Median: 1300}, TurnsPerMin: &Spread{Median: 50}}}
		}),
		base("unmeasured", func(d *Dataset) { d.Measurements = nil }),
		base("tamil", func(d *Dataset) {
			d.BCP47, d.Language = "ta-IN", Language{Name: "Tamil", ISO6393: "tam"}
		}),
		base("far", func(d *Dataset) {
			d.BCP47, d.Language = "ta-IN", Language{Name: "Tamil", ISO6393: "tam"}
			d.Channels, d.Collection, d.Domain, d.Domains, d.Hours = new(Mono), new(GeneralConversation), nil, nil, 2
		}),
		base("retired", func(d *Dataset) { d.Status, d.Hours = Retired, 90 }),
		base("draft", func(d *Dataset) { d.Status = Drafted }),
	}, addresses{})
	want := "twin quieter unmeasured other-talk tamil far"
	if got := slugs(t, x, Query{Similar: "of"}); got != want {
		t.Errorf("similar to one: %q, want %q", got, want)
	}
	if got := slugs(t, x, Query{Similar: "ds_of", Languages: []string{"tamizh"}}); got != "tamil far" {
		t.Errorf("with a filter: %q", got)
	}
	if got := slugs(t, x, Query{Similar: "retired"}); got != "twin of"+want[4:] {
		t.Errorf("similar to a retired one: %q, want twin, of, and the others", got)
	}
	var pages []string
	for q := (Query{Similar: "of", Limit: 2}); ; {
		s, err := q.check()
		if err != nil {
			t.Fatal(err)
		}
		page := x.list(s)
		for _, b := range page.Datasets {
			pages = append(pages, b.Slug)
		}
		if q.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	if diff := cmp.Diff(strings.Fields(want), pages); diff != "" {
		t.Errorf("page by page (-want +got):\n%s", diff)
	}
}

// TestAlikeAgreesWithANaiveOne compares the order with one in which all datasets are compared.
func TestAlikeAgreesWithANaiveOne(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	var entries []Entry
	for i := range 400 {
		tag := someLanguages[r.IntN(len(someLanguages))]
		e := Entry{Revision: 1, Status: Published, Speakers: new(r.IntN(99)), Brief: Brief{ID: fmt.Sprint("ds_", i), Slug: fmt.Sprint("s-", i), Title: "T", Language: tag.name, BCP47: tag.bcp47, Hours: float64(r.IntN(900))}}
		if r.IntN(2) == 0 {
			e.Brief.Channels = new([]string{Dual, Mono}[r.IntN(2)])
		}
		for t := range e.Traits {
			e.Traits[t] = byte(r.IntN(256))
		}
		entries = append(entries, e)
	}
	x := newIndex(entries, addresses{})
	for range 20 {
		of := x.listed[r.IntN(len(x.listed))]
		mine := newComparison(of.likeness)
		all := make([]int, 0, len(x.listed))
		for i := range x.listed {
			if x.listed[i] != of {
				all = append(all, i)
			}
		}
		difference := func(i int) int { l := &x.listed[i].likeness; return mine.languages(l) + mine.unlike(l) + mine.apart(l) }
		slices.SortStableFunc(all, func(a, b int) int { return difference(a) - difference(b) })
		var want []string
		for _, i := range all[:25] {
			want = append(want, x.listed[i].slug())
		}
		if got := slugs(t, x, Query{Similar: of.slug(), Limit: 25}); got != strings.Join(want, " ") {
			t.Fatalf("similar to %s: %s, want %s", of.slug(), got, want)
		}
	}
}

// TestLibraryGrows checks that an index to which changes were merged is one that is built anew.
func TestLibraryGrows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	l, newest := newLibrary(), map[string]Entry{}
	for round := range 30 {
		for range 1 + r.IntN(20) {
			i := r.IntN(100)
			e := Entry{
				Revision: int64(round + 1), Status: []Status{Published, Published, Drafted, Retired}[r.IntN(4)], Description: fmt.Sprint("word", r.IntN(50)),
				Modified: time.Unix(int64(r.IntN(9)), 0), Speakers: new(r.IntN(9)), Others: []string{},
				Brief: Brief{ID: fmt.Sprint("ds_", i), Slug: fmt.Sprint("s-", i), Title: fmt.Sprint("Title ", r.IntN(9)), Language: "Hindi", BCP47: "hi-IN", Hours: float64(r.IntN(9))},
			}
			l.put(e)
			newest[e.Brief.ID] = e
		}
		var all []Entry
		for _, e := range newest {
			all = append(all, e)
		}
		grown, anew := l.index(addresses{}), newIndex(all, addresses{})
		if grown.tag != anew.tag {
			t.Fatalf("round %d: the tag is %s, and of an index that is built anew %s", round, grown.tag, anew.tag)
		}
		for _, q := range []Query{{}, {Sort: ByNewest}, {Sort: BySpeakers}, {Sort: ByTitle}, {Q: "word7"}, {Q: "title wrod9"}, {MinSpeakers: 4}, {Q: "ds_1"}} {
			if got, want := slugs(t, grown, q), slugs(t, anew, q); got != want {
				t.Fatalf("round %d, %+v: %s, want %s", round, q, got, want)
			}
		}
		for id, e := range newest {
			if k := grown.named(id); (k != nil) != e.Status.Visible() || k != nil && k.revision != e.Revision || grown.named(e.Brief.Slug) != k {
				t.Fatalf("round %d: %s of status %s is known as %v", round, id, e.Status, k)
			}
		}
	}
}

// TestHostileQueries asks for as much as a query may.
func TestHostileQueries(t *testing.T) {
	t.Parallel()
	var entries []Entry
	for i := range 2000 {
		entries = append(entries, Entry{Revision: 1, Status: Published, Description: strings.Repeat("a", 70_000) + " " + strings.Repeat("電", 70_000), Brief: Brief{ID: fmt.Sprint("ds_", i), Slug: fmt.Sprint("s-", i), Title: fmt.Sprint("Call ", i)}})
		if i == 3 {
			entries[i].Description = strings.Repeat("w0rd ", 70_000)
		} else {
			entries[i].Description = entries[i].Description[:min(len(entries[i].Description), 400*(i%3))]
		}
	}
	x := newIndex(entries, addresses{})
	for _, q := range []Query{
		{Q: strings.Repeat("a", 200)}, {Q: strings.Repeat("電", 200)}, {Q: strings.Repeat("aaaab ", 33)}, {Q: "a b c d e f g h i j k l m n o p"},
		{Q: strings.Repeat("\u0301", 200)}, {Q: strings.Repeat("ﷺ", 200)}, {Q: strings.Repeat("각", 200)}, {Similar: "s-1", Q: "s"}, {Domains: []string{"", "!?", strings.Repeat("x", 200)}},
		{Licences: []string{strings.Repeat("電", 200)}, SampleRates: []int{1 << 40}}, {MinSpeakers: 1 << 40}, {Languages: []string{strings.Repeat("x", 10_000), "\xff"}},
	} {
		s, err := q.check()
		if err != nil {
			continue
		}
		if page := x.list(s); page.Count > len(entries) {
			t.Errorf("%+v finds %d", q, page.Count)
		}
	}
	for _, k := range x.listed {
		if len(k.words) > 2*maxSaid {
			t.Errorf("%s is found by %d words", k.slug(), len(k.words))
		}
	}
}

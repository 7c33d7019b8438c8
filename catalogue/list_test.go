package catalogue

import (
	compare "cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/catalogue/spelling"
)

var (
	someTitles    = []string{"Hindi banking calls", "हिन्दी बातचीत", "தமிழ் உரையாடல்", "Calls in Tamil", "日本語の電話会話", "Café, Straße", "English (India) calls", "HINGLISH support"}
	someLanguages = []struct{ bcp47, name, native, iso1, iso3 string }{
		{"hi-IN", "Hindi", "हिन्दी", "hi", "hin"}, {"hi-FJ", "Hindi", "हिन्दी", "hi", "hin"},
		{"ta-IN", "Tamil", "தமிழ்", "ta", "tam"}, {"en-IN", "English", "English", "en", "eng"},
	}
	someDomains = []string{"banking", "health care", "telecom"}
)

func optional(t *rapid.T, of ...string) *string {
	i := rapid.IntRange(-1, len(of)-1).Draw(t, "value")
	if i < 0 {
		return nil
	}
	return &of[i]
}

func drawEntries(t *rapid.T) []Entry {
	n := rapid.IntRange(0, 150).Draw(t, "n")
	out := make([]Entry, n)
	for i := range out {
		l := rapid.SampledFrom(someLanguages).Draw(t, "language")
		e := Entry{
			Revision: int64(i + 1),
			Status:   rapid.SampledFrom([]Status{Published, Published, Published, Drafted, Suspended, Retired}).Draw(t, "status"),
			Names:    []string{l.native, l.iso1, l.iso3},
			Brief: Brief{
				ID: fmt.Sprintf("ds_%016d", i), Slug: fmt.Sprintf("set-%d", i),
				Title:    rapid.SampledFrom(someTitles).Draw(t, "title"),
				Language: l.name, BCP47: l.bcp47,
				Hours:    float64(rapid.IntRange(0, 500).Draw(t, "hours")) / 4,
				Channels: optional(t, Dual, Mono), Collection: optional(t, CallCentre, GeneralConversation),
				HasSample: rapid.Bool().Draw(t, "sample"), Transcribed: rapid.Bool().Draw(t, "transcribed"),
			},
		}
		if n := rapid.IntRange(-1, 4).Draw(t, "speakers"); n >= 0 {
			e.Speakers = &n
		}
		if l := optional(t, "CC BY 4.0", "Commercial licence"); l != nil {
			e.Licence = &Terms{Name: *l}
		}
		e.SampleRates = rapid.SampledFrom([][]int{nil, {8000}, {16000}, {8000, 16000}}).Draw(t, "rates")
		e.Modified = time.Unix(int64(rapid.IntRange(0, 5).Draw(t, "modified")), 0)
		if d := optional(t, someDomains...); d != nil {
			e.Brief.Domain, e.Domains = d, []string{*d}
		}
		out[i] = e
	}
	return out
}

func drawQuery(t *rapid.T) Query {
	text := func(of ...string) string { return rapid.SampledFrom(append(of, "", "")).Draw(t, "text") }
	q := Query{
		Q: text("call", "hi", "hindi calls", "CALLS hindi", "बात", "உரை", "電話", "strasse", "café", "bank", "ind", "set-1", "ds_", "zzz", "!?", "hi-in", "eng call",
			"hindi customer support calls", "Marathi customer support calls", "banking calls tamil set", "zzz qqq call", "hi in calls bank telecom health zzz", "हिन्दी बात zzz", "hindi-calls-zzz"),
		Channels: text(Dual, Mono), Collection: text(CallCentre),
		Sample: rapid.Bool().Draw(t, "sample"), Transcribed: rapid.Bool().Draw(t, "transcribed"),
		MinHours: float64(rapid.IntRange(0, 60).Draw(t, "min")), Limit: rapid.IntRange(1, 20).Draw(t, "limit"), Facets: true,
	}
	if l := text("hi", "HI-in", "hindi", "हिन्दी", "tam", "en", "xx", "h", "hi_IN", "Tamizh", "अंग्रेज़ी"); l != "" {
		q.Languages = []string{l}
	}
	if d := text("Banking", "health-care", "nothing"); d != "" {
		q.Domains = []string{d}
	}
	if l := text("cc-by-4.0", "commercial", "nothing"); l != "" {
		q.Licences = []string{l}
	}
	q.SampleRates = rapid.SampledFrom([][]int{nil, nil, {8000}, {8000, 16000}, {44100}}).Draw(t, "rates")
	q.MinSpeakers = rapid.SampledFrom([]int{0, 0, 2, 4}).Draw(t, "speakers")
	q.OrUnknown = rapid.Bool().Draw(t, "unknown")
	q.Sort = rapid.SampledFrom(append([]Sort{"", ""}, Sorts...)).Draw(t, "sort")
	return q
}

// naive says whether an entry matches, by reading the rules word for word.
func naive(e Entry, q Query) bool {
	is := func(p *string, want string) bool {
		return want == "" || p == nil && q.OrUnknown || p != nil && *p == want
	}
	if e.Status != Published || !is(e.Brief.Channels, q.Channels) || !is(e.Brief.Collection, q.Collection) ||
		q.Sample && !e.Brief.HasSample || q.Transcribed && !e.Brief.Transcribed || e.Brief.Hours < q.MinHours {
		return false
	}
	if q.OrUnknown { // what is not known of an entry asks nothing of it
		if e.Brief.Domain == nil {
			q.Domains = nil
		}
		if e.Licence == nil {
			q.Licences = nil
		}
		if e.SampleRates == nil {
			q.SampleRates = nil
		}
		if e.Speakers == nil {
			q.MinSpeakers = 0
		}
	}
	if len(q.Domains) > 0 && (e.Brief.Domain == nil || !strings.EqualFold(*e.Brief.Domain, strings.ReplaceAll(q.Domains[0], "-", " "))) ||
		len(q.Licences) > 0 && (e.Licence == nil || !slices.Contains(map[string][]string{"CC BY 4.0": {"cc-by-4.0"}, "Commercial licence": {"commercial"}}[e.Licence.Name], strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(q.Licences[0], " ", "-")), "-licence"))) ||
		len(q.SampleRates) > 0 && !slices.ContainsFunc(e.SampleRates, func(hz int) bool { return slices.Contains(q.SampleRates, hz) }) ||
		q.MinSpeakers > 0 && (e.Speakers == nil || *e.Speakers < q.MinSpeakers) {
		return false
	}
	if len(q.Languages) > 0 && !slices.ContainsFunc(q.Languages, func(l string) bool {
		l = strings.ToLower(l)
		if other := map[string]string{"hi_in": "hi-in", "tamizh": "tamil", "अंग्रेज़ी": "english"}[l]; other != "" {
			l = other
		}
		tag := strings.ToLower(e.Brief.BCP47)
		return tag == l || strings.HasPrefix(tag, l+"-") || slices.Contains(e.Names, l) || strings.ToLower(e.Brief.Language) == l
	}) {
		return false
	}
	terms := naiveTerms(q.Q)
	if len(terms) == 0 {
		return strings.TrimSpace(q.Q) == ""
	}
	fit := 0
	for _, term := range terms {
		if score(e, term) > 0 {
			fit++
		} else if term == "hindi" || term == "tamil" || term == "marathi" || term == "हिंदी" {
			return false // another language was asked for
		}
	}
	if len(terms) <= 2 || !strings.Contains(q.Q, " ") {
		return fit == len(terms)
	}
	return 2*fit >= len(terms)
}

// naiveTerms are the different words of a query, plurals as singulars. A tag is one word.
func naiveTerms(q string) (terms []string) {
	if q == "hi-in" {
		return []string{q}
	}
	for _, w := range spelling.Words(q) {
		one := strings.NewReplacer("calls", "call", "sets", "set").Replace(w.Text)
		if !slices.Contains(terms, one) && (one != "in" || !strings.Contains(q, " ")) {
			terms = append(terms, one)
		}
	}
	return terms
}

// score says how well an entry fits a term; 0 is not at all.
func score(e Entry, term string) (best int) {
	if term == "hi-in" {
		if e.Brief.BCP47 == "hi-IN" {
			return 13
		}
		return 0
	}
	for tier, texts := range [][]string{{e.Brief.Title}, slices.Concat([]string{e.Brief.Language, e.Brief.BCP47}, e.Names), e.Domains, {e.Brief.ID, e.Brief.Slug}} {
		for _, text := range texts {
			for _, w := range spelling.Words(text) {
				switch {
				case w.Run && strings.Contains(w.Text, term), !w.Run && strings.HasPrefix(w.Text, term):
					best = max(best, 14-2*tier)
				}
				if !w.Run && (w.Text == term || w.Text == term+"s") {
					best = max(best, 15-2*tier)
				}
			}
		}
	}
	return best
}

// Every page of every query is what a reading of all entries one by one gives, in
// the same order, with the same counts, and pages give each dataset once.
func TestListAgreesWithANaiveOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := drawEntries(t)
		x := newIndex(slices.Clone(entries), addresses{"https://x.test"})
		q := drawQuery(t)
		want := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return !naive(e, q) })
		total := func(e Entry) (sum int) {
			for _, term := range naiveTerms(q.Q) {
				if n := score(e, term); n > 0 {
					sum += 1000 + n // more words, then better fields
				}
			}
			return sum
		}
		slices.SortFunc(want, func(a, b Entry) int {
			if d := total(b) - total(a); d != 0 && (q.Sort == "" || q.Sort == ByRelevance) {
				return d
			}
			return compare.Or(naiveOrder(a, b, q.Sort), compare.Compare(a.Brief.Title, b.Brief.Title), compare.Compare(a.Brief.Slug, b.Brief.Slug))
		})
		var slugs, got []string
		hours := 0.0
		for _, e := range want {
			slugs = append(slugs, e.Brief.Slug)
			hours += e.Brief.Hours
		}
		for first := true; first || q.Cursor != ""; first = false {
			s, err := q.check()
			if err != nil {
				t.Fatal(err)
			}
			page := x.list(s)
			if page.Count != len(want) || page.TotalHours != int(math.Round(hours)) {
				t.Fatalf("count %d, hours %d; want %d, %v", page.Count, page.TotalHours, len(want), hours)
			}
			if len(page.Datasets) > q.Limit {
				t.Fatalf("%d on a page, want at most %d", len(page.Datasets), q.Limit)
			}
			for _, b := range page.Datasets {
				got = append(got, b.Slug)
			}
			checkFacets(t, page.Facets, entries, q)
			q.Cursor = page.Next
		}
		if diff := cmp.Diff(slugs, got); diff != "" {
			t.Errorf("datasets of %+v (-want +got):\n%s", q, diff)
		}
	})
}

// TestPluralIsTheWord: a plural counts as the word, also where no dataset has the singular.
func TestPluralIsTheWord(t *testing.T) {
	t.Parallel()
	var entries []Entry
	for i, title := range []string{"Callsigns", "Calls"} {
		entries = append(entries, Entry{Status: Published, Revision: int64(i + 1), Brief: Brief{
			ID: fmt.Sprintf("ds_%016d", i), Slug: strings.ToLower(title), Title: title, Language: "Hindi", BCP47: "hi-IN", Hours: float64(9 - i),
		}})
	}
	x := newIndex(entries, addresses{"https://x.test"})
	s, err := (Query{Q: "call"}).check()
	if err != nil {
		t.Fatal(err)
	}
	if page := x.list(s); len(page.Datasets) != 2 || page.Datasets[0].Slug != "calls" {
		t.Errorf("found %+v, want calls first", page.Datasets)
	}
}

func naiveOrder(a, b Entry, by Sort) int {
	speakers := func(e Entry) int {
		if e.Speakers == nil {
			return -1
		}
		return *e.Speakers
	}
	switch by {
	case ByNewest:
		return b.Modified.Compare(a.Modified)
	case BySpeakers:
		return speakers(b) - speakers(a)
	case ByTitle:
		return 0
	}
	return compare.Compare(b.Brief.Hours, a.Brief.Hours)
}

// checkFacets checks that each value says how many choosing it would leave.
func checkFacets(t *rapid.T, f *Facets, entries []Entry, q Query) {
	count := func(q Query) (n int) {
		for _, e := range entries {
			if naive(e, q) {
				n++
			}
		}
		return n
	}
	// What a value counts are the datasets that are known to have it.
	if q.OrUnknown {
		return
	}
	for _, c := range f.Channels {
		with := q
		with.Channels = c.Value
		if n := count(with); n != c.Count {
			t.Errorf("facet channels %s counts %d, want %d", c.Value, c.Count, n)
		}
	}
	for _, c := range f.Domain {
		with := q
		with.Domains = []string{strings.ToUpper(c.Value)}
		if n := count(with); n != c.Count {
			t.Errorf("facet domain %s counts %d, want %d", c.Value, c.Count, n)
		}
	}
	for _, c := range f.License {
		with := q
		with.Licences = []string{c.Value}
		if n := count(with); n != c.Count {
			t.Errorf("facet license %s counts %d, want %d", c.Value, c.Count, n)
		}
	}
	for _, c := range f.SampleRate {
		with := q
		with.SampleRates = nil
		hz, _ := strconv.Atoi(c.Value)
		with.SampleRates = []int{hz}
		if n := count(with); n != c.Count {
			t.Errorf("facet sampleRate %s counts %d, want %d", c.Value, c.Count, n)
		}
	}
	for _, c := range f.Language {
		with := q
		with.Languages = []string{c.Value}
		if n := count(with); n != c.Count {
			t.Errorf("facet language %s counts %d, want %d", c.Value, c.Count, n)
		}
	}
}

func TestSearchInEveryScript(t *testing.T) {
	t.Parallel()
	entry := func(slug, title, language string, names ...string) Entry {
		return Entry{Revision: 1, Status: Published, Names: names, Brief: Brief{ID: "ds_" + slug, Slug: slug, Title: title, Language: language, BCP47: "x"}}
	}
	x := newIndex([]Entry{
		entry("a", "हिन्दी ग्राहक सेवा", "Hindi", "हिन्दी"), entry("b", "தமிழ் வங்கி", "Tamil"), entry("c", "日本語の電話会話", "Japanese"),
		entry("d", "การสนทนาภาษาไทย", "Thai"), entry("e", "ΑΘΗΝΑ κλήσεις", "Greek"), entry("f", "Straße & Café", "German"), entry("g", "ﬁnance ２０２６", "English"),
		entry("h", "مكالمات عربية", "Arabic"),
	}, addresses{"https://x.test"})
	for q, want := range map[string]string{
		"ग्राहक": "a", "हिन्दी": "a", "வங்": "b", "電話": "c", "会話": "c", "ภาษาไทย": "d", "αθήνα": "e", "αθηνα": "e", "STRASSE": "f",
		"cafe\u0301": "f", "finance": "g", "2026": "g", "عرب": "h", "ndi": "",
	} {
		s, err := Query{Q: q}.check()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, b := range x.list(s).Datasets {
			got += b.Slug
		}
		if got != want {
			t.Errorf("q=%q finds %q, want %q", q, got, want)
		}
	}
}

func TestCursorOfAChangedList(t *testing.T) {
	t.Parallel()
	entries := func(n, without int) (out []Entry) {
		for i := range n {
			if i != without {
				out = append(out, Entry{Revision: int64(i + 1), Status: Published, Brief: Brief{ID: fmt.Sprint("ds_", i), Slug: fmt.Sprintf("s-%02d", i), Title: "T", Hours: float64(n - i)}})
			}
		}
		return out
	}
	s, _ := Query{Limit: 10}.check()
	page := newIndex(entries(30, -1), addresses{}).list(s)
	s, err := Query{Limit: 10, Cursor: page.Next}.check()
	if err != nil {
		t.Fatal(err)
	}
	// The last dataset of the first page is gone: the next page begins where it did.
	if got := newIndex(entries(30, 9), addresses{}).list(s).Datasets[0].Slug; got != "s-10" {
		t.Errorf("the next page begins with %s, want s-10", got)
	}
}

func TestCursorBelongsToItsQuery(t *testing.T) {
	t.Parallel()
	x := newIndex([]Entry{
		{Revision: 1, Status: Published, Brief: Brief{ID: "ds_1", Slug: "s-1", Title: "T", BCP47: "hi-IN", Hours: 2}},
		{Revision: 2, Status: Published, Brief: Brief{ID: "ds_2", Slug: "s-2", Title: "T", BCP47: "ta-IN", Hours: 1}},
	}, addresses{})
	first, err := Query{Limit: 1, Languages: []string{"ta", " HI"}, Q: "s  t"}.check()
	if err != nil {
		t.Fatal(err)
	}
	next := x.list(first).Next
	for _, tt := range []struct {
		q    Query
		fits bool
	}{
		{Query{Languages: []string{"hi", "ta", "ta"}, Q: "T s", Limit: 7, Facets: true}, true},
		{Query{Languages: []string{"hi"}, Q: "T s"}, false},
		{Query{Languages: []string{"hi", "ta"}, Q: "s"}, false},
		{Query{Languages: []string{"hi", "ta"}, Q: "T s", Channels: Dual}, false},
		{Query{Languages: []string{"hi", "ta"}, Q: "T s", Collection: CallCentre}, false},
		{Query{Languages: []string{"hi", "ta"}, Q: "T s", Sample: true}, false},
		{Query{Languages: []string{"hi", "ta"}, Q: "T s", Transcribed: true}, false},
		{Query{Languages: []string{"hi", "ta"}, Q: "T s", MinHours: 0.5}, false},
		{Query{}, false},
	} {
		tt.q.Cursor = next
		if _, err := tt.q.check(); (err == nil) != tt.fits || err != nil && !strings.Contains(err.Error(), "leave it out to begin at the beginning") {
			t.Errorf("%+v: %v, want it to fit: %v", tt.q, err, tt.fits)
		}
	}
}

// waysToWriteHindi returns more tags of one language than a query may have words, which are few.
func waysToWriteHindi() (tags []string) {
	for _, code := range []string{"hi", "hin"} {
		for _, script := range []string{"", "-Deva", "-deva"} {
			for _, region := range []string{"-IN", "-in", "_IN"} {
				tags = append(tags, code+script+region)
			}
		}
	}
	for _, sign := range "!#$%&*+,/:;<=>?~" { // lang.Find passes over what stands in brackets
		tags = append(tags, "hi-("+string(sign), "hi-["+string(sign))
	}
	return tags
}

// TestManyTags asks for one language in more ways than there may be words.
func TestManyTags(t *testing.T) {
	t.Parallel()
	x := newIndex([]Entry{{Revision: 1, Status: Published, Brief: Brief{ID: "ds_1", Slug: "s-1", Title: "Hindi calls", Language: "Hindi", BCP47: "hi-IN", Hours: 2}}}, addresses{})
	for _, tags := range [][]string{waysToWriteHindi()[:18], waysToWriteHindi()[18:]} {
		s, err := Query{Q: strings.Join(tags, " ")}.check()
		if err != nil {
			t.Fatal(err)
		}
		x.list(s) // which must not count further than it can
	}
}

func FuzzQuery(f *testing.F) {
	f.Add("hindi calls", "hi,ta", "eyJ", 3.5)
	f.Add(strings.Join(waysToWriteHindi()[18:], " "), "", "", 0.)
	f.Add("\xff", "\u0130", cursor{3, key{100, "T", "s-1"}, 7}.String(), math.NaN())
	x := newIndex([]Entry{{Revision: 1, Status: Published, Brief: Brief{ID: "ds_1", Slug: "s-1", Title: "Hindi calls", Language: "Hindi", BCP47: "hi-IN", Hours: 2}}}, addresses{})
	f.Fuzz(func(t *testing.T, q, language, cursor string, hours float64) {
		s, err := Query{Q: q, Languages: []string{language}, Cursor: cursor, MinHours: hours, Facets: true}.check()
		if err != nil {
			return
		}
		if page := x.list(s); page.Count > 1 || len(page.Datasets) > page.Count {
			t.Errorf("list of %+v has %d of %d", s.Query, len(page.Datasets), page.Count)
		}
		x.similar(q)
	})
}

func TestListed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ give, want []string }{
		{nil, nil}, {[]string{"", " , "}, nil}, {[]string{"hi"}, []string{"hi"}}, {[]string{"hi, ta-IN", "Telugu"}, []string{"hi", "ta-IN", "Telugu"}},
	} {
		if got := Listed(tt.give); !slices.Equal(got, tt.want) {
			t.Errorf("Listed(%q) = %q, want %q", tt.give, got, tt.want)
		}
	}
}

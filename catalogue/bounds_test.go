package catalogue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWordsLikeTags asks with words that read like tags of languages and are none here, and with
// words that are near to names of languages.
func TestWordsLikeTags(t *testing.T) {
	t.Parallel()
	entry := func(slug, title, language, tag string, hours float64) Entry {
		return Entry{Revision: 1, Status: Published, Brief: Brief{ID: "ds_" + slug, Slug: slug, Title: title, Language: language, BCP47: tag, Hours: hours}}
	}
	x := newIndex([]Entry{
		entry("hi-cc-0001", "Calls in shops", "Hindi", "hi-IN", 9), entry("studio", "Hi-fi recordings", "Tamil", "ta-IN", 8),
		entry("lists", "To-do lists", "English", "en-IN", 7), entry("tv", "Hi-TV shows", "Bengali", "bn-IN", 6),
		entry("songs", "Hindu wedding songs", "Bengali", "bn-IN", 5), entry("trade", "Trade talks of Persia", "English", "en-IN", 4),
		entry("signs", "Talks with gestures", "Indian Sign Language", "ins-IN", 3), entry("hindi-songs", "Wedding songs", "Hindi", "hi-IN", 2),
	}, addresses{})
	for q, want := range map[string]string{
		"hi-cc": "hi-cc-0001", "hi-fi recordings": "studio", "to-do": "lists", "hi-tv": "tv", "hi_IN songs": "hindi-songs", "hi-IN": "hi-cc-0001 hindi-songs",
		"hindu wedding songs": "songs hindi-songs", "persia trade talks": "trade", "persain trade talks": "trade", "langauge": "", "hindii songs": "hindi-songs",
	} {
		if got := slugs(t, x, Query{Q: q}); got != want {
			t.Errorf("q=%q finds %q, want %q", q, got, want)
		}
	}
}

// TestCursorOfATag continues a list of which the query names a language by its tag.
func TestCursorOfATag(t *testing.T) {
	t.Parallel()
	x := newIndex([]Entry{
		{Revision: 1, Status: Published, Brief: Brief{ID: "ds_1", Slug: "one", Title: "Calls", BCP47: "hi-IN", Hours: 2}},
		{Revision: 2, Status: Published, Brief: Brief{ID: "ds_2", Slug: "two", Title: "Calls", BCP47: "hi-IN", Hours: 1}},
	}, addresses{})
	q := Query{Q: "calls hi_IN", Limit: 1}
	for _, want := range []string{"one", "two"} {
		s, err := q.check()
		if err != nil {
			t.Fatal(err)
		}
		page := x.list(s)
		if len(page.Datasets) != 1 || page.Datasets[0].Slug != want {
			t.Fatalf("%+v finds %+v, want %s", q, page.Datasets, want)
		}
		q.Cursor = page.Next
	}
	if q.Cursor != "" {
		t.Error("there is a third page")
	}
}

// TestRunsInSeveralFields finds a run in whatever field has all of it, though another field has a
// part of it.
func TestRunsInSeveralFields(t *testing.T) {
	t.Parallel()
	entry := func(slug, title, description string) Entry {
		return Entry{Revision: 1, Status: Published, Description: description, Brief: Brief{ID: "ds_" + slug, Slug: slug, Title: title, Language: "Japanese", BCP47: "ja-JP"}}
	}
	x := newIndex([]Entry{
		entry("a", "会話", "会話データ"), entry("b", "音声", "自然な会話と音声認識のデータ"), entry("c", "ธนาคาร", "การสนทนาธนาคารออมสิน"),
		entry("d", "音声認識のための学習用データ", "音声"),
	}, addresses{})
	for q, want := range map[string]string{
		"会話データ": "a", "会話": "a b", "音声認識": "d b", "音声": "b d", "ธนาคารออมสิน": "c", "音声認職のための": "d", "電話": "",
		strings.Repeat("会話", 100): "a b", // half of its grams
	} {
		if got := slugs(t, x, Query{Q: q}); got != want {
			t.Errorf("q=%.40q finds %q, want %q", q, got, want)
		}
	}
}

// TestInAll compares lists with sets of their places.
func TestInAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 9))
	for range 400 {
		lists := make([][]uint32, 1+r.IntN(4))
		has := map[uint32]int{}
		for i := range lists {
			every := 1 + r.IntN(9)
			for p := range uint32(r.IntN(200)) {
				if r.IntN(every) == 0 {
					lists[i] = append(lists[i], p)
					has[p]++
				}
			}
		}
		var want []uint32
		for p := range uint32(200) {
			if has[p] == len(lists) {
				want = append(want, p)
			}
		}
		if got := inAll(lists, 1<<20); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("in all of %v are %v, want %v", lists, got, want)
		}
	}
}

// TestWorstWords asks for what is slowest to find: mistyped words of two letters among many such
// words, and a run whose grams every dataset has. No term is asked for twice.
func TestWorstWords(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	word := func(n int) string {
		var w strings.Builder
		for range n {
			w.WriteByte("ab"[r.IntN(2)])
		}
		return w.String()
	}
	var entries []Entry
	for i := range 400 {
		var d strings.Builder
		for range 50 {
			d.WriteString(word(20) + " ")
		}
		d.WriteString("电话" + strings.Repeat("话电", 20))
		entries = append(entries, Entry{Revision: 1, Status: Published, Description: d.String(), Brief: Brief{ID: fmt.Sprint("ds_", i), Slug: fmt.Sprint("s-", i), Title: "T"}})
	}
	x := newIndex(entries, addresses{})
	for n := range 2 {
		var words []string
		for range 9 {
			words = append(words, word(20))
		}
		// The last ones find nothing, and all places of the grams are counted.
		for _, q := range []string{strings.Join(words, " "), strings.Repeat("电话", 100-n), strings.Repeat("电话", 80-n) + strings.Repeat("話", 1+n)} {
			s, err := Query{Q: q}.check()
			if err != nil {
				t.Fatal(err)
			}
			if page := x.list(s); strings.HasPrefix(q, "电") && page.Count != len(entries) {
				t.Errorf("%.60q finds %d, want %d", q, page.Count, len(entries))
			}
		}
		x.similar(strings.Join(words, "-"))
	}
}

// TestSpellingsOfValues counts the spellings of a value together, and finds them all by any.
func TestSpellingsOfValues(t *testing.T) {
	t.Parallel()
	var entries []Entry
	for i, domains := range [][]string{{"Banking"}, {"banking"}, {"banking", "BANKING"}, {"banking, finance"}, {"finance"}, {"!?"}, {"&"}, {" "}} {
		e := Entry{Revision: 1, Status: Published, Domains: domains, Brief: Brief{ID: fmt.Sprint("ds_", i), Slug: fmt.Sprint("s-", i), Title: "T", Hours: float64(9 - i)}}
		if i < 4 {
			e.Licence = &Terms{Name: []string{"CC BY 4.0", "cc-by-4.0", "CC BY 4.0", "Attribution"}[i], URL: "https://creativecommons.org/licenses/by/4.0/"}
		}
		entries = append(entries, e)
	}
	x := newIndex(entries, addresses{})
	s, err := Query{Facets: true}.check()
	if err != nil {
		t.Fatal(err)
	}
	f := x.list(s).Facets
	if got, want := fmt.Sprint(f.Domain), "[{banking  3} {!?  1} {&  1} {banking, finance  1} {finance  1}]"; got != want {
		t.Errorf("domains are %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(f.License), "[{CC BY 4.0  4} {Attribution  1}]"; got != want {
		t.Errorf("licences are %s, want %s", got, want)
	}
	for _, tt := range []struct {
		domains []string
		want    string
	}{
		{[]string{"BANKING"}, "s-0 s-1 s-2"}, {[]string{"banking, finance"}, "s-3"}, {[]string{"finance,banking"}, "s-0 s-1 s-2 s-4"},
		{[]string{"", " ", ","}, "s-0 s-1 s-2 s-3 s-4 s-5 s-6 s-7"}, {[]string{"!?"}, "s-5"}, {[]string{"", "&"}, "s-6"},
	} {
		if got := slugs(t, x, Query{Domains: tt.domains}); got != tt.want {
			t.Errorf("domains %q find %q, want %q", tt.domains, got, tt.want)
		}
	}
	if got := slugs(t, x, Query{Similar: " DS_0 ", Limit: 1}); got == "" {
		t.Error("nothing is like an id in capitals")
	}
}

// TestWordsAreForgotten checks that words of descriptions that were replaced do not stay, and that
// those of the others are found as before.
func TestWordsAreForgotten(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	var x *index
	for round := range 25 {
		for i := range 5 {
			var d strings.Builder
			for n := range 200 {
				fmt.Fprintf(&d, "%s%s ", strings.Repeat("x", 1+n%9), strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j").Replace(fmt.Sprint(round*1000+i*200+n)))
			}
			l.put(Entry{Revision: int64(round + 1), Status: Published, Description: d.String() + "insurance 電話会話", Brief: Brief{ID: fmt.Sprint("ds_", i), Slug: fmt.Sprint("s-", i), Title: "T", Hours: float64(9 - i)}})
		}
		x = l.index(addresses{})
		for _, q := range []string{"insurance", "insurence", "電話会話", "insura"} {
			if got := slugs(t, x, Query{Q: q}); got != "s-0 s-1 s-2 s-3 s-4" {
				t.Fatalf("round %d: q=%q finds %q", round, q, got)
			}
		}
	}
	// Those of descriptions, and of titles, slugs and grams.
	if n := len(x.vocabulary.ends); n > 1000+20 {
		t.Errorf("%d words are kept of some 1000 that are used", n)
	}
}

// TestFewAreMistyped checks that typing errors are looked for in some words of a query only, whatever was
// asked before.
func TestFewAreMistyped(t *testing.T) {
	t.Parallel()
	x := newIndex([]Entry{{Revision: 1, Status: Published, Brief: Brief{ID: "ds_1", Slug: "one", Title: "Alphabet bravery charlatan delicate eccentric"}}}, addresses{})
	for _, tt := range []struct {
		q     string
		whole bool
		want  string
	}{
		{"alphapet brabery charlotan delikate ekcentric", true, ""},
		{"ekcentric", true, "one"},
		{"alphapet brabery charlotan delikate ekcentric", true, ""}, // the last word is remembered, and not used
		{"alphapet brabery charlotan delikate ekcentric", false, "one"},
		{"alphapet brabery charlotan delikate eccentric", true, "one"},
	} {
		if got := slugs(t, x, Query{Q: tt.q, Whole: tt.whole}); got != tt.want {
			t.Errorf("q=%q, whole %v, finds %q, want %q", tt.q, tt.whole, got, tt.want)
		}
	}
}

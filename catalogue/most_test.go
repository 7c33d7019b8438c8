package catalogue

import (
	"strings"
	"testing"
)

// TestMostWords asks as people and models do: what fits most words is found, what
// fits more of them comes first, and what fits few, or another language, is not.
func TestMostWords(t *testing.T) {
	t.Parallel()
	entry := func(slug, title, language, code string, domains ...string) Entry {
		return Entry{Revision: 1, Status: Published, Names: []string{code}, Domains: domains, Brief: Brief{ID: "ds_" + slug, Slug: slug, Title: title, Language: language, BCP47: code + "-IN"}}
	}
	x := newIndex([]Entry{
		entry("hi-bank", "Hindi call-centre conversations, banking", "Hindi", "hi", "banking"),
		entry("hi-shop", "Hindi customer support calls, retail", "Hindi", "hi", "retail"),
		entry("hi-read", "Hindi read speech", "Hindi", "hi"),
		entry("ta-shop", "Tamil customer support calls, retail", "Tamil", "ta", "retail"),
		entry("en-bank", "English call-centre conversations, banking", "English", "en", "banking"),
	}, addresses{"https://x.test"})
	for _, tt := range []struct{ name, q, want string }{
		{"most words, the best first", "Hindi customer support calls", "hi-shop hi-bank"},
		{"the order of words is none", "calls support customer Hindi", "hi-shop hi-bank"},
		{"a language that nothing is in", "Marathi customer support calls", ""},
		{"one that the catalogue does not know of, neither", "Hindi Bhojpuri", ""},
		{"no language", "customer support calls", "hi-shop ta-shop"},
		{"a plural", "calls", "en-bank hi-bank hi-shop ta-shop"},
		{"its singular", "call", "en-bank hi-bank hi-shop ta-shop"},
		{"two words must both fit", "Hindi telecom", ""},
		{"and do", "Hindi banking", "hi-bank"},
		{"two of three", "banking conversations telecom", "en-bank hi-bank"},
		{"one of three is few", "banking telecom insurance", ""},
		{"two of five are few", "Hindi banking zzz qqq www", ""},
		{"three of five", "Hindi banking conversations qqq www", "hi-bank"},
		{"a slug is one word", "hi-bank-zzz-hindi", ""},
		{"and what begins one", "hi-ban", "hi-bank"},
		{"nothing fits", "zzz qqq www vvv", ""},
		{"a code is a word like others", "hi bank zzz", "hi-bank"},
	} {
		s, err := Query{Q: tt.q}.check()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range x.list(s).Datasets {
			got = append(got, b.Slug)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: q=%q finds %q, want %q", tt.name, tt.q, got, tt.want)
		}
	}
}

func TestSingular(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"calls": "call", "bus": "bus", "swiss": "swiss", "s": "s", "हैs": "हैs", "2020s": "2020s", "class": "class", "शोज": "शोज"} {
		if got := singular(word); got != want {
			t.Errorf("singular(%q) = %q, want %q", word, got, want)
		}
	}
}

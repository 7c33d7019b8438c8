package respell

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vaak/lang"
)

func TestFindOpen(t *testing.T) {
	t.Parallel()
	york := list(rule("New York City", "x"))
	both := list(rule("New York", "x"), rule("New York City", "y"))
	for _, tt := range []struct {
		name    string
		rules   []Rule
		more    []Rule
		request string
		text    string // with a bar where what is certain ends
	}{
		{"no rules", nil, nil, "en", "all of it|"},
		{"nothing", york, nil, "en", "|"},
		{"term has begun", york, nil, "en", "I love |New"},
		{"term has begun, with space", york, nil, "en", "I love |New York "},
		{"term has begun inside its first letter", york, nil, "en", "I love |n"},
		{"other word", york, nil, "en", "I love Newark|"},
		{"term goes on otherwise", york, nil, "en", "I love New Delhi |"},
		{"longer term may come", both, nil, "en", "I love |New York "},
		{"longer term did not come", both, nil, "en", "I love New York and |"},
		{"longer term came", both, nil, "en", "I love New York City |"},
		{"word may go on", both, nil, "en", "I love |New York City"},
		{"word may go on behind a joiner", both, nil, "en", "I love |New York City\u200D"},
		{"match in words at the end", list(rule("cat", "x", inWord)), nil, "en", "con|cat"},
		{"match in words before the end", list(rule("cat", "x", inWord)), nil, "en", "concats|"},
		{"whole word cannot begin in a word", list(rule("k8s", "x")), nil, "en", "Newark|"},
		{"out of scope", list(rule("New York", "x", only("de"))), nil, "en", "I love New|"},
		{"exact casing", list(rule("New York", "x", exact)), nil, "en", "I love new|"},
		{"mark may follow", list(rule("é", "x", inWord)), nil, "fr", "caf|e"},
		{"mark cannot follow", list(rule("é", "x", inWord)), nil, "fr", "cafe |"},
		{"virama may join", list(rule("ಕ್", "x", inWord)), nil, "kn", "ಅ|ಕ್"},
		{"virama has joined", list(rule("ಕ್", "x", inWord)), nil, "kn", "ಅಕ್ಷ |"},
		{"apostrophe of typography", list(rule("don't know", "x")), nil, "en", "I |don’t "},
		{"after what is not settled", list(rule("New York City", "x"), rule("York", "y")), list(rule("New", "z")), "en", "York |New York "},
		{"Hindi", list(rule("नई दिल्ली", "x")), nil, "hi", "मैं |नई "},
		{"Hindi before danda", list(rule("दिल्ली", "x")), nil, "hi", "मैं दिल्ली।|"},
		{"Turkish dot may follow", list(rule("izmir", "x")), nil, "tr", "|I"},
		{"apostrophe", list(rule("can", "x")), nil, "en", "I |can'"},
		{"contraction", list(rule("can", "x")), nil, "en", "I can't |"},
		{"possessive", list(rule("can", "x")), nil, "en", "I can's|"},
		{"Korean particle may go on", list(rule("서울", "x")), nil, "ko", "|서울은"},
		{"Korean particle", list(rule("서울", "x")), nil, "ko", "서울은 |"},
		{"Han", list(rule("北京", "x")), nil, "zh", "我在|北"},
		{"Han certain", list(rule("北京", "x")), nil, "zh", "我在北京。|"},
		{"second dictionary", list(rule("a b", "x")), list(rule("c d", "y")), "en", "a b |c "},
		{"first dictionary decides for the second", list(rule("b c", "x")), list(rule("a b", "y")), "en", "|a b "},
		{"first dictionary does not touch the second", list(rule("c d", "x")), list(rule("a b", "y")), "en", "a b |c "},
		{"first dictionary has the beginning", list(rule("a", "x")), list(rule("a b", "y")), "en", "a |"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := strings.IndexByte(tt.text, '|')
			s := tt.text[:want] + tt.text[want+1:]
			ds, request := compileAll(tt.rules, tt.more), mustTag(t, tt.request)
			ms, got := ds.FindOpen(s, request)
			if got != want {
				t.Errorf("%d bytes of %q are settled, want %d", got, s, want)
			}
			if closed := ds.Find(s, request); !slices.Equal(ms, closed) {
				t.Errorf("FindOpen(%q) = %v, Find %v", s, ms, closed)
			}
		})
	}
}

// beginning returns the matches that begin in the first n bytes.
func beginningIn(n int, ms []Match) []Match {
	for i, m := range ms {
		if m.Start >= n {
			return ms[:i]
		}
	}
	return ms
}

// odd are pieces that change what stands before them.
var odd = append(slices.Clone(few), "\u0301", "\u093C", "\u094D", "\u200D", "\u200B", "\u200C", "\uFE0F", "\u20E3", "\u0307", "I", "i", "İ",
	"'", "n't", "n", "t", "가", "\u1100", "\u1161", "\u11A8", "은", "까지", "\r", "\n", "\u0600", "🇮", "🇳", "\u3000", "ｶ", "\uFF9E", "カ", "ー", "ﬁ", "f", "ng'", "צ", "\"", "\u0345", "α", "ΐ", "ಕ", "\u0CCD", "\u0CBC", "’", "״", "\uFEFB", "ل", "\uFE70", "\xff", "\xe0")

func TestFindOpenLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := some(t, odd)
		one, two := drawRules(pieces).Draw(t, "rules"), drawRules(pieces).Draw(t, "more")
		s, more := draw(pieces, 0, 12).Draw(t, "text"), draw(pieces, 0, 6).Draw(t, "added")
		request := lang.Tag{Code: rapid.SampledFrom([]lang.Code{"en", "hi", "tr", "ko", "uz", "he"}).Draw(t, "request")}
		ds := compileAll(one, two)
		ms, n := ds.FindOpen(s, request)
		if closed := ds.Find(s, request); !slices.Equal(ms, closed) {
			t.Fatalf("FindOpen(%q) = %v, Find %v", s, ms, closed)
		}
		now, later := beginningIn(n, ms), beginningIn(n, ds.Find(s+more, request))
		if !slices.Equal(now, later) {
			t.Fatalf("of the first %d bytes of %q match %v, but with %q %v", n, s, now, more, later)
		}
		for _, m := range later {
			if m.End > n {
				t.Fatalf("match %v goes beyond the first %d bytes of %q", m, n, s)
			}
		}
		if _, ok := slices.BinarySearch(bounds(s), n); !ok {
			t.Fatalf("%d settled bytes of %q split a cluster", n, s)
		}
		checkProspects(t, ds, s, request)
		checkMatches(t, slices.Concat(one, two), s+more, ds.Find(s+more, request))
	})
}

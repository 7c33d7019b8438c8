package frontend_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/text/respell"
)

// dictionary compiles rules from pairs of a term and its respelling.
func dictionary(pairs ...string) *respell.Dictionary {
	var rules []respell.Rule
	for pair := range slices.Chunk(pairs, 2) {
		rules = append(rules, respell.Rule{Term: pair[0], Respelling: pair[1]})
	}
	return respell.Compile(rules)
}

func TestRespell(t *testing.T) {
	t.Parallel()
	hindi := respell.Rule{Term: "API", Respelling: "ए पी आई", Only: []string{"hi"}}
	for _, tt := range []struct {
		name, hint, text, want string
		hits                   int
		rules                  []respell.Rule
	}{
		{"plain", "en", "We use nginx.", "en:We use engine x.", 1, []respell.Rule{{Term: "nginx", Respelling: "engine x"}}},
		{"none applies", "en", "We use it.", "en:We use it.", 0, []respell.Rule{{Term: "nginx", Respelling: "engine x"}}},
		{"before numbers", "en", "a 4x4 car", "en:a four by four car", 1, []respell.Rule{{Term: "4x4", Respelling: "4 by 4"}}},
		{"into numbers", "en", "in Q3", "en:in three", 1, []respell.Rule{{Term: "Q3", Respelling: "3"}}},
		{"across scripts", "hi", "नया API है", "hi:नया ए पी आई है", 1, []respell.Rule{hindi}},
		{"another request", "en", "नया API है", "hi:नया |en:A P I |hi:है", 0, []respell.Rule{hindi}},
		{"detected request", "", "नया API है", "hi:नया ए पी आई है", 1, []respell.Rule{hindi}},
		{"script that was not there", "", "I like tea", "en:I like |ta:தேநீர்", 1, []respell.Rule{{Term: "tea", Respelling: "தேநீர்"}}},
		{"emoji", "en", "I 🙂 you", "en:I smile at you", 1, []respell.Rule{{Term: "🙂", Respelling: "smile at"}}},
		{"nothing but emoji", "en", "🙂", "en:smile", 1, []respell.Rule{{Term: "🙂", Respelling: "smile"}}},
		{"inside markup", "en", `<emphasis level="strong">Vaak</emphasis> p`, "en:vaahk pee", 2, []respell.Rule{{Term: "Vaak", Respelling: "vaahk"}, {Term: "p", Respelling: "pee"}, {Term: "emphasis", Respelling: "wrong"}}},
		{"over markup", "en", `un<emphasis>ix</emphasis> ok`, "en:you nicks ok", 1, []respell.Rule{{Term: "unix", Respelling: "you nicks"}}},
		{"not over a break", "en", `New<break time="1s"/>York`, "en:New |1s en:York", 0, []respell.Rule{{Term: "New York", Respelling: "wrong"}, {Term: "NewYork", Respelling: "wrong"}}},
		{"no markup of a rule", "en", "a tag", "en:a is less than b ", 1, []respell.Rule{{Term: "tag", Respelling: "< b >"}}},
		{"beside words", "en", "Great🙂work", "en:Great smile work", 1, []respell.Rule{{Term: "🙂", Respelling: "smile"}}},
		{"sign between words", "en", "my r&d", "en:my r and d", 1, []respell.Rule{{Term: "&", Respelling: "and"}}},
		{"sign beside a sign", "en", "#team!", "en:hash team!", 1, []respell.Rule{{Term: "#", Respelling: "hash"}}},
		{"no space in kana", "ja", "はい🙂です", "ja:はいにこにこです", 1, []respell.Rule{{Term: "🙂", Respelling: "にこにこ"}}},
		{"letters stay joined", "hi", "APIकी", "hi:ए पी आईकी", 1, []respell.Rule{hindi}},
		{"no tag of text", "en", `a <foo time="9s"/> b`, `en:a break time equals"nine seconds" b`, 1, []respell.Rule{{Term: "foo", Respelling: "break"}}},
		{"no tag of two", "en", `a<x b>`, `en:a s`, 1, []respell.Rule{{Term: "x b", Respelling: "s"}}},
		{"to silence", "en", "a b", "en:a ...", 1, []respell.Rule{{Term: "b", Respelling: "..."}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hint, err := lang.Resolve(tt.hint)
			if err != nil {
				t.Fatal(err)
			}
			f := frontend.New().With(frontend.Respelling{Dictionaries: respell.Dictionaries{respell.Compile(tt.rules)}})
			p, err := f.Prepare(tt.text, hint)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(p); got != tt.want || p.Respelled() != tt.hits {
				t.Errorf("Prepare(%q) = %q, %d hits, want %q, %d", tt.text, got, p.Respelled(), tt.want, tt.hits)
			}
		})
	}
}

// TestRespellScope has rules scoped by the language of a session, not by that of a
// sentence of it.
func TestRespellScope(t *testing.T) {
	t.Parallel()
	ds := respell.Dictionaries{respell.Compile([]respell.Rule{{Term: "API", Respelling: "ए पी आई", Only: []string{"hi"}}})}
	hindi := lang.Tag{Code: "hi"}
	var m frontend.Memory
	p, err := frontend.New().With(frontend.Respelling{Dictionaries: ds, Request: hindi}).PrepareTold("This is an API.", m.Tell("This is an API."))
	if err != nil || !strings.Contains(show(p), "ए पी आई") {
		t.Errorf("PrepareTold() = %q, %v", show(p), err)
	}
}

// TestRespellLong has terms everywhere in a text that is read in many stretches, where
// one could be cut.
func TestRespellLong(t *testing.T) {
	t.Parallel()
	ds := respell.Dictionaries{dictionary("Yahoo! Inc", "yahoo incorporated", "New York City", "the big apple")}
	s := strings.Repeat("I left Yahoo! Inc for New York City and so on. ", 100)
	p, err := frontend.New().With(frontend.Respelling{Dictionaries: ds}).Prepare(s, lang.Tag{Code: "en"})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for r := range p.Runs() {
		all.WriteString(r.Text)
	}
	if want := strings.Repeat("I left yahoo incorporated for the big apple and so on. ", 100); all.String() != want || p.Respelled() != 200 {
		t.Errorf("%d hits, %q", p.Respelled(), all.String())
	}
}

// TestRespellMaps leads from what is read to the characters that the caller sent.
func TestRespellMaps(t *testing.T) {
	t.Parallel()
	ds := respell.Dictionaries{dictionary("nginx", "engine x 2", "API", "ए पी आई")}
	s := "Das <s>nginx</s> kostet 5 €, die API\u00a0nichts."
	p, err := frontend.New().With(frontend.Respelling{Dictionaries: ds}).Prepare(s, lang.Tag{Code: "de"})
	if err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{"engine": "nginx", "zwei": "nginx", "fünf": "5 €", "पी": "API", "nichts": "nichts", "kostet": "kostet"} {
		found := false
		for r := range p.Runs() {
			if i := strings.Index(r.Text, out); i >= 0 {
				found = true
				if got := r.Map.Back(text.Span{Start: i, End: i + len(out)}).In(s); got != want {
					t.Errorf("%q is made of %q, want %q", out, got, want)
				}
			}
		}
		if !found {
			t.Errorf("%q is not read in %q", out, show(p))
		}
	}
}

func TestRespellBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 50) // 250 code points
	ds := respell.Dictionaries{dictionary("x", long, "W3C", "the World Wide Web Consortium")}
	f := frontend.New().With(frontend.Respelling{Dictionaries: ds})
	for s, ok := range map[string]bool{
		"W3C":                          true, // a short text may always grow a little
		"x":                            false,
		"W3C W3C W3C W3C":              false,
		"x" + strings.Repeat(" y", 50): true,
		strings.Repeat("x ", 2500):     false,
	} {
		_, err := f.Prepare(s, lang.Tag{Code: "en"})
		if refused, is := errors.AsType[*fault.Error](err); ok != (err == nil) || !ok && (!is || refused.Kind != fault.Invalid || refused.Code != fault.CodeTextTooLong) {
			t.Errorf("Prepare(%.20q) = %v", s, err)
		}
	}
}

// TestRespellLaws checks texts with markup, marks and emoji: all maps hold, and what no
// rule names is read as without a dictionary.
func TestRespellLaws(t *testing.T) {
	t.Parallel()
	ds := respell.Dictionaries{dictionary("api", "ए पी आई", "b", "bee", "🙂", "smile", "कि", "ki")}
	f := frontend.New().With(frontend.Respelling{Dictionaries: ds})
	pieces := rapid.SampledFrom([]string{"api ", "API", " b ", "🙂", "कि", "क", "<s>", "</s>", "<emphasis>", `<break time="1s"/>`, "e\u0301", "7 ", ". ", "ok ", "\u200d", "<"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "pieces"), "")
		p, err := f.Prepare(s, lang.Tag{Code: "en"})
		if err != nil {
			t.Fatal(err)
		}
		for r := range p.Runs() {
			if err := r.Map.Check(len(r.Text), len(s)); err != nil {
				t.Fatalf("Prepare(%q): run %q: %v", s, r.Text, err)
			}
		}
		if p.Respelled() > 0 {
			return
		}
		plain, err := frontend.New().Prepare(s, lang.Tag{Code: "en"})
		if err != nil {
			t.Fatal(err)
		}
		if show(p) != show(plain) {
			t.Fatalf("Prepare(%q) = %q, without a dictionary %q", s, show(p), show(plain))
		}
	})
}

// TestRespellings says where rules applied, in the text as it was sent, and which.
func TestRespellings(t *testing.T) {
	t.Parallel()
	const sent = `Use <b>Vaak</b> on nginx, Vaak.`
	ds := respell.Dictionaries{respell.Compile([]respell.Rule{{Term: "nginx", Respelling: "engine x"}, {Term: "Vaak", Respelling: "vaahk"}})}
	p, err := frontend.New().With(frontend.Respelling{Dictionaries: ds}).Prepare(sent, lang.Tag{Code: "en"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range p.Respellings() {
		got = append(got, fmt.Sprint(m.In(sent), " ", m.Rule, " ", m.Respelling))
	}
	if want := []string{"Vaak 1 vaahk", "nginx 0 engine x", "Vaak 1 vaahk"}; !slices.Equal(got, want) {
		t.Errorf("Respellings() = %q, want %q", got, want)
	}
}

package lexicon_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vaak/dictionary/lexicon"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// every has each option once.
var every = []respell.Rule{
	{Term: "R&D", Respelling: "R & D"},
	{Term: "API", Respelling: "ए पी आई", Only: []string{"hi", "mr"}, CaseSensitive: true},
	{Term: "ngi", Respelling: "engine", Except: []string{"ta"}, InWords: true},
}

func TestJSONIsWhatItWas(t *testing.T) {
	t.Parallel()
	want := lexicon.File{Name: "Terms", Description: "of <ours>", Rules: every}
	text, err := lexicon.WriteJSON(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lexicon.Read(text)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("Read(WriteJSON()) (-want +got):\n%s%v", d, err)
	}
	if strings.Contains(string(text), `\u003c`) {
		t.Errorf("signs are escaped: %s", text)
	}
}

func TestPLSIsWhatItSays(t *testing.T) {
	t.Parallel()
	text, err := lexicon.WritePLS(every)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lexicon.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	var want []respell.Rule
	for _, r := range every {
		want = append(want, respell.Rule{Term: r.Term, Respelling: r.Respelling})
	}
	if d := cmp.Diff(want, got.Rules, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("Read(WritePLS()) (-want +got):\n%s", d)
	}
	if n := strings.Count(string(text), "left out, because PLS has no word for it: "); n != 2 {
		t.Errorf("%d rules say what is left out, want 2:\n%s", n, text)
	}
}

const pls = `<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" alphabet="ipa" xml:lang="en-US">`

// TestJSONIsChecked has JSON behind whatever may stand before it: all of it is checked, from
// the first character, and what is refused is not read. PLS is not checked as JSON.
func TestJSONIsChecked(t *testing.T) {
	t.Parallel()
	const object = `{"name":"n","name":"n","rules":[{"string_to_replace":"a","alias":"b"}]}`
	for _, before := range []string{"", "\uFEFF", "\uFEFF\n", strings.Repeat(" ", 65), strings.Repeat("\r\n\t ", 1000)} {
		f, err := lexicon.Read([]byte(before + object))
		if err == nil || err.Error() != `the file has the key "name" twice, the second time at byte 12` || f.Rules != nil {
			t.Errorf("behind %.10q: Read() = %v, %v", before, f, err)
		}
	}
	if _, err := lexicon.Read([]byte("\uFEFF" + pls + `<lexeme><grapheme>a</grapheme><alias>b</alias></lexeme></lexicon>`)); err != nil {
		t.Errorf("PLS behind a mark: %v", err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	alias := respell.Rule{Term: "a", Respelling: "b"}
	for _, tt := range []struct {
		name, file string
		want       []respell.Rule
	}{
		{"what the API answers", `{"id":"x","latest_version_id":"y","rules":[{"type":"alias","string_to_replace":" a ","alias":"b","case_sensitive":false,"word_boundaries":true}]}`, []respell.Rule{alias}},
		{"defaults of all", `{"rules":[{"string_to_replace":"a","alias":"b"},{"string_to_replace":"c","alias":"d","case_sensitive":false}],"case_sensitive":true,"word_boundaries":false}`,
			[]respell.Rule{{Term: "a", Respelling: "b", CaseSensitive: true, InWords: true}, {Term: "c", Respelling: "d", InWords: true}}},
		{"a mark at the beginning", "\uFEFF\n{\"rules\":[{\"string_to_replace\":\"a\",\"alias\":\"b\"}]}", []respell.Rule{alias}},
		{"several graphemes", pls + `<lexeme><grapheme>a</grapheme><grapheme>c</grapheme><alias>b</alias><alias>z</alias></lexeme></lexicon>`, []respell.Rule{alias, {Term: "c", Respelling: "b"}}},
		{"a phoneme beside an alias", pls + `<lexeme><grapheme>a</grapheme><phoneme>bə</phoneme><alias> b
			</alias></lexeme></lexicon>`, []respell.Rule{alias}},
		{"a prefix, metadata, comments", `<?xml version="1.0" encoding="UTF-8"?><!-- <x> --><p:lexicon xmlns:p="http://www.w3.org/2005/01/pronunciation-lexicon" version="1.0">
			<p:metadata><alias xmlns="urn:other">no</alias></p:metadata><p:lexeme><p:grapheme>a</p:grapheme><p:alias><![CDATA[b]]></p:alias><p:example>aa</p:example></p:lexeme></p:lexicon>`, []respell.Rule{alias}},
		{"characters by number", pls + `<lexeme><grapheme>R&amp;D</grapheme><alias>&#x41; &lt;</alias></lexeme></lexicon>`, []respell.Rule{{Term: "R&D", Respelling: "A <"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := lexicon.Read([]byte(tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got.Rules, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("rules (-want +got):\n%s", d)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	const bomb = `<?xml version="1.0"?><!DOCTYPE lexicon [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`
	lexeme := `<lexeme><grapheme>a</grapheme><alias>b</alias></lexeme>`
	many := strings.Repeat(`{"string_to_replace":"a","alias":"b"},`, respell.MaxRules)
	for _, tt := range []struct{ name, file, want string }{
		{"nothing", "", "neither a JSON object nor PLS"},
		{"another format", "a,b\nc,d", `begins with "a,b\nc,d"`},
		{"a list", `[{"string_to_replace":"a"}]`, "neither"},
		{"no rules", `{"name":"a"}`, "no rules"},
		{"too many rules", `{"rules":[` + many + `{}]}`, "more than 1000 rules"},
		{"a name of numbers", `{"name":3,"rules":[{}]}`, "name must be a string, not a number"},
		{"cut off", `{"rules":[`, "the file ends in the middle of its JSON value"},
		{"a document type", bomb + pls + `<lexeme><grapheme>&b;</grapheme><alias>b</alias></lexeme></lexicon>`, "document type"},
		{"a file elsewhere", `<!DOCTYPE lexicon SYSTEM "file:///etc/passwd">` + pls + lexeme + `</lexicon>`, "document type"},
		{"an entity that is not declared", pls + `<lexeme><grapheme>&b;</grapheme><alias>b</alias></lexeme></lexicon>`, "invalid character entity"},
		{"deep", pls + strings.Repeat("<a>", 1_000_000), "deep"},
		{"too many lexemes", pls + strings.Repeat(lexeme, respell.MaxRules+1) + `</lexicon>`, "more than 1000 rules"},
		{"too many graphemes", pls + `<lexeme>` + strings.Repeat(`<grapheme>a</grapheme>`, 100_000) + `</lexeme></lexicon>`, "more than 1000 rules"},
		{"no lexemes", pls + `</lexicon>`, "no rules"},
		{"another namespace", `<lexicon>` + lexeme + `</lexicon>`, "namespace"},
		{"two documents", pls + `</lexicon>` + pls + lexeme + `</lexicon>`, "one element lexicon"},
		{"another encoding", `<?xml version="1.0" encoding="UTF-16"?>` + pls + lexeme + `</lexicon>`, "encoding"},
		{"no end", pls + lexeme, "unexpected EOF"},
		{"crossed", pls + `<lexeme><grapheme>a</lexeme></grapheme></lexicon>`, "closed by"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := lexicon.Read([]byte(tt.file))
			fa, ok := errors.AsType[*fault.Error](err)
			if !ok || fa.Kind != fault.Invalid || !strings.Contains(fa.Msg, tt.want) || len(fa.Msg) > 400 {
				t.Errorf("Read() = %d rules, %v; want an error with %q", len(f.Rules), err, tt.want)
			}
		})
	}
}

func TestWrongRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		want       []string // rule, field, code
	}{
		{"each by itself", `{"rules":[{"string_to_replace":"a","alias":"b"},{"string_to_replace":"","alias":"b"},{"string_to_replace":3},null,"x",{"string_to_replace":"d","alias":"e","only_languages":["xx"]}]}`,
			[]string{"1 string_to_replace empty", "2 string_to_replace invalid_type", "3  invalid_type", "4  invalid_type", "5 only_languages unknown_language"}},
		{"phonemes", `{"rules":[{"type":"phoneme","string_to_replace":"a","phoneme":"bə","alphabet":"ipa"},{"type":"other","string_to_replace":"c","alias":"b"}]}`,
			[]string{"0 type phonemes_not_supported", "1 type phonemes_not_supported"}},
		{"twice", `{"rules":[{"string_to_replace":"a","alias":"b"},{"string_to_replace":"A","alias":"c"}]}`, []string{"1 string_to_replace conflict"}},
		{"phonemes in PLS", pls + `<lexeme><grapheme>a</grapheme><phoneme>bə</phoneme></lexeme><lexeme><alias>b</alias></lexeme><lexeme><grapheme>c</grapheme></lexeme></lexicon>`,
			[]string{"0 type phonemes_not_supported", "1 string_to_replace empty", "2 alias empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := lexicon.Read([]byte(tt.file))
			refusal, ok := errors.AsType[*respell.Refusal](err)
			if !ok {
				t.Fatalf("Read() = %v, want a refusal of rules", err)
			}
			var got []string
			for _, f := range refusal.Faults {
				got = append(got, fmt.Sprint(f.Rule, " ", f.Field, " ", f.Code))
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("faults %q, want %q", got, tt.want)
			}
		})
	}
}

// FuzzRead has any file: what is read is what a dictionary may hold, and is the same
// after it was written and read again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"name":"n","rules":[{"string_to_replace":"a","alias":"b","only_languages":["hi"]}]}`, `{"rules":[{"type":"phoneme"}]}`,
		pls + `<lexeme><grapheme>a</grapheme><alias>b</alias></lexeme></lexicon>`, `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`, "{", "<", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := lexicon.Read(data)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Fatalf("Read() = %v, which is no fault of the file", err)
			}
			return
		}
		if err := respell.Check(file.Rules); err != nil {
			t.Fatalf("Read() took %v, which is refused: %v", file.Rules, err)
		}
		text, err := lexicon.WriteJSON(file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := lexicon.Read(text)
		if d := cmp.Diff(file, again, cmpopts.EquateEmpty()); d != "" || err != nil {
			t.Fatalf("read again (-before +after):\n%s%v", d, err)
		}
	})
}

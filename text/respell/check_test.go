package respell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/internal/fault"
	"vaak/lang"
)

// fieldCode is what of a fault most tests look at.
type fieldCode struct {
	Field Field
	Code  Code
}

func faultsOf(t *testing.T, err error) []Fault {
	t.Helper()
	if err == nil {
		return nil
	}
	r, ok := errors.AsType[*Refusal](err)
	if !ok {
		t.Fatalf("error is %T (%v), want a *Refusal", err, err)
	}
	return r.Faults
}

func codesOf(faults []Fault) (list []fieldCode) {
	for _, f := range faults {
		list = append(list, fieldCode{f.Field, f.Code})
	}
	return list
}

func TestCheckOneRule(t *testing.T) {
	t.Parallel()
	n := func(s string, n int) string { return strings.Repeat(s, n) }
	for _, tt := range []struct {
		name string
		rule Rule
		want []fieldCode
	}{
		{"plain", Rule{Term: "API", Respelling: "A P I"}, nil},
		{"longest", Rule{Term: n("ए", MaxTerm), Respelling: n("𑀅", MaxRespelling)}, nil},
		{"scoped", Rule{Term: "API", Respelling: "ए पी आई", Only: []string{"hi", "Marathi"}, Except: []string{"hi-Latn"}}, nil},
		{"all languages", Rule{Term: "a", Respelling: "b", Only: slices.Repeat([]string{"hi"}, MaxLanguages)}, nil},
		{"pause", Rule{Term: "***", Respelling: "..."}, nil},
		{"emoji", Rule{Term: "👩🏽\u200d💻", Respelling: "coder"}, nil},
		{"keycap", Rule{Term: "1️⃣", Respelling: "one"}, nil},
		{"joiners", Rule{Term: "क्\u200dष", Respelling: "می\u200cخواهم"}, nil},
		{"decomposed", Rule{Term: "e\u0301", Respelling: "क\u093C"}, nil},
		{"spaces within", Rule{Term: "New York", Respelling: "a\u00A0b"}, nil},

		{"nothing", Rule{}, []fieldCode{{FieldTerm, CodeEmpty}, {FieldRespelling, CodeEmpty}}},
		{"spaces", Rule{Term: " \t", Respelling: "\u3000\n"}, []fieldCode{{FieldTerm, CodeEmpty}, {FieldRespelling, CodeEmpty}}},
		{"too long", Rule{Term: n("ए", MaxTerm+1), Respelling: n("a", MaxRespelling+1)}, []fieldCode{{FieldTerm, CodeTooLong}, {FieldRespelling, CodeTooLong}}},
		{"not UTF-8", Rule{Term: "a\xff", Respelling: "\xed\xa0\x80"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"control", Rule{Term: "a\x00b", Respelling: "a\nb"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"later controls", Rule{Term: "a\u0085", Respelling: "a\u2028b"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"private use", Rule{Term: "\uE000", Respelling: "a\U000F0000"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"no characters", Rule{Term: "a\uFFFE", Respelling: "a\uFDD0"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"not assigned", Rule{Term: "a\u0378", Respelling: "a\U0003FFF0"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"mark first", Rule{Term: "\u0301a", Respelling: " \u093F"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"mark after what is not seen", Rule{Term: "\u200D\u093F", Respelling: "\uFE0F\u20E3"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"nothing to see", Rule{Term: "\u200B\u200D", Respelling: "\u00AD \u3164"}, []fieldCode{{FieldTerm, CodeInvalid}, {FieldRespelling, CodeInvalid}}},
		{"blank of Braille", Rule{Term: "\u2800", Respelling: "a"}, []fieldCode{{FieldTerm, CodeInvalid}}},

		{"no such language", Rule{Term: "a", Respelling: "b", Only: []string{"hi", "klingon"}, Except: []string{"xx", "yy"}}, []fieldCode{{FieldOnly, CodeLanguage}, {FieldExcept, CodeLanguage}}},
		{"detection", Rule{Term: "a", Respelling: "b", Only: []string{"auto"}, Except: []string{""}}, []fieldCode{{FieldOnly, CodeLanguage}, {FieldExcept, CodeLanguage}}},
		{"undetermined", Rule{Term: "a", Respelling: "b", Only: []string{"und"}, Except: []string{" \t"}}, []fieldCode{{FieldOnly, CodeLanguage}, {FieldExcept, CodeLanguage}}},
		{"too many languages", Rule{Term: "a", Respelling: "b", Only: slices.Repeat([]string{"hi"}, MaxLanguages+1), Except: slices.Repeat([]string{"bn"}, MaxLanguages+1)}, []fieldCode{{FieldOnly, CodeTooLong}, {FieldExcept, CodeTooLong}}},
		{"longest language", Rule{Term: "a", Respelling: "b", Only: []string{"hi" + n(" ", maxLanguage-2)}}, nil},
		{"too long a language", Rule{Term: "a", Respelling: "b", Only: []string{"en", "hi" + n(" ", maxLanguage-1)}, Except: []string{n("x", maxLanguage+1)}}, []fieldCode{{FieldOnly, CodeLanguage}, {FieldExcept, CodeLanguage}}},
		{"nowhere", Rule{Term: "a", Respelling: "b", Only: []string{"hi", "en-IN"}, Except: []string{"English", "hin"}}, []fieldCode{{FieldExcept, CodeConflict}}},
		{"nowhere by region", Rule{Term: "a", Respelling: "b", Only: []string{"pt-BR"}, Except: []string{"pt-BR"}}, []fieldCode{{FieldExcept, CodeConflict}}},
		{"somewhere by region", Rule{Term: "a", Respelling: "b", Only: []string{"pt"}, Except: []string{"pt-BR"}}, nil},
		{"somewhere by script", Rule{Term: "a", Respelling: "b", Only: []string{"zh-Hant"}, Except: []string{"zh-Hans", "zh-Hant-HK"}}, nil},
		{"nowhere at all", Rule{Term: "a", Respelling: "b", Except: allCodes()}, []fieldCode{{FieldExcept, CodeConflict}}},
		{"in one language", Rule{Term: "a", Respelling: "b", Except: allCodes()[1:]}, nil},

		{"phonemes", Rule{Term: "API", Respelling: "ˈeɪ piː aɪ"}, []fieldCode{{FieldRespelling, CodePhonemes}}},
		{"phoneme rule", Rule{Term: "API", Respelling: "ˈeɪ", Alphabet: "ipa"}, []fieldCode{{FieldType, CodePhonemes}}},
		{"phoneme rule without phonemes", Rule{Term: "API", Alphabet: "cmu-arpabet"}, []fieldCode{{FieldType, CodePhonemes}}},
		{"markup in the term", Rule{Term: "<phoneme ph='a'>API</phoneme>", Respelling: "A P I"}, []fieldCode{{FieldTerm, CodePhonemes}}},
		{
			"everything", Rule{Term: "", Respelling: "ˈ", Only: []string{"?"}, Except: []string{"!"}},
			[]fieldCode{{FieldTerm, CodeEmpty}, {FieldRespelling, CodePhonemes}, {FieldOnly, CodeLanguage}, {FieldExcept, CodeLanguage}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			faults := faultsOf(t, Check([]Rule{{Term: "first", Respelling: "first"}, tt.rule}))
			if diff := cmp.Diff(tt.want, codesOf(faults)); diff != "" {
				t.Errorf("Check(%+v) (-want +got):\n%s", tt.rule, diff)
			}
			for _, f := range faults {
				if f.Rule != 1 || f.Msg == "" {
					t.Errorf("fault %+v, want it of rule 1 with a message", f)
				}
			}
		})
	}
}

func allCodes() (codes []string) {
	for _, l := range lang.All() {
		codes = append(codes, string(l.Code))
	}
	return codes
}

func TestCheckNumberOfRules(t *testing.T) {
	t.Parallel()
	rules := make([]Rule, MaxRules+1)
	for i := range rules {
		rules[i] = Rule{Term: fmt.Sprint("term ", i), Respelling: "a"}
	}
	for _, tt := range []struct {
		n  int
		ok bool
	}{{0, false}, {1, true}, {MaxRules, true}, {MaxRules + 1, false}} {
		err := Check(rules[:tt.n])
		if (err == nil) != tt.ok {
			t.Errorf("Check of %d rules = %v, want ok %t", tt.n, err, tt.ok)
		}
		if e, ok := errors.AsType[*fault.Error](err); err != nil && (!ok || e.Field != "rules" || e.Kind != fault.Invalid || !strings.Contains(e.Msg, fmt.Sprint(tt.n))) {
			t.Errorf("Check of %d rules = %#v, want an invalid parameter rules with the number", tt.n, err)
		}
	}
}

// One rule is in the way of another when term, scope and options are the same.
func TestCheckConflicts(t *testing.T) {
	t.Parallel()
	faults := faultsOf(t, Check([]Rule{
		{Term: "API", Respelling: "A P I"},
		{Term: "API", Respelling: "A P I", CaseSensitive: true},
		{Term: "API", Respelling: "A P I", InWords: true},
		{Term: "API", Respelling: "ए पी आई", Only: []string{"hi"}},
		{Term: "API", Respelling: "another", Except: []string{"hi"}},
		{Term: "SQL", Respelling: "sequel"},
		{Term: "API", Respelling: "another"},
		{Term: "API", Respelling: "ए पी", Only: []string{"hi"}},
		{Term: "API", Respelling: "ˈ"}, // conflicts, and is phonetic
		{Term: "", Respelling: "a"},
		{Term: "", Respelling: "a"}, // empty, not in conflict
	}))
	want := []Fault{
		{Rule: 6, Field: FieldTerm, Code: CodeConflict},
		{Rule: 7, Field: FieldTerm, Code: CodeConflict},
		{Rule: 8, Field: FieldTerm, Code: CodeConflict},
		{Rule: 8, Field: FieldRespelling, Code: CodePhonemes},
		{Rule: 9, Field: FieldTerm, Code: CodeEmpty},
		{Rule: 10, Field: FieldTerm, Code: CodeEmpty},
	}
	if len(faults) != len(want) {
		t.Fatalf("faults %+v, want %d", faults, len(want))
	}
	for i, f := range faults {
		if f.Rule != want[i].Rule || f.Field != want[i].Field || f.Code != want[i].Code {
			t.Errorf("fault %d = %+v, want %+v", i, f, want[i])
		}
	}
	for i, other := range []string{"rule 0 ", "rule 3 ", "rule 0 "} {
		if !strings.HasPrefix(faults[i].Msg, other) {
			t.Errorf("fault %d says %q, want it to name %s", i, faults[i].Msg, other)
		}
	}
}

func TestRefusalIsAFault(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		rules []Rule
		want  fault.Error // Msg is a part
	}{
		{
			"phonemes", []Rule{{Term: "a", Respelling: "a"}, {Term: "API", Respelling: "ˈeɪ"}},
			fault.Error{Kind: fault.Unprocessable, Code: "phonemes_not_supported", Field: "rules.1.alias", Msg: `rules.1.alias: the respelling "ˈeɪ" holds`},
		},
		{
			"phoneme rule", []Rule{{Term: "API", Respelling: "ˈeɪ", Alphabet: "ipa"}},
			fault.Error{Kind: fault.Unprocessable, Code: "phonemes_not_supported", Field: "rules.0.type", Msg: `in alphabet "ipa": the model reads letters`},
		},
		{
			"first of several", []Rule{{Term: "API", Respelling: ""}, {Term: "API", Respelling: "ˈeɪ"}},
			fault.Error{Kind: fault.Invalid, Code: fault.CodeInvalidParameter, Field: "rules.0.alias", Msg: "is empty; send 1 to 256 characters (and 2 more)"},
		},
		{
			"long language", []Rule{{Term: "a", Respelling: "b", Only: []string{"hi" + strings.Repeat(" ", 254)}}},
			fault.Error{Kind: fault.Invalid, Code: fault.CodeInvalidParameter, Field: "rules.0.only_languages", Msg: `only_languages holds a language of 256 bytes; names of at most 64 are allowed: "hi  `},
		},
		{
			"nearest language", []Rule{{Term: "a", Respelling: "b", Only: []string{"hindii"}}},
			fault.Error{Kind: fault.Invalid, Code: fault.CodeInvalidParameter, Field: "rules.0.only_languages", Msg: `holds "hindii", which is not a supported language; did you mean hi (Hindi)`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := fmt.Errorf("wrapped: %w", Check(tt.rules))
			e, ok := errors.AsType[*fault.Error](err)
			if !ok {
				t.Fatalf("Check = %v, want a *fault.Error in it", err)
			}
			if e.Kind != tt.want.Kind || e.Code != tt.want.Code || e.Field != tt.want.Field || !strings.Contains(e.Msg, tt.want.Msg) {
				t.Errorf("Check = %#v, want %#v", e, tt.want)
			}
			if !strings.Contains(err.Error(), tt.want.Msg) {
				t.Errorf("Error() = %q, want %q in it", err.Error(), tt.want.Msg)
			}
		})
	}
}

// The nearest of unknown languages are looked for a few times, and all are refused.
func TestManyUnknownLanguages(t *testing.T) {
	t.Parallel()
	rules := make([]Rule, MaxRules)
	for i := range rules {
		rules[i] = Rule{Term: fmt.Sprint("term ", i), Respelling: "a", Only: []string{fmt.Sprint("nepali", i)}}
	}
	faults := faultsOf(t, Check(rules))
	if len(faults) != MaxRules {
		t.Fatalf("%d faults, want %d", len(faults), MaxRules)
	}
	near := 0
	for i, f := range faults {
		if !strings.Contains(f.Msg, fmt.Sprintf("\"nepali%d\"", i)) {
			t.Errorf("fault %d says %q, want the language", i, f.Msg)
		}
		if strings.Contains(f.Msg, "did you mean") {
			near++
		}
	}
	if near != maxNearest {
		t.Errorf("%d messages name the nearest, want %d", near, maxNearest)
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ s, want string }{
		{"", `""`},
		{"a b", `"a b"`},
		{`a"b\c`, `"a"b\\c"`},
		{"a\x00\xff\u200D", `"a\x00\xff\u200d"`},
		{"ए पी", `"ए पी"`},
		{strings.Repeat("a", shownBytes-1), `"` + strings.Repeat("a", shownBytes-1) + `"`},
		{strings.Repeat("a", 200), `"` + strings.Repeat("a", shownBytes-1) + `…"`},
	} {
		if got := quoted(tt.s); got != tt.want {
			t.Errorf("quoted(%q) = %s, want %s", tt.s, got, tt.want)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	rules := make([]Rule, MaxRules)
	for i := range rules {
		rules[i] = Rule{Term: fmt.Sprint("कंपनी ", i), Respelling: "ə company with ए पी आई, " + strings.Repeat("नमस्ते ", 5), Only: []string{"hi", "en-IN"}}
	}
	for b.Loop() {
		if err := Check(rules); err != nil {
			b.Fatal(err)
		}
	}
}

// longLists returns rules of which each names nearly all languages.
func longLists() []Rule {
	codes := allCodes()
	rules := make([]Rule, MaxRules)
	for i := range rules {
		rules[i] = Rule{Term: fmt.Sprint("term ", i), Respelling: "name", Only: codes, Except: codes[1:]}
	}
	return rules
}

// Languages that every rule has are resolved once. Counting allocations, it must not
// run beside other tests.
func TestLongListsAreResolvedOnce(t *testing.T) {
	rules := longLists()
	allocations := testing.AllocsPerRun(1, func() {
		if err := Check(rules); err != nil {
			t.Error(err)
		}
	})
	if most := float64(60 * len(rules)); allocations > most {
		t.Errorf("Check of %d rules allocates %.0f times, want at most %.0f", len(rules), allocations, most)
	}
}

func BenchmarkCheckLongLists(b *testing.B) {
	rules := longLists()
	for b.Loop() {
		if err := Check(rules); err != nil {
			b.Fatal(err)
		}
	}
}

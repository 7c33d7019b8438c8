package dictionaries

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/mcp/tool"
	"vaak/text/respell"
)

// TestRefusedRules tells every fault, with what to write instead.
func TestRefusedRules(t *testing.T) {
	t.Parallel()
	refusal := &respell.Refusal{Faults: []respell.Fault{
		{Rule: 0, Field: respell.FieldTerm, Code: respell.CodeEmpty, Msg: "string_to_replace is empty."},
		{Rule: 0, Field: respell.FieldRespelling, Code: respell.CodeTooLong, Msg: "alias has 300 characters; at most 256 are allowed"},
		{Rule: 2, Field: respell.FieldRespelling, Code: respell.CodePhonemes, Msg: `alias "/eɪpiːaɪ/" is written in IPA`, Suggestion: "write A P I"},
		{Rule: 3, Field: respell.FieldOnly, Code: respell.CodeLanguage, Msg: "only_languages holds \"x\"", Suggestion: "did you mean xh?"},
	}}
	got := tool.FailureBy(adviseCreate, refusedRules(refusal, 5)).Text
	const want = "invalid_parameter (rules): 3 of 5 rules are wrong, and nothing was kept. Mend them and send all rules again.\n" +
		"rules[0].string_to_replace (empty): string_to_replace is empty.\n" +
		"rules[0].alias (too_long): alias has 300 characters; at most 256 are allowed.\n" +
		"rules[2].alias (phonemes_not_supported): alias \"/eɪpiːaɪ/\" is written in IPA; write A P I.\n" +
		"rules[3].only_languages (unknown_language): only_languages holds \"x\"; did you mean xh?"
	if got != want {
		t.Errorf("refusal = %s\nwant %s", got, want)
	}
	phonemes := &respell.Refusal{Faults: refusal.Faults[2:3]}
	err := refusedRules(phonemes, 1)
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Unprocessable || f.Code != "phonemes_not_supported" || !strings.HasPrefix(f.Msg, "1 of 1 rule is wrong,") {
		t.Errorf("refusal of phonemes = %+v", err)
	}
}

// TestRefusedRulesBehindARequest keeps the faults behind one that names a request of REST,
// which is cut alone: advice names the tool.
func TestRefusedRulesBehindARequest(t *testing.T) {
	t.Parallel()
	refusal := &respell.Refusal{Faults: []respell.Fault{
		{Rule: 0, Field: respell.FieldOnly, Code: respell.CodeLanguage, Msg: "only_languages holds th; GET /v1/languages lists the 80 that are"},
		{Rule: 1, Field: respell.FieldTerm, Code: respell.CodeEmpty, Msg: "string_to_replace is empty"},
	}}
	got := tool.FailureBy(adviseCreate, refusedRules(refusal, 2)).Text
	const want = "rules[0].only_languages (unknown_language): only_languages holds th.\nrules[1].string_to_replace (empty): string_to_replace is empty."
	if !strings.HasSuffix(got, want) {
		t.Errorf("refusal = %s\nwant it to end with %s", got, want)
	}
}

// TestRefusedRulesAreBounded names every wrong rule of a thousand in a text that a
// model can read.
func TestRefusedRulesAreBounded(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]func(i int) bool{
		"all":               func(int) bool { return true },
		"every second":      func(i int) bool { return i%2 == 0 },
		"but one near last": func(i int) bool { return i != 997 },
	} {
		refusal := &respell.Refusal{}
		rules := map[int]bool{}
		for i := range respell.MaxRules {
			if wrong(i) {
				rules[i] = true
				long := strings.Repeat("ᱡ", 400)
				refusal.Faults = append(refusal.Faults, respell.Fault{Rule: i, Field: respell.FieldRespelling, Code: respell.CodePhonemes, Msg: long, Suggestion: long})
			}
		}
		text := tool.FailureBy(adviseCreate, refusedRules(refusal, respell.MaxRules)).Text
		if len(text) > 8000 || !utf8.ValidString(text) {
			t.Errorf("%s: %d bytes, want at most 8000 of UTF-8", name, len(text))
		}
		if told := toldRules(t, text); len(told) != len(rules) {
			t.Errorf("%s: %d rules are told, want %d: %s", name, len(told), len(rules), text)
		} else {
			for i := range rules {
				if !told[i] {
					t.Errorf("%s: rule %d is not told", name, i)
				}
			}
		}
	}
}

// toldRules are the indices that a refusal names.
func toldRules(t *testing.T, text string) map[int]bool {
	t.Helper()
	told := map[int]bool{}
	for line := range strings.Lines(text) {
		var i int
		if _, err := fmt.Sscanf(line, "rules[%d].", &i); err == nil {
			told[i] = true
		}
		_, list, ok := strings.Cut(strings.TrimRight(line, ".\n"), "(phonemes_not_supported) of rules ")
		if !ok {
			continue
		}
		for part := range strings.SplitSeq(list, ", ") {
			var from, to int
			if n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); n == 0 {
				t.Fatalf("%q names no rules", part)
			} else if n == 1 {
				to = from
			}
			for ; from <= to; from++ {
				told[from] = true
			}
		}
	}
	return told
}

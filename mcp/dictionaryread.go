package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vaak/internal/fault"
	"vaak/mcp/schema"
	"vaak/text/respell"
)

// codeInvalidType is the code of members of rules that there are not, or of another type.
const codeInvalidType respell.Code = "invalid_type"

// The types of rules that clients know.
const (
	typeAlias   = "alias"
	typePhoneme = "phoneme" // always refused
)

// ruleName names a rule among the arguments.
func ruleName(i int) string { return fmt.Sprintf("rules[%d]", i) }

// readRules reads rules by the schema of one. Where the members of some are wrong, the
// error says so, and what else the domain finds in the others.
func readRules(item *schema.Schema, sent []json.RawMessage) ([]respell.Rule, error) {
	rules := make([]respell.Rule, len(sent))
	var faults []respell.Fault
	for i, raw := range sent {
		in, wrong := schema.DecodePart[ruleInput](item, ruleName(i), raw)
		for _, err := range wrong {
			f, ok := errors.AsType[*fault.Error](err)
			if !ok {
				return nil, err
			}
			faults = append(faults, memberFault(item, i, f))
		}
		if len(wrong) > 0 {
			continue
		}
		if in.Type != nil && *in.Type != typeAlias && *in.Type != typePhoneme {
			faults = append(faults, respell.Fault{
				Rule: i, Field: respell.FieldType, Code: respell.CodeInvalid,
				Msg: fmt.Sprintf("type %q is not %s, the only one there is", schema.Shorten(*in.Type), typeAlias),
			})
			continue
		}
		rules[i] = in.rule()
	}
	if len(faults) > 0 {
		return nil, refusedRules(&respell.Refusal{Faults: withOthers(faults, rules)}, len(rules))
	}
	return rules, nil
}

// memberFault is what is wrong with a member of a rule.
func memberFault(item *schema.Schema, i int, f *fault.Error) respell.Fault {
	field, _, _ := strings.Cut(strings.TrimPrefix(f.Field, ruleName(i)+"."), "[") // an entry of a list is named in the sentence
	if item.Member(field) == nil {
		return respell.Fault{Rule: i, Code: codeInvalidType, Msg: strings.TrimPrefix(f.Msg, ruleName(i)+" ")}
	}
	return respell.Fault{Rule: i, Field: respell.Field(field), Code: codeInvalidType, Msg: strings.TrimPrefix(f.Msg, ruleName(i)+".")}
}

// withOthers adds to the faults of rules that could not be read, which are zero, what
// the domain finds in the others.
func withOthers(faults []respell.Fault, rules []respell.Rule) []respell.Fault {
	unread := map[int]bool{}
	for _, f := range faults {
		unread[f.Rule] = true
	}
	if more, ok := errors.AsType[*respell.Refusal](respell.Check(rules)); ok {
		for _, f := range more.Faults {
			if !unread[f.Rule] {
				faults = append(faults, f)
			}
		}
	}
	slices.SortStableFunc(faults, func(a, b respell.Fault) int { return cmp.Compare(a.Rule, b.Rule) })
	return faults
}

// rule is the rule of the domain, without the white space around its texts, which is
// not kept.
func (r ruleInput) rule() respell.Rule {
	return respell.Rule{
		Term: strings.TrimSpace(r.Term), Respelling: strings.TrimSpace(r.Alias), Alphabet: r.alphabet(),
		CaseSensitive: r.CaseSensitive, InWords: r.WordBoundaries != nil && !*r.WordBoundaries,
		Only: r.Only, Except: r.Except,
	}
}

// alphabet returns the notation that a rule claims to be in, "" for letters.
func (r ruleInput) alphabet() string {
	switch {
	case r.Alphabet != nil && *r.Alphabet != "":
		return *r.Alphabet
	case r.Alphabet != nil, r.Phoneme != nil, r.Type != nil && *r.Type == typePhoneme:
		return typePhoneme
	default:
		return ""
	}
}

package dictionaries

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"vaak/internal/fault"
	"vaak/mcp/schema"
	"vaak/text/respell"
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
		if in.Type != nil && *in.Type != respell.TypeAlias && *in.Type != respell.TypePhoneme {
			faults = append(faults, respell.Fault{
				Rule: i, Field: respell.FieldType, Code: respell.CodeInvalid,
				Msg: fmt.Sprintf("type %q is not %s, the only one there is", schema.Shorten(*in.Type), respell.TypeAlias),
			})
			continue
		}
		rules[i] = in.rule()
	}
	if len(faults) > 0 {
		return nil, refusedRules(&respell.Refusal{Faults: respell.CheckOthers(faults, rules)}, len(rules))
	}
	return rules, nil
}

// memberFault is what is wrong with a member of a rule.
func memberFault(item *schema.Schema, i int, f *fault.Error) respell.Fault {
	field, _, _ := strings.Cut(strings.TrimPrefix(f.Field, ruleName(i)+"."), "[") // an entry of a list is named in the sentence
	if item.Member(field) == nil {
		return respell.Fault{Rule: i, Code: respell.CodeType, Msg: strings.TrimPrefix(f.Msg, ruleName(i)+" ")}
	}
	return respell.Fault{Rule: i, Field: respell.Field(field), Code: respell.CodeType, Msg: strings.TrimPrefix(f.Msg, ruleName(i)+".")}
}

// rule is the rule of the domain, without the white space around its texts, which is
// not kept.
func (r ruleInput) rule() respell.Rule {
	return respell.Rule{
		Term: strings.TrimSpace(r.Term), Respelling: strings.TrimSpace(r.Alias), Alphabet: respell.Claimed(r.Type, r.Phoneme, r.Alphabet),
		CaseSensitive: r.CaseSensitive, InWords: r.WordBoundaries != nil && !*r.WordBoundaries,
		Only: r.Only, Except: r.Except,
	}
}

package dictionaries

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"vaak/dictionary/lexicon"
	"vaak/internal/fault"
	"vaak/mcp/schema"
	"vaak/text/respell"
)

// ruleName returns the name of a rule in errors.
func ruleName(i int) string { return fmt.Sprintf("rules[%d]", i) }

// readRules reads rules by the schema of one. The error tells of the rules whose members are
// wrong, and what package respell refuses of the others, so that a model mends all at once.
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
		if f, unknown := lexicon.UnknownType(i, in.Type); unknown {
			faults = append(faults, f)
			continue
		}
		rules[i] = in.rule()
	}
	if len(faults) > 0 {
		return nil, refusedRules(&respell.Refusal{Faults: respell.CheckOthers(faults, rules)}, len(rules))
	}
	return rules, nil
}

// memberFault turns a fault of the schema about the rule i into a fault of a rule.
func memberFault(item *schema.Schema, i int, f *fault.Error) respell.Fault {
	field, _, _ := strings.Cut(strings.TrimPrefix(f.Field, ruleName(i)+"."), "[") // an entry of a list is named in the sentence
	if item.Member(field) == nil {
		return respell.Fault{Rule: i, Code: respell.CodeType, Msg: strings.TrimPrefix(f.Msg, ruleName(i)+" ")}
	}
	return respell.Fault{Rule: i, Field: respell.Field(field), Code: respell.CodeType, Msg: strings.TrimPrefix(f.Msg, ruleName(i)+".")}
}

// rule returns the rule for package respell.
func (r ruleInput) rule() respell.Rule {
	sent := lexicon.RuleRequest{
		Type: r.Type, Term: r.Term, Respelling: r.Alias, CaseSensitive: &r.CaseSensitive, WordBoundaries: r.WordBoundaries,
		Only: r.Only, Except: r.Except, Phoneme: r.Phoneme, Alphabet: r.Alphabet,
	}
	return sent.Rule(nil, nil)
}

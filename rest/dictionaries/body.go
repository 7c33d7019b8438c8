package dictionaries

import (
	"github.com/danielgtaylor/huma/v2"

	"vaak/dictionary/lexicon"
	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/rest/frame"
	"vaak/text/respell"
)

// dictionaryRequest is the body of POST /v1/pronunciation-dictionaries/add-from-rules.
type dictionaryRequest struct {
	Name        *string  `json:"name" nullable:"false" minLength:"1" maxLength:"200" doc:"A line of plain text. Others of the organisation may have the same." example:"Product names"`
	Rules       ruleList `json:"rules"`
	Description string   `json:"description,omitempty" maxLength:"1000" doc:"A line of plain text." example:"How we say what we sell"`
	Access      string   `json:"workspace_access,omitempty" bind:"ignore" doc:"Taken and ignored: every key of the organisation may do everything."`
}

// rulesRequest is the body of the routes that set or add rules.
type rulesRequest struct {
	Rules          ruleList `json:"rules"`
	CaseSensitive  *bool    `json:"case_sensitive,omitempty" default:"false" doc:"For the rules that do not say."`
	WordBoundaries *bool    `json:"word_boundaries,omitempty" default:"true" doc:"Likewise."`
}

// termsRequest is the body of the route that removes rules.
type termsRequest struct {
	Terms document.Strings `json:"rule_strings" nullable:"false" minItems:"1" maxItems:"1000" doc:"The string_to_replace of the rules, exactly, or in another casing where none is so and casing does not count. All rules of a term go, whatever their languages; nothing is removed when a term has none."`
}

var (
	dictionaryBinder = document.NewBinder[dictionaryRequest]()
	rulesBinder      = document.NewBinder[rulesRequest]()
	termsBinder      = document.NewBinder[termsRequest]()
)

// bindBody fills dst from a body and returns the parameters that are wrong, whose fields stay
// zero. A body that is no object is a bad parameter too: clients of the ElevenLabs dialect
// expect 422 for everything that is well-formed JSON.
func bindBody[T any](b document.Binder[T], body []byte, dst *T) (wrong paramFaults, err error) {
	wrong = b.BindAll(document.Of(body), dst)
	if len(wrong) == 1 && wrong[0].Code == fault.CodeInvalidBody {
		return nil, fault.BadParameter("", "%s", wrong[0].Msg)
	}
	return wrong, nil
}

// ruleList is the rules of a body; nil when none were sent.
type ruleList lexicon.Rules

// SetJSON takes a list.
func (l *ruleList) SetJSON(v document.Value) error {
	if v.Kind() != document.Array {
		return v.Mistyped("a list")
	}
	entries := v.Entries()
	if n := len(entries); n == 0 || n > respell.MaxRules {
		return fault.BadParameter(v.Name, "%s has %d rules; send 1 to %d", v.Name, n, respell.MaxRules)
	}
	rules := lexicon.ReadRules(entries)
	rules.RefuseTypes()
	*l = ruleList(rules)
	return nil
}

// Schema describes the list.
func (ruleList) Schema(r huma.Registry) *huma.Schema {
	least, most := 1, respell.MaxRules
	return &huma.Schema{
		Type: "array", MinItems: &least, MaxItems: &most, Items: frame.SchemaIn[lexicon.RuleRequest](r),
		Description: "All of them are taken, or none. A term may have several rules, for different languages.",
	}
}

// rules returns the rules of a request to set or add them, for the service to check. Where
// one cannot be read, or parameters are wrong, the error tells all that is wrong with the
// parameters and with every rule.
func (b *rulesRequest) rules(wrong paramFaults) ([]respell.Rule, error) {
	if b.Rules == nil {
		wrong = wrong.missing("rules", "rules is missing; send 1 to %d rules", respell.MaxRules)
	}
	sent := lexicon.Rules(b.Rules)
	rules := make([]respell.Rule, len(sent))
	for i, r := range sent {
		rules[i] = r.Rule(b.CaseSensitive, b.WordBoundaries)
	}
	if len(wrong) > 0 || !sent.Readable() {
		return nil, refusalOf(wrong, sent.Faults(rules))
	}
	return rules, nil
}

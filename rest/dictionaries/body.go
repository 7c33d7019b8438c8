package dictionaries

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/internal/fault"
	"vaak/internal/params"
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
	Terms params.Strings `json:"rule_strings" nullable:"false" minItems:"1" maxItems:"1000" doc:"The string_to_replace of the rules, exactly, or in another casing where none is so and casing does not count. All rules of a term go, whatever their languages; nothing is removed when a term has none."`
}

// ruleRequest is a rule as it is sent.
type ruleRequest struct {
	Type           *string        `json:"type,omitempty" enum:"alias" default:"alias" doc:"There is no other: rules of type phoneme are refused."`
	Term           string         `json:"string_to_replace" minLength:"1" maxLength:"128" doc:"The word or words, as they stand in texts." example:"API"`
	Respelling     string         `json:"alias" minLength:"1" maxLength:"256" doc:"How they are to be written to be read: letters of any script, never phonetics." example:"A P I"`
	CaseSensitive  *bool          `json:"case_sensitive,omitempty" default:"false" doc:"Match the exact casing only."`
	WordBoundaries *bool          `json:"word_boundaries,omitempty" default:"true" doc:"Match whole words only."`
	Only           params.Strings `json:"only_languages,omitempty" nullable:"false" maxItems:"80" doc:"The rule applies in requests in these languages only: names, codes or tags. All languages when left out." example:"[\"hi\",\"mr\"]"`
	Except         params.Strings `json:"except_languages,omitempty" nullable:"false" maxItems:"80" doc:"The rule does not apply in requests in these languages." example:"[\"ta\"]"`
	Phoneme        *string        `json:"phoneme,omitempty" doc:"Refused, as alphabet is: write letters, as alias."`
	Alphabet       *string        `json:"alphabet,omitempty" doc:"Refused."`

	faults []respell.Fault // why it cannot be read, none of a rule that can
}

var (
	dictionaryBinder = params.New[dictionaryRequest]()
	rulesBinder      = params.New[rulesRequest]()
	termsBinder      = params.New[termsRequest]()
	ruleBinder       = params.New[ruleRequest]()
)

// bindBody fills dst from a body, without the parameters that are wrong. JSON that is
// no object is an error, and a bad parameter on the routes of the ElevenLabs dialect, as
// everything is that can be read.
func bindBody[T any](b params.Binder[T], body []byte, dst *T) (wrong paramFaults, err error) {
	for _, err := range b.BindAll(body, dst) {
		f := frame.Public(err)
		if f.Code == fault.CodeInvalidBody {
			return nil, fault.BadParameter("", "%s", f.Msg)
		}
		wrong = append(wrong, f)
	}
	return wrong, nil
}

// ruleList is the rules of a body; nil when none were sent.
type ruleList []ruleRequest

// SetJSON takes a list. Rules that cannot be read know why.
func (l *ruleList) SetJSON(name string, raw []byte) error {
	entries, err := params.Entries(name, raw)
	if err != nil {
		return err
	}
	if n := len(entries); n == 0 || n > respell.MaxRules {
		return fault.BadParameter(name, "%s has %d rules; send 1 to %d", name, n, respell.MaxRules)
	}
	*l = make(ruleList, len(entries))
	for i, entry := range entries {
		(*l)[i].faults = (*l)[i].bind(entry)
	}
	return nil
}

// unread reports whether there is a rule that cannot be read.
func (l ruleList) unread() bool {
	return slices.ContainsFunc(l, func(r ruleRequest) bool { return r.faults != nil })
}

// check returns all that is wrong with rules that were sent as l.
func (l ruleList) check(rules []respell.Rule) []respell.Fault {
	rules = slices.Clone(rules)
	var unread []respell.Fault
	for i, r := range l {
		rules[i].Term, rules[i].Respelling = strings.TrimSpace(rules[i].Term), strings.TrimSpace(rules[i].Respelling)
		for _, f := range r.faults {
			f.Rule = i
			unread = append(unread, f)
		}
	}
	return respell.CheckOthers(unread, rules)
}

// Schema describes the list.
func (ruleList) Schema(r huma.Registry) *huma.Schema {
	least, most := 1, respell.MaxRules
	return &huma.Schema{
		Type: "array", MinItems: &least, MaxItems: &most, Items: frame.SchemaIn[ruleRequest](r),
		Description: "All of them are taken, or none. A term may have several rules, for different languages.",
	}
}

// bind fills a rule and returns what is wrong with its types.
func (r *ruleRequest) bind(raw []byte) (faults []respell.Fault) {
	if raw[0] != '{' {
		return []respell.Fault{{Code: respell.CodeType, Msg: "a rule must be an object, not " + params.KindOf(raw)}}
	}
	for _, err := range ruleBinder.BindAll(raw, r) {
		f := frame.Public(err)
		name, _, _ := strings.Cut(f.Field, ".") // a list's entry is named in the sentence
		faults = append(faults, respell.Fault{Field: respell.Field(name), Code: respell.CodeType, Msg: f.Msg})
	}
	if r.Type != nil && *r.Type != respell.TypeAlias && *r.Type != respell.TypePhoneme {
		faults = append(faults, respell.Fault{
			Field: respell.FieldType, Code: respell.CodeInvalid,
			Msg: fault.BadParameter("", "type %.64q is not %s, the only one there is", *r.Type, respell.TypeAlias).Msg,
		})
	}
	return faults
}

// rules returns the rules of a request to set or add them, for the service to check.
// Where one cannot be read, or parameters are wrong, the error is of all that is wrong,
// with every rule.
func (b *rulesRequest) rules(wrong paramFaults) ([]respell.Rule, error) {
	if b.Rules == nil {
		wrong = wrong.missing("rules", "rules is missing; send 1 to %d rules", respell.MaxRules)
	}
	rules := make([]respell.Rule, len(b.Rules))
	for i, r := range b.Rules {
		rules[i] = respell.Rule{
			Term: r.Term, Respelling: r.Respelling, Only: r.Only, Except: r.Except, Alphabet: respell.Claimed(r.Type, r.Phoneme, r.Alphabet),
			CaseSensitive: first(false, r.CaseSensitive, b.CaseSensitive),
			InWords:       !first(true, r.WordBoundaries, b.WordBoundaries),
		}
		if r.Phoneme != nil && r.Respelling == "" {
			rules[i].Respelling = *r.Phoneme // what the refusal is about
		}
	}
	if len(wrong) > 0 || b.Rules.unread() {
		return nil, refusalOf(wrong, b.Rules.check(rules))
	}
	return rules, nil
}

// first returns the first value that was sent, or what is usual.
func first(usual bool, sent ...*bool) bool {
	for _, b := range sent {
		if b != nil {
			return *b
		}
	}
	return usual
}

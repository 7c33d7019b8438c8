package dictionaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"vaak/internal/fault"
	"vaak/rest/frame"
	"vaak/rest/openai"
	"vaak/text/respell"
)

// Bounds of the lists in a refusal.
const (
	maxRefusedRules  = 1000
	maxRefusedFields = 100
)

// paramFaults is what is wrong with the parameters of a body.
type paramFaults []*fault.Error

// missing adds the fault of a parameter that has no value. It adds nothing when the parameter was
// sent and is wrong, which is in p already.
func (p paramFaults) missing(name, format string, args ...any) paramFaults {
	if slices.ContainsFunc(p, func(f *fault.Error) bool { return f.Field == name }) {
		return p
	}
	return append(p, fault.BadParameter(name, format, args...))
}

// rulesError is the error of a body of which rules are wrong, and nothing else.
type rulesError struct{ *respell.Refusal }

// Body returns the answer; first is the error of it.
func (e rulesError) Body(first openai.Error) any { return refusedRulesOf(e.Faults, first) }

// failed prepares an error of the service for the answer.
func failed(ctx context.Context, err error) error {
	err = frame.Gone(ctx, err)
	if refusal, ok := errors.AsType[*respell.Refusal](err); ok {
		return rulesError{refusal}
	}
	return err
}

// refusedBody is the error of a body with several faults, at least one of them in a parameter.
type refusedBody struct {
	params paramFaults     // at least one
	rules  []respell.Fault // by rule
}

// refusalOf returns the error for the faults of a body; nil when there are none.
func refusalOf(params paramFaults, rules []respell.Fault) error {
	switch {
	case len(params)+len(rules) == 0:
		return nil
	case len(params) == 0:
		return rulesError{&respell.Refusal{Faults: rules}}
	case len(params)+len(rules) == 1:
		return params[0]
	}
	return &refusedBody{params, rules}
}

// Error returns the first fault and how many more there are.
func (e *refusedBody) Error() string { return e.first().Msg }

// Unwrap returns the first fault as a *[fault.Error].
func (e *refusedBody) Unwrap() error { return e.first() }

func (e *refusedBody) first() *fault.Error {
	f := *e.params[0]
	f.Msg += fmt.Sprintf(" (and %d more)", len(e.params)+len(e.rules)-1)
	return &f
}

// Body returns the answer; first is the error of it.
func (e *refusedBody) Body(first openai.Error) any {
	fields := make([]frame.InvalidField, 0, len(e.params))
	for _, f := range e.params {
		fields = append(fields, frame.InvalidField{Loc: append(frame.Location{"body"}, frame.LocationIn(f.Field)...), Msg: f.Msg, Type: "value_error"})
	}
	if len(e.rules) == 0 {
		return frame.ValidationBody{Detail: fields, Err: first}
	}
	body := refusedRulesOf(e.rules, first)
	fields = append(fields, body.Detail.fields...)
	// Without the notation: the first fault is one of a parameter, so the list says more.
	body.Detail = refusalDetail{fields: fields[:min(len(fields), maxRefusedFields)]}
	return body
}

// refusedRules is the body of the answer to rules of which some are wrong.
type refusedRules struct {
	Detail refusalDetail `json:"detail"`
	Err    openai.Error  `json:"error"`
	Faults []RefusedRule `json:"errors" nullable:"false" maxItems:"1000" doc:"What is wrong with rules, by rule: all of it up to 1,000 entries. The message says how much there is."`
}

// RefusedRule is what is wrong with a rule.
type RefusedRule struct {
	Index      int     `json:"rule_index" doc:"In the list, from 0." example:"3"`
	Field      string  `json:"field" doc:"Of the rule; empty when it is no rule." example:"alias"`
	Code       string  `json:"code" doc:"Stable, for programs: empty, too_long, invalid, invalid_type, unknown_language, conflict, phonemes_not_supported." example:"phonemes_not_supported"`
	Message    string  `json:"message" doc:"What is wrong, what is allowed and what was sent, in a sentence."`
	Suggestion *string `json:"suggestion" nullable:"true" doc:"What to write instead; null when nothing is known."`
}

// refusedNotation is the detail of a refusal whose first rule at fault is in a
// phonetic notation.
type refusedNotation struct {
	Status     string  `json:"status" enum:"phonemes_not_supported"`
	Message    string  `json:"message"`
	Index      int     `json:"rule_index" doc:"In the list, from 0." example:"3"`
	Term       string  `json:"term" doc:"Of the rule." example:"API"`
	Suggestion *string `json:"suggestion" nullable:"true" doc:"What to write instead; null when nothing is known."`
}

// refusalDetail is a refused notation or, where the first fault is another, a list
// with an entry for each.
type refusalDetail struct {
	notation *refusedNotation
	fields   []frame.InvalidField
}

// MarshalJSON writes one of the two.
func (d refusalDetail) MarshalJSON() ([]byte, error) {
	if d.notation != nil {
		return json.Marshal(d.notation)
	}
	return json.Marshal(d.fields)
}

// Schema describes both.
func (refusalDetail) Schema(r huma.Registry) *huma.Schema {
	most := maxRefusedFields
	return &huma.Schema{OneOf: []*huma.Schema{
		frame.SchemaIn[refusedNotation](r),
		{Type: "array", Items: frame.SchemaIn[frame.InvalidField](r), Description: "An entry for each fault, a hundred at most.", MaxItems: &most},
	}}
}

// refusedRulesOf returns the body for faults, at least one. e is the error of the first fault.
func refusedRulesOf(faults []respell.Fault, e openai.Error) refusedRules {
	body := refusedRules{Err: e}
	for _, f := range faults[:min(len(faults), maxRefusedRules)] {
		body.Faults = append(body.Faults, RefusedRule{f.Rule, string(f.Field), string(f.Code), f.Msg, orAbsent(f.Suggestion)})
	}
	for _, f := range faults[:min(len(faults), maxRefusedFields)] {
		body.Detail.fields = append(body.Detail.fields, frame.InvalidField{Loc: locationOf(f), Msg: advised(f), Type: "value_error"})
	}
	if f := faults[0]; f.Code == respell.CodePhonemes {
		body.Detail.notation = &refusedNotation{string(f.Code), e.Message, f.Rule, f.Term, orAbsent(f.Suggestion)}
	}
	return body
}

func locationOf(f respell.Fault) frame.Location {
	loc := frame.Location{"body", "rules", f.Rule}
	if f.Field != "" {
		loc = append(loc, string(f.Field))
	}
	return loc
}

// advised returns the sentence of a fault, with what to write instead if that is known.
func advised(f respell.Fault) string {
	if f.Suggestion == "" {
		return f.Msg
	}
	return f.Msg + "; " + f.Suggestion
}

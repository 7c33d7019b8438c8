package respell

import (
	"fmt"
	"strconv"

	"vaak/internal/fault"
)

// Field is the part of a rule that is wrong, by its name in every interface.
type Field string

// The fields.
const (
	FieldTerm       Field = "string_to_replace"
	FieldRespelling Field = "alias"
	FieldOnly       Field = "only_languages"
	FieldExcept     Field = "except_languages"
	FieldType       Field = "type"
)

// Code says what is wrong with a rule.
type Code string

// The codes.
const (
	CodeEmpty    Code = "empty"
	CodeTooLong  Code = "too_long"
	CodeInvalid  Code = "invalid" // characters that no text has
	CodeLanguage Code = "unknown_language"
	CodeConflict Code = "conflict" // with an earlier rule
	CodePhonemes Code = "phonemes_not_supported"
	CodeType     Code = "invalid_type" // not a rule, or not a value of the field; found when rules are parsed
)

// Fault is what is wrong with a rule.
type Fault struct {
	Rule int // index in the list
	// Field is "" where a transport was sent something else than a rule; [Check] has
	// always one.
	Field      Field
	Code       Code
	Term       string // of the rule
	Msg        string // what is wrong, what is allowed, what was sent
	Suggestion string // what to write instead; "" when nothing is known
}

// path names the field in the request: rules.3.alias.
func (f Fault) path() string {
	path := "rules." + strconv.Itoa(f.Rule)
	if f.Field != "" {
		path += "." + string(f.Field)
	}
	return path
}

// Refusal is the error for a list with wrong rules: all their faults, by rule.
type Refusal struct{ Faults []Fault }

// Error returns the first fault and how many more there are.
func (r *Refusal) Error() string { return r.first().Msg }

// Unwrap returns the refusal as a *fault.Error, of the first fault: of code
// phonemes_not_supported and kind Unprocessable where a notation was sent, else an
// invalid parameter.
func (r *Refusal) Unwrap() error { return r.first() }

func (r *Refusal) first() *fault.Error {
	f := r.Faults[0]
	msg := f.path() + ": " + f.Msg
	if f.Suggestion != "" {
		msg += "; " + f.Suggestion
	}
	if n := len(r.Faults) - 1; n > 0 {
		msg += fmt.Sprintf(" (and %d more)", n)
	}
	if f.Code == CodePhonemes {
		return fault.New(fault.Unprocessable, string(f.Code), f.path(), "%s", msg)
	}
	return fault.BadParameter(f.path(), "%s", msg)
}

package dictionaries

import (
	"errors"
	"slices"
	"strconv"

	"vaak/internal/fault"
	"vaak/text/respell"
)

// blame writes faults beside the rows of their rules, and returns those of rules that no
// row shows.
func (e edition) blame(rows []ruleRow, faults []respell.Fault) (elsewhere []respell.Fault) {
	for _, f := range faults {
		if f.Code == respell.CodeConflict && f.Field == respell.FieldTerm { // it names the other by an index
			f.Msg = "another rule has the same term, languages and options; keep one of them"
		}
		if f.Rule < len(e.rows) && e.rows[f.Rule] >= 0 {
			row := &rows[e.rows[f.Rule]]
			row.Faults = append(row.Faults, f)
		} else {
			elsewhere = append(elsewhere, f)
		}
	}
	return elsewhere
}

// wrongRules is the error of rules that were refused, with a sentence for those who see
// the faults beside the rules.
type wrongRules struct {
	refusal *respell.Refusal
	sum     *fault.Error
}

func (e *wrongRules) Error() string { return e.sum.Msg }

// Unwrap returns the sentence and the faults.
func (e *wrongRules) Unwrap() []error { return []error{e.sum, e.refusal} }

// Where the page says what is wrong with rules.
const (
	belowRows = "below the row"
	inList    = "in the list below"
)

// beside returns an error whose faults are shown elsewhere on the page; others stay.
func beside(err error, where string) error {
	refusal, ok := errors.AsType[*respell.Refusal](err)
	if !ok {
		return err
	}
	wrong := map[int]bool{}
	for _, f := range refusal.Faults {
		wrong[f.Rule] = true
	}
	first, _ := errors.AsType[*fault.Error](refusal)
	words := "1 rule is"
	if n := len(wrong); n > 1 {
		words = strconv.Itoa(n) + " rules are"
	}
	return &wrongRules{refusal, fault.New(first.Kind, first.Code, "rules", "%s wrong, so nothing was saved. What is wrong is said %s.", words, where)}
}

// faultsOf returns the faults of rules that an error tells of.
func faultsOf(err error) []respell.Fault {
	if refusal, ok := errors.AsType[*respell.Refusal](err); ok {
		return refusal.Faults
	}
	return nil
}

// faultList is faults that stand beside no rule, as many as a person reads.
type faultList struct {
	Faults []respell.Fault
	More   int
}

const faultsShown = 50

func listed(faults []respell.Fault) faultList {
	n := min(len(faults), faultsShown)
	return faultList{slices.Clip(faults[:n]), len(faults) - n}
}

package dictionaries

import (
	"errors"
	"slices"
	"strconv"

	"vaak/internal/fault"
	"vaak/text/respell"
)

// blame puts faults on the rows of their rules, and returns the faults of rules that have
// no row.
func (e edition) blame(rows []ruleRow, faults []respell.Fault) (elsewhere []respell.Fault) {
	for _, f := range faults {
		if f.Code == respell.CodeConflict && f.Field == respell.FieldTerm {
			// The service names the other rule by an index, which the page does not show.
			f.Msg = "another rule has the same term, languages and options; keep one of them"
		}
		// Faults have the index of the rule among those that were sent to the service.
		if f.Rule < len(e.rows) && e.rows[f.Rule] >= 0 {
			row := &rows[e.rows[f.Rule]]
			row.Faults = append(row.Faults, f)
		} else {
			elsewhere = append(elsewhere, f)
		}
	}
	return elsewhere
}

// wrongRules is the error for rules that were refused. Its sentence says how many they are,
// since the page shows each fault beside its rule.
type wrongRules struct {
	refusal *respell.Refusal
	sum     *fault.Error
}

func (e *wrongRules) Error() string { return e.sum.Msg }

// Unwrap returns the sentence and the faults.
func (e *wrongRules) Unwrap() []error { return []error{e.sum, e.refusal} }

// Where the page shows what is wrong with rules.
const (
	belowRows = "below the row"
	inList    = "in the list below"
)

// beside returns the error of wrong rules whose faults the page shows elsewhere. Other
// errors stay as they are.
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

// faultsOf returns the faults of rules that an error holds.
func faultsOf(err error) []respell.Fault {
	if refusal, ok := errors.AsType[*respell.Refusal](err); ok {
		return refusal.Faults
	}
	return nil
}

// faultList is faults that have no row to stand beside. It has as many as a person reads,
// and the number of the others.
type faultList struct {
	Faults []respell.Fault
	More   int
}

const faultsShown = 50

func listed(faults []respell.Fault) faultList {
	n := min(len(faults), faultsShown)
	return faultList{slices.Clip(faults[:n]), len(faults) - n}
}

package dictionaries

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vaak/internal/fault"
	"vaak/mcp/tool"
	"vaak/text/respell"
)

// Bounds of the text about wrong rules, in bytes. Of rules beyond them only the index is told.
const (
	maxRefusal = 5000 // of all faults together
	maxFault   = 500  // of one fault
)

// refusedRules words a refusal so that a model can mend all rules before it sends them again: a
// line for each fault while there is room, then the indices of the remaining rules.
func refusedRules(r *respell.Refusal, of int) error {
	var first *fault.Error
	if !errors.As(r, &first) {
		return r
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s wrong, and nothing was kept. Mend them and send all rules again.", wrongRules(r.Faults), areRules(of))
	told := 0
	for _, f := range r.Faults {
		line := "\n" + ruleFault(f)
		// Faults are in the order of the rules, so the remainder is listed by index alone.
		if b.Len()+len(line) > maxRefusal {
			break
		}
		b.WriteString(line)
		told++
	}
	if rest := r.Faults[told:]; len(rest) > 0 {
		b.WriteString("\nWrong too:" + namedFaults(rest))
	}
	return fault.New(first.Kind, first.Code, "rules", "%s", b.String())
}

// wrongRules counts the rules that have a fault.
func wrongRules(faults []respell.Fault) int {
	wrong := map[int]bool{}
	for _, f := range faults {
		wrong[f.Rule] = true
	}
	return len(wrong)
}

func areRules(n int) string {
	if n == 1 {
		return "1 rule is"
	}
	return fmt.Sprintf("%d rules are", n)
}

// ruleFault returns a fault as one line.
func ruleFault(f respell.Fault) string {
	name := ruleName(f.Rule)
	if f.Field != "" {
		name += "." + string(f.Field)
	}
	line := fmt.Sprintf("%s (%s): %s", name, f.Code, strings.TrimSuffix(tool.WithoutRequest(f.Msg), "."))
	if f.Suggestion != "" {
		line += "; " + strings.TrimSuffix(f.Suggestion, ".")
	}
	if len(line) > maxFault {
		line = tool.Beginning(line, maxFault) + "…"
	}
	if strings.HasSuffix(line, "?") {
		return line
	}
	return line + "."
}

// namedFaults lists the indices of faults, grouped by what is wrong.
func namedFaults(faults []respell.Fault) string {
	type kind struct {
		field respell.Field
		code  respell.Code
	}
	var kinds []kind
	rules := map[kind][]int{}
	for _, f := range faults {
		k := kind{f.Field, f.Code}
		// The order of first appearance, because maps have none.
		if rules[k] == nil {
			kinds = append(kinds, k)
		}
		rules[k] = append(rules[k], f.Rule)
	}
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "\n%s (%s) of rules %s.", cmp.Or(k.field, "member"), k.code, ranges(rules[k]))
	}
	return b.String()
}

// ranges writes a list of numbers in the form "3-7, 9".
func ranges(numbers []int) string {
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := strconv.Itoa(numbers[i])
		if j > i {
			part += "-" + strconv.Itoa(numbers[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ", ")
}

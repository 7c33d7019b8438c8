package dictionaries

import (
	"slices"
	"strconv"
	"strings"

	"vaak/console/page"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// Bounds of the rows of a form.
const (
	rowsSpare = 3   // empty rows behind the others, for browsers without scripts
	rowsTaken = 300 // most rows of one form
)

// ruleRow is a rule in a form.
type ruleRow struct {
	N            int    // number in the names of the fields: term.0, say.0
	At           string // index of the rule in the version that is edited; "" of a new one
	Term, Say    string
	Only, Except string // languages, with commas
	Case, Whole  bool
	Gone         bool // to be removed
	Faults       []respell.Fault
}

// Number returns the number of the rule, from 1, or "" for a new one.
func (r ruleRow) Number() string {
	if i, err := strconv.Atoi(r.At); err == nil {
		return strconv.Itoa(i + 1)
	}
	return ""
}

// Wrong reports whether a field of the row is at fault. The field has its name of the API.
func (r ruleRow) Wrong(field string) bool {
	return slices.ContainsFunc(r.Faults, func(f respell.Fault) bool { return string(f.Field) == field })
}

// fresh reports whether the row is of a new rule and nothing was written into it.
func (r ruleRow) fresh() bool {
	return r.At == "" && r.Term == "" && r.Say == "" && r.Only == "" && r.Except == ""
}

func (r ruleRow) rule() respell.Rule {
	return respell.Rule{
		Term: r.Term, Respelling: r.Say, CaseSensitive: r.Case, InWords: !r.Whole,
		Only: languageList(r.Only), Except: languageList(r.Except),
	}
}

// languageList returns the languages of a list with commas, semicolons or lines.
func languageList(s string) []string {
	var all []string
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == ',' || c == ';' || c == '\n' }) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// rowOf returns the row of a rule; at is its index in the version that is edited.
func rowOf(n int, at string, r respell.Rule) ruleRow {
	return ruleRow{
		N: n, At: at, Term: r.Term, Say: r.Respelling, Only: strings.Join(r.Only, ", "), Except: strings.Join(r.Except, ", "),
		Case: r.CaseSensitive, Whole: !r.InWords,
	}
}

// nextRow returns the number of a row behind all others.
func nextRow(rows []ruleRow) (next int) {
	for _, r := range rows {
		next = max(next, r.N+1)
	}
	return next
}

// withSpare returns the rows with empty ones behind them.
func withSpare(rows []ruleRow, spare int) []ruleRow {
	next := nextRow(rows)
	for i := range spare {
		rows = append(rows, ruleRow{N: next + i, Whole: true})
	}
	return rows
}

// sentRows returns the rows that were sent, without those that are new and empty.
func sentRows(v *page.Visit) ([]ruleRow, error) {
	var numbers []int
	for name := range v.Sent.Values {
		tail, ok := strings.CutPrefix(name, "term.")
		// Written back and compared, so that term.1 and term.01 are not one row.
		if n, err := strconv.Atoi(tail); ok && err == nil && n >= 0 && strconv.Itoa(n) == tail {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) > rowsTaken {
		return nil, fault.BadParameter("rules", "the form has %d rows of rules; at most %d are taken at once, so save after some of them, or import a file", len(numbers), rowsTaken)
	}
	slices.Sort(numbers)
	var rows []ruleRow
	for _, n := range numbers {
		tail := "." + strconv.Itoa(n)
		r := ruleRow{
			N: n, At: v.Sent.Field("at" + tail), Term: v.Sent.Field("term" + tail), Say: v.Sent.Field("say" + tail),
			Only: v.Sent.Field("only" + tail), Except: v.Sent.Field("except" + tail),
			Case: v.Sent.Has("case" + tail), Whole: v.Sent.Has("whole" + tail), Gone: v.Sent.Has("gone" + tail),
		}
		if !r.fresh() {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// edition is the rules of a dictionary as a form has them.
type edition struct {
	rules []respell.Rule
	rows  []int // for each rule the index of its row; -1 where it has none
}

// edited returns the old rules with the changes of the rows: rules that were shown are as
// their rows say or removed, those that were not shown stay, and new ones follow. It
// refuses rows of rules that do not exist, and two rows of one rule.
func edited(old []respell.Rule, rows []ruleRow) (edition, error) {
	shown := map[int]int{} // index of the row, by that of the rule
	for i, r := range rows {
		if r.At == "" {
			continue
		}
		at, err := strconv.Atoi(r.At)
		// A row of another version, or a forged one: applied, it would change a rule that nobody
		// saw.
		if _, twice := shown[at]; err != nil || at < 0 || at >= len(old) || twice {
			return edition{}, fault.BadParameter("rules", "the row %.20q is of no rule of the version that was edited; open the page again", r.At)
		}
		shown[at] = i
	}
	var e edition
	add := func(r respell.Rule, row int) { e.rules, e.rows = append(e.rules, r), append(e.rows, row) }
	// Old rules keep their order, which decides between two that match alike.
	for at, r := range old {
		if i, ok := shown[at]; !ok {
			add(r, -1)
		} else if !rows[i].Gone {
			add(rows[i].rule(), i)
		}
	}
	for i, r := range rows {
		if r.At == "" && !r.Gone {
			add(r.rule(), i)
		}
	}
	return e, nil
}

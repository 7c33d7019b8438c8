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
	rowsSpare = 3   // empty rows behind them, for those without scripts
	rowsTaken = 300 // rows of one form
)

// ruleRow is a rule in a form.
type ruleRow struct {
	N            int    // names the fields of the row
	At           string // index of the rule in the version that is edited; "" of a new one
	Term, Say    string
	Only, Except string // languages, with commas
	Case, Whole  bool
	Gone         bool // to be removed
	Faults       []respell.Fault
}

// Number is that of the rule as people count, or "" of a new one.
func (r ruleRow) Number() string {
	if i, err := strconv.Atoi(r.At); err == nil {
		return strconv.Itoa(i + 1)
	}
	return ""
}

// Wrong reports whether a field of the row is at fault, by its name in every interface.
func (r ruleRow) Wrong(field string) bool {
	return slices.ContainsFunc(r.Faults, func(f respell.Fault) bool { return string(f.Field) == field })
}

// fresh reports whether nothing was written into the row.
func (r ruleRow) fresh() bool {
	return r.At == "" && r.Term == "" && r.Say == "" && r.Only == "" && r.Except == ""
}

func (r ruleRow) rule() respell.Rule {
	return respell.Rule{
		Term: r.Term, Respelling: r.Say, CaseSensitive: r.Case, InWords: !r.Whole,
		Only: languageList(r.Only), Except: languageList(r.Except),
	}
}

// languageList returns what stands between commas.
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

// withSpare returns rows with empty ones behind them.
func withSpare(rows []ruleRow, spare int) []ruleRow {
	next := nextRow(rows)
	for i := range spare {
		rows = append(rows, ruleRow{N: next + i, Whole: true})
	}
	return rows
}

// rows returns the rows that were sent, but for new ones in which nothing is.
func (ps *pages) rows(v *page.Visit) ([]ruleRow, error) {
	var numbers []int
	for name := range v.Sent.Values {
		tail, ok := strings.CutPrefix(name, "term.")
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
	rows  []int // of each rule, its index among the rows; -1 of one that was not shown
}

// edited returns rules with what was done to some of them in rows.
func edited(old []respell.Rule, rows []ruleRow) (edition, error) {
	shown := map[int]int{} // index of the row, by that of the rule
	for i, r := range rows {
		if r.At == "" {
			continue
		}
		at, err := strconv.Atoi(r.At)
		if _, twice := shown[at]; err != nil || at < 0 || at >= len(old) || twice {
			return edition{}, fault.BadParameter("rules", "the row %.20q is of no rule of the version that was edited; open the page again", r.At)
		}
		shown[at] = i
	}
	var e edition
	add := func(r respell.Rule, row int) { e.rules, e.rows = append(e.rules, r), append(e.rows, row) }
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

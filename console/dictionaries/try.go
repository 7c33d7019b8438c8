package dictionaries

import (
	"fmt"
	"unicode/utf8"

	"vaak/console/page"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/text/respell"
)

// maxTried is the longest sentence on which rules are tried, in code points.
const maxTried = 1000

// tried is how a sentence is read with rules and without.
type tried struct {
	Empty         bool // no sentence was sent
	Language      lang.Language
	Before, After string
	Hits          []hit     // rules that apply, in the order of the text
	Faults        faultList // of wrong rules, which do not apply
}

// hit is a rule that applies.
type hit struct {
	Rule    respell.Rule
	Matched string // the words of the sentence that it matches first
	Times   int
}

// tryDictionary shows how a sentence is read with the rules of the form, saved or not.
// Nothing is kept and nothing is charged.
func (ps *pages) tryDictionary(v *page.Visit) error {
	if err := v.ReadForm(page.MaxFile); err != nil {
		return err
	}
	rows, err := sentRows(v)
	if err != nil {
		return err
	}
	e, base, err := ps.sentEditor(v, rows)
	if err != nil {
		return err
	}
	now, err := edited(base, e.Rows)
	if err != nil {
		return err
	}
	t, err := ps.try(v, now.rules)
	if err != nil {
		return err
	}
	if v.Partial() {
		return v.Part("dictionary", "tried", t)
	}
	e.Tried = &t
	return ps.showEditor(v, e, len(base))
}

func (ps *pages) try(v *page.Visit, rules []respell.Rule) (tried, error) {
	text := v.Sent.Field("sentence")
	if text == "" {
		return tried{Empty: true}, nil
	}
	if n := utf8.RuneCountInString(text); n > maxTried {
		return tried{}, fault.BadParameter("sentence", "the sentence has %d characters; at most %d are tried here", n, maxTried)
	}
	ctx, req := v.R.Context(), speech.Request{Text: text, Language: v.Sent.Field("language")}
	// Read twice, so that the person sees what the rules change.
	before, err := ps.Speech.Read(ctx, req)
	if err != nil {
		return tried{}, err
	}
	req.Dictionaries = respell.Dictionaries{respell.Compile(rules)}
	after, err := ps.Speech.Read(ctx, req)
	if err != nil {
		return tried{}, err
	}
	t := tried{Before: before.Spoken(), After: after.Spoken(), Hits: hitsOf(text, rules, after.Respellings)}
	t.Language, _ = lang.Lookup(after.Language)
	if len(rules) > 0 {
		t.Faults = listed(faultsOf(respell.Check(rules)))
	}
	return t, nil
}

// hitsOf returns the rules that apply to a text, each once, with the number of matches.
func hitsOf(text string, rules []respell.Rule, matches []respell.Match) []hit {
	var all []hit
	seen := map[int]int{} // index among all, by that of the rule
	for _, m := range matches {
		i, known := seen[m.Rule]
		if !known {
			i = len(all)
			seen[m.Rule] = i
			all = append(all, hit{Rule: rules[m.Rule], Matched: m.In(text)})
		}
		all[i].Times++
	}
	return all
}

// Options names the options of the rule that differ from the defaults.
func (h hit) Options() string { return ruleOptions(h.Rule) }

// ruleOptions names the options of a rule that differ from the defaults, and its languages.
func ruleOptions(r respell.Rule) string {
	s := ""
	add := func(format string, args ...any) {
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf(format, args...)
	}
	row := rowOf(0, "", r)
	if row.Case {
		add("case-sensitive")
	}
	if !row.Whole {
		add("inside words too")
	}
	if row.Only != "" {
		add("only %s", row.Only)
	}
	if row.Except != "" {
		add("except %s", row.Except)
	}
	return s
}

package dictionaries

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vaak/audio"
	"vaak/console/page"
	"vaak/console/snippet"
	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/text/respell"
	"vaak/voice"
)

// editor is what the page of a dictionary shows: some of the rules of the version that is
// edited, and a sentence to try them on. A dictionary has up to 1,000 rules, which would
// make a page of some 800 KB, so the page shows 50 of them. The form names the version and,
// for each row, the index of its rule there. All rules without a row stay as they are.
type editor struct {
	Dictionary dictionary.Dictionary
	Edited     dictionary.Version // whose rules the rows are
	Lost       bool               // the version that was edited is kept no more
	Rows       []ruleRow
	Find       string // what is searched for in terms and respellings
	Found      int    // how many rules have it
	Pages      page.Paging
	Elsewhere  faultList // of rules that have no row on the page
	Request    string    // a command that speaks with the dictionary
	Languages  []lang.Language
	Tried      *tried
}

// dictionary shows a page of rules.
func (ps *pages) dictionary(v *page.Visit) error {
	d, rules, err := ps.findDictionary(v)
	if err != nil {
		return err
	}
	e := editor{Dictionary: d, Edited: d.Latest, Find: strings.TrimSpace(asked(v, "find"))}
	found := having(rules, e.Find)
	e.Found = len(found)
	n, err := page.Number(asked(v, "page"))
	if err != nil {
		return err
	}
	var shown page.Span
	shown, e.Pages = e.cut(n, v.At("dictionaries/"+d.ID))
	for n, at := range found[shown.From:shown.To] {
		e.Rows = append(e.Rows, rowOf(n, strconv.Itoa(at), rules[at]))
	}
	return ps.showEditor(v, e, len(rules))
}

// asked returns a value of the form, or else of the address.
func asked(v *page.Visit, name string) string {
	if v.Sent.Has(name) {
		return v.Sent.Get(name)
	}
	return v.R.URL.Query().Get(name)
}

// having returns the indices of the rules whose term or respelling contains the words, in
// any case.
func having(rules []respell.Rule, words string) []int {
	words = strings.ToLower(words)
	var all []int
	for i, r := range rules {
		if strings.Contains(strings.ToLower(r.Term), words) || strings.Contains(strings.ToLower(r.Respelling), words) {
			all = append(all, i)
		}
	}
	return all
}

// showEditor shows the rows, with empty ones behind them if a dictionary of so many rules
// has room for more.
func (ps *pages) showEditor(v *page.Visit, e editor, rules int) error {
	e.Rows = withSpare(e.Rows, min(rowsSpare, max(0, respell.MaxRules-rules)))
	e.Request, e.Languages = ps.spokenWith(v, e), lang.All()
	status := v.Status() // before Wrong is cleared
	if f, ok := errors.AsType[*fault.Error](v.Wrong); ok && f.Code == dictionary.CodeConflict && e.Conflicts() {
		v.Wrong = nil // the page says it, with what can be done
	}
	return v.ShowAs(status, "dictionary", e.Dictionary.Name, e)
}

// Conflicts reports whether somebody saved a version after the one that was edited.
func (e editor) Conflicts() bool { return e.Lost || e.Edited.ID != e.Dictionary.Latest.ID }

// spokenWith returns a command that speaks the first term on the page with the dictionary.
func (ps *pages) spokenWith(v *page.Visit, e editor) string {
	text := "Hello from Vaak."
	if len(e.Rows) > 0 && e.Rows[0].Term != "" {
		text = e.Rows[0].Term
	}
	f := audio.Format{Codec: audio.WAV, SampleRate: 24000}
	return snippet.All(snippet.Settings{
		API: ps.API, Model: speech.Model, Text: text, Voice: string(voice.DefaultVoice().ID),
		Codec: string(f.Codec), Extension: f.Extension(), SampleRate: f.SampleRate, Dictionary: e.Dictionary.ID,
	})[0].Code
}

// findDictionary returns the dictionary of the path with its rules.
func (ps *pages) findDictionary(v *page.Visit) (dictionary.Dictionary, []respell.Rule, error) {
	d, rules, err := ps.Dictionaries.Get(v.R.Context(), v.Org.ID, v.R.PathValue("dictionary"))
	return d, rules, notNamed(err)
}

// findVersion returns a version of the dictionary of the path with its rules.
func (ps *pages) findVersion(v *page.Visit, id string) (dictionary.Version, []respell.Rule, error) {
	found, rules, err := ps.Dictionaries.Version(v.R.Context(), v.Org.ID, v.R.PathValue("dictionary"), id)
	return found, rules, notNamed(err)
}

// notNamed leaves the id out of the error for a dictionary or version that does not exist.
func notNamed(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok || f.Kind != fault.NotFound:
		return err
	case f.Field == "version_id":
		return page.NoSuch("version")
	}
	return page.NoSuch("dictionary")
}

// cut returns which of the found rules page n shows, and the links to the other pages.
func (e editor) cut(n int, path string) (page.Span, page.Paging) {
	return page.Cut(n, e.Found, page.Lines, path, url.Values{"find": {e.Find}})
}

// saveDictionary saves the rules of the version that was edited, with the changes of the
// form, as a new version. It refuses when there is a version that the person has not seen.
func (ps *pages) saveDictionary(v *page.Visit) error {
	if err := v.ReadForm(page.MaxFile); err != nil {
		return err
	}
	rows, err := sentRows(v)
	if err != nil {
		return err
	}
	d, latest, err := ps.findDictionary(v)
	if err != nil {
		return err
	}
	rules, seen := latest, seenVersion(v)
	if seen == d.Latest.ID {
		if rules, err = ps.editedRules(v, d, latest, rows); err != nil {
			return err
		}
		// Without this every press of the button would make a version, and only some are kept.
		if slices.EqualFunc(latest, rules, dictionary.Same) {
			return v.Done(sentPage(v, d.ID), "Nothing was changed, so nothing was saved.")
		}
	}
	// SetAfter refuses when seen is not the latest version, also when somebody saves one
	// after it was read here.
	made, err := ps.Dictionaries.SetAfter(v.R.Context(), v.Org.ID, d.ID, seen, rules)
	v.Note("dictionary.save", d.ID, err)
	if err != nil {
		return notNamed(beside(err, belowRows))
	}
	return v.Done(sentPage(v, d.ID), "Saved as version "+strconv.Itoa(made.Number)+", with "+page.Plural(made.Rules, "rule")+". Requests use it from now on.")
}

// seenVersion returns the id of the latest version that the person was shown. The form
// names it in the field after. Without that field it is the version that was edited.
func seenVersion(v *page.Visit) string {
	return cmp.Or(v.Sent.Field("after"), v.Sent.Field("version"))
}

// editedRules returns the rules of the version that the form names, with the changes of
// its rows.
func (ps *pages) editedRules(v *page.Visit, d dictionary.Dictionary, latest []respell.Rule, rows []ruleRow) ([]respell.Rule, error) {
	base := latest
	if edited := v.Sent.Field("version"); edited != d.Latest.ID {
		var err error
		if _, base, err = ps.findVersion(v, edited); err != nil {
			return nil, err
		}
	}
	e, err := edited(base, rows)
	return e.rules, err
}

// sentPage returns the address of the page on which the form was sent.
func sentPage(v *page.Visit, id string) string {
	n, err := page.Number(v.Sent.Field("page"))
	if err != nil {
		n = 1
	}
	return page.Numbered(v.At("dictionaries/"+id), url.Values{"find": {v.Sent.Field("find")}}, n)
}

// dictionaryAgain shows the rows that were sent, with what is wrong.
func (ps *pages) dictionaryAgain(v *page.Visit) error {
	rows, err := sentRows(v)
	if err != nil || v.Sent.Values == nil {
		return ps.dictionary(v)
	}
	e, base, err := ps.sentEditor(v, rows)
	if err != nil {
		return err
	}
	if n, err := edited(base, e.Rows); err == nil {
		e.Elsewhere = listed(n.blame(e.Rows, faultsOf(v.Wrong)))
	}
	return ps.showEditor(v, e, len(base))
}

// sentEditor returns the page with the rows that were sent, and the rules of the version
// whose rows they are. That version stays the one that was edited, although there may be a
// later one by now: then the page says so, and saving replaces the later rules.
//
// Only the latest versions are kept. When the one that was edited is gone, the rules that
// the form did not show are not known, so the rows become rows of the latest version.
func (ps *pages) sentEditor(v *page.Visit, rows []ruleRow) (editor, []respell.Rule, error) {
	d, latest, err := ps.findDictionary(v)
	if err != nil {
		return editor{}, nil, err
	}
	e := editor{Dictionary: d, Edited: d.Latest, Rows: rows, Find: v.Sent.Field("find")}
	base := latest
	if id := v.Sent.Field("version"); id != d.Latest.ID {
		old, rules, err := ps.findVersion(v, id)
		switch {
		case err == nil:
			e.Edited, base = old, rules
		case fault.KindOf(err) == fault.NotFound:
			// The indices of the rows mean nothing in other rules, so rows find their rules by
			// term.
			e.Lost, e.Rows = true, byTerm(rows, latest)
		default:
			return e, nil, err
		}
	}
	e.Found = len(having(base, e.Find))
	n, err := page.Number(v.Sent.Field("page"))
	if err != nil {
		n = 1
	}
	_, e.Pages = e.cut(n, v.At("dictionaries/"+d.ID))
	return e, base, nil
}

// byTerm returns rows as rows of other rules: each row that was of a rule becomes one of
// the rule with the same term, or one of a new rule where there is none.
func byTerm(rows []ruleRow, rules []respell.Rule) []ruleRow {
	at := map[string][]int{} // indices of rules that have no row yet
	for i, r := range rules {
		at[r.Term] = append(at[r.Term], i)
	}
	rows = slices.Clone(rows)
	for i, r := range rows {
		if same := at[r.Term]; r.At != "" && len(same) > 0 {
			rows[i].At, at[r.Term] = strconv.Itoa(same[0]), same[1:]
		} else {
			rows[i].At = ""
		}
	}
	return rows
}

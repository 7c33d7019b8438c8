package console

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vaak/audio"
	"vaak/console/snippet"
	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/text/respell"
	"vaak/voice"
)

// editor is what the page of a dictionary shows: some of the rules of the version that is
// edited, and a sentence to try them on. A dictionary has up to 1,000 rules, which in one
// page would be some 800 KB; so they are edited 50 at a time, all below one version.
type editor struct {
	Dictionary dictionary.Dictionary
	Edited     dictionary.Version // whose rules the rows are
	Lost       bool               // the version that was edited is kept no more
	Rows       []ruleRow
	Find       string // what terms and respellings are searched for
	Found      int    // rules that have it
	Pages      paging
	Elsewhere  faultList // of rules that are not shown
	Request    string    // a program that speaks with it
	Languages  []lang.Language
	Tried      *tried
}

// dictionary shows a page of rules.
func (v *visit) dictionary() error {
	d, rules, err := v.findDictionary()
	if err != nil {
		return err
	}
	e := editor{Dictionary: d, Edited: d.Latest, Find: strings.TrimSpace(v.asked("find"))}
	found := having(rules, e.Find)
	e.Found = len(found)
	page, err := pageNumber(v.asked("page"))
	if err != nil {
		return err
	}
	var shown span
	shown, e.Pages = e.pageAt(page, v.at("dictionaries/"+d.ID))
	for n, at := range found[shown.from:shown.to] {
		e.Rows = append(e.Rows, rowOf(n, strconv.Itoa(at), rules[at]))
	}
	return v.showEditor(e, len(rules))
}

// asked returns a value of the form, or of the address.
func (v *visit) asked(name string) string {
	if v.sent.Has(name) {
		return v.sent.Get(name)
	}
	return v.r.URL.Query().Get(name)
}

// having returns the indices of the rules whose term or respelling has some words,
// whatever their case.
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

// showEditor shows rows with empty ones behind them, if the dictionary has room.
func (v *visit) showEditor(e editor, rules int) error {
	e.Rows = withSpare(e.Rows, min(rowsSpare, max(0, respell.MaxRules-rules)))
	e.Request, e.Languages = v.spokenWith(e), lang.All()
	status := v.status()
	if f, ok := errors.AsType[*fault.Error](v.wrong); ok && f.Code == dictionary.CodeConflict && e.Conflicts() {
		v.wrong = nil // the page says it, with what can be done
	}
	return v.showAs(status, "dictionary", e.Dictionary.Name, e)
}

// Conflicts reports whether somebody saved a version after the one that was edited.
func (e editor) Conflicts() bool { return e.Lost || e.Edited.ID != e.Dictionary.Latest.ID }

// spokenWith is a request that reads a term of the dictionary with it.
func (v *visit) spokenWith(e editor) string {
	text := "Hello from Vaak."
	if len(e.Rows) > 0 && e.Rows[0].Term != "" {
		text = e.Rows[0].Term
	}
	f := audio.Format{Codec: audio.WAV, SampleRate: 24000}
	return snippet.All(snippet.Settings{
		API: v.API, Model: speech.Model, Text: text, Voice: string(voice.DefaultVoice().ID),
		Codec: string(f.Codec), Extension: f.Extension(), SampleRate: f.SampleRate, Dictionary: e.Dictionary.ID,
	})[0].Code
}

// findDictionary returns the dictionary of the path with its rules.
func (v *visit) findDictionary() (dictionary.Dictionary, []respell.Rule, error) {
	d, rules, err := v.Dictionaries.Get(v.r.Context(), v.org.ID, v.r.PathValue("dictionary"))
	return d, rules, notNamed(err)
}

// findVersion returns a version of the dictionary of the path with its rules.
func (v *visit) findVersion(id string) (dictionary.Version, []respell.Rule, error) {
	found, rules, err := v.Dictionaries.Version(v.r.Context(), v.org.ID, v.r.PathValue("dictionary"), id)
	return found, rules, notNamed(err)
}

// notNamed leaves out of an error the id that leads to no dictionary or version.
func notNamed(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok || f.Kind != fault.NotFound:
		return err
	case f.Field == "version_id":
		return noSuch("version")
	}
	return noSuch("dictionary")
}

// pageAt returns the rules of those found that a page shows, and links to others.
func (e editor) pageAt(page int, path string) (span, paging) {
	return pageAt(page, e.Found, pageSize, path, url.Values{"find": {e.Find}})
}

// saveDictionary saves the rules of the version that was edited, with the changes of the
// form, as a new version. It refuses when there is a version that the person has not seen.
func (v *visit) saveDictionary() error {
	if err := v.form(maxFile); err != nil {
		return err
	}
	rows, err := v.rows()
	if err != nil {
		return err
	}
	d, latest, err := v.findDictionary()
	if err != nil {
		return err
	}
	rules, seen := latest, v.seenVersion()
	if seen == d.Latest.ID {
		if rules, err = v.editedRules(d, latest, rows); err != nil {
			return err
		}
		if slices.EqualFunc(latest, rules, dictionary.Same) {
			return v.done(v.sentPage(d.ID), "Nothing was changed, so nothing was saved.")
		}
	}
	// SetAfter refuses when seen is not the latest version, also when somebody saves one
	// after it was read here.
	made, err := v.Dictionaries.SetAfter(v.r.Context(), v.org.ID, d.ID, seen, rules)
	v.note("dictionary.save", d.ID, err)
	if err != nil {
		return notNamed(beside(err, belowRows))
	}
	return v.done(v.sentPage(d.ID), "Saved as version "+strconv.Itoa(made.Number)+", with "+plural(made.Rules, "rule")+". Requests use it from now on.")
}

// seenVersion returns the id of the latest version that the person was shown. The form
// names it in the field after. Without that field it is the version that was edited.
func (v *visit) seenVersion() string { return cmp.Or(v.field("after"), v.field("version")) }

// editedRules returns the rules of the version that the form names, with the changes of
// its rows.
func (v *visit) editedRules(d dictionary.Dictionary, latest []respell.Rule, rows []ruleRow) ([]respell.Rule, error) {
	base := latest
	if edited := v.field("version"); edited != d.Latest.ID {
		var err error
		if _, base, err = v.findVersion(edited); err != nil {
			return nil, err
		}
	}
	e, err := edited(base, rows)
	return e.rules, err
}

// sentPage returns the address of the page of rules that was sent.
func (v *visit) sentPage(id string) string {
	page, err := pageNumber(v.field("page"))
	if err != nil {
		page = 1
	}
	return pageAddress(v.at("dictionaries/"+id), url.Values{"find": {v.field("find")}}, page)
}

// dictionaryAgain shows the rows that were sent, with what is wrong.
func (v *visit) dictionaryAgain() error {
	rows, err := v.rows()
	if err != nil || v.sent == nil {
		return v.dictionary()
	}
	e, base, err := v.sentEditor(rows)
	if err != nil {
		return err
	}
	if n, err := edited(base, e.Rows); err == nil {
		e.Elsewhere = listed(n.blame(e.Rows, faultsOf(v.wrong)))
	}
	return v.showEditor(e, len(base))
}

// sentEditor returns the page with the rows that were sent, and the rules of the version
// whose rows they are. That version stays the one that was edited, although there may be a
// later one by now: then the page says so, and saving replaces the later rules.
//
// Only the latest versions are kept. When the one that was edited is gone, the rules that
// the form did not show are not known, so the rows become rows of the latest version.
func (v *visit) sentEditor(rows []ruleRow) (editor, []respell.Rule, error) {
	d, latest, err := v.findDictionary()
	if err != nil {
		return editor{}, nil, err
	}
	e := editor{Dictionary: d, Edited: d.Latest, Rows: rows, Find: v.field("find")}
	base := latest
	if id := v.field("version"); id != d.Latest.ID {
		old, rules, err := v.findVersion(id)
		switch {
		case err == nil:
			e.Edited, base = old, rules
		case fault.KindOf(err) == fault.NotFound:
			e.Lost, e.Rows = true, byTerm(rows, latest)
		default:
			return e, nil, err
		}
	}
	e.Found = len(having(base, e.Find))
	page, err := pageNumber(v.field("page"))
	if err != nil {
		page = 1
	}
	_, e.Pages = e.pageAt(page, v.at("dictionaries/"+d.ID))
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

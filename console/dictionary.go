package console

import (
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
	Rows       []ruleRow
	Find       string // what terms and respellings are searched for
	Found      int    // rules that have it
	Pages      paging
	Elsewhere  faultList           // of rules that are not shown
	Meanwhile  *dictionary.Version // which was edited, where a later one is there
	Request    string              // a program that speaks with it
	Languages  []lang.Language
	Tried      *tried
}

// dictionary shows a page of rules.
func (v *visit) dictionary() error {
	d, rules, err := v.findDictionary()
	if err != nil {
		return err
	}
	e := editor{Dictionary: d, Find: strings.TrimSpace(v.asked("find"))}
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
	if f, ok := errors.AsType[*fault.Error](v.wrong); ok && f.Code == dictionary.CodeConflict && e.Meanwhile != nil {
		v.wrong = nil // the page says it, with what can be done
	}
	return v.showAs(status, "dictionary", e.Dictionary.Name, e)
}

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

// saveDictionary makes a version of what was edited, unless somebody made one meanwhile.
func (v *visit) saveDictionary() error {
	if err := v.form(maxFile); err != nil {
		return err
	}
	ctx, id := v.r.Context(), v.r.PathValue("dictionary")
	rows, err := v.rows()
	if err != nil {
		return err
	}
	d, old, err := v.findDictionary()
	if err != nil {
		return err
	}
	base := v.field("version")
	if d.Latest.ID == base {
		var e edition
		if e, err = edited(old, rows); err != nil {
			return err
		}
		if slices.EqualFunc(old, e.rules, dictionary.Same) {
			return v.done(v.sentPage(d.ID), "Nothing was changed, so nothing was saved.")
		}
		old = e.rules
	}
	// Where it is not the latest, nothing is saved and the error says why.
	made, err := v.Dictionaries.SetAfter(ctx, v.org.ID, id, base, old)
	v.note("dictionary.save", d.ID, err)
	if err != nil {
		return notNamed(beside(err, belowRows))
	}
	return v.done(v.sentPage(d.ID), "Saved as version "+strconv.Itoa(made.Number)+", with "+plural(made.Rules, "rule")+". Requests use it from now on.")
}

// sentPage returns the address of the page of rules that was sent.
func (v *visit) sentPage(id string) string {
	page, err := pageNumber(v.field("page"))
	if err != nil {
		page = 1
	}
	return pageAddress(v.at("dictionaries/"+id), url.Values{"find": {v.field("find")}}, page)
}

// dictionaryAgain shows the rows that were sent, with what is wrong. Where somebody saved
// a version meanwhile they become rows of that one.
func (v *visit) dictionaryAgain() error {
	rows, err := v.rows()
	if err != nil || v.sent == nil {
		return v.dictionary()
	}
	e, latest, err := v.sentEditor(rows)
	if err != nil {
		return err
	}
	if n, err := edited(latest, e.Rows); err == nil {
		e.Elsewhere = listed(n.blame(e.Rows, faultsOf(v.wrong)))
	}
	return v.showEditor(e, len(latest))
}

// sentEditor returns the page as it was sent, as rows of the latest version, whose rules
// are returned too.
func (v *visit) sentEditor(rows []ruleRow) (editor, []respell.Rule, error) {
	d, latest, err := v.findDictionary()
	if err != nil {
		return editor{}, nil, err
	}
	e := editor{Dictionary: d, Rows: rows, Find: v.field("find")}
	found := having(latest, e.Find)
	e.Found = len(found)
	page, err := pageNumber(v.field("page"))
	if err != nil {
		page = 1
	}
	_, e.Pages = e.pageAt(page, v.at("dictionaries/"+d.ID))
	base := v.field("version")
	if base == d.Latest.ID {
		return e, latest, nil
	}
	was, old, err := v.findVersion(base)
	unknown := fault.KindOf(err) == fault.NotFound // so long ago that it is kept no more
	if err != nil && !unknown {
		return e, latest, err
	}
	e.Meanwhile = &was
	e.Rows = slices.Clone(rows)
	if unknown {
		old = unknownBase(e.Rows)
	}
	var added []int
	if e.Rows, added = rebased(e.Rows, old, latest); !unknown {
		added = slices.DeleteFunc(added, func(at int) bool { return !slices.Contains(found, at) })
		e.Rows = withAdded(e.Rows, added, latest)
	}
	return e, latest, nil
}

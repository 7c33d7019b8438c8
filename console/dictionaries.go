package console

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"vaak/account"
	"vaak/dictionary"
	"vaak/dictionary/lexicon"
	"vaak/internal/fault"
)

func (c *Console) dictionaryRoutes() []route {
	if c.Dictionaries == nil {
		return nil
	}
	const all, one = "/o/{org}/dictionaries", "/o/{org}/dictionaries/{dictionary}"
	return []route{
		get(all, inside, (*visit).dictionaries),
		post(all, inside, (*visit).createDictionary, (*visit).dictionariesAgain),
		post(all+"/import", inside, (*visit).importDictionary, (*visit).dictionariesAgain),
		get(one, inside, (*visit).dictionary),
		post(one, inside, (*visit).saveDictionary, (*visit).dictionaryAgain),
		post(one+"/try", inside, (*visit).tryDictionary, (*visit).dictionaryAgain),
		get(one+"/versions", inside, (*visit).versions),
		post(one+"/restore", inside, (*visit).restoreVersion, (*visit).versions),
		get(one+"/export", inside, (*visit).exportDictionary),
		post(one+"/delete", inside, (*visit).deleteDictionary, (*visit).dictionary),
	}
}

// dictionaryList is what the page of all dictionaries shows.
type dictionaryList struct {
	All    []dictionary.Dictionary // by name
	Most   int
	Rows   []ruleRow // of the form that makes one
	Faults faultList // of a file that was refused
}

func (v *visit) dictionaries() error {
	return v.showDictionaries(dictionaryList{Rows: withSpare(nil, rowsSpare)})
}

func (v *visit) showDictionaries(l dictionaryList) error {
	page, err := v.Dictionaries.List(v.r.Context(), v.org.ID, dictionary.Query{Size: dictionary.MaxPage, Sort: dictionary.ByName, Ascending: true})
	if err != nil {
		return err
	}
	l.All, l.Most = page.Dictionaries, dictionary.MaxPerOrganisation
	return v.show("dictionaries", "Pronunciation dictionaries", l)
}

// dictionariesAgain shows the forms again with what was wrong: of rules beside them, or
// in a list where they came in a file.
func (v *visit) dictionariesAgain() error {
	rows, err := v.rows()
	if err != nil {
		rows = nil // which is what is wrong
	}
	l := dictionaryList{}
	if e, err := edited(nil, rows); err == nil {
		l.Faults = listed(e.blame(rows, faultsOf(v.wrong)))
	}
	l.Rows = withSpare(rows, rowsSpare)
	return v.showDictionaries(l)
}

func (v *visit) createDictionary() error {
	if err := v.form(maxFile); err != nil {
		return err
	}
	rows, err := v.rows()
	if err != nil {
		return err
	}
	e, err := edited(nil, rows)
	if err != nil {
		return err
	}
	draft := dictionary.Draft{Name: v.field("name"), Description: v.field("description"), Rules: e.rules}
	return v.makeDictionary("dictionary.create", draft, belowRows)
}

func (v *visit) makeDictionary(action string, draft dictionary.Draft, faults string) error {
	d, err := v.Dictionaries.Create(v.r.Context(), v.org.ID, account.ConsoleKey, draft)
	target := d.ID
	if err != nil {
		target = ""
	}
	v.note(action, target, err)
	if err != nil {
		return beside(err, faults)
	}
	return v.done(v.at("dictionaries/"+d.ID), "The dictionary is made, with "+plural(d.Latest.Rules, "rule")+".")
}

// plural counts things: 1 rule, 1,000 rules.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return whole(n) + " " + thing + "s"
}

// importDictionary makes a dictionary of a file. Its name is what was typed, else what the
// file says, else that of the file.
func (v *visit) importDictionary() error {
	if err := v.form(maxFile); err != nil {
		return err
	}
	name, data, err := v.file("file")
	if err != nil {
		return err
	}
	f, err := lexicon.Read(data)
	if err != nil {
		v.note("dictionary.import", "", err)
		return beside(err, inList)
	}
	draft := dictionary.Draft{Name: cmp.Or(v.field("import-name"), strings.TrimSpace(f.Name), name), Description: f.Description, Rules: f.Rules}
	return v.makeDictionary("dictionary.import", draft, inList)
}

// file returns a file of the form, and its name without what says the format.
func (v *visit) file(field string) (name string, data []byte, err error) {
	none := fault.BadParameter(field, "no file was sent; choose one of JSON or PLS")
	if v.r.MultipartForm == nil || len(v.r.MultipartForm.File[field]) == 0 {
		return "", nil, none
	}
	head := v.r.MultipartForm.File[field][0]
	if head.Size == 0 {
		return "", nil, none
	}
	f, err := head.Open()
	if err != nil {
		return "", nil, fmt.Errorf("open a file that was sent: %w", err)
	}
	data, err = io.ReadAll(f)
	_ = f.Close() // it was read
	if err != nil {
		return "", nil, fmt.Errorf("read a file that was sent: %w", err)
	}
	if !utf8.Valid(data) {
		return "", nil, fault.New(fault.Invalid, fault.CodeInvalidBody, field, "the file holds bytes that are not text in UTF-8")
	}
	return strings.TrimSuffix(head.Filename, path.Ext(head.Filename)), data, nil
}

// exportDictionary answers with a version as a file.
func (v *visit) exportDictionary() error {
	sent := v.r.URL.Query()
	d, rules, err := v.findDictionary()
	if err != nil {
		return err
	}
	version := d.Latest
	if asked := sent.Get("version"); asked != "" {
		if version, rules, err = v.findVersion(asked); err != nil {
			return err
		}
	}
	var text []byte
	var kind, ending string
	switch format := sent.Get("format"); format {
	case "", "json":
		kind, ending = "application/json", "json"
		text, err = lexicon.WriteJSON(lexicon.File{Name: d.Name, Description: d.Description, Rules: rules})
	case "pls":
		kind, ending = "application/pls+xml", "pls"
		text, err = lexicon.WritePLS(rules)
	default:
		err = fault.BadParameter("format", "format %.20q is not one of json, pls", format)
	}
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-v%d.%s"`, d.ID, version.Number, ending)) // the id is a UUID
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	v.w.WriteHeader(http.StatusOK)
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(text) // a browser that left is no fault of ours
	}
	return nil
}

// deleteDictionary deletes a dictionary for good, whose box says so.
func (v *visit) deleteDictionary() error {
	err := v.form(maxForm)
	if err == nil {
		err = v.sure()
	}
	if err != nil {
		return err
	}
	id := v.r.PathValue("dictionary")
	if err := v.Dictionaries.Delete(v.r.Context(), v.org.ID, id); err != nil {
		v.note("dictionary.delete", "", err) // the id may be any text
		return notNamed(err)
	}
	v.note("dictionary.delete", id, nil)
	return v.done(v.at("dictionaries"), "The dictionary is deleted: requests with it are refused from now on.")
}

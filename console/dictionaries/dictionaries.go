// Package dictionaries has the pages of pronunciation dictionaries: make, import, edit,
// try on a sentence, compare versions, restore one, export, delete.
package dictionaries

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"vaak/account"
	"vaak/console/page"
	"vaak/dictionary"
	"vaak/dictionary/lexicon"
	"vaak/internal/fault"
	"vaak/speech"
)

//go:embed *.html *.js
var files embed.FS

// Reader says how a text would be read. The speech service is the one of the product.
type Reader interface {
	Read(ctx context.Context, req speech.Request) (speech.Reading, error)
}

// Config is what the pages need.
type Config struct {
	Dictionaries *dictionary.Service
	Speech       Reader
	API          string // where clients reach the services, for examples of code
}

// pages serves the pages.
type pages struct{ Config }

// New returns the section of dictionaries.
func New(cfg Config) page.Section {
	const all, one = "/o/{org}/dictionaries", "/o/{org}/dictionaries/{dictionary}"
	ps := &pages{cfg}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get(all, page.Inside, ps.dictionaries),
		page.Post(all, page.Inside, ps.createDictionary, ps.dictionariesAgain),
		page.Post(all+"/import", page.Inside, ps.importDictionary, ps.dictionariesAgain),
		page.Get(one, page.Inside, ps.dictionary),
		page.Post(one, page.Inside, ps.saveDictionary, ps.dictionaryAgain),
		page.Post(one+"/try", page.Inside, ps.tryDictionary, ps.dictionaryAgain),
		page.Get(one+"/versions", page.Inside, ps.versions),
		page.Post(one+"/restore", page.Inside, ps.restoreVersion, ps.versions),
		page.Get(one+"/export", page.Inside, ps.exportDictionary),
		page.Post(one+"/delete", page.Inside, ps.deleteDictionary, ps.dictionary),
	}}
}

// dictionaryList is what the page of all dictionaries shows.
type dictionaryList struct {
	All    []dictionary.Dictionary // by name
	Most   int
	Rows   []ruleRow // of the form for a new dictionary
	Faults faultList // of the rules of a file that was refused
}

func (ps *pages) dictionaries(v *page.Visit) error {
	return ps.showDictionaries(v, dictionaryList{Rows: withSpare(nil, rowsSpare)})
}

func (ps *pages) showDictionaries(v *page.Visit, l dictionaryList) error {
	found, err := ps.Dictionaries.List(v.R.Context(), v.Org.ID, dictionary.Query{Size: dictionary.MaxPage, Sort: dictionary.ByName, Ascending: true})
	if err != nil {
		return err
	}
	l.All, l.Most = found.Dictionaries, dictionary.MaxPerOrganisation
	return v.Show("dictionaries", "Pronunciation dictionaries", l)
}

// dictionariesAgain shows the forms again. What is wrong with a rule stands beside its row,
// or in a list when the rules came in a file.
func (ps *pages) dictionariesAgain(v *page.Visit) error {
	rows, err := sentRows(v)
	if err != nil {
		rows = nil // too many rows, which is what is wrong
	}
	l := dictionaryList{}
	if e, err := edited(nil, rows); err == nil {
		l.Faults = listed(e.blame(rows, faultsOf(v.Wrong)))
	}
	l.Rows = withSpare(rows, rowsSpare)
	return ps.showDictionaries(v, l)
}

func (ps *pages) createDictionary(v *page.Visit) error {
	if err := v.ReadForm(page.MaxFile); err != nil {
		return err
	}
	rows, err := sentRows(v)
	if err != nil {
		return err
	}
	e, err := edited(nil, rows)
	if err != nil {
		return err
	}
	draft := dictionary.Draft{Name: v.Sent.Field("name"), Description: v.Sent.Field("description"), Rules: e.rules}
	return ps.makeDictionary(v, "dictionary.create", draft, belowRows)
}

func (ps *pages) makeDictionary(v *page.Visit, action string, draft dictionary.Draft, faults string) error {
	d, err := ps.Dictionaries.Create(v.R.Context(), v.Org.ID, account.ConsoleKey, draft)
	target := d.ID
	if err != nil {
		target = ""
	}
	v.Note(action, target, err)
	if err != nil {
		return beside(err, faults)
	}
	return v.Done(v.At("dictionaries/"+d.ID), "The dictionary is made, with "+page.Plural(d.Latest.Rules, "rule")+".")
}

// importDictionary makes a dictionary of a file. Its name is the one that was typed, else
// the one in the file, else the name of the file.
func (ps *pages) importDictionary(v *page.Visit) error {
	if err := v.ReadForm(page.MaxFile); err != nil {
		return err
	}
	name, data, err := sentFile(v, "file")
	if err != nil {
		return err
	}
	f, err := lexicon.Read(data)
	if err != nil {
		v.Note("dictionary.import", "", err)
		return beside(err, inList)
	}
	draft := dictionary.Draft{Name: cmp.Or(v.Sent.Field("import-name"), strings.TrimSpace(f.Name), name), Description: f.Description, Rules: f.Rules}
	return ps.makeDictionary(v, "dictionary.import", draft, inList)
}

// sentFile returns a file of the form, and its name without the extension.
func sentFile(v *page.Visit, field string) (name string, data []byte, err error) {
	none := fault.BadParameter(field, "no file was sent; choose one of JSON or PLS")
	if v.R.MultipartForm == nil || len(v.R.MultipartForm.File[field]) == 0 {
		return "", nil, none
	}
	head := v.R.MultipartForm.File[field][0]
	if head.Size == 0 {
		return "", nil, none
	}
	f, err := head.Open()
	if err != nil {
		return "", nil, fmt.Errorf("open a file that was sent: %w", err)
	}
	data, err = io.ReadAll(f)
	_ = f.Close() // it was only read
	if err != nil {
		return "", nil, fmt.Errorf("read a file that was sent: %w", err)
	}
	if !utf8.Valid(data) {
		return "", nil, fault.New(fault.Invalid, fault.CodeInvalidBody, field, "the file holds bytes that are not text in UTF-8")
	}
	return strings.TrimSuffix(head.Filename, path.Ext(head.Filename)), data, nil
}

// exportDictionary answers with a version as a file.
func (ps *pages) exportDictionary(v *page.Visit) error {
	sent := v.R.URL.Query()
	d, rules, err := ps.findDictionary(v)
	if err != nil {
		return err
	}
	version := d.Latest
	if asked := sent.Get("version"); asked != "" {
		if version, rules, err = ps.findVersion(v, asked); err != nil {
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
	h := v.W.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-v%d.%s"`, d.ID, version.Number, ending)) // the id is a UUID
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	v.W.WriteHeader(http.StatusOK)
	if v.R.Method != http.MethodHead {
		_, _ = v.W.Write(text) // a browser that left is no fault of ours
	}
	return nil
}

// deleteDictionary deletes a dictionary for good, when the box of the form is ticked.
func (ps *pages) deleteDictionary(v *page.Visit) error {
	err := v.ReadForm(page.MaxForm)
	if err == nil {
		err = v.Sent.Sure()
	}
	if err != nil {
		return err
	}
	id := v.R.PathValue("dictionary")
	if err := ps.Dictionaries.Delete(v.R.Context(), v.Org.ID, id); err != nil {
		v.Note("dictionary.delete", "", err) // the id may be any text
		return notNamed(err)
	}
	v.Note("dictionary.delete", id, nil)
	return v.Done(v.At("dictionaries"), "The dictionary is deleted: requests with it are refused from now on.")
}

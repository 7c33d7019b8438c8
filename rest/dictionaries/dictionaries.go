// Package dictionaries serves the pronunciation dictionaries of an organisation over HTTP,
// in the ElevenLabs dialect.
package dictionaries

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/dictionary"
	"vaak/dictionary/lexicon"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
	"vaak/text/respell"
)

// api has the handlers.
type api struct{ Dictionaries *dictionary.Service }

// Register declares the operations on dictionaries. The service may be nil where they are
// only described.
func Register(desc huma.API, service *dictionary.Service) {
	(&api{service}).registerDictionaries(desc)
}

// DictionaryInput holds the id in the path. Handlers read the query themselves. The type is
// exported because huma ignores embedded types that are not.
type DictionaryInput struct {
	ID string `path:"pronunciation_dictionary_id" doc:"Of a dictionary of your organisation." example:"2f0c51a6-6f0e-4d5e-9b1c-7a3f2f9d8e10"`
}

// versionInput names a version of a dictionary.
type versionInput struct {
	DictionaryInput
	Version string `path:"version_id" doc:"Of the dictionary." example:"9b0a7c1e-52d7-4c0b-8a54-1f4f0c6b2d33"`
}

// editInput names a dictionary and holds the body of an edit.
type editInput struct {
	DictionaryInput
	RawBody []byte `contentType:"application/json"`
}

// newDictionaryInput holds the body that a dictionary is made from.
type newDictionaryInput struct {
	RawBody []byte `contentType:"application/json"`
}

// listDictionaries serves GET /v1/pronunciation-dictionaries.
func (a *api) listDictionaries(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	q, err := dictionaryQuery(r.URL.Query())
	if err != nil {
		return err
	}
	page, err := a.Dictionaries.List(r.Context(), frame.Caller(r).OrgID, q)
	if err != nil {
		return frame.InQuery(failed(r.Context(), err))
	}
	return frame.AnswerJSON(w, r, dictionaryListOf(page))
}

// dictionaryQuery reads which page a request asks for. An empty value counts as absent.
func dictionaryQuery(sent url.Values) (dictionary.Query, error) {
	q := dictionary.Query{Sort: dictionary.Sort(sent.Get("sort")), Cursor: sent.Get("cursor")}
	if size := sent.Get("page_size"); size != "" {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || n > dictionary.MaxPage {
			return q, frame.ErrParameter("page_size", "page_size %.32q is not a whole number from 1 to %d", size, dictionary.MaxPage)
		}
		q.Size = n
	}
	switch direction := sent.Get("sort_direction"); strings.ToLower(direction) {
	case "", "desc", "descending":
	case "asc", "ascending":
		q.Ascending = true
	default:
		return q, frame.ErrParameter("sort_direction", "sort_direction %.64q is not one of asc, desc", direction)
	}
	return q, nil
}

// createDictionary serves POST /v1/pronunciation-dictionaries/add-from-rules.
func (a *api) createDictionary(w http.ResponseWriter, r *http.Request, in *newDictionaryInput) error {
	var body dictionaryRequest
	wrong, err := bindBody(dictionaryBinder, in.RawBody, &body)
	if err != nil {
		return err
	}
	if body.Name == nil {
		wrong = wrong.missing("name", "name is missing; send 1 to %d characters", dictionary.MaxName)
		// So that the rules are still checked, and the answer tells all.
		body.Name = new(string)
	}
	sent := rulesRequest{Rules: body.Rules}
	rules, err := sent.rules(wrong)
	if err != nil {
		return err
	}
	caller := frame.Caller(r)
	d, err := a.Dictionaries.Create(r.Context(), caller.OrgID, caller.KeyID, dictionary.Draft{Name: *body.Name, Description: body.Description, Rules: rules})
	if f := frame.Public(err); f.Field == "name" || f.Field == "description" {
		// The service stops at the name. Check the rules too, so that the answer tells all.
		_, err = sent.rules(paramFaults{f})
	}
	if err != nil {
		return failed(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, createdDictionaryOf(d))
}

// getDictionary serves GET /v1/pronunciation-dictionaries/{id}.
func (a *api) getDictionary(w http.ResponseWriter, r *http.Request, in *DictionaryInput) error {
	org := frame.Caller(r).OrgID
	d, rules, err := a.Dictionaries.Get(r.Context(), org, in.ID)
	if err != nil {
		return failed(r.Context(), err)
	}
	record := DictionaryWithRules{DictionaryRecord: dictionaryRecordOf(d)}
	if asked := r.URL.Query().Get(elevenlabs.FieldVersion); asked != "" {
		v, older, err := a.Dictionaries.Version(r.Context(), org, in.ID, asked)
		if err != nil {
			return failed(r.Context(), err)
		}
		record.Version, record.Count, rules = v.ID, &v.Rules, older
	}
	record.Rules = lexicon.Records(rules)
	return frame.AnswerJSON(w, r, record)
}

// listVersions serves GET /v1/pronunciation-dictionaries/{id}/versions.
func (a *api) listVersions(w http.ResponseWriter, r *http.Request, in *DictionaryInput) error {
	versions, err := a.Dictionaries.Versions(r.Context(), frame.Caller(r).OrgID, in.ID)
	if err != nil {
		return failed(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, versionRecordsOf(versions))
}

// setRules serves POST /v1/pronunciation-dictionaries/{id}/set-rules.
func (a *api) setRules(w http.ResponseWriter, r *http.Request, in *editInput) error {
	return editRules(w, r, in, func(rules []respell.Rule) (dictionary.Version, error) {
		return a.Dictionaries.Set(r.Context(), frame.Caller(r).OrgID, in.ID, rules)
	})
}

// addRules serves POST /v1/pronunciation-dictionaries/{id}/add-rules.
func (a *api) addRules(w http.ResponseWriter, r *http.Request, in *editInput) error {
	return editRules(w, r, in, func(rules []respell.Rule) (dictionary.Version, error) {
		return a.Dictionaries.Add(r.Context(), frame.Caller(r).OrgID, in.ID, rules)
	})
}

// editRules reads the rules of a request, and answers with the version that edit makes of them.
func editRules(w http.ResponseWriter, r *http.Request, in *editInput, edit func([]respell.Rule) (dictionary.Version, error)) error {
	var body rulesRequest
	wrong, err := bindBody(rulesBinder, in.RawBody, &body)
	if err != nil {
		return err
	}
	rules, err := body.rules(wrong)
	if err != nil {
		return err
	}
	v, err := edit(rules)
	return answerEdited(w, r, in.ID, v, err)
}

// removeRules serves POST /v1/pronunciation-dictionaries/{id}/remove-rules.
func (a *api) removeRules(w http.ResponseWriter, r *http.Request, in *editInput) error {
	var body termsRequest
	wrong, err := bindBody(termsBinder, in.RawBody, &body)
	if err == nil {
		err = refusalOf(wrong, nil)
	}
	if err != nil {
		return err
	}
	v, err := a.Dictionaries.Remove(r.Context(), frame.Caller(r).OrgID, in.ID, body.Terms)
	return answerEdited(w, r, in.ID, v, err)
}

// answerEdited answers with the version that an edit made, or its error.
func answerEdited(w http.ResponseWriter, r *http.Request, id string, v dictionary.Version, err error) error {
	if err != nil {
		return failed(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, EditedDictionary{ID: strings.ToLower(id), Version: v.ID, Rules: v.Rules})
}

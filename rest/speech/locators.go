package speech

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/dictionary"
	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
	"vaak/text/respell"
)

// locator names a pronunciation dictionary.
type locator struct {
	ID      *string `json:"pronunciation_dictionary_id" nullable:"false" doc:"Of a dictionary of your organisation."`
	Version string  `json:"version_id,omitempty" doc:"Of it; the latest when left out. One that it has not, or no longer, is 404 with the param version_id of the entry."`
}

// locator returns the entry in the form of package dictionary. The entry has an id.
func (l locator) locator() dictionary.Locator {
	return dictionary.Locator{ID: *l.ID, Version: l.Version}
}

// locators is the list of dictionaries in a request, in the order in which they apply.
type locators []locator

var locatorBinder = document.NewBinder[locator]()

// SetJSON takes a list. It takes an empty object as an empty list, because some clients send
// one.
func (l *locators) SetJSON(v document.Value) error {
	if v.IsEmptyObject() {
		return nil
	}
	if v.Kind() != document.Array {
		return v.Mistyped("a list")
	}
	entries := v.Entries()
	if len(entries) > dictionary.MaxPerRequest {
		return fault.BadParameter(v.Name, "%s has %d entries; at most %d are allowed", v.Name, len(entries), dictionary.MaxPerRequest)
	}
	for _, entry := range entries {
		if entry.Kind() != document.Object {
			return entry.Mistyped("an object")
		}
		var one locator
		if err := locatorBinder.Bind(entry, &one); err != nil {
			return err
		}
		if one.ID == nil {
			return fault.BadParameter(entry.Name+"."+elevenlabs.FieldDictionary, "%s has no %s", entry.Name, elevenlabs.FieldDictionary)
		}
		*l = append(*l, one)
	}
	return nil
}

// Schema describes the list.
func (locators) Schema(r huma.Registry) *huma.Schema {
	most := dictionary.MaxPerRequest
	return &huma.Schema{
		Type: "array", MaxItems: &most, Items: frame.SchemaIn[locator](r),
		Description: "Pronunciation dictionaries of your organisation, applied in this order before the text is read: what one replaces the next " +
			"does not see. At most " + strconv.Itoa(dictionary.MaxPerRequest) + " different ones, with those that are named beside the list.",
		Examples: []any{[]any{map[string]any{elevenlabs.FieldDictionary: "2f0c51a6-6f0e-4d5e-9b1c-7a3f2f9d8e10"}}},
	}
}

// dictionaryParameter describes the dictionary in the query of a request to speak.
func dictionaryParameter() *huma.Param {
	return &huma.Param{
		Name: elevenlabs.FieldDictionary, In: "query", Schema: &huma.Schema{Type: "string"},
		Description: "A pronunciation dictionary of your organisation, applied before those of the body.",
	}
}

// dictionaries returns the dictionaries that a request to speak applies: the one of the query, the
// one of the body, and those of the list, each once.
func (a *api) dictionaries(r *http.Request, id string, list locators) (respell.Dictionaries, error) {
	var beside []dictionary.Locator
	for _, id := range []string{r.URL.Query().Get(elevenlabs.FieldDictionary), id} {
		if id != "" {
			beside = dictionary.Merge(beside, dictionary.Locator{ID: id})
		}
	}
	all := beside
	for _, l := range list {
		all = dictionary.Merge(all, l.locator())
	}
	// Counted after the merge, because a dictionary that is named twice is used once.
	if len(all) > dictionary.MaxPerRequest {
		return nil, fault.BadParameter(elevenlabs.FieldLocators, "%s names %.64q, which is one pronunciation dictionary too many; a request uses at most %d, all that it names counted",
			elevenlabs.FieldLocators, all[dictionary.MaxPerRequest].ID, dictionary.MaxPerRequest)
	}
	var ready respell.Dictionaries
	for _, l := range all {
		// One at a time, so that the error can name the entry that failed.
		one, err := a.use(r, l)
		if err != nil {
			return nil, frame.Gone(r.Context(), list.naming(l, beside, err))
		}
		ready = append(ready, one...)
	}
	return ready, nil
}

// naming makes the error of a dictionary that does not exist name the parameter that names the
// dictionary first: an entry of the list, or a parameter beside it. Only the list can name a
// version.
func (list locators) naming(l dictionary.Locator, beside []dictionary.Locator, err error) error {
	f := frame.Public(err)
	if f.Kind != fault.NotFound {
		return err
	}
	ofVersion := f.Field == elevenlabs.FieldVersion
	same := func(other dictionary.Locator) bool {
		return strings.EqualFold(other.ID, l.ID) && (!ofVersion || other.Version == l.Version)
	}
	// The error already names the parameter beside the list.
	if slices.ContainsFunc(beside, same) {
		return err
	}
	at := slices.IndexFunc(list, func(entry locator) bool { return same(entry.locator()) })
	return elevenlabs.Within(elevenlabs.FieldLocators+"."+strconv.Itoa(at), err)
}

// use returns a dictionary ready to be applied. In a deployment without dictionaries none exists.
func (a *api) use(r *http.Request, l dictionary.Locator) (respell.Dictionaries, error) {
	if a.Dictionaries == nil {
		return nil, dictionary.NotFound(l.ID)
	}
	return a.Dictionaries.Use(r.Context(), frame.Caller(r).OrgID, l)
}

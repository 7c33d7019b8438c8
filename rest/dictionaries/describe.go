package dictionaries

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"vaak/dictionary"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
)

// Where the dictionaries are.
const (
	DictionariesPath = "/v1/pronunciation-dictionaries"
	DictionaryPath   = DictionariesPath + "/{" + elevenlabs.FieldDictionary + "}"
)

const makeInstead = ". Make one with POST " + DictionariesPath + "/add-from-rules"

// Instead holds, by path and method, the advice for methods that are not served. Files are taken
// in the console only.
var Instead = map[string]map[string]string{
	DictionariesPath:                    {http.MethodPost: makeInstead},
	DictionariesPath + "/add-from-file": {http.MethodGet: makeInstead, http.MethodPost: makeInstead},
	DictionaryPath: {
		http.MethodDelete: ". Dictionaries are deleted in the console, or by the operator with `vaak dictionary delete`",
		http.MethodPatch:  ". Rules are changed by POST to set-rules, add-rules and remove-rules below it; name and description stay as they are",
	},
}

func (a *api) registerDictionaries(desc huma.API) {
	a.registerDictionaryReads(desc)
	declare := func(id, path, summary, text string, body *huma.RequestBody, answer *huma.Response, errors ...int) huma.Operation {
		op := dictionaryOperation(id, http.MethodPost, path, summary, text, answer, append(errors, 413, 415)...)
		op.RequestBody, op.Metadata[frame.MetaRepeats] = body, true
		op.Responses["400"] = unreadable(desc)
		op.Responses["422"] = dictionaryProblem(desc)
		return op
	}
	rule := map[string]any{"string_to_replace": "API", "alias": "A P I"}
	scoped := map[string]any{"string_to_replace": "API", "alias": "ए पी आई", "only_languages": []string{"hi"}, "case_sensitive": true}
	frame.Operate(desc, declare("createDictionary", DictionariesPath+"/add-from-rules", "Make a pronunciation dictionary",
		"All of it is taken or nothing: where rules are wrong the answer names each of them. Rules are respellings; phonemes and phonetic notations are refused. "+
			"An organisation has at most "+strconv.Itoa(dictionary.MaxPerOrganisation)+" dictionaries (`dictionary_limit_exceeded`).",
		jsonBody[dictionaryRequest](desc, map[string]*huma.Example{
			"minimal":   {Summary: "A rule", Value: map[string]any{"name": "Product names", "rules": []any{rule}}},
			"languages": {Summary: "By language", Value: map[string]any{"name": "Product names", "description": "How we say what we sell", "rules": []any{scoped, map[string]any{"string_to_replace": "API", "alias": "A P I", "except_languages": []string{"hi"}}}}},
		}), frame.JsonOf[CreatedDictionary](desc, "The dictionary was made.")), a.createDictionary)
	edited := "The version that the edit made."
	frame.Operate(desc, declare("setDictionaryRules", DictionaryPath+"/set-rules", "Replace all rules",
		"Makes a new version of the dictionary, which requests use from here on; those that have begun go on with the one before.",
		jsonBody[rulesRequest](desc, map[string]*huma.Example{"minimal": {Summary: "A rule", Value: map[string]any{"rules": []any{rule}}}}),
		frame.JsonOf[EditedDictionary](desc, edited), 404, 409), a.setRules)
	frame.Operate(desc, declare("addDictionaryRules", DictionaryPath+"/add-rules", "Add rules",
		"Makes a new version. A rule takes the place of one for the same term with the same languages and options.",
		jsonBody[rulesRequest](desc, map[string]*huma.Example{"language": {Summary: "For one language", Value: map[string]any{"rules": []any{scoped}}}}),
		frame.JsonOf[EditedDictionary](desc, edited), 404, 409), a.addRules)
	frame.Operate(desc, declare("removeDictionaryRules", DictionaryPath+"/remove-rules", "Remove rules",
		"Makes a new version, without the rules of some terms; it may have none left.",
		jsonBody[termsRequest](desc, map[string]*huma.Example{"term": {Summary: "A term", Value: map[string]any{"rule_strings": []string{"API"}}}}),
		frame.JsonOf[EditedDictionary](desc, edited), 404, 409), a.removeRules)
}

// versionNotThere describes the answer to a version that does not exist.
const versionNotThere = "A version that the dictionary has not, or no longer, is 404 with param `version_id`."

func (a *api) registerDictionaryReads(desc huma.API) {
	list := dictionaryOperation("listDictionaries", http.MethodGet, DictionariesPath, "List the pronunciation dictionaries",
		"Those of the organisation. Empty values are as if they were not sent.", frame.JsonOf[DictionaryList](desc, "A page of dictionaries."), 422)
	list.Parameters = dictionaryParameters()
	frame.Operate(desc, list, a.listDictionaries)
	get := dictionaryOperation("getDictionary", http.MethodGet, DictionaryPath, "Get a pronunciation dictionary with its rules", "",
		frame.JsonOf[DictionaryWithRules](desc, "The dictionary."), 404)
	get.Parameters = []*huma.Param{{Name: elevenlabs.FieldVersion, In: "query", Schema: &huma.Schema{Type: "string"},
		Description: "Answers with the rules of this version instead of the latest. " + versionNotThere}}
	frame.Operate(desc, get, a.getDictionary)
	frame.Operate(desc, dictionaryOperation("listDictionaryVersions", http.MethodGet, DictionaryPath+"/versions", "List the versions of a pronunciation dictionary",
		"A version never changes. The last "+strconv.Itoa(dictionary.KeptVersions)+" are kept, fewer of large dictionaries.",
		frame.JsonOf[dictionaryVersions](desc, "The versions."), 404), a.listVersions)
	frame.Operate(desc, dictionaryOperation("downloadDictionary", http.MethodGet, DictionaryPath+"/{version_id}/download", "Download a version as PLS",
		"A document of the Pronunciation Lexicon Specification 1.0. Options that it has no word for are left out, which a comment beside the rule says. "+versionNotThere,
		&huma.Response{
			Description: "The lexicon.",
			Content:     map[string]*huma.MediaType{"application/pls+xml": {Schema: &huma.Schema{Type: "string"}}},
			Headers:     map[string]*huma.Param{"Content-Disposition": frame.HeaderOf("string", "attachment, with a name for the file.")},
		}, 404), a.downloadDictionary)
}

// dictionaryOperation is an operation on dictionaries, for callers with a key.
func dictionaryOperation(id, method, path, summary, text string, answer *huma.Response, errors ...int) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{frame.TagDictionaries}, Summary: summary, Description: text,
		Security: frame.WithKey, Metadata: frame.InElevenLabs(), Responses: frame.Responses(answer, append(errors, 401, 429, 503)...),
	}
	frame.DescribeDialect(op.Responses["200"].Headers)
	return op
}

// dictionaryParameters describes the query of the list.
func dictionaryParameters() []*huma.Param {
	query := func(name, doc string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: doc, Schema: schema}
	}
	least, most := 1.0, float64(dictionary.MaxPage)
	return []*huma.Param{
		query("cursor", "As next_cursor of the page before had it, with the same sort and direction; page_size may change.", &huma.Schema{Type: "string"}),
		query("page_size", "How many dictionaries a page has at most.", &huma.Schema{Type: "integer", Minimum: &least, Maximum: &most, Default: dictionary.DefaultPage}),
		query("sort", "What they are sorted by.", &huma.Schema{Type: "string", Enum: []any{string(dictionary.ByCreation), string(dictionary.ByName)}, Default: string(dictionary.ByCreation)}),
		query("sort_direction", "In any case; ascending and descending are taken, too.", &huma.Schema{Type: "string", Default: "desc", Examples: []any{"asc", "DESC"}}),
		query("include_archived", "Taken and ignored: nothing is archived.", &huma.Schema{Type: "boolean"}),
	}
}

// jsonBody describes a body of type T.
func jsonBody[T any](desc huma.API, examples map[string]*huma.Example) *huma.RequestBody {
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: frame.SchemaOf[T](desc), Examples: examples},
	}}
}

// unreadable describes the answer to a body that is no JSON.
func unreadable(desc huma.API) *huma.Response {
	return frame.Refusal(frame.SchemaOf[frame.ErrorBody](desc), "The body is not well-formed JSON (`invalid_body`).")
}

// dictionaryProblem describes the answer to JSON that can be read and is refused.
func dictionaryProblem(desc huma.API) *huma.Response {
	// anyOf and not oneOf, because a body with the member errors fits the schemas without it too.
	return frame.Refusal(&huma.Schema{AnyOf: []*huma.Schema{
		frame.SchemaOf[refusedRules](desc), frame.SchemaOf[frame.ValidationBody](desc), frame.SchemaOf[frame.ErrorBody](desc),
	}}, "Rules are wrong, in which case errors names all of them; another parameter is missing or not what it must be; or there are too many dictionaries (`dictionary_limit_exceeded`).")
}

package rest

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"vaak/rest/dictionaries"
	"vaak/rest/live/asyncapi"
)

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	text, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := OpenAPI(); !bytes.Equal(text, again) {
		t.Error("OpenAPI differs from call to call")
	}
	if served := do(newHandler(t, Config{Catalogue: newCatalogue(t), Clips: newClips(t, t.TempDir()), Dictionaries: newDictionaries(t)}), request("GET", "/openapi.json", "")); !bytes.Equal(text, served.Body.Bytes()) {
		t.Error("OpenAPI differs from what is served")
	}
	if !bytes.HasSuffix(text, []byte("}\n")) || !bytes.Contains(text, []byte("\n  \"openapi\": \"3.1.0\"")) {
		t.Error("the document is not indented, or does not end in a newline")
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	checkRefs(t, doc, doc)
	checkOperations(t, doc)
}

// TestAsyncAPI checks that the description of the sockets is served, and that it
// is of the same version as that of the operations.
func TestAsyncAPI(t *testing.T) {
	t.Parallel()
	text, err := asyncapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	served := do(newHandler(t, Config{}), request("GET", "/asyncapi.json", ""))
	if !bytes.Equal(text, served.Body.Bytes()) || served.Header().Get("Content-Type") != "application/json" {
		t.Errorf("AsyncAPI differs from what is served, as %s", served.Header().Get("Content-Type"))
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	checkRefs(t, doc, doc)
	if got := dig(doc, "info", "version"); got != apiVersion {
		t.Errorf("the sockets have version %v, the operations %s", got, apiVersion)
	}
}

// TestDescriptionFiles checks that the files in the repository are what is
// served; make openapi writes them.
func TestDescriptionFiles(t *testing.T) {
	t.Parallel()
	for name, describe := range map[string]func() ([]byte, error){"openapi.json": OpenAPI, "asyncapi.json": asyncapi.Document} {
		want, err := describe()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile("../" + name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the server describes: run make openapi; %v", name, err)
		}
	}
}

// checkRefs checks that every $ref points at something.
func checkRefs(t *testing.T, doc map[string]any, at any) {
	t.Helper()
	switch v := at.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && resolve(doc, ref) == nil {
			t.Errorf("%s points at nothing", ref)
		}
		for _, x := range v {
			checkRefs(t, doc, x)
		}
	case []any:
		for _, x := range v {
			checkRefs(t, doc, x)
		}
	}
}

func resolve(doc map[string]any, ref string) any {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	var at any = doc
	for name := range strings.SplitSeq(path, "/") {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	return at
}

// dig follows keys into nested objects.
func dig(at any, keys ...string) any {
	for _, key := range keys {
		object, _ := at.(map[string]any)
		at = object[key]
	}
	return at
}

// needsKey reports whether the operations of a path are for callers with a key.
func needsKey(path string) bool {
	for _, prefix := range []string{"/v1/audio/speech", "/v1/usage", "/v1/user", "/v1/text-to-speech/", "/v1/single-use-token/", "/v2/voices", dictionaries.DictionariesPath} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// good is the status of an operation's success.
func good(op any) string {
	for _, status := range []string{"201", "202"} {
		if dig(op, "responses", status) != nil {
			return status
		}
	}
	return "200"
}

func checkOperations(t *testing.T, doc map[string]any) {
	t.Helper()
	seen := map[string]bool{}
	paths, _ := doc["paths"].(map[string]any)
	for path, item := range paths {
		for method := range item.(map[string]any) {
			op := dig(item, method)
			id, _ := dig(op, "operationId").(string)
			if id == "" || seen[id] || dig(op, "summary") == nil || dig(op, "tags") == nil || dig(op, "responses", good(op), "content") == nil {
				t.Errorf("%s %s: operation %q lacks something or is there twice", method, path, id)
			}
			seen[id] = true
			if keyed := dig(op, "security") != nil; keyed != needsKey(path) {
				t.Errorf("%s %s: needs a key: %v", method, path, keyed)
			}
		}
	}
	for _, want := range []string{
		"/v1/audio/speech", "/v1/audio/speech/preview-text", "/v1/audio/clips/{file}", "/v1/voices", "/v1/voices/{voice_id}", "/v1/voices/{voice_id}/preview", "/v1/voices/{voice_id}/settings",
		"/v1/voices/settings/default", "/v1/languages", "/v1/models", "/v1/models/{model_id}", "/health",
		"/v1/usage", "/v1/usage/daily", "/v1/user", "/v1/user/subscription", "/v2/voices",
		"/v1/text-to-speech/{voice_id}", "/v1/text-to-speech/{voice_id}/stream",
		"/v1/pronunciation-dictionaries", "/v1/pronunciation-dictionaries/add-from-rules", dictionaries.DictionaryPath, dictionaries.DictionaryPath + "/versions",
		dictionaries.DictionaryPath + "/{version_id}/download", dictionaries.DictionaryPath + "/set-rules", dictionaries.DictionaryPath + "/add-rules", dictionaries.DictionaryPath + "/remove-rules",
		"/v1/audio/speech/tokens", "/v1/audio/speech/tokens/{token_id}", "/v1/single-use-token/{token_type}",
		"/v1/text-to-speech/{voice_id}/with-timestamps", "/v1/text-to-speech/{voice_id}/stream/with-timestamps",
	} {
		if paths[want] == nil {
			t.Errorf("%s is not described", want)
		}
	}
	speech := dig(paths["/v1/audio/speech"], "post")
	answers, _ := dig(speech, "responses", "200", "content").(map[string]any)
	for _, media := range []string{"audio/wav", "audio/mpeg", "audio/ogg", "audio/aac", "audio/flac", "audio/pcm", "audio/basic", "audio/x-alaw-basic", "text/event-stream"} {
		if dig(answers[media], "schema", "type") != "string" {
			t.Errorf("answer %s is not described", media)
		}
	}
	bodies, _ := dig(speech, "requestBody", "content").(map[string]any)
	if len(bodies) != 1 || bodies["application/json"] == nil {
		t.Errorf("request bodies %v", bodies)
	}
	body := dig(doc, "components", "schemas", "SpeechRequest")
	if required, _ := dig(body, "required").([]any); len(required) != 1 || required[0] != "input" || dig(body, "additionalProperties") != true {
		t.Errorf("required %v, additionalProperties %v", required, dig(body, "additionalProperties"))
	}
	if dig(body, "properties", "speed", "minimum") != 0.7 || dig(body, "properties", "speed", "maximum") != 1.5 ||
		len(dig(body, "properties", "response_format", "enum").([]any)) != 8 || dig(body, "properties", "input", "maxLength") != 5000.0 {
		t.Errorf("properties %v", dig(body, "properties"))
	}
	withRules, _ := dig(doc, "components", "schemas", "DictionaryWithRules", "properties").(map[string]any)
	for _, name := range []string{"id", "latest_version_id", "name", "description", "rules", "version_id"} {
		if withRules[name] == nil {
			t.Errorf("%s of a dictionary with rules is not described", name)
		}
	}
	if dig(doc, "components", "securitySchemes", "bearer", "scheme") != "bearer" || dig(doc, "components", "securitySchemes", "xi-api-key", "name") != "xi-api-key" {
		t.Error("the security schemes are not described")
	}
}

// TestDialectIsDescribed checks what the routes of the ElevenLabs dialect say
// beside the others: a query, refusals of their own, and headers.
func TestDialectIsDescribed(t *testing.T) {
	t.Parallel()
	text, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for path, media := range map[string]string{
		"/v1/text-to-speech/{voice_id}": "audio/mpeg", "/v1/text-to-speech/{voice_id}/stream": "audio/mpeg",
		"/v1/text-to-speech/{voice_id}/with-timestamps": "application/json", "/v1/text-to-speech/{voice_id}/stream/with-timestamps": "application/json",
	} {
		op := dig(doc, "paths", path, "post")
		params, _ := dig(op, "parameters").([]any)
		var names []string
		for _, p := range params {
			names = append(names, dig(p, "name").(string))
			if dig(p, "description") == "" {
				t.Errorf("%s: parameter %s is not described", path, names[len(names)-1])
			}
		}
		slices.Sort(names)
		if want := []string{"enable_logging", "optimize_streaming_latency", "output_format", "pronunciation_dictionary_id", "voice_id"}; !slices.Equal(names, want) {
			t.Errorf("%s: parameters %v, want %v", path, names, want)
		}
		if dig(op, "responses", "200", "content", media) == nil || dig(op, "responses", "200", "headers", "request-id") == nil ||
			dig(op, "responses", "422", "$ref") == nil || dig(op, "responses", "200", "content", "text/event-stream") != nil {
			t.Errorf("%s: responses %v", path, dig(op, "responses"))
		}
		examples, _ := dig(op, "requestBody", "content", "application/json", "examples").(map[string]any)
		if len(examples) == 0 {
			t.Errorf("%s: no examples", path)
		}
	}
	if dig(doc, "components", "responses", "422", "content", "application/json", "schema", "$ref") != "#/components/schemas/ValidationBody" {
		t.Error("422 is not described")
	}
}

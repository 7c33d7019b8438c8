package rest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vaak/rest/dictionaries"
	"vaak/rest/webhooks"
	"vaak/voice"
)

// contract is the description of the operations, against which answers are held.
type contract struct {
	doc      map[string]any
	compiler *jsonschema.Compiler
}

func describedContract(t *testing.T) contract {
	t.Helper()
	text, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := contract{doc.(map[string]any), jsonschema.NewCompiler()}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := c.compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return c
}

// resolved returns what an object or the reference in its place describes, with where
// that is.
func (c contract) resolved(at any, path string) (any, string) {
	if ref, ok := dig(at, "$ref").(string); ok {
		return resolve(c.doc, ref), strings.TrimPrefix(ref, "#")
	}
	return at, path
}

// check holds an answer against what is described of it.
func (c contract) check(t *testing.T, path, method string, w *httptest.ResponseRecorder) {
	t.Helper()
	escaped := strings.NewReplacer("~", "~0", "/", "~1")
	at := "/paths/" + escaped.Replace(path) + "/" + method + "/responses/" + strconv.Itoa(w.Code)
	what := method + " " + path + " " + strconv.Itoa(w.Code)
	answer, at := c.resolved(dig(c.doc, "paths", path, method, "responses", strconv.Itoa(w.Code)), at)
	if answer == nil {
		t.Errorf("%s is not described", what)
		return
	}
	sent := w.Header().Get("Content-Type")
	media, _, _ := strings.Cut(sent, ";")
	schema := dig(answer, "content", media, "schema")
	if schema == nil {
		t.Errorf("%s answers %s, which is not described", what, sent)
		return
	}
	if media != "application/json" || dig(schema, "type") == "string" {
		if dig(schema, "type") != "string" {
			t.Errorf("%s is %s and described as %v", what, sent, schema)
		}
		return
	}
	compiled, err := c.compiler.Compile("openapi.json#" + at + "/content/" + escaped.Replace(media) + "/schema")
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonschema.UnmarshalJSON(w.Body)
	if err != nil {
		t.Errorf("%s is described as one JSON value: %v", what, err)
		return
	}
	if err := compiled.Validate(body); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// TestAnswersAreAsDescribed holds what is answered, good and bad, against the
// description: the status, the type of content, and JSON against its schema.
func TestAnswersAreAsDescribed(t *testing.T) {
	t.Parallel()
	c := describedContract(t)
	h := newHandler(t, Config{Speech: hum(t), Dictionaries: newDictionaries(t), Clips: newClips(t, t.TempDir()), Webhooks: newWebhooks(t)})
	hook, sent := makeWebhook(t, h)
	id := string(voice.DefaultVoice().ID)
	made := makeDictionary(t, h, "names", rule)
	phonemes := `{"type":"phoneme","string_to_replace":"API","phoneme":"eɪ","alphabet":"ipa"}`
	for _, tt := range []struct {
		method, path, target, body string
		want                       int
	}{
		{"get", "/v1/voices", "", "", 200},
		{"get", "/v1/voices/{voice_id}", "/v1/voices/" + id, "", 200},
		{"get", "/v1/voices/{voice_id}", "/v1/voices/alloy", "", 200},
		{"get", "/v1/voices/{voice_id}", "/v1/voices/nobody", "", 404},
		{"get", "/v1/voices/{voice_id}/preview", "/v1/voices/" + id + "/preview", "", 200},
		{"get", "/v1/voices/{voice_id}/settings", "/v1/voices/" + id + "/settings", "", 200},
		{"get", "/v1/voices/settings/default", "", "", 200},
		{"get", "/v2/voices", "", "", 200},
		{"get", "/v2/voices", "/v2/voices?page_size=0", "", 422},
		{"get", "/v1/audio/voices", "", "", 200},
		{"get", "/v1/audio/models", "", "", 200},
		{"get", "/v1/languages", "", "", 200},
		{"get", "/v1/models", "", "", 200},
		{"get", "/v1/models", "/v1/models?format=openai", "", 200},
		{"get", "/v1/models", "/v1/models?format=x", "", 400},
		{"get", "/v1/models/{model_id}", "/v1/models/x", "", 200},
		{"get", "/health", "", "", 200},
		{"get", "/v1/usage/daily", "", "", 200},
		{"get", "/v1/usage/daily", "/v1/usage/daily?by=", "", 200},
		{"get", "/v1/user", "", "", 200},
		{"get", "/v1/user/subscription", "", "", 200},
		{"post", "/v1/audio/speech", "", `{"input":"a","x":1}`, 200},
		{"post", "/v1/audio/speech", "", `{"input":"a","response_format":"mp3"}`, 200},
		{"post", "/v1/audio/speech", "", `{"input":"a","response_format":"ulaw","sample_rate":16000}`, 200},
		{"post", "/v1/audio/speech", "", `{"input":"a","stream_format":"sse"}`, 200},
		{"post", "/v1/audio/speech", "", `{"input":"a","speed":9}`, 400},
		{"post", "/v1/audio/speech", "", `{"input":"a","voice":"nobody"}`, 404},
		{"post", "/v1/audio/speech/preview-text", "", `{"input":"a 5","top_k":1.5}`, 200},
		{"post", "/v1/text-to-speech/{voice_id}", "/v1/text-to-speech/" + id, `{"text":"a"}`, 200},
		{"post", "/v1/text-to-speech/{voice_id}", "/v1/text-to-speech/" + id, `{"text":5}`, 422},
		{"post", "/v1/text-to-speech/{voice_id}", "/v1/text-to-speech/" + id, `{`, 400},
		{"post", "/v1/text-to-speech/{voice_id}/stream", "/v1/text-to-speech/" + id + "/stream", `{"text":"a"}`, 200},
		{"post", "/v1/text-to-speech/{voice_id}/with-timestamps", "/v1/text-to-speech/" + id + "/with-timestamps", `{"text":"a b c"}`, 200},
		{"post", "/v1/text-to-speech/{voice_id}/stream/with-timestamps", "/v1/text-to-speech/" + id + "/stream/with-timestamps", `{"text":"One two. Three four five six seven eight."}`, 200},
		{"post", webhooks.EndpointsPath, "", `{"url":"https://example.org/","thresholds":[5],"types":["lot.expired"],"notice_days":1}`, 200},
		{"post", webhooks.EndpointsPath, "", `{"url":"https://127.0.0.1/"}`, 400},
		{"post", webhooks.EndpointsPath, "", `{"url":"https://example.org/","types":[5]}`, 400},
		{"post", webhooks.EndpointsPath, "", `{"url":"https://example.org/","thresholds":["5"]}`, 400},
		{"post", webhooks.EndpointsPath, "", `{`, 400},
		{"get", webhooks.EndpointsPath, "", "", 200},
		{"get", webhooks.EndpointPath, webhooks.EndpointsPath + "/" + hook, "", 200},
		{"get", webhooks.EndpointPath, webhooks.EndpointsPath + "/x", "", 404},
		{"patch", webhooks.EndpointPath, webhooks.EndpointsPath + "/" + hook, `{"types":[],"description":"x"}`, 200},
		{"post", webhooks.EndpointPath + "/rotate-secret", webhooks.EndpointsPath + "/" + hook + "/rotate-secret", `{"overlap_seconds":60}`, 200},
		{"post", webhooks.EndpointPath + "/test", webhooks.EndpointsPath + "/" + hook + "/test", "", 200},
		{"get", webhooks.DeliveriesPath, webhooks.EndpointsPath + "/" + hook + "/deliveries", "", 200},
		{"get", webhooks.DeliveriesPath, webhooks.EndpointsPath + "/" + hook + "/deliveries?limit=x", "", 400},
		{"get", webhooks.DeliveriesPath + "/{delivery_id}", webhooks.EndpointsPath + "/" + hook + "/deliveries/" + sent, "", 200},
		{"post", webhooks.DeliveriesPath + "/{delivery_id}/replay", webhooks.EndpointsPath + "/" + hook + "/deliveries/" + sent + "/replay", "", 409},
		{"post", webhooks.EndpointPath + "/replay-failed", webhooks.EndpointsPath + "/" + hook + "/replay-failed", `{"since":"2020-01-01T00:00:00Z"}`, 200},
		{"delete", webhooks.EndpointPath, webhooks.EndpointsPath + "/" + hook, "", 200},
		{"get", dictionaries.DictionariesPath, "", "", 200},
		{"get", dictionaries.DictionariesPath, dictionaries.DictionariesPath + "?sort=", "", 200},
		{"get", dictionaries.DictionaryPath, dictionaries.DictionariesPath + "/" + made.ID, "", 200},
		{"get", dictionaries.DictionaryPath + "/versions", dictionaries.DictionariesPath + "/" + made.ID + "/versions", "", 200},
		{"get", dictionaries.DictionaryPath + "/{version_id}/download", dictionaries.DictionariesPath + "/" + made.ID + "/" + made.Version + "/download", "", 200},
		{"post", dictionaries.DictionariesPath + "/add-from-rules", "", `{"name":"x","rules":[` + rule + `]}`, 200},
		{"post", dictionaries.DictionariesPath + "/add-from-rules", "", `{"name":"x","rules":[` + phonemes + `]}`, 422},
		{"post", dictionaries.DictionariesPath + "/add-from-rules", "", `{"name":"x","rules":[{"string_to_replace":""}]}`, 422},
		{"post", dictionaries.DictionariesPath + "/add-from-rules", "", `{"name":5,"rules":[{"string_to_replace":""},` + phonemes + `]}`, 422},
		{"post", dictionaries.DictionariesPath + "/add-from-rules", "", `{"name":5,"rules":5}`, 422},
		{"post", dictionaries.DictionariesPath + "/add-from-rules", "", `{}`, 422},
		{"post", dictionaries.DictionariesPath + "/add-from-rules", "", `{"name":"x","rules":["no rule"]}`, 422},
		{"post", dictionaries.DictionariesPath + "/add-from-rules", "", `{`, 400},
		{"post", dictionaries.DictionaryPath + "/add-rules", dictionaries.DictionariesPath + "/" + made.ID + "/add-rules", `{"rules":[` + rule + `]}`, 200},
		{"post", dictionaries.DictionaryPath + "/remove-rules", dictionaries.DictionariesPath + "/" + made.ID + "/remove-rules", `{"rule_strings":[""]}`, 422},
	} {
		target := tt.target
		if target == "" {
			target = tt.path
		}
		w := do(h, request(strings.ToUpper(tt.method), target, tt.body, "xi-api-key", testKey, "Content-Type", "application/json"))
		if w.Code != tt.want {
			t.Errorf("%s %s %s = %d, want %d: %.200s", tt.method, target, tt.body, w.Code, tt.want, w.Body)
			continue
		}
		c.check(t, tt.path, tt.method, w)
	}
}

// TestStandingIsAsDescribed holds the golden answers about accounts, whose numbers are
// those of real books, against the description.
func TestStandingIsAsDescribed(t *testing.T) {
	t.Parallel()
	c := describedContract(t)
	for prefix, path := range map[string]string{
		"usage": "/v1/usage", "user": "/v1/user", "subscription": "/v1/user/subscription", "daily": "/v1/usage/daily",
	} {
		files, err := filepath.Glob("testdata/" + prefix + "_*.golden")
		if err != nil || len(files) < 3 {
			t.Fatalf("%s: %q, %v", prefix, files, err)
		}
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			w.Header().Set("Content-Type", "application/json")
			w.Body = bytes.NewBuffer(body)
			c.check(t, path, "get", w)
		}
	}
}

// TestEmptyParametersAreAsDescribed: a parameter of the query with a list of values is
// described as one that may be empty where it may.
func TestEmptyParametersAreAsDescribed(t *testing.T) {
	t.Parallel()
	c := describedContract(t)
	h := newHandler(t, Config{Speech: hum(t), Dictionaries: newDictionaries(t), Webhooks: newWebhooks(t), Catalogue: newCatalogue(t)})
	paths, _ := c.doc["paths"].(map[string]any)
	seen := 0
	for path := range paths {
		params, _ := dig(paths[path], "get", "parameters").([]any)
		for _, p := range params {
			values, ok := dig(p, "schema", "enum").([]any)
			if !ok || dig(p, "in") != "query" || strings.Contains(path, "{") {
				continue
			}
			seen++
			name, _ := dig(p, "name").(string)
			w := do(h, request("GET", path+"?"+name+"=", "", "xi-api-key", testKey))
			taken := slices.Contains(values, any(""))
			if got := w.Code == http.StatusOK; got != taken {
				t.Errorf("GET %s?%s= is %d, and described as taken: %t", path, name, w.Code, taken)
			}
		}
	}
	if seen < 6 {
		t.Errorf("%d parameters with a list of values were found", seen)
	}
}

package rest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vaak/account"
	"vaak/audio"
	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/rest/dictionaries"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
	restspeech "vaak/rest/speech"
	"vaak/speech"
	"vaak/text/respell"
)

// locatorsOf returns entries of a list that name dictionaries; a version may follow an
// id, behind a slash.
func locatorsOf(names ...string) string {
	var list []string
	for _, name := range names {
		id, version, _ := strings.Cut(name, "/")
		entry := `{"` + elevenlabs.FieldDictionary + `":"` + id + `"`
		if version != "" {
			entry += `,"version_id":"` + version + `"`
		}
		list = append(list, entry+"}")
	}
	return strings.Join(list, ",")
}

// waysToSpeak are the paths of HTTP that speak, or tell how; body adds to the least
// that each takes.
var waysToSpeak = []struct {
	path string
	body func(more string) string
}{
	{"/v1/audio/speech", func(more string) string { return `{"input":"API"` + more + `}` }},
	{"/v1/audio/speech", func(more string) string { return `{"input":"API","stream":true` + more + `}` }},
	{"/v1/audio/speech/preview-text", func(more string) string { return `{"input":"API"` + more + `}` }},
	{"/v1/text-to-speech/sv_a", func(more string) string { return `{"text":"API"` + more + `}` }},
	{"/v1/text-to-speech/sv_a/stream", func(more string) string { return `{"text":"API"` + more + `}` }},
	{"/v1/text-to-speech/sv_a/with-timestamps", func(more string) string { return `{"text":"API"` + more + `}` }},
	{"/v1/text-to-speech/sv_a/stream/with-timestamps", func(more string) string { return `{"text":"API"` + more + `}` }},
}

// heard takes down which dictionaries it is asked to use.
type heard struct {
	speaker
	got *respell.Dictionaries
}

func (s heard) Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error) {
	*s.got = req.Dictionaries
	return s.speaker.Speak(ctx, caller, req, w)
}

func (s heard) Read(ctx context.Context, req speech.Request) (speech.Reading, error) {
	*s.got = req.Dictionaries
	reading, err := s.speaker.Read(ctx, req)
	reading.Respelled = 7 * len(req.Dictionaries)
	return reading, err
}

// sized makes a dictionary with so many rules, by which a test knows it.
func sized(t *testing.T, h http.Handler, rules int) dictionaries.CreatedDictionary {
	t.Helper()
	var list []string
	for i := range rules {
		list = append(list, `{"string_to_replace":"term`+string(rune('a'+i))+`","alias":"word"}`)
	}
	return makeDictionary(t, h, "a", strings.Join(list, ","))
}

// TestDictionariesAreUsed names dictionaries in every way on every path that speaks.
func TestDictionariesAreUsed(t *testing.T) {
	t.Parallel()
	var got respell.Dictionaries
	h := newHandler(t, Config{Speech: heard{got: &got}, Dictionaries: newDictionaries(t)})
	a, b, c, d := sized(t, h, 1), sized(t, h, 2), sized(t, h, 3), sized(t, h, 5)
	answered[dictionaries.EditedDictionary](t, do(h, toDictionaries("POST", "/"+d.ID+"/add-rules", `{"rules":[`+rule+`]}`)))
	for _, tt := range []struct {
		name, query, body string
		list              []string
		want              string // how many rules each has
	}{
		{"none", "", "", nil, ""},
		{"query", a.ID, "", nil, "1"},
		{"body", "", b.ID, nil, "2"},
		{"in capitals", strings.ToUpper(c.ID), "", []string{strings.ToUpper(d.ID + "/" + d.Version)}, "35"},
		{"list", "", "", []string{c.ID, a.ID, b.ID}, "312"},
		{"all", c.ID, a.ID, []string{b.ID}, "312"},
		{"empty values", "", "", []string{}, ""},
		{"twice", a.ID, a.ID, []string{b.ID, a.ID, c.ID}, "123"},
		{"latest", "", d.ID, nil, "6"},
		{"version", "", "", []string{d.ID + "/" + d.Version}, "5"},
		{"version beside its id", "", d.ID, []string{a.ID, d.ID + "/" + d.Version}, "51"},
		{"first version", "", "", []string{d.ID + "/" + d.Version, d.ID}, "5"},
	} {
		for _, way := range waysToSpeak {
			got = nil
			more := `,"` + elevenlabs.FieldDictionary + `":"` + tt.body + `"`
			if tt.list != nil {
				more += `,"` + elevenlabs.FieldLocators + `":[` + locatorsOf(tt.list...) + `]`
			}
			w := do(h, request("POST", way.path+"?"+elevenlabs.FieldDictionary+"="+tt.query, way.body(more), "xi-api-key", testKey))
			var sizes []byte
			for _, d := range got {
				sizes = append(sizes, byte('0'+d.Len()))
			}
			if w.Code != 200 || string(sizes) != tt.want {
				t.Errorf("%s: %s = %d with dictionaries of %q rules, want %q: %.200s", tt.name, way.path, w.Code, sizes, tt.want, w.Body)
			}
			if strings.HasSuffix(way.path, "preview-text") {
				if hits := answered[restspeech.ReadingRecord](t, w).DictionaryHits; hits != 7*len(got) {
					t.Errorf("%s: %d hits, want %d", tt.name, hits, 7*len(got))
				}
			}
		}
	}
}

// TestDictionariesThatAreNotThere: a request that names one is refused before anything
// is spoken or held.
func TestDictionariesThatAreNotThere(t *testing.T) {
	t.Parallel()
	all := newDictionaries(t)
	others := newHandler(t, Config{Dictionaries: all, Accounts: accounts{caller: account.Caller{OrgID: "org_b"}}})
	spoken := speaker{func(context.Context, speech.Request, io.Writer) (speech.Result, error) {
		t.Error("something was spoken")
		return speech.Result{}, nil
	}}
	// All slots are taken: who asks for one is told so instead.
	taken := fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "all streams are taken")
	h := newHandler(t, Config{Speech: spoken, Dictionaries: all, Accounts: accounts{admit: taken}})
	mine, theirs := makeDictionary(t, h, "a", rule), makeDictionary(t, others, "b", rule)
	const locators = `,"` + elevenlabs.FieldLocators + `":`
	for _, tt := range []struct{ name, query, more, field string }{
		{"another's in the query", theirs.ID, "", elevenlabs.FieldDictionary},
		{"another's in the body", "", `,"` + elevenlabs.FieldDictionary + `":"` + theirs.ID + `"`, elevenlabs.FieldDictionary},
		{"another's in the list", "", locators + `[` + locatorsOf(mine.ID, theirs.ID) + `]`, elevenlabs.FieldLocators + ".1." + elevenlabs.FieldDictionary},
		{"malformed", "x/../y", "", elevenlabs.FieldDictionary},
		{"long", strings.Repeat("x", 5000), "", elevenlabs.FieldDictionary},
		{"empty in the list", "", locators + `[{"` + elevenlabs.FieldDictionary + `":""}]`, elevenlabs.FieldLocators + ".0." + elevenlabs.FieldDictionary},
		{"version of another", "", locators + `[` + locatorsOf(mine.ID+"/"+theirs.Version) + `]`, elevenlabs.FieldLocators + ".0.version_id"},
		{"in the query and, with a version, in the list", theirs.ID, locators + `[` + locatorsOf(theirs.ID+"/"+theirs.Version) + `]`, elevenlabs.FieldDictionary},
		{"in the body and in the list", "", `,"` + elevenlabs.FieldDictionary + `":"x"` + locators + `[` + locatorsOf(mine.ID, "x/y") + `]`, elevenlabs.FieldDictionary},
		{"twice in the list", "", locators + `[` + locatorsOf(mine.ID, "x", "x/y") + `]`, elevenlabs.FieldLocators + ".1." + elevenlabs.FieldDictionary},
		{"version of the second of two", "", locators + `[` + locatorsOf(mine.ID, mine.ID+"/x", mine.ID+"/y") + `]`, elevenlabs.FieldLocators + ".1.version_id"},
		{"version of a dictionary in capitals", "", locators + `[` + locatorsOf(strings.ToUpper(mine.ID)+"/x") + `]`, elevenlabs.FieldLocators + ".0.version_id"},
		{"version of a dictionary named before", mine.ID, locators + `[` + locatorsOf(mine.ID+"/nothing") + `]`, elevenlabs.FieldLocators + ".0.version_id"},
	} {
		for _, way := range waysToSpeak {
			r := request("POST", way.path+"?"+url.Values{elevenlabs.FieldDictionary: {tt.query}}.Encode(), way.body(tt.more), "xi-api-key", testKey)
			f := wantError(t, do(h, r), 404, dictionary.CodeNotFound, tt.field)
			if len(f.Error.Message) > 300 {
				t.Errorf("%s: message %q", tt.name, f.Error.Message)
			}
		}
	}
	for _, way := range waysToSpeak[:3] {
		r := request("POST", way.path+"?"+elevenlabs.FieldDictionary+"=a", way.body(locators+`[`+locatorsOf("b", "c", "d", "e")+`]`), "xi-api-key", testKey)
		wantError(t, do(h, r), 400, fault.CodeInvalidParameter, elevenlabs.FieldLocators)
		r = request("POST", way.path, way.body(locators+`[{"version_id":"a"}]`), "xi-api-key", testKey)
		wantError(t, do(h, r), 400, fault.CodeInvalidParameter, elevenlabs.FieldLocators+".0."+elevenlabs.FieldDictionary)
	}
	none := newHandler(t, Config{})
	for _, way := range waysToSpeak {
		wantError(t, do(none, request("POST", way.path+"?"+elevenlabs.FieldDictionary+"="+mine.ID, way.body(""), "xi-api-key", testKey)), 404, dictionary.CodeNotFound, elevenlabs.FieldDictionary)
	}
}

// TestExpansionIsRefused: a text that dictionaries make too long is told so in both
// dialects.
func TestExpansionIsRefused(t *testing.T) {
	t.Parallel()
	long := fault.New(fault.Invalid, fault.CodeTextTooLong, "input", "input has 9 characters with its words respelled")
	h := newHandler(t, Config{Speech: speaker{func(context.Context, speech.Request, io.Writer) (speech.Result, error) { return speech.Result{}, long }}, Dictionaries: newDictionaries(t)})
	for _, way := range waysToSpeak {
		if strings.HasSuffix(way.path, "preview-text") {
			continue
		}
		field := "input"
		if strings.HasPrefix(way.path, frame.ElevenLabsSpeech) {
			field = "text"
		}
		wantError(t, do(h, request("POST", way.path, way.body(""), "xi-api-key", testKey)), 400, fault.CodeTextTooLong, field)
	}
}

// TestDictionaryOfTheEngine speaks with the real service and a dictionary.
func TestDictionaryOfTheEngine(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t), Dictionaries: newDictionaries(t)})
	id := makeDictionary(t, h, "a", rule).ID
	w := do(h, speak(`{"input":"An API here","response_format":"pcm","pronunciation_dictionary_id":"`+id+`"}`))
	if w.Code != 200 || w.Header().Get("Content-Type") == "" || w.Body.Len() < 1000 || w.Header().Get("Character-Cost") != "11" {
		t.Errorf("status %d, header %v, %d bytes of %s", w.Code, w.Header(), w.Body.Len(), audio.PCM)
	}
}

package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/dictionary"
	"vaak/dictionary/dictionarytest"
	"vaak/internal/fault"
	"vaak/rest/dictionaries"
	"vaak/rest/elevenlabs"
	"vaak/text/respell"
)

// newDictionaries returns dictionaries in memory.
func newDictionaries(t testing.TB) *dictionary.Service {
	t.Helper()
	return newDictionariesAt(t, time.Now)
}

func newDictionariesAt(t testing.TB, now func() time.Time) *dictionary.Service {
	t.Helper()
	s, err := dictionary.New(dictionary.Config{Store: new(dictionarytest.Memory), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// toDictionaries returns a request to the routes of dictionaries, with a key.
func toDictionaries(method, path, body string, header ...string) *http.Request {
	return request(method, dictionaries.DictionariesPath+path, body,
		append([]string{"xi-api-key", testKey, "Content-Type", "application/json"}, header...)...)
}

// rule is a rule as clients send it.
const rule = `{"string_to_replace":"API","alias":"A P I"}`

// makeDictionary makes a dictionary of the test's organisation.
func makeDictionary(t testing.TB, h http.Handler, name, rules string) (made dictionaries.CreatedDictionary) {
	t.Helper()
	w := do(h, toDictionaries("POST", "/add-from-rules", `{"name":"`+name+`","rules":[`+rules+`]}`))
	return answered[dictionaries.CreatedDictionary](t, w)
}

// answered reads an answer of success.
func answered[T any](t testing.TB, w *httptest.ResponseRecorder) (got T) {
	t.Helper()
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("X-Request-Id") == "" {
		t.Fatalf("status %d, header %v: %.300s", w.Code, w.Header(), w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// namedIDs gives the ids of a text names by the order in which they are seen.
type namedIDs map[string]string

func (n namedIDs) in(text []byte) []byte {
	return anyID.ReplaceAllFunc(text, func(id []byte) []byte {
		if n[string(id)] == "" {
			n[string(id)] = fmt.Sprintf("id-%d", len(n)+1)
		}
		return []byte(n[string(id)])
	})
}

// TestDictionaryShapes holds every answer of a dictionary's life against a golden
// file.
func TestDictionaryShapes(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 1, 2, 3, 4, 5, 999, time.UTC)
	h := newHandler(t, Config{
		Accounts:     accounts{caller: account.Caller{OrgID: "org_a", KeyID: "key_a"}},
		Dictionaries: newDictionariesAt(t, func() time.Time { day = day.Add(time.Second); return day }),
	})
	made := makeDictionary(t, h, "Names <&>", rule+`,{"string_to_replace":"R&D","alias":"आर एंड डी","case_sensitive":true,"word_boundaries":false,"only_languages":["hi","Marathi"]},
		{"string_to_replace":"R&D","alias":"R and D","except_languages":["hi","mr"]}`)
	id, first := made.ID, made.Version
	names := namedIDs{}
	for _, tt := range []struct{ name, method, path, body string }{
		{"created", "POST", "/add-from-rules", `{"name":" Second ","description":" What we sell ","workspace_access":"viewer","surprise":[1],"rules":[
			{"type":"alias","string_to_replace":" API ","alias":"ए पी आई","case_sensitive":true,"word_boundaries":false,"only_languages":["hi","Marathi"],"except_languages":null,"surprise":1},
			{"string_to_replace":"nginx","alias":"engine x","except_languages":["ta"],"only_languages":[],"type":null,"alphabet":null,"phoneme":null}]}`},
		{"set", "POST", "/" + id + "/set-rules", `{"rules":[` + rule + `,{"string_to_replace":"SQL","alias":"sequel","case_sensitive":false}],"case_sensitive":true,"word_boundaries":false}`},
		{"added", "POST", "/" + id + "/add-rules", `{"rules":[{"string_to_replace":"nginx","alias":"engine x"}],"case_sensitive":null}`},
		{"removed", "POST", "/" + id + "/remove-rules", `{"rule_strings":["nginx"]}`},
		{"got", "GET", "/" + id, ""},
		{"got_version", "GET", "/" + id + "?version_id=" + first, ""},
		{"versions", "GET", "/" + id + "/versions", ""},
		{"list", "GET", "?page_size=1&include_archived=perhaps", ""},
		{"last_page", "GET", "?sort=name&sort_direction=ASC", ""},
	} {
		w := do(h, toDictionaries(tt.method, tt.path, tt.body))
		body := w.Body.Bytes()
		if cursor := answered[dictionaries.DictionaryList](t, w).NextCursor; cursor != nil {
			body = []byte(strings.ReplaceAll(string(body), *cursor, "a-cursor")) // it holds an id
		}
		golden(t, "dictionary_"+tt.name, names.in(body))
	}
	empty := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	golden(t, "dictionary_none", do(empty, toDictionaries("GET", "", "")).Body.Bytes())
}

// TestDictionaryPages walks the list in every order and by pages of every size: all
// are told, once, in order.
func TestDictionaryPages(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	const n = 11
	for i := range n {
		makeDictionary(t, h, fmt.Sprintf("name %02d", i*7%n), rule)
	}
	for _, sort := range []string{"", "name", "creation_time_unix"} {
		for direction, ascending := range map[string]bool{"": false, "desc": false, "DESC": false, "descending": false, "asc": true, "Asc": true, "ascending": true} {
			for size := 1; size <= n+1; size++ {
				query := fmt.Sprintf("sort=%s&sort_direction=%s&page_size=%d", sort, direction, size)
				all := walk(t, h, query, size)
				if len(all) != n {
					t.Fatalf("%s: %d dictionaries, want %d", query, len(all), n)
				}
				sorted := slices.IsSortedFunc(all, func(a, b dictionaries.DictionaryRecord) int {
					c := cmp.Compare(a.CreatedAt, b.CreatedAt)
					if sort == "name" {
						c = cmp.Compare(a.Name, b.Name)
					}
					if !ascending {
						c = -c
					}
					return c
				})
				if !sorted {
					t.Errorf("%s: not in order: %v", query, all)
				}
			}
		}
	}
	if got := answered[dictionaries.DictionaryList](t, do(h, toDictionaries("GET", "?page_size=&sort=&cursor=", ""))); len(got.Dictionaries) != n {
		t.Errorf("empty values give %d dictionaries, want %d", len(got.Dictionaries), n)
	}
}

// walk returns all pages of a list, each full but the last, and none told twice.
func walk(t *testing.T, h http.Handler, query string, size int) (all []dictionaries.DictionaryRecord) {
	t.Helper()
	seen := map[string]bool{}
	for cursor := ""; ; {
		page := answered[dictionaries.DictionaryList](t, do(h, toDictionaries("GET", "?"+query+"&cursor="+cursor, "")))
		if page.HasMore != (page.NextCursor != nil) || page.HasMore && len(page.Dictionaries) != size {
			t.Fatalf("%s: page %+v", query, page)
		}
		for _, d := range page.Dictionaries {
			if seen[d.ID] {
				t.Fatalf("%s: %s is told twice", query, d.ID)
			}
			seen[d.ID] = true
		}
		all = append(all, page.Dictionaries...)
		if !page.HasMore {
			return all
		}
		cursor = *page.NextCursor
	}
}

// TestDictionaryQuery sends what the list does not take.
func TestDictionaryQuery(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	makeDictionary(t, h, "a", rule)
	makeDictionary(t, h, "b", rule)
	cursor := *answered[dictionaries.DictionaryList](t, do(h, toDictionaries("GET", "?page_size=1", ""))).NextCursor
	for query, param := range map[string]string{
		"page_size=0": "page_size", "page_size=101": "page_size", "page_size=-1": "page_size", "page_size=ten": "page_size", "page_size=1e1": "page_size",
		"page_size=99999999999999999999": "page_size", "sort=id": "sort", "sort=NAME": "sort", "sort_direction=up": "sort_direction",
		"cursor=x": "cursor", "cursor=%00": "cursor", "cursor=" + cursor + "&sort=name": "cursor", "cursor=" + cursor + "&sort_direction=asc": "cursor",
		"cursor=" + strings.Repeat("A", 1<<15): "cursor",
	} {
		wantInvalid(t, do(h, toDictionaries("GET", "?"+query, "")), "query", param)
	}
}

// TestDictionaryNotFound asks for dictionaries and versions that are not there, or are
// another organisation's.
func TestDictionaryNotFound(t *testing.T) {
	t.Parallel()
	all := newDictionaries(t)
	h := newHandler(t, Config{Dictionaries: all})
	others := newHandler(t, Config{Dictionaries: all, Accounts: accounts{caller: account.Caller{OrgID: "org_b", KeyID: "key_b"}}})
	made, foreign := makeDictionary(t, h, "a", rule), makeDictionary(t, others, "theirs", rule)
	for _, id := range []string{
		foreign.ID, made.Version, "x", "00000000-0000-4000-8000-000000000000", "%00", "a%2Fb", strings.Repeat("9", 3000),
	} {
		for _, r := range []*http.Request{
			toDictionaries("GET", "/"+id, ""), toDictionaries("HEAD", "/"+id, ""), toDictionaries("GET", "/"+id+"/versions", ""),
			toDictionaries("GET", "/"+id+"/"+made.Version+"/download", ""), toDictionaries("POST", "/"+id+"/set-rules", `{"rules":[`+rule+`]}`),
			toDictionaries("POST", "/"+id+"/add-rules", `{"rules":[`+rule+`]}`), toDictionaries("POST", "/"+id+"/remove-rules", `{"rule_strings":["API"]}`),
		} {
			f := wantError(t, do(h, r), 404, dictionary.CodeNotFound, elevenlabs.FieldDictionary)
			if strings.Contains(f.Error.Message, "theirs") || len(f.Error.Message) > 300 {
				t.Errorf("message %q", f.Error.Message)
			}
		}
	}
	for _, version := range []string{foreign.Version, made.ID, "x", "00000000-0000-4000-8000-000000000000", strings.Repeat("9", 3000)} {
		wantError(t, do(h, toDictionaries("GET", "/"+made.ID+"/"+version+"/download", "")), 404, dictionary.CodeNotFound, "version_id")
		wantError(t, do(h, toDictionaries("GET", "/"+made.ID+"?version_id="+version, "")), 404, dictionary.CodeNotFound, "version_id")
	}
	if got := answered[dictionaries.DictionaryWithRules](t, do(others, toDictionaries("GET", "/"+foreign.ID, ""))); len(got.Rules) != 1 {
		t.Errorf("the other organisation has %+v", got)
	}
	if got := answered[dictionaries.DictionaryList](t, do(h, toDictionaries("GET", "", ""))); len(got.Dictionaries) != 1 || got.Dictionaries[0].ID != made.ID {
		t.Errorf("list %+v, want one's own alone", got)
	}
}

// TestDictionaryMethods: what is not served says what is.
func TestDictionaryMethods(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	id := makeDictionary(t, h, "a", rule).ID
	for _, tt := range []struct{ method, path, allow, says string }{
		{"DELETE", "/" + id, "GET, HEAD", "deleted in the console, or by the operator with `vaak dictionary delete`"},
		{"PATCH", "/" + id, "GET, HEAD", "set-rules"},
		{"PUT", "/" + id, "GET, HEAD", "allowed: GET, HEAD"},
		{"POST", "/add-from-file", "OPTIONS", "make one with POST /v1/pronunciation-dictionaries/add-from-rules"},
		{"GET", "/add-from-file", "OPTIONS", "make one with POST /v1/pronunciation-dictionaries/add-from-rules"},
		{"PUT", "/add-from-file", "OPTIONS", "allowed: OPTIONS"},
		{"GET", "/add-from-rules", "POST", "allowed: POST"},
		{"HEAD", "/add-from-rules", "POST", ""},
		{"POST", "", "GET, HEAD", "make one with POST /v1/pronunciation-dictionaries/add-from-rules"},
		{"GET", "/" + id + "/set-rules", "POST", "allowed: POST"},
		{"DELETE", "/" + id + "/versions", "GET, HEAD", ""},
	} {
		w := do(h, toDictionaries(tt.method, tt.path, ""))
		f := wantError(t, w, 405, "method_not_allowed", "")
		if w.Header().Get("Allow") != tt.allow || !strings.Contains(strings.ToLower(f.Error.Message), strings.ToLower(tt.says)) {
			t.Errorf("%s %s: Allow %q, message %q", tt.method, tt.path, w.Header().Get("Allow"), f.Error.Message)
		}
	}
	wantError(t, do(h, toDictionaries("GET", "/a/b/c/d", "")), 404, "not_found", "")
	if w := do(h, toDictionaries("OPTIONS", "/"+id, "")); w.Code != 204 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("OPTIONS: %d %v", w.Code, w.Header())
	}
	if got := answered[dictionaries.DictionaryWithRules](t, do(h, toDictionaries("GET", "/"+strings.ToUpper(id), ""))); got.ID != id {
		t.Errorf("in capitals: %+v", got)
	}
	if got := answered[dictionaries.EditedDictionary](t, do(h, toDictionaries("POST", "/"+strings.ToUpper(id)+"/set-rules", `{"rules":[`+rule+`]}`))); got.ID != id {
		t.Errorf("in capitals: %+v", got)
	}
	if w := do(h, toDictionaries("OPTIONS", "/add-from-file", "")); w.Code != 204 || w.Header().Get("Allow") != "OPTIONS" || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("OPTIONS: %d %v", w.Code, w.Header())
	}
	if w := do(h, toDictionaries("HEAD", "/"+id, "")); w.Code != 200 || w.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: %d %v", w.Code, w.Header())
	}
	// Where the version stands twice.
	if got := answered[dictionaries.DictionaryWithRules](t, do(h, request("GET", "/v1"+dictionaries.DictionariesPath+"/"+id, "", "xi-api-key", testKey))); got.ID != id {
		t.Errorf("/v1/v1 gives %+v", got)
	}
	for _, path := range []string{"", "/" + id, "/" + id + "/versions"} {
		wantError(t, do(h, request("GET", dictionaries.DictionariesPath+path, "")), 401, "missing_api_key", "")
	}
	wantError(t, do(h, request("POST", dictionaries.DictionariesPath+"/add-from-rules", `{"name":"a","rules":[`+rule+`]}`)), 401, "missing_api_key", "")
	if w := do(h, toDictionaries("GET", "", "")); w.Header().Get("Request-Id") == "" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", w.Header())
	}
	none := newHandler(t, Config{})
	wantError(t, do(none, toDictionaries("GET", "", "")), 404, "not_found", "")
	wantError(t, do(none, toDictionaries("POST", "/add-from-file", "")), 404, "not_found", "")
}

// TestDictionariesAreCounted checks that these requests are of the key's minute.
func TestDictionariesAreCounted(t *testing.T) {
	t.Parallel()
	spent := fault.New(fault.RateLimited, fault.CodeRateLimited, "", "the minute is spent")
	h := newHandler(t, Config{Dictionaries: newDictionaries(t), Accounts: accounts{enter: spent}})
	for _, r := range []*http.Request{
		toDictionaries("GET", "", ""), toDictionaries("GET", "/x", ""), toDictionaries("POST", "/add-from-rules", `{"name":"a","rules":[`+rule+`]}`),
		toDictionaries("POST", "/x/set-rules", `{"rules":[]}`), toDictionaries("GET", "/x/y/download", ""), toDictionaries("GET", "/x/versions", ""),
	} {
		wantError(t, do(h, r), 429, fault.CodeRateLimited, "")
	}
}

// TestDictionaryLimit makes as many dictionaries as there may be, and one more.
func TestDictionaryLimit(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	for range dictionary.MaxPerOrganisation {
		makeDictionary(t, h, "a", rule)
	}
	f := wantError(t, do(h, toDictionaries("POST", "/add-from-rules", `{"name":"a","rules":[`+rule+`]}`)), 422, dictionary.CodeTooMany, "")
	if !strings.Contains(f.Error.Message, "100") {
		t.Errorf("message %q", f.Error.Message)
	}
}

// contended is a store in which another edit always comes first.
type contended struct{ dictionarytest.Memory }

func (*contended) Put(context.Context, string, string, dictionary.Version, []respell.Rule) (bool, error) {
	return false, nil
}

// broken is a store that is down.
type broken struct{ dictionarytest.Memory }

func (*broken) Get(context.Context, string) (dictionary.Dictionary, bool, error) {
	return dictionary.Dictionary{}, false, fault.Down(fault.CodeStoreUnavailable, time.Second, io.ErrUnexpectedEOF, "the store is down")
}

func TestDictionaryStoreRefuses(t *testing.T) {
	t.Parallel()
	serve := func(store dictionary.Store) http.Handler {
		s, err := dictionary.New(dictionary.Config{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return newHandler(t, Config{Dictionaries: s})
	}
	h := serve(new(contended))
	id := makeDictionary(t, h, "a", rule).ID
	wantError(t, do(h, toDictionaries("POST", "/"+id+"/add-rules", `{"rules":[`+rule+`]}`)), 409, dictionary.CodeConflict, "")
	h = serve(new(broken))
	id = "2f0c51a6-6f0e-4d5e-9b1c-7a3f2f9d8e10"
	for _, r := range []*http.Request{
		toDictionaries("GET", "/"+id, ""), toDictionaries("POST", "/"+id+"/set-rules", `{"rules":[`+rule+`]}`),
		speak(`{"input":"a","pronunciation_dictionary_id":"` + id + `"}`), tts("", `{"text":"a","pronunciation_dictionary_id":"`+id+`"}`),
	} {
		wantError(t, do(h, r), 503, fault.CodeStoreUnavailable, "")
	}
}

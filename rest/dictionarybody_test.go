package rest

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"vaak/rest/dictionaries"
	"vaak/text/respell"
)

// refused is the body of rules that are refused, as a client reads it.
type refused struct {
	Detail json.RawMessage
	Error  struct{ Message, Type, Code, Param string }
	Errors []struct {
		RuleIndex   int `json:"rule_index"`
		Field, Code string
		Message     string
		Suggestion  *string
	}
}

// wantRefused checks a refusal of rules: its faults are written as index, field and
// code.
func wantRefused(t *testing.T, w *httptest.ResponseRecorder, faults ...string) refused {
	t.Helper()
	var got refused
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 422 {
		t.Fatalf("status %d, %v: %.500s", w.Code, err, w.Body)
	}
	var list []string
	for _, f := range got.Errors {
		list = append(list, fmt.Sprint(f.RuleIndex, " ", f.Field, " ", f.Code))
		if f.Message == "" || len(f.Message) > 600 {
			t.Errorf("message %q", f.Message)
		}
	}
	if strings.Join(list, "; ") != strings.Join(faults, "; ") {
		t.Errorf("faults %q, want %q: %.500s", list, faults, w.Body)
	}
	return got
}

// TestWrongRules: every rule that is wrong is named, and nothing is kept.
func TestWrongRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rules string
		faults      []string
	}{
		{"types", `7, "API", null, [], true, {"string_to_replace":1,"alias":[]}, ` + rule + `,
			{"string_to_replace":"a","alias":"b","case_sensitive":"no","word_boundaries":0,"only_languages":"hi","except_languages":["hi",null]}`,
			[]string{
				"0  invalid_type", "1  invalid_type", "2  invalid_type", "3  invalid_type", "4  invalid_type",
				"5 string_to_replace invalid_type", "5 alias invalid_type",
				"7 case_sensitive invalid_type", "7 word_boundaries invalid_type", "7 only_languages invalid_type", "7 except_languages invalid_type",
			}},
		{"other types of rules", `{"type":"Alias","string_to_replace":"a","alias":"b"},{"type":7,"string_to_replace":"c","alias":"d"},{"type":"","string_to_replace":"e","alias":"f"}`,
			[]string{"0 type invalid", "1 type invalid_type", "2 type invalid"}},
		{"nothing in them", `{},{"string_to_replace":null,"alias":null},{"string_to_replace":"a"},{"string_to_replace":" ","alias":"x"}`,
			[]string{"0 string_to_replace empty", "0 alias empty", "1 string_to_replace empty", "1 alias empty", "2 alias empty", "3 string_to_replace empty"}},
		{"languages", `{"string_to_replace":"a","alias":"b","only_languages":["hi","klingonese"]},{"string_to_replace":"b","alias":"b","except_languages":["xx-none"]}`,
			[]string{"0 only_languages unknown_language", "1 except_languages unknown_language"}},
		{"too long", `{"string_to_replace":"` + strings.Repeat("é", 129) + `","alias":"` + strings.Repeat("é", 257) + `"}`,
			[]string{"0 string_to_replace too_long", "0 alias too_long"}},
		{"twice", rule + `,` + rule, []string{"1 string_to_replace conflict"}},
		{"of every sort", rule + `,1,null,{},{"string_to_replace":"a","alias":2},{"string_to_replace":"b","alias":"ˈnɛ"},
			{"type":"phoneme","string_to_replace":"tomato","phoneme":"T AH0 M EY1 T OW2","alphabet":"cmu-arpabet"},
			{"string_to_replace":"c","alias":"d","only_languages":["zz-none"]},{"string_to_replace":" API ","alias":"a p i"},
			{"string_to_replace":"` + strings.Repeat("é", 128) + ` ","alias":"e"},{"type":"Alias","string_to_replace":"f","alias":"g"}`,
			[]string{
				"1  invalid_type", "2  invalid_type", "3 string_to_replace empty", "3 alias empty", "4 alias invalid_type", "5 alias phonemes_not_supported",
				"6 type phonemes_not_supported", "7 only_languages unknown_language", "8 string_to_replace conflict", "10 type invalid",
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
			id := makeDictionary(t, h, "a", rule).ID
			for path, body := range map[string]string{
				"/add-from-rules": `{"name":"b","rules":[` + tt.rules + `]}`, "/" + id + "/set-rules": `{"rules":[` + tt.rules + `]}`,
				"/" + id + "/add-rules": `{"rules":[` + tt.rules + `]}`,
			} {
				wantListed(t, wantRefused(t, do(h, toDictionaries("POST", path, body)), tt.faults...))
			}
			if got := answered[dictionaries.DictionaryList](t, do(h, toDictionaries("GET", "", ""))); len(got.Dictionaries) != 1 || got.Dictionaries[0].LatestRules != 1 {
				t.Errorf("something was kept: %+v", got)
			}
		})
	}
}

// TestNotationBeforeWrongTypes: the first rule decides what the detail is, whoever
// found what is wrong with it, and a conflict names the other rule by its own place.
func TestNotationBeforeWrongTypes(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	got := wantRefused(t, do(h, toDictionaries("POST", "/add-from-rules", `{"name":"b","rules":[{"string_to_replace":"knee","alias":"ˈnɛ"},7,`+rule+`,`+rule+`]}`)),
		"0 alias phonemes_not_supported", "1  invalid_type", "3 string_to_replace conflict")
	var detail struct{ Status, Term string }
	if err := json.Unmarshal(got.Detail, &detail); err != nil || detail.Status != "phonemes_not_supported" || detail.Term != "knee" {
		t.Errorf("detail %s: %v", got.Detail, err)
	}
	if got.Error.Code != detail.Status || got.Error.Param != "rules.0.alias" || !strings.Contains(got.Error.Message, "(and 2 more)") {
		t.Errorf("error %+v", got.Error)
	}
	if last := got.Errors[len(got.Errors)-1]; !strings.Contains(last.Message, "rule 2 ") {
		t.Errorf("conflict %q, want with rule 2", last.Message)
	}
}

// TestManyFaults: what is wrong with the rules and with what stands beside them is told
// at once, wherever it is found.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	id := makeDictionary(t, h, "a", rule).ID
	const add = "/add-from-rules"
	wrong := `{"string_to_replace":"b","alias":"/bˈɛ/"},{"string_to_replace":"c"}`
	faults := []string{"0 alias phonemes_not_supported", "1 alias empty"}
	inRules := []string{"[body rules 0 alias]", "[body rules 1 alias]"}
	for _, tt := range []struct {
		name, path, body string
		faults, details  []string
	}{
		{"number as name", add, `{"name":1,"rules":[` + wrong + `]}`, faults, append([]string{"[body name]"}, inRules...)},
		{"no name", add, `{"rules":[` + wrong + `]}`, faults, append([]string{"[body name]"}, inRules...)},
		{"blank name", add, `{"name":" ","rules":[` + wrong + `]}`, faults, append([]string{"[body name]"}, inRules...)},
		{"long description", add, `{"name":"a","description":"` + strings.Repeat("é", 1001) + `","rules":[` + wrong + `]}`, faults, append([]string{"[body description]"}, inRules...)},
		{"wrong types", add, `{"name":[],"rules":[7],"description":{}}`, []string{"0  invalid_type"}, []string{"[body name]", "[body description]", "[body rules 0]"}},
		{"defaults", "/" + id + "/set-rules", `{"rules":[` + wrong + `],"case_sensitive":1,"word_boundaries":"x"}`, faults, append([]string{"[body case_sensitive]", "[body word_boundaries]"}, inRules...)},
		{"default", "/" + id + "/add-rules", `{"rules":[` + wrong + `],"case_sensitive":1}`, faults, append([]string{"[body case_sensitive]"}, inRules...)},
		{"nothing", add, `{}`, nil, []string{"[body name]", "[body rules]"}},
		{"no list", add, `{"rules":{},"name":true}`, nil, []string{"[body name]", "[body rules]"}},
		{"empty list", add, `{"rules":[],"name":true}`, nil, []string{"[body name]", "[body rules]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := wantRefused(t, do(h, toDictionaries("POST", tt.path, tt.body)), tt.faults...)
			var detail []struct {
				Loc       []any
				Msg, Type string
			}
			if err := json.Unmarshal(got.Detail, &detail); err != nil {
				t.Fatalf("detail %s: %v", got.Detail, err)
			}
			var locs []string
			for _, d := range detail {
				locs = append(locs, fmt.Sprint(d.Loc))
				if d.Msg == "" || d.Type != "value_error" {
					t.Errorf("detail %+v", d)
				}
			}
			if strings.Join(locs, " ") != strings.Join(tt.details, " ") {
				t.Errorf("detail of %q, want %q", locs, tt.details)
			}
			e := got.Error
			if e.Code != "invalid_parameter" || tt.details[0] != "[body "+e.Param+"]" || e.Message != fmt.Sprintf("%s (and %d more)", detail[0].Msg, len(detail)-1) {
				t.Errorf("error %+v", e)
			}
		})
	}
}

// TestRefusalIsBounded sends as many faults as a body can have.
func TestRefusalIsBounded(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	one := `{"type":1,"string_to_replace":2,"alias":3,"case_sensitive":4,"word_boundaries":5,"only_languages":6,"except_languages":7,"phoneme":8,"alphabet":9}`
	rules := strings.TrimSuffix(strings.Repeat(one+",", respell.MaxRules), ",")
	for name, more := range map[string]string{`"a"`: "(and 8999 more)", `7`: "(and 9000 more)"} {
		body := `{"name":` + name + `,"rules":[` + rules + `]}`
		w := do(h, toDictionaries("POST", "/add-from-rules", body))
		var got refused
		var detail []json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 422 {
			t.Fatalf("status %d, %v: %.500s", w.Code, err, w.Body)
		}
		if err := json.Unmarshal(got.Detail, &detail); err != nil || len(detail) != 100 || len(got.Errors) != 1000 {
			t.Errorf("%d details and %d errors, want 100 and 1,000: %v", len(detail), len(got.Errors), err)
		}
		if w.Body.Len() > 2*len(body) || !strings.Contains(got.Error.Message, more) {
			t.Errorf("%d bytes for %d, message %q", w.Body.Len(), len(body), got.Error.Message)
		}
	}
}

// wantListed checks that the detail of a refusal is a list with an entry for each
// fault.
func wantListed(t *testing.T, got refused) {
	t.Helper()
	var detail []struct {
		Loc       []any
		Msg, Type string
	}
	if err := json.Unmarshal(got.Detail, &detail); err != nil || len(detail) != len(got.Errors) {
		t.Fatalf("detail %s: %v", got.Detail, err)
	}
	for i, d := range detail {
		f := got.Errors[i]
		want := fmt.Sprint([]any{"body", "rules", f.RuleIndex, f.Field})
		if f.Field == "" {
			want = fmt.Sprint([]any{"body", "rules", f.RuleIndex})
		}
		if fmt.Sprint(d.Loc) != want || !strings.HasPrefix(d.Msg, f.Message) || d.Type != "value_error" {
			t.Errorf("detail %v, want of %s: %+v", d, want, f)
		}
	}
	first := strings.TrimSuffix(fmt.Sprintf("rules.%d.%s", got.Errors[0].RuleIndex, got.Errors[0].Field), ".")
	if got.Error.Code != "invalid_parameter" || got.Error.Type != "invalid_request_error" || got.Error.Param != first || !strings.HasPrefix(got.Error.Message, first+": ") {
		t.Errorf("error %+v, want about %s", got.Error, first)
	}
}

// TestPhonemesAreRefused sends what clients of the dialect may have in their rules.
func TestPhonemesAreRefused(t *testing.T) {
	t.Parallel()
	const code = " phonemes_not_supported"
	for _, tt := range []struct {
		name, rules string
		faults      []string
	}{
		{"rule of that type", rule + `,{"type":"phoneme","string_to_replace":"tomato","phoneme":"təˈmeɪtoʊ","alphabet":"ipa"}`, []string{"1 type" + code}},
		{"type alone", `{"type":"phoneme","string_to_replace":"tomato","alias":"to mah to"}`, []string{"0 type" + code}},
		{"phoneme alone", `{"string_to_replace":"tomato","phoneme":"T AH0 M EY1 T OW2"}`, []string{"0 type" + code}},
		{"alphabet alone", `{"type":"alias","string_to_replace":"tomato","alias":"to mah to","alphabet":""}`, []string{"0 type" + code}},
		{"notation", rule + `,{"string_to_replace":"tomato","alias":"/təˈmeɪtoʊ/"}`, []string{"1 alias" + code}},
		{"and more", `{"type":"phoneme","string_to_replace":"a","alphabet":"x"},{"string_to_replace":"b"}`, []string{"0 type" + code, "1 alias empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
			got := wantRefused(t, do(h, toDictionaries("POST", "/add-from-rules", `{"name":"b","rules":[`+tt.rules+`]}`)), tt.faults...)
			var detail struct {
				Status, Message, Term string
				RuleIndex             *int `json:"rule_index"`
				Suggestion            *string
			}
			if err := json.Unmarshal(got.Detail, &detail); err != nil {
				t.Fatalf("detail %s: %v", got.Detail, err)
			}
			f := got.Errors[0]
			if detail.Status != "phonemes_not_supported" || detail.RuleIndex == nil || *detail.RuleIndex != f.RuleIndex || detail.Message != got.Error.Message ||
				detail.Term == "" || detail.Suggestion == nil || f.Suggestion == nil || *f.Suggestion != *detail.Suggestion {
				t.Errorf("detail %s of %+v", got.Detail, got)
			}
			if got.Error.Code != detail.Status || got.Error.Param != fmt.Sprintf("rules.%d.%s", f.RuleIndex, f.Field) {
				t.Errorf("error %+v", got.Error)
			}
			if left := answered[dictionaries.DictionaryList](t, do(h, toDictionaries("GET", "", ""))); len(left.Dictionaries) != 0 {
				t.Errorf("something was kept: %+v", left)
			}
		})
	}
	// Where another fault comes first, the detail is a list.
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	wantListed(t, wantRefused(t, do(h, toDictionaries("POST", "/add-from-rules", `{"name":"b","rules":[{"string_to_replace":"b"},{"type":"phoneme","string_to_replace":"a"}]}`)),
		"0 alias empty", "1 type"+code))
}

// TestDictionaryBodies sends what is wrong beside the rules.
func TestDictionaryBodies(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	id := makeDictionary(t, h, "a", rule).ID
	const add = "/add-from-rules"
	set, remove := "/"+id+"/set-rules", "/"+id+"/remove-rules"
	with := func(more string) string { return `{"name":"a","rules":[` + rule + `]` + more + `}` }
	many := strings.TrimSuffix(strings.Repeat(`{},`, respell.MaxRules+1), ",")
	for _, tt := range []struct {
		name, path, body string
		loc              []any
	}{
		{"no object", add, `[]`, []any{"body"}},
		{"null", set, `null`, []any{"body"}},
		{"string", remove, `"a"`, []any{"body"}},
		{"no name", add, `{"rules":[` + rule + `]}`, []any{"body", "name"}},
		{"null name", add, `{"name":null,"rules":[` + rule + `]}`, []any{"body", "name"}},
		{"blank name", add, `{"name":" \t ","rules":[` + rule + `]}`, []any{"body", "name"}},
		{"long name", add, `{"name":"` + strings.Repeat("é", 201) + `","rules":[` + rule + `]}`, []any{"body", "name"}},
		{"two lines", add, `{"name":"a\nb","rules":[` + rule + `]}`, []any{"body", "name"}},
		{"number as name", add, `{"name":1,"rules":[` + rule + `]}`, []any{"body", "name"}},
		{"long description", add, with(`,"description":"` + strings.Repeat("é", 1001) + `"`), []any{"body", "description"}},
		{"description is a list", add, with(`,"description":[]`), []any{"body", "description"}},
		{"no rules", add, `{"name":"a"}`, []any{"body", "rules"}},
		{"null rules", add, `{"name":"a","rules":null}`, []any{"body", "rules"}},
		{"empty rules", add, `{"name":"a","rules":[]}`, []any{"body", "rules"}},
		{"rules are an object", add, `{"name":"a","rules":{}}`, []any{"body", "rules"}},
		{"rules are a string", set, `{"rules":"a"}`, []any{"body", "rules"}},
		{"too many rules", set, `{"rules":[` + many + `]}`, []any{"body", "rules"}},
		{"no rules to set", set, `{}`, []any{"body", "rules"}},
		{"default is a string", set, `{"rules":[` + rule + `],"case_sensitive":"yes"}`, []any{"body", "case_sensitive"}},
		{"other default is a number", "/" + id + "/add-rules", `{"rules":[` + rule + `],"word_boundaries":1}`, []any{"body", "word_boundaries"}},
		{"no terms", remove, `{}`, []any{"body", "rule_strings"}},
		{"empty terms", remove, `{"rule_strings":[]}`, []any{"body", "rule_strings"}},
		{"terms are a string", remove, `{"rule_strings":"API"}`, []any{"body", "rule_strings"}},
		{"term is a number", remove, `{"rule_strings":["API",5]}`, []any{"body", "rule_strings", 1.0}},
		{"term without a rule", remove, `{"rule_strings":["API","SQL"]}`, []any{"body", "rule_strings", 1.0}},
		{"too many terms", remove, `{"rule_strings":["` + strings.Repeat(`a","`, respell.MaxRules) + `a"]}`, []any{"body", "rule_strings"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantInvalid(t, do(h, toDictionaries("POST", tt.path, tt.body)), tt.loc...)
		})
	}
	for _, tt := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"empty", ``, 400, "invalid_body"},
		{"not json", `{"name":`, 400, "invalid_body"},
		{"duplicate key", `{"name":"a","name":"b"}`, 400, "invalid_body"},
		{"duplicate key of a rule", `{"name":"a","rules":[{"alias":"a","alias":"b"}]}`, 400, "invalid_body"},
		{"NUL", `{"name":"a","rules":[{"string_to_replace":"a\u0000"}]}`, 400, "invalid_body"},
		{"lone surrogate", `{"name":"a","rules":[{"string_to_replace":"\ud800"}]}`, 400, "invalid_body"},
		{"deep", `{"name":"a","rules":[{"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}]}`, 400, "invalid_body"},
		{"too large", `{"name":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "body_too_large"},
	} {
		for _, path := range []string{add, set, remove} {
			if w := do(h, toDictionaries("POST", path, tt.body)); w.Code != tt.status {
				t.Errorf("%s: POST %s = %d: %.300s", tt.name, path, w.Code, w.Body)
			} else {
				wantError(t, w, tt.status, tt.code, "")
			}
		}
	}
	wantError(t, do(h, toDictionaries("POST", add, with(""), "Content-Type", "text/plain")), 415, "unsupported_media_type", "")
	if got := answered[dictionaries.DictionaryWithRules](t, do(h, toDictionaries("GET", "/"+id, ""))); len(got.Rules) != 1 {
		t.Errorf("rules %+v, want those of before", got.Rules)
	}
}

// FuzzRules posts any bytes as a body, and as the rules of one: whatever they are, the
// server is not at fault, and what it keeps it gives back.
func FuzzRules(f *testing.F) {
	for _, seed := range []string{
		rule, `{"string_to_replace":"é","alias":"e","case_sensitive":true,"word_boundaries":false,"only_languages":["hi","ta-IN"],"except_languages":[]}`,
		`1,"a",null,[]`, `{"type":"phoneme","string_to_replace":"a","phoneme":"/a/","alphabet":"ipa"}`, `{"alias":5,"only_languages":[{}]}`, `{"type":"x"}`,
		`{"string_to_replace":"\u200d","alias":"\ufeff"}`, `{"string_to_replace":"-->","alias":"<b>&"}`, `{"string_to_replace":"a","alias":"b","only_languages":["--"]}`, ``, `]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	all := newDictionaries(f)
	h := newHandler(f, Config{Dictionaries: all})
	f.Fuzz(func(t *testing.T, sent []byte) {
		for _, body := range []string{string(sent), `{"name":"a","rules":[` + string(sent) + `]}`} {
			w := do(h, toDictionaries("POST", "/add-from-rules", body))
			if w.Code != 200 {
				var e refused
				if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code < 400 || w.Code > 499 || e.Error.Code == "" || len(e.Detail) == 0 {
					t.Errorf("%q is answered with %d %s", body, w.Code, w.Body)
				}
				continue
			}
			var made dictionaries.CreatedDictionary
			if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil {
				t.Fatal(err)
			}
			got := answered[dictionaries.DictionaryWithRules](t, do(h, toDictionaries("GET", "/"+made.ID, "")))
			again, err := json.Marshal(map[string]any{"rules": got.Rules})
			if err != nil || len(got.Rules) != made.Rules {
				t.Fatalf("%d rules, want %d: %v", len(got.Rules), made.Rules, err)
			}
			answered[dictionaries.EditedDictionary](t, do(h, toDictionaries("POST", "/"+made.ID+"/set-rules", string(again))))
			readLexicon(t, h, made.ID, made.Version)
			if err := all.Delete(t.Context(), "*", made.ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/dictionary"
	"vaak/mcp"
	"vaak/text/respell"
)

const createDictionary = "create_pronunciation_dictionary"

// TestCreateDictionary keeps what was sent, for the caller's organisation and by its
// key.
func TestCreateDictionary(t *testing.T) {
	t.Parallel()
	words := newDictionaries(t)
	url := serve(t, newServer(t, mcp.Config{Dictionaries: words})).URL
	r := callHTTP(t, url, createDictionary, map[string]any{
		"name": " Terms ", "description": "Of the product.",
		"rules": []any{
			map[string]any{"string_to_replace": "API", "alias": " A P I "},
			map[string]any{"string_to_replace": "nginx", "alias": "engine x", "case_sensitive": true, "word_boundaries": false, "only_languages": []string{"hi", "Tamil"}, "except_languages": "en"},
			map[string]any{"string_to_replace": "SQL", "alias": "एस क्यू एल", "case_sensitive": nil, "word_boundaries": true, "only_languages": nil},
			map[string]any{"type": "alias", "string_to_replace": "k8s", "alias": "kubernetes", "phoneme": nil, "alphabet": nil},
		},
	})
	var made struct {
		ID        string
		VersionID string `json:"version_id"`
		Rules     int
	}
	if err := json.Unmarshal(r.StructuredContent, &made); err != nil || r.IsError {
		t.Fatalf("%s: %v", r.text(), err)
	}
	d, rules, err := words.Get(t.Context(), "org_alpha", made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "Terms" || d.Description != "Of the product." || d.CreatedBy != "key_alpha" || d.Latest.ID != made.VersionID || made.Rules != 4 {
		t.Errorf("kept %+v of %+v", d, made)
	}
	want := []respell.Rule{
		{Term: "API", Respelling: "A P I"},
		{Term: "nginx", Respelling: "engine x", CaseSensitive: true, InWords: true, Only: []string{"hi", "ta"}, Except: []string{"en"}},
		{Term: "SQL", Respelling: "एस क्यू एल"},
		{Term: "k8s", Respelling: "kubernetes"},
	}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Errorf("rules differ (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(r.text(), "Made "+made.ID+" with 4 rules, version "+made.VersionID+". Give the id as pronunciation_dictionary_id") {
		t.Errorf("text = %s", r.text())
	}
}

// TestCreateDictionaryRefuses says what is wrong with the arguments, and keeps
// nothing.
func TestCreateDictionaryRefuses(t *testing.T) {
	t.Parallel()
	words := newDictionaries(t)
	url := serve(t, newServer(t, mcp.Config{Dictionaries: words})).URL
	good := map[string]any{"string_to_replace": "API", "alias": "A P I"}
	for _, tt := range []struct {
		name string
		args map[string]any
		want []string
	}{
		{"nothing", nil, []string{"invalid_parameter (name): name is required."}},
		{"no rules", map[string]any{"name": "x"}, []string{"invalid_parameter (rules): rules is required."}},
		{"an empty list", map[string]any{"name": "x", "rules": []any{}}, []string{"rules has 0 members; 1 to 1000 are allowed"}},
		{"too many", map[string]any{"name": "x", "rules": make([]any, 1001)}, []string{"rules has 1001 members; 1 to 1000 are allowed"}},
		{"a blank name", map[string]any{"name": " ", "rules": []any{good}}, []string{"invalid_parameter (name): name is empty"}},
		{"an escape in the name", map[string]any{"name": "a\x1b[2J", "rules": []any{good}}, []string{"invalid_parameter (name): name has the character U+001B"}},
		{"a text", map[string]any{"name": "x", "rules": "API=A P I"}, []string{"rules must be an array of 1 to 1000 objects"}},
		{"a text among the rules", map[string]any{"name": "x", "rules": []any{good, "API=A P I"}}, []string{"invalid_parameter (rules[1]): rules[1] must be an object", "The other rules were not looked at."}},
	} {
		r := callHTTP(t, url, createDictionary, tt.args)
		for _, want := range tt.want {
			if !r.IsError || !strings.Contains(r.text(), want) {
				t.Errorf("%s: %s, want %q in it", tt.name, r.text(), want)
			}
		}
	}
	page := must(words.List(t.Context(), "org_alpha", dictionary.Query{}))(t)
	if len(page.Dictionaries) > 0 {
		t.Errorf("kept %+v", page.Dictionaries)
	}
	for range dictionary.MaxPerOrganisation {
		makeDictionary(t, words, "org_alpha", api)
	}
	if r := callHTTP(t, url, createDictionary, map[string]any{"name": "x", "rules": []any{good}}); !r.IsError || !strings.HasPrefix(r.text(), "dictionary_limit_exceeded: the organisation has 100") {
		t.Errorf("one too many = %s", r.text())
	}
}

// TestWrongMembersHideNoRule tells all that is wrong with all rules in one answer,
// whoever finds it: the schema or the domain.
func TestWrongMembersHideNoRule(t *testing.T) {
	t.Parallel()
	words := newDictionaries(t)
	url := serve(t, newServer(t, mcp.Config{Dictionaries: words})).URL
	ipa := map[string]any{"string_to_replace": "pen", "alias": "/ɛn/"}
	empty := map[string]any{"string_to_replace": "API", "alias": ""}
	phoneme := map[string]any{"type": "phoneme", "string_to_replace": "SQL", "phoneme": "ˈsiːkwəl", "alphabet": "ipa"}
	unknown := map[string]any{"string_to_replace": "nginx", "alias": "engine x", "only_languages": []string{"Klingon"}}
	const (
		isIPA     = "rules[0].alias (phonemes_not_supported): "
		isEmpty   = "rules[1].alias (empty): "
		isPhoneme = "rules[2].type (phonemes_not_supported): "
		isUnknown = "rules[3].only_languages (unknown_language): "
	)
	for _, tt := range []struct {
		name  string
		rules []any
		want  []string // the beginnings of the lines behind the first
	}{
		{"of the domain", []any{ipa, empty, phoneme, unknown}, []string{isIPA, isEmpty, isPhoneme, isUnknown}},
		{"phonemes by the alphabet alone", []any{map[string]any{"string_to_replace": "a", "alphabet": "cmu"}}, []string{"rules[0].type (phonemes_not_supported): "}},
		{"phonemes by the type alone", []any{map[string]any{"string_to_replace": "a", "alias": "b", "type": "phoneme"}}, []string{"rules[0].type (phonemes_not_supported): "}},
		{"phonemes by their member alone", []any{map[string]any{"string_to_replace": "a", "phoneme": ""}}, []string{"rules[0].type (phonemes_not_supported): "}},
		{
			"of wrong types", []any{ipa, empty, phoneme, unknown, map[string]any{"string_to_replace": 7, "alias": 2}, map[string]any{"only_languages": []any{"hi", 5}, "alias": "x"}},
			[]string{isIPA, isEmpty, isPhoneme, isUnknown, "rules[4].alias (invalid_type): alias must be a string, got 2.", "rules[4].string_to_replace (invalid_type): string_to_replace must be a string, got 7.", "rules[5].only_languages (invalid_type): only_languages[1] must be a string, got 5."},
		},
		{
			"a type that there is not", []any{map[string]any{"type": "regex", "string_to_replace": "API", "alias": "x"}, empty},
			[]string{"rules[0].type (invalid): type \"regex\" is not alias, the only one there is.", isEmpty},
		},
		{
			"unknown members", []any{ipa, map[string]any{"string_to_replace": "x", "alias": "x", "x\nnextCursor": 1}},
			[]string{isIPA, `rules[1] (invalid_type): has an unknown member "x\nnextCursor"; the members are string_to_replace, alias, case_sensitive, word_boundaries, only_languages, except_languages.`},
		},
		{"missing members", []any{map[string]any{"string_to_replace": nil}}, []string{"rules[0].string_to_replace (empty): ", "rules[0].alias (empty): "}},
		{"the white space around texts", []any{map[string]any{"string_to_replace": strings.Repeat("x", 128) + " ", "alias": " x\n"}, map[string]any{"alias": 2}}, []string{"rules[1].alias (invalid_type): "}},
	} {
		r := callHTTP(t, url, createDictionary, map[string]any{"name": "x", "rules": tt.rules})
		lines := strings.Split(r.text(), "\n")[1:]
		if !r.IsError || len(lines) != len(tt.want) {
			t.Errorf("%s: %s, want %d faults", tt.name, r.text(), len(tt.want))
			continue
		}
		for i, want := range tt.want {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s: line %d is %q, want it to begin with %q", tt.name, i, lines[i], want)
			}
		}
	}
	if page := must(words.List(t.Context(), "org_alpha", dictionary.Query{}))(t); len(page.Dictionaries) > 0 {
		t.Errorf("kept %+v", page.Dictionaries)
	}
}

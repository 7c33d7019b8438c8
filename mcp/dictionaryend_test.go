package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDictionaryEndToEnd makes a dictionary, sees what it changes and speaks with it,
// in a whole deployment; others cannot.
func TestDictionaryEndToEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	r := w.call(t, "alpha", createDictionary, map[string]any{"name": "Terms", "rules": []any{
		map[string]any{"string_to_replace": "XQZ", "alias": "ex queue zed"},
		map[string]any{"string_to_replace": "XQZ", "alias": "एक्स क्यू ज़ेड", "only_languages": []string{"hi"}},
	}})
	var made struct{ ID string }
	if err := json.Unmarshal(r.StructuredContent, &made); err != nil || r.IsError {
		t.Fatalf("%s: %v", r.text(), err)
	}
	for _, tt := range []struct {
		text, id, spoken, respelled string
	}{
		{"Ask XQZ, or xqz.", made.ID, "ex queue zed", "respelled 2 times"},
		{"कल XQZ से पूछो", made.ID, "एक्स क्यू ज़ेड", "respelled 1 time"},
		{"Ask nobody.", made.ID, "nobody", "respelled 0 times"},
	} {
		r := w.call(t, "alpha", "preview_spoken_text", map[string]any{"text": tt.text, "pronunciation_dictionary_id": tt.id})
		if r.IsError || !strings.Contains(r.text(), tt.spoken) || !strings.Contains(r.text(), tt.respelled) {
			t.Errorf("preview of %q = %s, want %q and %q in it", tt.text, r.text(), tt.spoken, tt.respelled)
		}
	}
	speak := func(key, id string) toolResult {
		return w.call(t, key, "synthesize_speech", map[string]any{"text": "Ask XQZ about it.", "pronunciation_dictionary_id": id})
	}
	with, without := spokenOf(t, speak("alpha", made.ID)), spokenOf(t, speak("alpha", ""))
	if with.Characters != without.Characters || with.Bytes <= without.Bytes {
		t.Errorf("with the dictionary %d characters and %d bytes, without %d and %d; want as many characters, and more audio", with.Characters, with.Bytes, without.Characters, without.Bytes)
	}
	charged := w.charged(t, "beta", func() {
		if r := speak("beta", made.ID); !r.IsError || !strings.HasPrefix(r.text(), "pronunciation_dictionary_not_found (pronunciation_dictionary_id): ") {
			t.Errorf("another organisation's = %s", r.text())
		}
	})
	if charged != 0 {
		t.Errorf("beta was charged %d for nothing", charged)
	}
}

// TestWrongRulesAreAllTold refuses a dictionary for all of its wrong rules at once.
func TestWrongRulesAreAllTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	r := w.call(t, "alpha", createDictionary, map[string]any{"name": "Terms", "rules": []any{
		map[string]any{"string_to_replace": "API", "alias": "/ˌeɪ.piːˈaɪ/"},
		map[string]any{"string_to_replace": "fine", "alias": "fine"},
		map[string]any{"string_to_replace": "x", "alias": strings.Repeat("x", 257)},
		map[string]any{"string_to_replace": " ", "alias": "x"},
		map[string]any{"string_to_replace": "y", "alias": "why", "only_languages": []string{"Klingon"}},
		map[string]any{"string_to_replace": "fine", "alias": "other"},
	}})
	if !r.IsError || !strings.Contains(r.text(), "5 of 6 rules are wrong, and nothing was kept. Mend them and send all rules again.") {
		t.Fatalf("wrong rules = %s", r.text())
	}
	for _, part := range []string{
		"\nrules[0].alias (phonemes_not_supported): ", "\nrules[2].alias (too_long): ", "\nrules[3].string_to_replace (empty): ",
		"\nrules[4].only_languages (unknown_language): ", "\nrules[5].", "(conflict): ",
	} {
		if !strings.Contains(r.text(), part) {
			t.Errorf("%q is not in %s", part, r.text())
		}
	}
	if r := w.call(t, "alpha", listDictionaries, nil); !strings.HasPrefix(r.text(), "There are no pronunciation dictionaries.") {
		t.Errorf("after the refusal there are %s", r.text())
	}
}

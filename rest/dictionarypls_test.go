package rest

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/dictionary/lexicon"
	"vaak/rest/dictionaries"
	"vaak/text/respell"
)

// readLexicon downloads a version and reads it: pairs of a term and its alias, and the
// comments.
func readLexicon(t *testing.T, h http.Handler, id, version string) (pairs [][2]string, comments []string) {
	t.Helper()
	w := do(h, toDictionaries("GET", "/"+id+"/"+version+"/download", ""))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/pls+xml" {
		t.Fatalf("status %d, header %v: %.300s", w.Code, w.Header(), w.Body)
	}
	const space = "http://www.w3.org/2005/01/pronunciation-lexicon"
	var pair [2]string
	var text strings.Builder
	for d := xml.NewDecoder(w.Body); ; {
		token, err := d.Token()
		if err == io.EOF {
			return pairs, comments
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if x.Name.Space != space {
				t.Errorf("element %v", x.Name)
			}
			text.Reset()
		case xml.CharData:
			text.Write(x)
		case xml.Comment:
			comments = append(comments, strings.TrimSpace(string(x)))
		case xml.EndElement:
			switch x.Name.Local {
			case "grapheme":
				pair[0] = text.String()
			case "alias":
				pair[1] = text.String()
			case "lexeme":
				pairs = append(pairs, pair)
			}
		}
	}
}

// TestDownload reads versions as a reader of the format does.
func TestDownload(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	made := makeDictionary(t, h, "a", `{"string_to_replace":"R&D","alias":"आर एंड डी"},
		{"string_to_replace":"a -- b","alias":"x -->","case_sensitive":true,"word_boundaries":false,"only_languages":["hi"]},{"string_to_replace":"c","alias":"see","except_languages":["ta"]}`)
	pairs, comments := readLexicon(t, h, made.ID, made.Version)
	if d := cmp.Diff([][2]string{{"R&D", "आर एंड डी"}, {"a -- b", "x -->"}, {"c", "see"}}, pairs); d != "" {
		t.Errorf("lexemes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{
		"left out, because PLS has no word for it: case_sensitive, word_boundaries, only_languages",
		"left out, because PLS has no word for it: except_languages",
	}, comments); d != "" {
		t.Errorf("comments (-want +got):\n%s", d)
	}
	w := do(h, toDictionaries("GET", "/"+made.ID+"/"+made.Version+"/download", ""))
	if got, want := w.Header().Get("Content-Disposition"), `attachment; filename="`+made.ID+`-v1.pls"`; got != want {
		t.Errorf("Content-Disposition %q, want %q", got, want)
	}
	if !strings.HasPrefix(w.Body.String(), xml.Header) || !strings.Contains(w.Body.String(), `version="1.0" alphabet="ipa" xml:lang="mul"`) {
		t.Errorf("the document begins with %.300s", w.Body)
	}
	// Another version is another document, and the first one stays; none is left of it
	// when all rules are removed.
	edited := answered[dictionaries.EditedDictionary](t, do(h, toDictionaries("POST", "/"+made.ID+"/remove-rules", `{"rule_strings":["R&D","a -- b","c"]}`)))
	if pairs, _ := readLexicon(t, h, made.ID, edited.Version); len(pairs) != 0 {
		t.Errorf("lexemes %v, want none", pairs)
	}
	if pairs, _ := readLexicon(t, h, made.ID, made.Version); len(pairs) != 3 {
		t.Errorf("lexemes %v, want those of the first version", pairs)
	}
}

// TestFileIsABody has the API take a dictionary as it is written to a file, and a reader
// of files take what the API answers.
func TestFileIsABody(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Dictionaries: newDictionaries(t)})
	want := lexicon.File{Name: "Terms", Description: "ours", Rules: []respell.Rule{
		{Term: "R&D", Respelling: "R & D"}, {Term: "API", Respelling: "ए पी आई", CaseSensitive: true, Only: []string{"hi"}},
		{Term: "ngi", Respelling: "engine", InWords: true, Except: []string{"ta"}},
	}}
	body, err := lexicon.WriteJSON(want)
	if err != nil {
		t.Fatal(err)
	}
	made := answered[dictionaries.CreatedDictionary](t, do(h, toDictionaries("POST", "/add-from-rules", string(body))))
	w := do(h, toDictionaries("GET", "/"+made.ID, ""))
	got, err := lexicon.Read(w.Body.Bytes())
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("what the API answers (-want +got):\n%s%v", d, err)
	}
	for _, file := range []string{
		`{"name":"n","rules":[{"string_to_replace":"a","alias":"b"},{"string_to_replace":"","alias":7},{"string_to_replace":"c","phoneme":"bə","alphabet":"ipa"},3,{"string_to_replace":"d","alias":"e","only_languages":["xx"]}]}`,
		`{"name":"n","rules":[{"type":"phoneme","string_to_replace":"a","alias":"b"},{"string_to_replace":"C","alias":"b"},{"string_to_replace":"c","alias":"b"}]}`,
	} {
		var refusal *respell.Refusal
		if _, err := lexicon.Read([]byte(file)); !errors.As(err, &refusal) {
			t.Fatalf("Read(%s) = %v, want a refusal", file, err)
		}
		var fromFile, fromBody []string
		for _, f := range refusal.Faults {
			fromFile = append(fromFile, fmt.Sprint(f.Rule, " ", f.Field, " ", f.Code))
		}
		var refused struct {
			Errors []dictionaries.RefusedRule `json:"errors"`
		}
		if err := json.Unmarshal(do(h, toDictionaries("POST", "/add-from-rules", file)).Body.Bytes(), &refused); err != nil {
			t.Fatal(err)
		}
		for _, f := range refused.Errors {
			fromBody = append(fromBody, fmt.Sprint(f.Index, " ", f.Field, " ", f.Code))
		}
		if d := cmp.Diff(fromBody, fromFile); d != "" {
			t.Errorf("faults of the body and of the file (-body +file):\n%s", d)
		}
	}
}

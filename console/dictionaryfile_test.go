package console

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/console/page"
	"vaak/dictionary"
	"vaak/dictionary/lexicon"
	"vaak/text/respell"
)

const lexiconStart = `<?xml version="1.0"?><lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" alphabet="ipa" xml:lang="en">`

func TestImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := "/o/" + w.acme.ID + "/dictionaries"
	lexeme := `<lexeme><grapheme>nginx</grapheme><alias>engine x</alias></lexeme>`
	thousand, err := lexicon.WriteJSON(lexicon.File{Name: "Thousand", Rules: numbered(respell.MaxRules)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, file, content, typed, wantName string
		rules                                int
	}{
		{"JSON", "x.json", `{"name":"From file","description":"d","rules":[{"string_to_replace":"a","alias":"b","only_languages":["hi"]}]}`, "", "From file", 1},
		{"a name of one's own", "x.json", `{"name":"From file","rules":[{"string_to_replace":"a","alias":"b"}]}`, "Mine", "Mine", 1},
		{"behind a byte order mark", "x.json", "\uFEFF\r\n" + `{"name":"Marked","rules":[{"string_to_replace":"a","alias":"b"}]}`, "", "Marked", 1},
		{"PLS behind a byte order mark", "marked.pls", "\uFEFF" + lexiconStart + lexeme + `</lexicon>`, "", "marked", 1},
		{"PLS", "servers.v2.pls", lexiconStart + lexeme + `</lexicon>`, "", "servers.v2", 1},
		{"a thousand rules", "x.json", string(thousand), "", "Thousand", 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := w.as(t, w.member)
			rec := b.upload(at+"/import", "file", tt.file, tt.content, "import-name", tt.typed)
			if rec.Code != http.StatusSeeOther {
				t.Fatalf("status %d: %.3000s", rec.Code, rec.Body)
			}
			id := strings.TrimPrefix(rec.Header().Get("Location"), at+"/")
			d, rules, err := w.Dictionaries.Get(t.Context(), w.acme.ID, id)
			if err != nil || d.Name != tt.wantName || len(rules) != tt.rules {
				t.Errorf("Get(%q) = %+v with %d rules, %v", id, d, len(rules), err)
			}
		})
	}
}

func TestHostileImports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := "/o/" + w.acme.ID + "/dictionaries"
	const twice = `{"name":"n","rules":[{"string_to_replace":"a","alias":"b","alias":"c"}]}`
	bomb := `<!DOCTYPE lexicon [<!ENTITY a "` + strings.Repeat("a", 1000) + `"><!ENTITY b "` + strings.Repeat("&a;", 1000) + `">]>`
	for _, tt := range []struct {
		name, content string
		status        int
		want          string
	}{
		{"nothing", "", 400, "No file was sent"},
		{"over 2 MiB", `{"rules":[{"string_to_replace":"` + strings.Repeat("a", page.MaxFile) + `"}]}`, 413, "2048 KiB"},
		{"an entity bomb", bomb + strings.TrimPrefix(lexiconStart, `<?xml version="1.0"?>`) + `<lexeme><grapheme>&b;</grapheme></lexeme></lexicon>`, 400, "document type"},
		{"a file of the server", `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>` + `<x>&f;</x>`, 400, "document type"},
		{"deep JSON", `{"rules":` + strings.Repeat("[", 100_000), 400, "deep"},
		{"deep XML", lexiconStart + strings.Repeat("<a>", 100_000), 400, "deep"},
		{"keys twice", `{"rules":[{"alias":"a","alias":"b"}]}`, 400, "alias"},
		{"keys twice behind a mark", "\uFEFF" + twice, 400, "twice"},
		{"keys twice behind blanks", strings.Repeat(" ", 65) + twice, 400, "twice"},
		{"keys twice behind both", "\uFEFF" + strings.Repeat("\n", 1000) + twice, 400, "twice"},
		{"deep JSON behind a mark", "\uFEFF" + `{"rules":` + strings.Repeat("[", 100_000), 400, "deep"},
		{"bytes that are no text", "{\"rules\":\"\xff\"}", 400, "UTF-8"},
		{"another format", "\x89PNG\r\n\x1a\n", 400, "UTF-8"},
		{"1,001 rules", `{"rules":[` + strings.TrimSuffix(strings.Repeat(`{"string_to_replace":"a","alias":"b"},`, 1001), ",") + `]}`, 400, "more than 1000 rules"},
		{"markup in rules", `{"name":"n","rules":[{"string_to_replace":"<script>alert(1)</script>","alias":"b"},{"string_to_replace":"c","alias":7}]}`, 400, "alias must be a string, not a number"},
		{"every rule wrong", `{"name":"n","rules":[` + strings.TrimSuffix(strings.Repeat(`{"string_to_replace":"","alias":""},`, 1000), ",") + `]}`, 400, "and 1,950 more"},
		{"a rule wrong", `{"name":"n","rules":[{"string_to_replace":"","alias":"b"}]}`, 400, "What is wrong is said in the list below."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := shown(t, w.as(t, w.member).upload(at+"/import", "file", "x", tt.content), tt.status)
			has(t, body, tt.want, `role="alert"`)
			lacks(t, body, "<script>alert", "root:")
		})
	}
	shown(t, w.as(t, w.member).post(at+"/import", "file", "{}"), 400) // a field, no file
	moved(t, w.as(t, w.member).get(at+"/import"), at)                 // where a browser stays then
	if all, err := w.Dictionaries.List(t.Context(), w.acme.ID, dictionary.Query{}); err != nil || len(all.Dictionaries) > 0 {
		t.Errorf("what was refused made %+v, %v", all, err)
	}
}

// TestFormsThatMakeAreTakenOnce sends a form twice: one dictionary is made, and what was
// typed is there still.
func TestFormsThatMakeAreTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, at := w.as(t, w.member), "/o/"+w.acme.ID+"/dictionaries"
	const file = `{"name":"From file","rules":[{"string_to_replace":"a","alias":"b"}]}`
	for i, send := range []func(once string) *httptest.ResponseRecorder{
		func(once string) *httptest.ResponseRecorder {
			return b.post(at, "once", once, "name", "Typed name", "term.0", "a", "say.0", "b")
		},
		func(once string) *httptest.ResponseRecorder {
			return b.upload(at+"/import", "file", "x.json", file, "import-name", "Typed name", "once", once)
		},
	} {
		fields := regexp.MustCompile(`name="once" value="([^"]+)"`).FindAllStringSubmatch(shown(t, b.get(at), http.StatusOK), -1)
		if len(fields) != 2 {
			t.Fatalf("%d forms are taken once, want both", len(fields))
		}
		once := fields[i][1]
		if rec := send(once); rec.Code != http.StatusSeeOther {
			t.Fatalf("form %d: status %d: %.2000s", i, rec.Code, rec.Body)
		}
		has(t, shown(t, send(once), http.StatusConflict), "sent already", `value="Typed name"`)
		all, err := w.Dictionaries.List(t.Context(), w.acme.ID, dictionary.Query{})
		if err != nil || len(all.Dictionaries) != i+1 {
			t.Errorf("form %d, sent twice, leaves %d dictionaries, %v", i, len(all.Dictionaries), err)
		}
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	want := []respell.Rule{{Term: "R&D", Respelling: "R and D", CaseSensitive: true, Only: []string{"en"}}, plainRule("nginx", "engine x")}
	d := w.terms(t, w.acme.ID, "Terms", want...)
	if _, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, numbered(3)); err != nil {
		t.Fatal(err)
	}
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID + "/export"
	rec := b.get(at + "?version=" + d.Latest.ID)
	if got := rec.Header().Get("Content-Disposition"); rec.Code != 200 || got != `attachment; filename="`+d.ID+`-v1.json"` || !json.Valid(rec.Body.Bytes()) {
		t.Fatalf("status %d, %q: %s", rec.Code, got, rec.Body)
	}
	f, err := lexicon.Read(rec.Body.Bytes())
	if diff := cmp.Diff(lexicon.File{Name: "Terms", Rules: want}, f); diff != "" || err != nil {
		t.Errorf("the export (-want +got):\n%s%v", diff, err)
	}
	// What was exported is imported again, in another organisation.
	moving := w.as(t, w.another).upload("/o/"+w.other.ID+"/dictionaries/import", "file", "x.json", rec.Body.String())
	id := strings.TrimPrefix(moving.Header().Get("Location"), "/o/"+w.other.ID+"/dictionaries/")
	if _, got := w.rules(t, w.other.ID, id); cmp.Diff(want, got) != "" {
		t.Errorf("imported %v, want %v", got, want)
	}
	rec = b.get(at + "?format=pls")
	if rec.Header().Get("Content-Type") != "application/pls+xml" || !strings.Contains(rec.Body.String(), "<grapheme>term0002</grapheme>") || !strings.Contains(rec.Header().Get("Content-Disposition"), "-v2.pls") {
		t.Errorf("PLS: %v %s", rec.Header(), rec.Body)
	}
	shown(t, b.get(at+"?format=csv"), 400)
	has(t, shown(t, b.get(at+"?version=none"), 404), "There is no such version.")
	has(t, shown(t, b.get(strings.Replace(at, d.ID, "none", 1)), 404), "There is no such dictionary.")
}

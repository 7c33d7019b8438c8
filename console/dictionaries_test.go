package console

import (
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/console/page"
	"vaak/dictionary"
	"vaak/identity"
	"vaak/text/respell"
)

// terms makes a dictionary of an organisation from pairs of a term and its respelling.
func (w *world) terms(t testing.TB, org, name string, rules ...respell.Rule) dictionary.Dictionary {
	t.Helper()
	d, err := w.Dictionaries.Create(t.Context(), org, "key_test", dictionary.Draft{Name: name, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rules returns the rules of a dictionary, with its latest version.
func (w *world) rules(t testing.TB, org, id string) (dictionary.Version, []respell.Rule) {
	t.Helper()
	d, rules, err := w.Dictionaries.Get(t.Context(), org, id)
	if err != nil {
		t.Fatal(err)
	}
	return d.Latest, rules
}

// numbered returns rules of so many terms that differ.
func numbered(n int) []respell.Rule {
	var all []respell.Rule
	for i := range n {
		all = append(all, respell.Rule{Term: fmt.Sprintf("term%04d", i), Respelling: fmt.Sprintf("word %d", i)})
	}
	return all
}

// noted returns the last event of an action.
func (w *world) noted(t testing.TB, action string) identity.Event {
	t.Helper()
	events, err := w.Identity.Events(t.Context(), identity.EventQuery{Limit: 500})
	for _, e := range events {
		if e.Action == action {
			return e.Event
		}
	}
	t.Fatalf("no event %s is written down (%v)", action, err)
	return identity.Event{}
}

func plainRule(term, say string) respell.Rule { return respell.Rule{Term: term, Respelling: say} }

func TestDictionaryIsCreated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	at := "/o/" + w.acme.ID + "/dictionaries"
	has(t, shown(t, b.get(at), http.StatusOK), "There is no dictionary yet", `name="term.2"`)
	rec := b.post(at, "name", " Terms ", "description", "of <b>ours</b>", "term.0", " API ", "say.0", "A P I", "whole.0", "on",
		"term.1", "", "say.1", "", "whole.1", "on", "term.7", "ngi", "say.7", "engine", "case.7", "on", "only.7", "Hindi, mr", "except.7", "")
	all, err := w.Dictionaries.List(t.Context(), w.acme.ID, dictionary.Query{})
	if err != nil || len(all.Dictionaries) != 1 {
		t.Fatalf("List() = %+v, %v; the page: %.3000s", all, err, rec.Body)
	}
	d := all.Dictionaries[0]
	moved(t, rec, at+"/"+d.ID)
	_, rules := w.rules(t, w.acme.ID, d.ID)
	want := []respell.Rule{plainRule("API", "A P I"), {Term: "ngi", Respelling: "engine", CaseSensitive: true, InWords: true, Only: []string{"hi", "mr"}}}
	if diff := cmp.Diff(want, rules); diff != "" || d.Name != "Terms" {
		t.Errorf("%q has other rules (-want +got):\n%s", d.Name, diff)
	}
	body := shown(t, b.get(at+"/"+d.ID), http.StatusOK)
	has(t, body, "The dictionary is made, with 2 rules", "of &lt;b&gt;ours&lt;/b&gt;", `value="API"`, `value="hi, mr"`, d.ID, api+"/v1/audio/speech", "/playground?dictionary="+d.ID,
		"Authorization: Bearer $VAAK_API_KEY", html.EscapeString(`"pronunciation_dictionary_id": "`+d.ID+`"`), html.EscapeString(`"input": "API"`))
	lacks(t, body, "VAAK_KEY", "xi-api-key")
	for _, form := range []string{"/try", "/restore", "/delete"} {
		moved(t, b.get(at+"/"+d.ID+form), at+"/"+d.ID)
	}
	has(t, shown(t, b.get(at), http.StatusOK), "Terms", `<td class="figure">2</td>`)
	if e := w.noted(t, "dictionary.create"); e.Target != d.ID || e.OrgID != w.acme.ID || e.Actor != w.member.ID || e.Outcome != identity.OutcomeDone {
		t.Errorf("event %+v", e)
	}
}

func TestDictionaryIsNotCreated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := "/o/" + w.acme.ID + "/dictionaries"
	for _, tt := range []struct {
		name   string
		fields []string
		status int
		wants  []string
	}{
		{"without a name", []string{"name", "", "term.0", "a", "say.0", "b"}, 400, []string{"Name is empty", `value="a"`}},
		{"without rules", []string{"name", "n"}, 400, []string{"Rules has 0 rules"}},
		{"phonemes", []string{"name", "kept", "term.0", "a", "say.0", "/əˈpɪ/", "term.1", "", "say.1", "b"}, 422,
			[]string{"2 rules are wrong, so nothing was saved. What is wrong is said below the row.", `value="kept"`, "phonemes are not supported", "the term is empty", `aria-invalid="true"`}},
		{"twice the same term", []string{"name", "n", "term.0", "a", "say.0", "b", "term.1", "A", "say.1", "c"}, 400, []string{"another rule has the same term"}},
		{"no language", []string{"name", "n", "term.0", "a", "say.0", "b", "only.0", "Klingon"}, 400, []string{"not a supported language", `value="Klingon"`}},
		{"a row of a rule that is not there", []string{"name", "n", "at.0", "7", "term.0", "a", "say.0", "b"}, 400, []string{"is of no rule"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			has(t, shown(t, w.as(t, w.member).post(at, tt.fields...), tt.status), append(tt.wants, `role="alert"`)...)
		})
	}
	var many []string
	for i := range 301 {
		many = append(many, "term."+strconv.Itoa(i), "a"+strconv.Itoa(i))
	}
	has(t, shown(t, w.as(t, w.member).post(at, append(many, "name", "n")...), 400), "at most 300 are taken at once")
	shown(t, w.as(t, w.member).post(at, "name", "n", "say.0", strings.Repeat("a", page.MaxFile)), http.StatusRequestEntityTooLarge)
	if all, err := w.Dictionaries.List(t.Context(), w.acme.ID, dictionary.Query{}); err != nil || len(all.Dictionaries) > 0 {
		t.Errorf("what was refused made %+v, %v", all, err)
	}
}

func TestDictionaryIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", plainRule("a", "b"))
	at := "/o/" + w.acme.ID + "/dictionaries"
	has(t, shown(t, b.get(at+"/"+d.ID), 200), "Requests that name it fail from then on")
	for _, sure := range []string{"", "no"} { // what loses data needs the box
		has(t, shown(t, b.post(at+"/"+d.ID+"/delete", "sure", sure), 400), "tick the box", `<details class="confirm" open>`, `value="a"`)
	}
	if _, err := w.Dictionaries.Use(t.Context(), w.acme.ID, dictionary.Locator{ID: d.ID}); err != nil {
		t.Fatalf("the dictionary is gone without the box: %v", err)
	}
	moved(t, b.post(at+"/"+d.ID+"/delete", "sure", "yes"), at)
	if _, err := w.Dictionaries.Use(t.Context(), w.acme.ID, dictionary.Locator{ID: d.ID}); err == nil {
		t.Error("a dictionary is used after it was deleted")
	}
	if e := w.noted(t, "dictionary.delete"); e.Target != d.ID || e.Outcome != identity.OutcomeDone {
		t.Errorf("event %+v", e)
	}
	has(t, shown(t, b.post(at+"/"+d.ID+"/delete", "sure", "yes"), 404), "There is no such dictionary.")
	if e := w.noted(t, "dictionary.delete"); e.Target != "" || e.Outcome != dictionary.CodeNotFound {
		t.Errorf("event %+v of one that was not there", e)
	}
}

// TestDictionariesOfOthers has every address of another organisation's dictionary, below
// one's own organisation and below theirs.
func TestDictionariesOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	theirs := w.terms(t, w.other.ID, "Their secret", plainRule("secretterm", "b"))
	for _, org := range []string{w.acme.ID, w.other.ID} {
		at := "/o/" + org + "/dictionaries/" + theirs.ID
		for _, path := range []string{"", "/versions", "/export", "/export?format=pls", "/export?version=" + theirs.Latest.ID} {
			lacks(t, shown(t, b.get(at+path), 404), "secret")
		}
		for _, path := range []string{"", "/try", "/restore", "/delete"} {
			lacks(t, shown(t, b.post(at+path, "version", theirs.Latest.ID, "latest", theirs.Latest.ID, "sentence", "secretterm", "term.0", "a", "say.0", "c", "sure", "yes"), 404), "secret")
		}
	}
	if latest, rules := w.rules(t, w.other.ID, theirs.ID); latest.Number != 1 || rules[0].Respelling != "b" {
		t.Errorf("another's dictionary was changed: %+v %v", latest, rules)
	}
	lacks(t, shown(t, b.get("/o/"+w.acme.ID+"/dictionaries"), 200), "Their secret")
	shown(t, w.as(t, w.operator).get("/o/"+w.other.ID+"/dictionaries/"+theirs.ID), 200)
	moved(t, w.as(t, identity.Person{}).get("/o/"+w.acme.ID+"/dictionaries"), page.SignInPath+"?to=%2Fo%2F"+w.acme.ID+"%2Fdictionaries")
}

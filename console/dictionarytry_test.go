package console

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/dictionary"
	"vaak/text/respell"
)

func TestTry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", plainRule("nginx", "engine x"), respell.Rule{Term: "API", Respelling: "ए पी आई", Only: []string{"hi"}})
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	form := ruleFields(shown(t, b.get(at), http.StatusOK))
	try := func(fields ...string) string {
		t.Helper()
		rec := b.do(http.MethodPost, at+"/try", strings.NewReader(encoded(with(form, fields...)...).Encode()),
			"Content-Type", "application/x-www-form-urlencoded", "Origin", site, "HX-Request", "true")
		body := shown(t, rec, http.StatusOK)
		lacks(t, body, "<html")
		return body
	}
	got := try("sentence", "Nginx and nginx run the API.", "language", "en")
	has(t, got, "Nginx and nginx run the A P I.", "engine x and engine x run the A P I.", `lang="en-`, "<bdi>nginx</bdi>", "<bdi>Nginx</bdi>", `<td class="figure">2</td>`)
	lacks(t, got, "<bdi>API</bdi>")
	has(t, try("sentence", "यह API है।", "language", ""), "Hindi", "यह ए पी आई है", "only hi")
	// Rules that are not saved count, and those that are taken out do not.
	has(t, try("sentence", "nginx and kubectl", "language", "en", "gone.0", "on", "term.9", "kubectl", "say.9", "cube control"), "nginx and cube control", "<bdi>kubectl</bdi>")
	has(t, try("sentence", "nothing here", "language", "en"), "No rule applies")
	has(t, try("sentence", " "), "Write a sentence")
	has(t, try("sentence", "nginx <b>x</b>", "language", "en", "say.0", "/əˈpɪ/"), "could not be saved as they are", "phonemes are not supported")
	if latest, _ := w.rules(t, w.acme.ID, d.ID); latest.Number != 1 {
		t.Errorf("trying made version %d", latest.Number)
	}
	// Without scripts the page comes again, with the result and what was written.
	whole := shown(t, b.post(at+"/try", with(form, "sentence", "my nginx", "language", "en", "say.0", "en jinx")...), http.StatusOK)
	has(t, whole, "<html", "my en jinx", `value="en jinx"`, ">my nginx</textarea>", `<option value="en" selected>`)
	for _, wrong := range [][]string{{"sentence", strings.Repeat("a", 1001)}, {"sentence", "a", "language", "Klingon"}} {
		has(t, shown(t, b.post(at+"/try", with(form, wrong...)...), 400), `role="alert"`, `value="engine x"`)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	first := []respell.Rule{plainRule("a", "1"), plainRule("b", "2"), plainRule("c", "3")}
	d := w.terms(t, w.acme.ID, "Terms", first...)
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	has(t, shown(t, b.get(at+"/versions"), http.StatusOK), "nothing to compare yet")
	set := func(rules ...respell.Rule) dictionary.Version {
		t.Helper()
		v, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, rules)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	set(plainRule("a", "one"), plainRule("b", "2"), respell.Rule{Term: "new", Respelling: "n", InWords: true})
	third := set(numbered(250)...)
	has(t, shown(t, b.get(at+"/versions?from=1&to=2"), http.StatusOK), "From version 1 to version 2", "1 added, 1 removed, 1 changed",
		"<del><bdi>1</bdi></del>", "<ins><bdi>one</bdi></ins>", "inside words too", "<del><bdi>3</bdi></del>")
	latest := shown(t, b.get(at+"/versions?from=junk&to=99"), http.StatusOK)
	has(t, latest, "From version 2 to version 3", "250 added, 3 removed, 0 changed", "Page 1 of 6", `rel="next">Next</a>`)
	has(t, shown(t, b.get(at+"/versions?from=2&to=3&page=6"), http.StatusOK), "term0249")

	moved(t, b.post(at+"/restore", "version", d.Latest.ID, "latest", third.ID), at+"/versions")
	now, rules := w.rules(t, w.acme.ID, d.ID)
	if diff := cmp.Diff(first, rules); diff != "" || now.Number != 4 {
		t.Errorf("version %d (-want +got):\n%s", now.Number, diff)
	}
	has(t, shown(t, b.get(at+"/versions?from=1&to=4"), http.StatusOK), "Version 4 has the rules of version 1", "0 added, 0 removed, 0 changed")
	if e := w.noted(t, "dictionary.restore"); e.Target != d.ID {
		t.Errorf("event %+v", e)
	}
	// Somebody edited meanwhile; and what is no version.
	has(t, shown(t, b.post(at+"/restore", "version", d.Latest.ID, "latest", third.ID), http.StatusConflict), "Somebody made version 4")
	has(t, shown(t, b.post(at+"/restore", "version", strconv.Itoa(1), "latest", now.ID), http.StatusNotFound), "There is no such version.")
	if now, _ := w.rules(t, w.acme.ID, d.ID); now.Number != 4 {
		t.Errorf("what was refused made version %d", now.Number)
	}
}

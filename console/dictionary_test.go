package console

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/text/respell"
)

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// ruleFields returns the fields of the form that edits rules as a browser would send them.
func ruleFields(body string) []string {
	var fields []string
	for _, m := range hidden.FindAllStringSubmatch(body, -1) {
		fields = append(fields, m[1], html.UnescapeString(m[2]))
	}
	for _, m := range regexp.MustCompile(`<input name="((?:term|say|only|except)\.\d+)" value="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		fields = append(fields, m[1], html.UnescapeString(m[2]))
	}
	for _, m := range regexp.MustCompile(`<input type="checkbox" name="([a-z]+\.\d+)"[^>]* checked>`).FindAllStringSubmatch(body, -1) {
		fields = append(fields, m[1], "on")
	}
	return fields
}

// with returns fields with other values of some; "" leaves one out.
func with(fields []string, changes ...string) []string {
	change := map[string]string{}
	for i := 0; i+1 < len(changes); i += 2 {
		change[changes[i]] = changes[i+1]
	}
	var all []string
	for i := 0; i+1 < len(fields); i += 2 {
		if _, ok := change[fields[i]]; !ok {
			all = append(all, fields[i], fields[i+1])
		}
	}
	for name, value := range change {
		if value != "" {
			all = append(all, name, value)
		}
	}
	return all
}

func TestRulesAreSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	hindi := respell.Rule{Term: "API", Respelling: `ए "पी" आई`, CaseSensitive: true, InWords: true, Only: []string{"hi", "mr"}, Except: []string{"hi-IN"}}
	d := w.terms(t, w.acme.ID, "Terms", plainRule("a", "b"), hindi, plainRule("c", "d"))
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	same := ruleFields(shown(t, b.get(at), http.StatusOK))
	moved(t, b.post(at, same...), at)
	if latest, _ := w.rules(t, w.acme.ID, d.ID); latest.Number != 1 {
		t.Errorf("a form in which nothing was changed made version %d", latest.Number)
	}
	// One is changed, one removed, one added.
	moved(t, b.post(at, with(same, "say.0", "bee", "case.0", "on", "gone.2", "on", "term.5", "new", "say.5", "nu", "whole.5", "on")...), at)
	latest, rules := w.rules(t, w.acme.ID, d.ID)
	want := []respell.Rule{{Term: "a", Respelling: "bee", CaseSensitive: true}, hindi, plainRule("new", "nu")}
	if diff := cmp.Diff(want, rules); diff != "" || latest.Number != 2 {
		t.Errorf("version %d (-want +got):\n%s", latest.Number, diff)
	}
	has(t, shown(t, b.get(at), http.StatusOK), "Saved as version 2, with 3 rules", "Save as version 3")
	if e := w.noted(t, "dictionary.save"); e.Target != d.ID || e.Actor != w.member.ID {
		t.Errorf("event %+v", e)
	}
	// All of them may go.
	last := ruleFields(shown(t, b.get(at), http.StatusOK))
	moved(t, b.post(at, with(last, "gone.0", "on", "gone.1", "on", "gone.2", "on")...), at)
	if latest, rules := w.rules(t, w.acme.ID, d.ID); latest.Number != 3 || len(rules) != 0 {
		t.Errorf("version %d has %v", latest.Number, rules)
	}
}

func TestWrongRulesStandBesideTheirRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", append(numbered(60), plainRule("far", "away"))...)
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	form := ruleFields(shown(t, b.get(at), http.StatusOK))
	body := shown(t, b.post(at, with(form, "say.1", "/əˈpɪ/", "term.3", " ", "only.4", "Klingon", "term.50", "x<i>", "say.50", "")...), 422)
	has(t, body, "4 rules are wrong, so nothing was saved", "phonemes are not supported", "the term is empty", "Klingon", "the respelling is empty",
		`value="/əˈpɪ/" aria-label="Respelling of rule 2" dir="auto" autocomplete="off" aria-invalid="true" aria-describedby="wrong-1"`,
		`id="wrong-1"`, `id="wrong-3"`, `id="wrong-4"`, `id="wrong-50"`, `value="x&lt;i&gt;"`)
	lacks(t, body, `id="wrong-0"`, "<i>")
	// A rule that clashes with one on another page is told there, too.
	has(t, shown(t, b.post(at, with(form, "term.0", "far")...), 400), "Rules that are not on this page", "Rule 61 (<bdi>far</bdi>): another rule has the same term")
	for _, wrong := range [][]string{{"at.0", "61"}, {"at.0", "-1"}, {"at.0", "x"}, {"at.0", "1"}} {
		shown(t, b.post(at, with(form, wrong...)...), 400)
	}
	shown(t, b.post(at), http.StatusConflict) // of no version
	if latest, _ := w.rules(t, w.acme.ID, d.ID); latest.Number != 1 {
		t.Errorf("what was refused made version %d", latest.Number)
	}
}

// TestEditedMeanwhile saves after somebody else saved: nothing is saved at first, and the
// page shows what was typed, as rules of the version that was edited. Saving once more puts
// them in place of the other edit, which stays among the versions.
func TestEditedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", plainRule("a", "1"), plainRule("b", "2"), plainRule("c", "3"), plainRule("d", "4"))
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	mine := with(ruleFields(shown(t, b.get(at), http.StatusOK)), "say.0", "my a", "say.1", "my b", "gone.2", "on", "term.9", "new", "say.9", "n", "whole.9", "on")
	theirs := []respell.Rule{plainRule("z", "26"), plainRule("b", "their b"), plainRule("c", "3")}
	if _, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, theirs); err != nil {
		t.Fatal(err)
	}
	body := shown(t, b.post(at, mine...), http.StatusConflict)
	has(t, body, "You edited version 1, and the dictionary is at version 2", "Nothing of yours is saved yet", "/versions?from=1&amp;to=2", "Save as version 3",
		`value="my a" aria-label="Respelling of rule 1"`, `value="my b" aria-label="Respelling of rule 2"`, `aria-label="Remove rule 3" checked`,
		`value="4" aria-label="Respelling of rule 4"`, `value="n" aria-label="Respelling of new rule"`)
	if n := strings.Count(body, `role="alert"`); n != 1 {
		t.Errorf("the page has %d alerts, want 1:\n%s", n, body)
	}
	lacks(t, body, "Somebody made version 2", "their b", `value="26"`)
	if _, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff(theirs, rules) != "" {
		t.Fatalf("the edit of somebody else is lost: %v", rules)
	}
	// What is wrong with a rule does not make the page forget which version was edited.
	again := ruleFields(body)
	body = shown(t, b.post(at, with(again, "say.0", "/əˈpɪ/")...), http.StatusUnprocessableEntity)
	has(t, body, "You edited version 1", `id="wrong-0"`, `value="my b"`)
	again = with(ruleFields(body), "say.0", "my a")
	// Nor does one more edit of somebody else go unseen.
	if _, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, theirs[1:]); err != nil {
		t.Fatal(err)
	}
	body = shown(t, b.post(at, again...), http.StatusConflict)
	has(t, body, "You edited version 1, and the dictionary is at version 3", "/versions?from=1&amp;to=3", `value="my a"`)
	moved(t, b.post(at, ruleFields(body)...), at)
	want := []respell.Rule{plainRule("a", "my a"), plainRule("b", "my b"), plainRule("d", "4"), plainRule("new", "n")}
	if latest, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff(want, rules) != "" || latest.Number != 4 {
		t.Errorf("saved %v as version %d, want %v as version 4", rules, latest.Number, want)
	}
	has(t, shown(t, b.get(at+"/versions?from=3&to=4"), http.StatusOK), "their b", "my b")
}

// TestEditedAlikeMeanwhile saves what somebody else saved already, and is told once more.
func TestEditedAlikeMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", plainRule("a", "1"))
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	mine := with(ruleFields(shown(t, b.get(at), http.StatusOK)), "say.0", "alike")
	if _, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, []respell.Rule{plainRule("a", "alike")}); err != nil {
		t.Fatal(err)
	}
	body := shown(t, b.post(at, mine...), http.StatusConflict)
	moved(t, b.post(at, ruleFields(body)...), at)
	if latest, _ := w.rules(t, w.acme.ID, d.ID); latest.Number != 2 {
		t.Errorf("what was there already made version %d", latest.Number)
	}
}

// TestVersionOfLongAgo saves below a version that is kept no more: what was sent stands
// in place of the rules with the same terms, and no other rule goes.
func TestVersionOfLongAgo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", plainRule("a", "1"), plainRule("b", "2"))
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	const gone = "00000000-0000-4000-8000-000000000000"
	form := with(ruleFields(shown(t, b.get(at), http.StatusOK)), "say.0", "mine", "at.1", "77", "term.1", "lost", "version", gone, "after", gone)
	body := shown(t, b.post(at, form...), http.StatusConflict)
	has(t, body, "You edited a version that is kept no more, and the dictionary is at version 1", `value="mine" aria-label="Respelling of rule 1"`, `value="lost" aria-label="Term of new rule"`)
	lacks(t, body, "?from=")
	moved(t, b.post(at, ruleFields(body)...), at)
	if _, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff([]respell.Rule{plainRule("a", "mine"), plainRule("b", "2"), plainRule("lost", "2")}, rules) != "" {
		t.Errorf("saved %v", rules)
	}
}

// TestThousandRulesMeanwhile has another edit change every rule and add many: the page
// is one that can be sent, and its rules replace the others.
func TestThousandRulesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", numbered(10)...)
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	form := with(ruleFields(shown(t, b.get(at), http.StatusOK)), "say.0", "mine")
	theirs := numbered(respell.MaxRules)
	for i := range theirs {
		theirs[i].Respelling = "theirs"
	}
	if _, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, theirs); err != nil {
		t.Fatal(err)
	}
	body := shown(t, b.post(at, form...), http.StatusConflict)
	moved(t, b.post(at, ruleFields(body)...), at)
	want := numbered(10)
	want[0].Respelling = "mine"
	if _, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff(want, rules) != "" {
		t.Errorf("saved %.300v, want %.300v", rules, want)
	}
}

// TestThousandRules edits the largest dictionary, page by page and by search.
func TestThousandRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	longest := numbered(respell.MaxRules)
	for i := range longest { // as heavy as they come, but for the languages
		longest[i].Term = strings.Repeat("त", respell.MaxTerm-8) + longest[i].Term
		longest[i].Respelling = strings.Repeat("ब", respell.MaxRespelling-8) + longest[i].Respelling
	}
	for name, rules := range map[string][]respell.Rule{"usual": numbered(respell.MaxRules), "longest": longest} {
		d := w.terms(t, w.acme.ID, name, rules...)
		at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
		body := shown(t, b.get(at), http.StatusOK)
		has(t, body, "Page 1 of 20", `rel="next">Next</a>`)
		t.Logf("%s: %d bytes", name, len(body))
		if n := len(body); n > 150<<10 {
			t.Errorf("%s: the page has %d bytes", name, n)
		}
		last := shown(t, b.get(at+"?page=20"), http.StatusOK)
		has(t, last, `name="at.49" value="999"`)
		has(t, last, `rel="prev">Previous</a>`)
		lacks(t, last, `name="term.50"`) // there is no room for a new one
		form := ruleFields(last)
		moved(t, b.post(at, with(form, "say.49", "the last")...), at+"?page=20")
		if _, got := w.rules(t, w.acme.ID, d.ID); len(got) != respell.MaxRules || got[999].Respelling != "the last" || got[0].Respelling != rules[0].Respelling {
			t.Errorf("%s: the last of %d rules is %+v", name, len(got), got[len(got)-1])
		}
		found := shown(t, b.get(at+"?find=TERM0500"), http.StatusOK)
		has(t, found, "1 found", `name="at.0" value="500"`, "Show all")
		moved(t, b.post(at, with(ruleFields(found), "gone.0", "on")...), at+"?find=TERM0500")
		if _, got := w.rules(t, w.acme.ID, d.ID); len(got) != respell.MaxRules-1 || !strings.HasSuffix(got[500].Term, "term0501") {
			t.Errorf("%s: %d rules are left, number 500 is %q", name, len(got), got[500].Term)
		}
	}
	for _, odd := range []string{"0", "-3", "99999999999999999999", "x"} {
		d := w.terms(t, w.acme.ID, "odd "+odd, plainRule("a", "b"))
		shown(t, b.get("/o/"+w.acme.ID+"/dictionaries/"+d.ID+"?page="+odd), http.StatusBadRequest)
	}
	d := w.terms(t, w.acme.ID, "few", plainRule("a", "b"))
	has(t, shown(t, b.get("/o/"+w.acme.ID+"/dictionaries/"+d.ID+"?page=21"), http.StatusOK), `name="term.0"`)
}

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
	same := ruleFields(page(t, b.get(at), http.StatusOK))
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
	has(t, page(t, b.get(at), http.StatusOK), "Saved as version 2, with 3 rules", "Save as version 3")
	if e := w.noted(t, "dictionary.save"); e.Target != d.ID || e.Actor != w.member.ID {
		t.Errorf("event %+v", e)
	}
	// All of them may go.
	last := ruleFields(page(t, b.get(at), http.StatusOK))
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
	form := ruleFields(page(t, b.get(at), http.StatusOK))
	body := page(t, b.post(at, with(form, "say.1", "/əˈpɪ/", "term.3", " ", "only.4", "Klingon", "term.50", "x<i>", "say.50", "")...), 422)
	has(t, body, "4 rules are wrong, so nothing was saved", "phonemes are not supported", "the term is empty", "Klingon", "the respelling is empty",
		`value="/əˈpɪ/" aria-label="Respelling of rule 2" dir="auto" autocomplete="off" aria-invalid="true" aria-describedby="wrong-1"`,
		`id="wrong-1"`, `id="wrong-3"`, `id="wrong-4"`, `id="wrong-50"`, `value="x&lt;i&gt;"`)
	lacks(t, body, `id="wrong-0"`, "<i>")
	// A rule that clashes with one on another page is told there, too.
	has(t, page(t, b.post(at, with(form, "term.0", "far")...), 400), "Rules that are not on this page", "Rule 61 (<bdi>far</bdi>): another rule has the same term")
	for _, wrong := range [][]string{{"at.0", "61"}, {"at.0", "-1"}, {"at.0", "x"}, {"at.0", "1"}} {
		page(t, b.post(at, with(form, wrong...)...), 400)
	}
	page(t, b.post(at), http.StatusConflict) // of no version
	if latest, _ := w.rules(t, w.acme.ID, d.ID); latest.Number != 1 {
		t.Errorf("what was refused made version %d", latest.Number)
	}
}

// rowOfValue returns which row of a form has a field with a value.
func rowOfValue(t testing.TB, fields []string, value string) string {
	t.Helper()
	for i := 0; i+1 < len(fields); i += 2 {
		if _, row, ok := strings.Cut(fields[i], "."); ok && fields[i+1] == value {
			return row
		}
	}
	t.Fatalf("no field has %q: %q", value, fields)
	return ""
}

// TestEditedMeanwhile saves over the edit of somebody else: the page has both texts of
// what both changed and all that the other edit did, nothing is lost, and it can be saved
// as it is.
func TestEditedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	old := []respell.Rule{plainRule("a", "1"), plainRule("b", "2"), plainRule("c", "3"), plainRule("d", "4"),
		plainRule("e", "5"), plainRule("f", "6"), plainRule("g", "7"), plainRule("h", "8")}
	d := w.terms(t, w.acme.ID, "Terms", old...)
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	mine := with(ruleFields(page(t, b.get(at), http.StatusOK)), "say.0", "my a", "say.1", "my b", "say.2", "my c", "gone.3", "on",
		"gone.4", "on", "say.6", "alike", "term.9", "new", "say.9", "n")
	// Somebody adds z before all others, changes b, e, f and g, and removes c and h.
	onlyHindi := respell.Rule{Term: "b", Respelling: "their b", CaseSensitive: true, Only: []string{"hi"}}
	theirs := []respell.Rule{plainRule("z", "26"), plainRule("a", "1"), onlyHindi, plainRule("d", "4"),
		plainRule("e", "their e"), plainRule("f", "their f"), plainRule("g", "alike")}
	if _, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, theirs); err != nil {
		t.Fatal(err)
	}
	body := page(t, b.post(at, mine...), http.StatusConflict)
	has(t, body, "You edited version 1, and somebody saved version 2 meanwhile.", "Nothing of yours is saved yet", "/versions?from=1&amp;to=2", "Save as version 3",
		`value="my a"`, `value="my b" aria-label="Respelling of rule 3"`, `value="my c" aria-label="Respelling of new rule"`, `value="their f"`, `value="26"`,
		"The other edit has <bdi>b</bdi> as <bdi>their b</bdi> (<bdi>case-sensitive, only hi</bdi>). Saving puts yours in its place.",
		"The other edit has <bdi>e</bdi> as <bdi>their e</bdi>. Saving removes it.")
	for words, want := range map[string]int{
		`role="alert"`: 1, "The other edit has": 2, "The other edit removed this rule": 1, "The other edit added this rule": 1, "and you did not": 1,
	} {
		if n := strings.Count(body, words); n != want {
			t.Errorf("the page has %q %d times, want %d:\n%s", words, n, want, body)
		}
	}
	lacks(t, body, "Somebody made version 2", `value="8"`)
	if _, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff(theirs, rules) != "" {
		t.Fatalf("the edit of somebody else is lost: %v", rules)
	}
	again := ruleFields(body)
	moved(t, b.post(at, again...), at)
	want := []respell.Rule{plainRule("z", "26"), plainRule("a", "my a"), plainRule("b", "my b"), plainRule("f", "their f"), plainRule("g", "alike"),
		plainRule("c", "my c"), plainRule("new", "n")}
	if _, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff(want, rules) != "" {
		t.Errorf("saved %v, want %v", rules, want)
	}
}

// TestSameRuleAddedMeanwhile has both edits add a rule of one term, which is said beside
// the one while the other is on the page, too.
func TestSameRuleAddedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", plainRule("a", "1"))
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	mine := with(ruleFields(page(t, b.get(at), http.StatusOK)), "term.5", "new", "say.5", "mine", "whole.5", "on")
	if _, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, []respell.Rule{plainRule("a", "1"), plainRule("new", "theirs")}); err != nil {
		t.Fatal(err)
	}
	again := ruleFields(page(t, b.post(at, mine...), http.StatusConflict))
	body := page(t, b.post(at, again...), http.StatusBadRequest)
	has(t, body, "another rule has the same term", `value="mine"`, `value="theirs"`)
	again = ruleFields(body)
	moved(t, b.post(at, with(again, "gone."+rowOfValue(t, again, "theirs"), "on")...), at)
	if _, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff([]respell.Rule{plainRule("a", "1"), plainRule("new", "mine")}, rules) != "" {
		t.Errorf("saved %v", rules)
	}
}

// TestVersionOfLongAgo saves below a version that is kept no more: what was sent stands
// beside what is there.
func TestVersionOfLongAgo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", plainRule("a", "1"), plainRule("b", "2"))
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	form := with(ruleFields(page(t, b.get(at), http.StatusOK)), "say.0", "mine", "at.1", "77", "term.1", "lost", "version", "00000000-0000-4000-8000-000000000000")
	body := page(t, b.post(at, form...), http.StatusConflict)
	has(t, body, "kept no more", `value="mine"`, "The other edit has <bdi>a</bdi> as <bdi>1</bdi>", `value="lost"`, "The other edit removed this rule")
	lacks(t, body, "added this rule", "?from=0")
	moved(t, b.post(at, ruleFields(body)...), at)
	if _, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff([]respell.Rule{plainRule("a", "mine"), plainRule("b", "2"), plainRule("lost", "2")}, rules) != "" {
		t.Errorf("saved %v", rules)
	}
}

// TestThousandRulesMeanwhile has another edit change every rule and add many: the page
// stays one that can be sent.
func TestThousandRulesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	d := w.terms(t, w.acme.ID, "Terms", numbered(10)...)
	at := "/o/" + w.acme.ID + "/dictionaries/" + d.ID
	form := with(ruleFields(page(t, b.get(at), http.StatusOK)), "say.0", "mine")
	theirs := numbered(respell.MaxRules)
	for i := range theirs {
		theirs[i].Respelling = "theirs"
	}
	if _, err := w.Dictionaries.Set(t.Context(), w.acme.ID, d.ID, theirs); err != nil {
		t.Fatal(err)
	}
	body := page(t, b.post(at, form...), http.StatusConflict)
	if n := strings.Count(body, "The other edit added this rule"); n != pageSize {
		t.Errorf("%d rules that were added are shown, want %d", n, pageSize)
	}
	moved(t, b.post(at, ruleFields(body)...), at)
	theirs[0].Respelling = "mine"
	if _, rules := w.rules(t, w.acme.ID, d.ID); cmp.Diff(theirs, rules) != "" {
		t.Errorf("saved %.300v", rules)
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
		body := page(t, b.get(at), http.StatusOK)
		has(t, body, "Page 1 of 20", `rel="next">Next</a>`)
		t.Logf("%s: %d bytes", name, len(body))
		if n := len(body); n > 150<<10 {
			t.Errorf("%s: the page has %d bytes", name, n)
		}
		last := page(t, b.get(at+"?page=20"), http.StatusOK)
		has(t, last, `name="at.49" value="999"`)
		has(t, last, `rel="prev">Previous</a>`)
		lacks(t, last, `name="term.50"`) // there is no room for a new one
		form := ruleFields(last)
		moved(t, b.post(at, with(form, "say.49", "the last")...), at+"?page=20")
		if _, got := w.rules(t, w.acme.ID, d.ID); len(got) != respell.MaxRules || got[999].Respelling != "the last" || got[0].Respelling != rules[0].Respelling {
			t.Errorf("%s: the last of %d rules is %+v", name, len(got), got[len(got)-1])
		}
		found := page(t, b.get(at+"?find=TERM0500"), http.StatusOK)
		has(t, found, "1 found", `name="at.0" value="500"`, "Show all")
		moved(t, b.post(at, with(ruleFields(found), "gone.0", "on")...), at+"?find=TERM0500")
		if _, got := w.rules(t, w.acme.ID, d.ID); len(got) != respell.MaxRules-1 || !strings.HasSuffix(got[500].Term, "term0501") {
			t.Errorf("%s: %d rules are left, number 500 is %q", name, len(got), got[500].Term)
		}
	}
	for _, odd := range []string{"0", "-3", "99999999999999999999", "x"} {
		d := w.terms(t, w.acme.ID, "odd "+odd, plainRule("a", "b"))
		page(t, b.get("/o/"+w.acme.ID+"/dictionaries/"+d.ID+"?page="+odd), http.StatusBadRequest)
	}
	d := w.terms(t, w.acme.ID, "few", plainRule("a", "b"))
	has(t, page(t, b.get("/o/"+w.acme.ID+"/dictionaries/"+d.ID+"?page=21"), http.StatusOK), `name="term.0"`)
}

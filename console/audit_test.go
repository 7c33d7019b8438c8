package console

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"vaak/identity"
)

func (w *world) event(t testing.TB, e identity.Event) {
	t.Helper()
	if e.At.IsZero() {
		e.At = time.Now()
	}
	if err := w.people.AddEvent(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	has(t, page(t, b.get("/audit"), http.StatusOK), "There is no event here")
	w.event(t, identity.Event{Actor: w.member.ID, OrgID: w.acme.ID, Action: "key.create", Target: "key_aaaaaaaaaaaaaaaa", Outcome: "done", Address: "192.0.2.7"})
	w.event(t, identity.Event{Action: "sign_in", Outcome: "sign_in_refused", Address: "2001:db8::1"})
	w.event(t, identity.Event{Actor: "usr_gone", OrgID: w.other.ID, Action: "new.kind", Target: hostile[0], Outcome: "done"})
	w.event(t, identity.Event{Actor: identity.Machine().ID, Action: "person.reinvite", Target: w.another.ID, Outcome: "done"})
	body := page(t, b.get("/audit"), http.StatusOK)
	has(t, body, "Create a key", `href="/people/`+w.member.ID+`"`, "Mia Member", "192.0.2.7", `<span class="badge good">done</span>`, "Sign in", "Not known",
		`<span class="badge bad">sign_in_refused</span>`, "2001:db8::1", "<code>usr_gone</code>", "<code>new.kind</code>", "The owner of the machine", "Make a new link for a person")
	lacks(t, body, "data-copy")
	harmless(t, body, hostile[0])
	if strings.Index(body, "new.kind") > strings.Index(body, "Create a key") {
		t.Error("the oldest event stands first")
	}
	only := page(t, b.get("/audit?org="+w.acme.ID), http.StatusOK)
	has(t, only, "Create a key", `value="`+w.acme.ID+`" selected`)
	lacks(t, only, "new.kind", "sign_in_refused")
	has(t, page(t, b.get("/audit?org=%3Cscript%3E"), http.StatusOK), "There is no event of this organisation")
	for _, bad := range []string{"x", "0", "-5", "99999999999999999999"} {
		has(t, page(t, b.get("/audit?before="+bad), http.StatusBadRequest), "is not the number of an event")
	}
}

// TestAuditTargets: what was acted on leads to its page, where it has one.
func TestAuditTargets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct{ action, org, target, outcome, name, page string }{
		{"key.create", w.acme.ID, "key_aaaaaaaaaaaaaaaa", "done", "key_aaaaaaaaaaaaaaaa", "/o/" + w.acme.ID + "/keys"},
		{"key.create", w.acme.ID, "key_aaaaaaaaaaaaaaaa", "too_many", "key_aaaaaaaaaaaaaaaa", ""},
		{"key.create", "org_gone", "key_aaaaaaaaaaaaaaaa", "done", "key_aaaaaaaaaaaaaaaa", ""},
		{"dictionary.save", w.acme.ID, "1f0c", "done", "1f0c", "/o/" + w.acme.ID + "/dictionaries/1f0c"},
		{"dictionary.delete", w.acme.ID, "1f0c", "done", "1f0c", ""},
		{"person.role", "", w.member.ID, "last_operator", "Mia Member", "/people/" + w.member.ID},
		{"person.role", "", "usr_gone", "done", "usr_gone", ""},
		{"subscription.set", w.acme.ID, w.acme.ID, "done", "Acme", "/organisations/" + w.acme.ID},
		{"lot.grant", w.acme.ID, "lot_a", "done", "lot_a", "/organisations/" + w.acme.ID},
		{"plan.set", "", "a plan", "done", "a plan", "/plans/a%20plan"},
		{"enquiry.purge", "", "enq_a", "done", "enq_a", "/enquiries/enq_a"},
		{"enquiry.retry", "", "mail_a", "done", "mail_a", ""},
		{"sign_out", "", "", "done", "", ""},
	} {
		v := &visit{Console: w.Console}
		name, at := v.target(identity.Event{OrgID: tt.org, Action: tt.action, Target: tt.target, Outcome: tt.outcome},
			map[string]string{w.member.ID: "Mia Member"}, orgNames{w.acme.ID: "Acme"})
		if name != tt.name || at != tt.page {
			t.Errorf("%s of %q, %s: %q at %q, want %q at %q", tt.action, tt.target, tt.outcome, name, at, tt.name, tt.page)
		}
	}
	w.event(t, identity.Event{Actor: w.operator.ID, OrgID: w.acme.ID, Action: "person.invite", Target: w.member.ID, Outcome: "done"})
	has(t, page(t, w.as(t, w.operator).get("/audit"), http.StatusOK), `<span class="note"><a href="/people/`+w.member.ID+`"><bdi>Mia Member</bdi></a></span>`)
}

// areas are what the names of actions begin with.
var areas = regexp.MustCompile(`^(setup|password|(sign_in|sign_out|password|codes|person|key|organisation|subscription|lot|ceilings|plan|dataset|enquiry|dictionary|ledger)(\.[a-z_]+)+|sign_in|sign_out)$`)

// TestAuditWords: every action that the code writes has words, and no words are of an
// action that it does not write.
func TestAuditWords(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	for _, dir := range []string{".", "../identity"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || file == "auditline.go" {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if s := literal(n); areas.MatchString(s) {
						written[s] = true
					}
				case *ast.CallExpr: // of an area that is not known here
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "note" && dir == "." {
						if s := literal(n.Args[0]); s != "" {
							written[s] = true
						}
					}
				}
				return true
			})
		}
	}
	for action := range written {
		if actionWords[action] == "" {
			t.Errorf("the action %q has no words", action)
		}
	}
	for action := range actionWords {
		if !written[action] {
			t.Errorf("there are words for %q, which nothing writes", action)
		}
	}
	if len(written) < 30 {
		t.Errorf("%d actions are written; the others were not found", len(written))
	}
}

// literal returns the text of a string literal; "" of anything else.
func literal(n ast.Node) string {
	if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if s, err := strconv.Unquote(lit.Value); err == nil {
			return s
		}
	}
	return ""
}

func TestAuditPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	for i := range 2*eventsPerPage + 5 {
		w.event(t, identity.Event{Actor: w.operator.ID, OrgID: w.acme.ID, Action: "key.create", Target: fmt.Sprintf("event-%03d.", i), Outcome: "done"})
	}
	next, seen := "/audit?org="+w.acme.ID, 0
	for n := range 3 {
		body := page(t, b.get(next), http.StatusOK)
		for i := range 2*eventsPerPage + 5 {
			seen += strings.Count(body, fmt.Sprintf(">event-%03d.<", i))
		}
		if got := strings.Contains(body, "First page"); got != (n > 0) {
			t.Errorf("page %d links to the first: %t", n, got)
		}
		_, link, more := strings.Cut(body, `<a href="/audit?before=`)
		if more != (n < 2) {
			t.Fatalf("page %d links to older ones: %t", n, more)
		}
		address, _, _ := strings.Cut(link, `"`)
		next = "/audit?before=" + strings.ReplaceAll(address, "&amp;", "&")
	}
	if seen != 2*eventsPerPage+5 {
		t.Errorf("three pages showed %d events, want each once", seen)
	}
}

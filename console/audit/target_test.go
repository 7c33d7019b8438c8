package audit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vaak/identity"
)

// TestTargets: what was acted on leads to its page, where it has one.
func TestTargets(t *testing.T) {
	t.Parallel()
	const acme, member = "org_acme", "usr_member"
	ps := &pages{Config{Dictionaries: true, Enquiries: true}}
	for _, tt := range []struct{ action, org, target, outcome, name, page string }{
		{"key.create", acme, "key_aaaaaaaaaaaaaaaa", "done", "key_aaaaaaaaaaaaaaaa", "/o/" + acme + "/keys"},
		{"key.create", acme, "key_aaaaaaaaaaaaaaaa", "too_many", "key_aaaaaaaaaaaaaaaa", ""},
		{"key.create", "org_gone", "key_aaaaaaaaaaaaaaaa", "done", "key_aaaaaaaaaaaaaaaa", ""},
		{"dictionary.save", acme, "1f0c", "done", "1f0c", "/o/" + acme + "/dictionaries/1f0c"},
		{"dictionary.delete", acme, "1f0c", "done", "1f0c", ""},
		{"person.role", "", member, "last_operator", "Mia Member", "/people/" + member},
		{"person.role", "", "usr_gone", "done", "usr_gone", ""},
		{"subscription.set", acme, acme, "done", "Acme", "/organisations/" + acme},
		{"lot.grant", acme, "lot_a", "done", "lot_a", "/organisations/" + acme},
		{"webhook.test", acme, "we_a", "done", "we_a", "/o/" + acme + "/webhooks/we_a"},
		{"webhook.change", "", "we_a", "done", "we_a", "/webhooks/we_a"},
		{"webhook.delete", acme, "we_a", "done", "we_a", ""},
		{"plan.set", "", "a plan", "done", "a plan", "/plans/a%20plan"},
		{"enquiry.purge", "", "enq_a", "done", "enq_a", "/enquiries/enq_a"},
		{"enquiry.retry", "", "mail_a", "done", "mail_a", ""},
		{"sign_out", "", "", "done", "", ""},
	} {
		name, at := ps.target(identity.Event{OrgID: tt.org, Action: tt.action, Target: tt.target, Outcome: tt.outcome},
			map[string]string{member: "Mia Member"}, map[string]string{acme: "Acme"})
		if name != tt.name || at != tt.page {
			t.Errorf("%s of %q, %s: %q at %q, want %q at %q", tt.action, tt.target, tt.outcome, name, at, tt.name, tt.page)
		}
	}
}

// areas are what the names of actions begin with.
var areas = regexp.MustCompile(`^(setup|password|(sign_in|sign_out|password|codes|person|key|organisation|subscription|lot|ceilings|plan|application|token|webhook|dataset|enquiry|dictionary|ledger)(\.[a-z_]+)+|sign_in|sign_out)$`)

// TestActionWords: every action that the code writes has words, and no words are of an
// action that it does not write.
func TestActionWords(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	for _, dir := range []string{"../*", "../../identity", "../../oauth"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "audit/target.go") {
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
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Note" {
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

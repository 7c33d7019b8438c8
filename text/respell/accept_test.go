package respell

import (
	"slices"
	"strings"
	"testing"

	"vaak/lang"
)

// rule is a short way to write a whole-word rule.
func rule(term, respelling string, options ...func(*Rule)) Rule {
	r := Rule{Term: term, Respelling: respelling}
	for _, o := range options {
		o(&r)
	}
	return r
}

func exact(r *Rule)  { r.CaseSensitive = true }
func inWord(r *Rule) { r.InWords = true }

func only(tags ...string) func(*Rule)   { return func(r *Rule) { r.Only = tags } }
func except(tags ...string) func(*Rule) { return func(r *Rule) { r.Except = tags } }

// list is a dictionary of rules.
func list(rules ...Rule) []Rule { return rules }

// acceptance is a case of the acceptance table: the text as it is after the matches
// were replaced, and what stood there, parted by bars.
type acceptance struct {
	name    string
	rules   []Rule
	more    []Rule // a second dictionary
	request string
	text    string
	want    string
	spans   string
}

func compileAll(lists ...[]Rule) Dictionaries {
	var ds Dictionaries
	for _, l := range lists {
		if l != nil {
			ds = append(ds, Compile(l))
		}
	}
	return ds
}

// replaced returns the text with the matches replaced.
func replaced(s string, ms []Match) string {
	var b strings.Builder
	at := 0
	for _, m := range ms {
		b.WriteString(s[at:m.Start])
		b.WriteString(m.Respelling)
		at = m.End
	}
	b.WriteString(s[at:])
	return b.String()
}

func mustTag(t testing.TB, hint string) lang.Tag {
	t.Helper()
	tag, err := lang.Resolve(hint)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

func TestAcceptance(t *testing.T) {
	t.Parallel()
	cases := slices.Concat(optionCases, latinCases, indicCases, rightToLeftCases, eastAsianCases, signCases, orderCases)
	seen := map[string]bool{}
	for _, tt := range cases {
		if seen[tt.name] {
			t.Errorf("two cases are named %q", tt.name)
		}
		seen[tt.name] = true
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ms := compileAll(tt.rules, tt.more).Find(tt.text, mustTag(t, tt.request))
			if got := replaced(tt.text, ms); got != tt.want {
				t.Errorf("%q is read %q, want %q", tt.text, got, tt.want)
			}
			var spans []string
			for _, m := range ms {
				spans = append(spans, m.In(tt.text))
			}
			if got := strings.Join(spans, "|"); got != tt.spans {
				t.Errorf("in %q match %q, want %q", tt.text, got, tt.spans)
			}
		})
	}
	if len(cases) < 90 {
		t.Errorf("the table has %d cases, want 90", len(cases))
	}
}

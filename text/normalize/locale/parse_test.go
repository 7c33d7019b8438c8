package locale

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, want string }{
		{"unknown key", "colour\tred", `unknown key "colour"`},
		{"no value", "point", "too few"},
		{"too many", "point\ta\tb", "2 values, not 1"},
		{"empty value", "point\t", "is empty"},
		{"space at an end", "point\tpoint ", "space at an end"},
		{"field missing", "range\t{a} to", "no {b}"},
		{"brace open", "percent\t{n percent", "not closed"},
		{"nested", "range\t{a{b}}", "no {a}"},
		{"not closed", "date\t{d} {month} {y} {", "not closed"},
		{"no other", "money\tUSD\tone=dollar\t-\t-\t-", "no form for other"},
		{"region", "point@usa1\tpoint", "no region"},
		{"number", "date.day\tfirst\terste", "no number"},
		{"rule set", "cardinal\t%spellout", "no name of a rule set"},
		{"list", "score.word\twon;;lost", "empty item"},
		{"second row", "point\ta\npoint\tb", "second row"},
		{"second of a table", "sign\t§\ta\nsign\t§\tb", `second row for "§"`},
		{"not UTF-8", "point\t\xff", "not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, faults := parse("# Test\n" + tt.line + "\n")
			if len(faults) != 1 || !strings.Contains(faults[0].Error(), tt.want) {
				t.Errorf("parse(%q) = %v, want one fault with %q", tt.line, faults, tt.want)
			}
		})
	}
	if _, faults := parse("point\tpoint\n"); len(faults) != 1 {
		t.Errorf("a file without a heading has faults %v", faults)
	}
}

func TestRegions(t *testing.T) {
	t.Parallel()
	l, faults := parse("# Test\npoint\tpoint\nsign\t§\tsection\nsign\t°\tdegrees\npoint@IN\tdot\nsign@IN\t§\tclause\n")
	if faults != nil {
		t.Fatal(faults)
	}
	in := l.regional["IN"]
	for _, tt := range []struct{ name, got, want string }{
		{"base word", l.Word("point"), "point"}, {"regional word", in.Word("point"), "dot"},
		{"absent", in.Word("plus"), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	want := []Row{{"°", "degrees"}, {"§", "clause"}}
	if diff := cmp.Diff(want, in.Rows("sign")); diff != "" {
		t.Errorf("regional rows (-want +got):\n%s", diff)
	}
	if r, ok := l.Lookup("sign", "§"); !ok || r.Value(1) != "section" {
		t.Errorf("Lookup(sign, §) = %q, %v, want section", r, ok)
	}
}

func TestParseForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value string
		want  Forms
	}{
		{"", nil}, {"yen", Forms{"other": "yen"}}, {"one=dollar | other=dollars", Forms{"one": "dollar", "other": "dollars"}},
		{"a=b", Forms{"other": "a=b"}},
	} {
		if diff := cmp.Diff(tt.want, ParseForms(tt.value)); diff != "" {
			t.Errorf("ParseForms(%q) (-want +got):\n%s", tt.value, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# x\npoint\ty\nmoney@IN\tINR\tone=a | other=b\n")
	f.Fuzz(func(t *testing.T, file string) {
		l, _ := parse(file)
		for key := range shapes {
			for _, r := range l.Rows(key) {
				_, _ = r.Value(9), r.List(0)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	file, err := data.ReadFile("data/en.tsv")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		parse(string(file))
	}
}

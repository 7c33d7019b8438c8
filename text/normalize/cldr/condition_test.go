package cldr

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCondition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want [][]relation
		ok   bool
	}{
		{"n = 1", [][]relation{{{operand: 'n', ranges: []span{{1, 1}}}}}, true},
		{"i = 0 or n % 10 != 2..4,9 and v = 0 @integer 1, 2", [][]relation{
			{{operand: 'i', ranges: []span{{0, 0}}}},
			{{operand: 'n', modulus: 10, not: true, ranges: []span{{2, 4}, {9, 9}}}, {operand: 'v', ranges: []span{{0, 0}}}},
		}, true},
		{"n mod 100 is not 5", [][]relation{{{operand: 'n', modulus: 100, not: true, ranges: []span{{5, 5}}}}}, true},
		{"n within 0..2", [][]relation{{{operand: 'n', within: true, ranges: []span{{0, 2}}}}}, true},
		{"n not in 1", [][]relation{{{operand: 'n', not: true, ranges: []span{{1, 1}}}}}, true},
		{"e = 3", [][]relation{{{operand: 'c', ranges: []span{{3, 3}}}}}, true},
		{text: ""}, {text: "n"}, {text: "n ="}, {text: "x = 1"}, {text: "n % 0 = 1"}, {text: "n = 1 or"},
		{text: "n = 1 and"}, {text: "n = 1,"}, {text: "n = 1.."}, {text: "n = 1 2"}, {text: "n inside 1"},
	} {
		got, ok := parseCondition(tt.text)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(relation{}, span{})); ok != tt.ok || diff != "" {
			t.Errorf("parseCondition(%q) = %v (-want +got):\n%s", tt.text, ok, diff)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	r := rulesOf("one n within 0..2\nfew n % 10 = 3..4\nbroken n ~ 4\nmany n is 7")
	for number, want := range map[string]Category{"0": One, "1.5": One, "2": One, "2.5": Other, "13": Few, "13.5": Other, "7": Many, "7.0": Many} {
		o, _ := NewOperands(number)
		if got := r.match(o); got != want {
			t.Errorf("match(%s) = %s, want %s", number, got, want)
		}
	}
}

func FuzzParseCondition(f *testing.F) {
	for _, s := range []string{"n = 1", "v = 0 and i % 10 = 2..4 and i % 100 != 12..14", "n is not 5 or n within 1..2", "n % 99999999999999999999 = 1", "@"} {
		f.Add(s, "12.50")
	}
	f.Fuzz(func(t *testing.T, text, number string) {
		any, ok := parseCondition(text)
		if ok == (any == nil) {
			t.Errorf("parseCondition(%q) = %v, %v", text, any, ok)
		}
		o, _ := NewOperands(number)
		if got := (rules{{Few, any}}).match(o); got != Few && got != Other {
			t.Errorf("match = %s", got)
		}
	})
}

// Operands keep the last 18 digits of a long number, so rules may divide by
// powers of ten only.
func TestModuliDivide(t *testing.T) {
	t.Parallel()
	seen := 0
	for name, e := range bundle().entries {
		l := bundle().decode(e)
		for _, r := range append(l.cardinal, l.ordinal...) {
			for _, all := range r.any {
				for _, rel := range all {
					if seen++; rel.modulus != 0 && uint64(wrap)%rel.modulus != 0 {
						t.Errorf("%s divides by %d, which does not divide %d", name, rel.modulus, uint64(wrap))
					}
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("%d relations in all, want 200 or more", seen)
	}
}

package dictionary_test

import (
	"fmt"
	"slices"
	"testing"

	"vaak/dictionary"
	"vaak/dictionary/dictionarytest"
	"vaak/internal/fault"
	"vaak/text/respell"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	hindi := respell.Rule{Term: "API", Respelling: "ए पी आई", Only: []string{"hi"}}
	for _, tt := range []struct {
		name          string
		before, after []respell.Rule
		want          []string
	}{
		{"nothing", nil, nil, nil},
		{"the same in another order", []respell.Rule{rule("a", "b"), rule("c", "d")}, []respell.Rule{rule("c", "d"), rule("a", "b")}, nil},
		{"no list and an empty one", []respell.Rule{{Term: "a", Respelling: "b", Only: []string{}}}, []respell.Rule{rule("a", "b")}, nil},
		{"each sort", []respell.Rule{rule("a", "b"), rule("c", "d"), rule("e", "f")}, []respell.Rule{rule("new", "n"), rule("e", "g"), rule("a", "b")},
			[]string{"c=d to nothing", "e=f to e=g", "nothing to new=n"}},
		{"one of two rules of a term", []respell.Rule{rule("API", "A P I"), hindi}, []respell.Rule{hindi, rule("API", "ay pee eye")},
			[]string{"API=A P I to API=ay pee eye"}},
		{"a second rule of a term", []respell.Rule{rule("API", "A P I")}, []respell.Rule{hindi, rule("API", "A P I")}, []string{"nothing to API=ए पी आई"}},
		{"an option", []respell.Rule{rule("a", "b")}, []respell.Rule{{Term: "a", Respelling: "b", InWords: true}}, []string{"a=b to a=b"}},
		{"twice the same", []respell.Rule{rule("a", "b"), rule("a", "b")}, []respell.Rule{rule("a", "b")}, []string{"a=b to nothing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range dictionary.Compare(tt.before, tt.after) {
				got = append(got, told(c.Before)+" to "+told(c.After))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Compare() = %q, want %q", got, tt.want)
			}
		})
	}
}

func told(r *respell.Rule) string {
	if r == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s=%s", r.Term, r.Respelling)
}

func TestSetAfter(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, &dictionarytest.Memory{})
	d := create(t, s, "names", rule("a", "b"))
	second, err := s.SetAfter(ctx, alice, d.ID, d.Latest.ID, []respell.Rule{rule(" a ", "c")})
	if err != nil || second.Number != 2 || second.Rules != 1 {
		t.Fatalf("SetAfter() = %+v, %v", second, err)
	}
	_, err = s.SetAfter(ctx, alice, d.ID, d.Latest.ID, []respell.Rule{rule("a", "lost")})
	refused(t, "an edit of version 1", err, fault.Conflict, dictionary.CodeConflict)
	_, err = s.SetAfter(ctx, alice, d.ID, second.ID, []respell.Rule{rule("a", "")})
	refused(t, "a wrong rule", err, fault.Invalid, fault.CodeInvalidParameter)
	_, err = s.SetAfter(ctx, bob, d.ID, second.ID, []respell.Rule{rule("a", "d")})
	refused(t, "another's dictionary", err, fault.NotFound, dictionary.CodeNotFound)
	if _, rules, err := s.Get(ctx, alice, d.ID); err != nil || len(rules) != 1 || rules[0].Respelling != "c" {
		t.Errorf("the rules are %v, %v", rules, err)
	}
	if v, err := s.SetAfter(ctx, alice, d.ID, second.ID, nil); err != nil || v.Rules != 0 || v.Number != 3 {
		t.Errorf("SetAfter(no rules) = %+v, %v", v, err)
	}
}

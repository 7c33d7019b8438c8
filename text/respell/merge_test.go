package respell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	old := list(rule("API", "a"), rule("Straße", "b"), rule("API", "c", only("hi", "en-IN")), rule("SQL", "d", exact), rule("x", "e", inWord))
	before := list(old...)
	for _, tt := range []struct {
		name  string
		other Rule
		at    int // of the rule that it replaces; 5 when it is added
	}{
		{"same", rule("API", "n"), 0},
		{"other casing", rule("api", "n"), 0},
		{"invisible characters", rule("A\u200BPI", "n"), 0},
		{"fullwidth", rule("ＡＰＩ", "n"), 0},
		{"full folding", rule("STRASSE", "n"), 1},
		{"same scope otherwise", rule("api", "n", only("en_IN", "Hindi", "hi")), 2},
		{"narrower entry changes nothing", rule("api", "n", only("hi-IN", "hi", "en-IN")), 2},
		{"other scope", rule("API", "n", only("hi")), 5},
		{"no scope is not an unknown one", rule("API", "n", only("tlh")), 5},
		{"except is not only", rule("API", "n", except("hi", "en-IN")), 5},
		{"same casing", rule("SQL", "n", exact), 3},
		{"other exact casing", rule("sql", "n", exact), 5},
		{"casing is an option", rule("SQL", "n"), 5},
		{"in words", rule("X", "n", inWord), 4},
		{"words are an option", rule("x", "n"), 5},
		{"other term", rule("y", "n"), 5},
		{"diacritics count", rule("ÀPI", "n"), 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := append(list(old[:tt.at]...), tt.other)
			if tt.at < len(old) {
				want = append(want, old[tt.at+1:]...)
			}
			if diff := cmp.Diff(want, Merge(old, list(tt.other))); diff != "" {
				t.Errorf("Merge (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff(before, old); diff != "" {
		t.Errorf("Merge changed its rules:\n%s", diff)
	}
}

func TestMergeSeveral(t *testing.T) {
	t.Parallel()
	got := Merge(list(rule("a", "1"), rule("b", "2")), list(rule("c", "3"), rule("B", "4"), rule("C", "5"), rule("d", "6")))
	want := list(rule("a", "1"), rule("B", "4"), rule("C", "5"), rule("d", "6"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Merge (-want +got):\n%s", diff)
	}
	if got := Merge(nil, nil); len(got) != 0 {
		t.Errorf("Merge of nothing = %v", got)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		a, b Rule
		same bool
	}{
		{"dotless i for all languages", rule("ISIK", ""), rule("ısık", ""), false},
		{"dotless i in Turkish", rule("ISIK", "", only("tr")), rule("ısık", "", only("tr")), true},
		{"dotted i in Turkish", rule("ISIK", "", only("tr")), rule("isik", "", only("tr")), false},
		{"dotted i in Turkish and English", rule("ISIK", "", only("tr", "en")), rule("isik", "", only("en", "tr")), true},
		{"other script", rule("a", "", only("zh-Hant")), rule("a", "", only("zh")), false},
		{"apostrophes", rule("don't", "", exact), rule("don’t", "", exact), true},
		{"languages in another order", rule("a", "", except("de", "fr")), rule("a", "", except("French", "deu")), true},
		{"white space", rule(" a \u00A0b", ""), rule("a\nb ", ""), true},
	} {
		if got := newResolver().identity(tt.a) == newResolver().identity(tt.b); got != tt.same {
			t.Errorf("%s: same = %t, want %t", tt.name, got, tt.same)
		}
	}
}

package speak

import "testing"

func TestNouns(t *testing.T) {
	t.Parallel()
	n := nouns{whole: map[string]noun{}, ending: map[string]noun{}, beginning: map[string]noun{}}
	n.add("mano", noun{Set: "whole"})
	n.add("-a", noun{Set: "ending", except: map[string]bool{"mapa": true}})
	n.add("-ista", noun{Set: "longer"})
	n.add("kilo-", noun{Set: "beginning"})
	for _, tt := range []struct{ word, want string }{
		{"mano", "whole"}, {"casa", "ending"}, {"a", "ending"}, {"lista", "longer"}, {"mapa", ""}, {"kilometro", "beginning"},
		{"kilograma", "beginning"}, {"manos", ""}, {"", ""},
	} {
		if v, ok := n.of(tt.word); v.Set != tt.want || ok != (tt.want != "") {
			t.Errorf("of(%q) = %q, %v, want %q", tt.word, v.Set, ok, tt.want)
		}
	}
	n.add("*", noun{Set: "other"})
	if v, _ := n.of("mapa"); v.Set != "other" {
		t.Errorf("of(%q) = %q, want %q", "mapa", v.Set, "other")
	}
}

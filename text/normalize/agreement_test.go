package normalize

import "testing"

func TestNouns(t *testing.T) {
	t.Parallel()
	n := nouns{whole: map[string]noun{}, ending: map[string]noun{}, beginning: map[string]noun{}}
	n.add("mano", noun{set: "whole"})
	n.add("-a", noun{set: "ending", except: map[string]bool{"mapa": true}})
	n.add("-ista", noun{set: "longer"})
	n.add("kilo-", noun{set: "beginning"})
	for _, tt := range []struct{ word, want string }{
		{"mano", "whole"}, {"casa", "ending"}, {"a", "ending"}, {"lista", "longer"}, {"mapa", ""}, {"kilometro", "beginning"},
		{"kilograma", "beginning"}, {"manos", ""}, {"", ""},
	} {
		if v, ok := n.of(tt.word); v.set != tt.want || ok != (tt.want != "") {
			t.Errorf("of(%q) = %q, %v, want %q", tt.word, v.set, ok, tt.want)
		}
	}
	n.add("*", noun{set: "other"})
	if v, _ := n.of("mapa"); v.set != "other" {
		t.Errorf("of(%q) = %q, want %q", "mapa", v.set, "other")
	}
}

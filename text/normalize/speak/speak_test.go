package speak

import "testing"

func TestFieldSet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ form, plain, set string }{
		{"{n} km", "{n} km", ""},
		{"{n:spellout-cardinal}个", "{n}个", "spellout-cardinal"},
		{"of {n:a", "of {n}", "a"},
	} {
		if plain, set := FieldSet(tt.form); plain != tt.plain || set != tt.set {
			t.Errorf("FieldSet(%q) = %q, %q, want %q, %q", tt.form, plain, set, tt.plain, tt.set)
		}
	}
}

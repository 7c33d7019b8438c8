package voice

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/lang"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	all := All()
	for _, tt := range []struct {
		name  string
		query Query
		want  func(Voice) bool
	}{
		{"all", Query{}, func(Voice) bool { return true }},
		{"search", Query{Search: "tamil male"}, func(v Voice) bool { return v.Native == "ta" && v.Gender == Male }},
		{"category", Query{Category: "Premade"}, func(Voice) bool { return true }},
		{"no such category", Query{Category: "cloned"}, func(Voice) bool { return false }},
		{"languages", Query{Languages: []lang.Code{"ta", "de", "sa"}}, func(v Voice) bool { return v.Native == "ta" || v.Native == "de" }},
		{"a language without voices", Query{Languages: []lang.Code{"sa"}}, func(Voice) bool { return false }},
		{"accent", Query{Accent: "norwegian BOKMAL"}, func(v Voice) bool { return v.Native == "nb" }},
		{"accent, part", Query{Accent: "norw"}, func(v Voice) bool { return v.Native == "nb" }},
		{"accent, the beginning of a code", Query{Accent: "am"}, func(v Voice) bool { return v.Native == "am" || v.Region == "US" || v.Region == "419" }},
		{"accent of a region", Query{Accent: "british english"}, func(v Voice) bool { return v.Region == "GB" }},
		{"no such accent", Query{Accent: "martian"}, func(Voice) bool { return false }},
		{"accent without words", Query{Accent: "-"}, func(Voice) bool { return true }},
		{"gender", Query{Gender: "FEMALE"}, func(v Voice) bool { return v.Gender == Female }},
		{"gender is a whole word", Query{Gender: "fem"}, func(Voice) bool { return false }},
		{"gender without words", Query{Gender: "-"}, func(Voice) bool { return false }},
		{"category without words", Query{Category: "-"}, func(Voice) bool { return false }},
		{"ids", Query{IDs: []ID{all[7].ID, "sv_nobody", all[3].ID, all[3].ID}}, func(v Voice) bool { return v == all[3] || v == all[7] }},
		{"everything", Query{Search: "hindi", Category: "premade", Languages: []lang.Code{"hi", "ta"}, Accent: "hindi", Gender: "male"},
			func(v Voice) bool { return v.Native == "hi" && v.Gender == Male }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := slices.DeleteFunc(All(), func(v Voice) bool { return !tt.want(v) })
			got := BuiltIn().Select(tt.query)
			if d := cmp.Diff(ids(want), ids(got)); d != "" {
				t.Errorf("%+v (-want +got):\n%s", tt.query, d)
			}
			tt.query.Descending = true
			slices.Reverse(want)
			if d := cmp.Diff(ids(want), ids(BuiltIn().Select(tt.query))); d != "" {
				t.Errorf("%+v (-want +got):\n%s", tt.query, d)
			}
		})
	}
}

func ids(voices []Voice) []ID {
	var out []ID
	for _, v := range voices {
		out = append(out, v.ID)
	}
	return out
}

func TestQueryByName(t *testing.T) {
	t.Parallel()
	got := BuiltIn().Select(Query{Order: ByName})
	if len(got) != len(All()) {
		t.Fatalf("%d voices, want %d", len(got), len(All()))
	}
	for i, v := range got[1:] {
		if before := got[i]; folded(before.Name) > folded(v.Name) {
			t.Errorf("%s stands before %s", before.Name, v.Name)
		}
	}
	down := BuiltIn().Select(Query{Order: ByName, Descending: true})
	slices.Reverse(down)
	if d := cmp.Diff(ids(got), ids(down)); d != "" {
		t.Errorf("descending is not ascending turned round:\n%s", d)
	}
}

// TestQueryNarrows: a field more never finds a voice more, and what is found is
// the caller's own.
func TestQueryNarrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "male", "hindi", "a", "sv_", "x", "É", "\xff"})
		q := Query{Search: word.Draw(t, "search"), Accent: word.Draw(t, "accent"), Gender: word.Draw(t, "gender"), Category: word.Draw(t, "category")}
		got := BuiltIn().Select(q)
		for _, wider := range []Query{{Search: q.Search}, {Accent: q.Accent}, {Gender: q.Gender}, {Category: q.Category}} {
			have := ids(BuiltIn().Select(wider))
			for _, v := range got {
				if !slices.Contains(have, v.ID) {
					t.Errorf("%+v finds %s, which %+v does not", q, v.ID, wider)
				}
			}
		}
		clear(got)
	})
	if All()[0].ID == "" || BuiltIn().Search("")[0].ID == "" {
		t.Error("what was found is not the caller's own")
	}
}

package voice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/lang"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	id := func(want func(Voice) bool) (ids []ID) {
		for _, v := range All() {
			if want(v) {
				ids = append(ids, v.ID)
			}
		}
		return ids
	}
	native := func(code string, g Gender) func(Voice) bool {
		return func(v Voice) bool { return string(v.Native) == code && (g == "" || v.Gender == g) }
	}
	named := func(name string) func(Voice) bool {
		if !slices.ContainsFunc(All(), func(v Voice) bool { return v.Name == name }) {
			t.Errorf("no voice is named %s: the case looks for nothing", name)
		}
		return func(v Voice) bool { return v.Name == name }
	}
	first := All()[0]
	for _, tt := range []struct {
		query string
		want  func(Voice) bool
	}{
		{"", func(Voice) bool { return true }},
		{" ,; ", func(Voice) bool { return true }},
		{"tamil", native("ta", "")},
		{"TAMIL Male", native("ta", Male)},
		{"female tam", native("ta", Female)},
		{"male", func(v Voice) bool { return v.Gender == Male }},
		{"hi", native("hi", "")}, // and not what is high-pitched
		{"HI female", native("hi", Female)},
		{"he", native("he", "")},
		{"high", func(v Voice) bool { return strings.Contains(v.Description, "high-pitched") }},
		{"british", func(v Voice) bool { return v.Region == "GB" }},
		{"british female", func(v Voice) bool { return v.Region == "GB" && v.Gender == Female }},
		{"american en", func(v Voice) bool { return v.Region == "US" }},
		{"brazilian", func(v Voice) bool { return v.Region == "BR" }},
		{"european portuguese", func(v Voice) bool { return v.Region == "PT" }},
		{"latin american male", func(v Voice) bool { return v.Region == "419" && v.Gender == Male }},
		{"indian tamil", native("ta", "")},
		{"basic", func(v Voice) bool { return v.Native == "ar" || v.Native == "he" }},
		{"kok false", native("kok", "")},
		{"Rocio", named("Rocío")},
		{"bjorn", named("Bjørn")},
		{"MAŁGORZATA", named("Małgorzata")},
		{"malgorzata", named("Małgorzata")},
		{"ji-yeon", named("Ji-yeon")},
		{"rəşad", named("Rəşad")},
		{"norwegian bokmal", native("nb", "")},
		{string(first.ID), named(first.Name)},
		{string(first.ID)[:8], named(first.Name)},
		{"tamil telugu", func(Voice) bool { return false }},
		{"नमस्ते", func(Voice) bool { return false }},
		{"amil", func(Voice) bool { return false }}, // words match from their beginning
	} {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			var got []ID
			for _, v := range BuiltIn().Search(tt.query) {
				got = append(got, v.ID)
			}
			if d := cmp.Diff(id(tt.want), got); d != "" {
				t.Errorf("Search(%q) (-want +got):\n%s", tt.query, d)
			}
		})
	}
}

func TestSearchFindsEveryVoice(t *testing.T) {
	t.Parallel()
	for _, v := range All() {
		texts := []string{string(v.ID), v.Name, v.Accent, string(v.Gender), v.Description}
		for _, l := range v.Labels() {
			texts = append(texts, l)
		}
		query := strings.Join(texts, " ")
		if got := BuiltIn().Search(query); len(got) != 1 || got[0] != v {
			t.Errorf("Search(%q) found %d voices, want only %s", query, len(got), v.ID)
		}
	}
}

// TestSearchByCode: a code finds its language alone, but for "is", which stands in
// every description.
func TestSearchByCode(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		if code := string(l.Code); l.Code != "is" && len(ForLanguage(l.Code)) > 0 {
			if d := cmp.Diff(ids(ForLanguage(l.Code)), ids(BuiltIn().Search(code))); d != "" {
				t.Errorf("Search(%q) (-want +got):\n%s", code, d)
			}
		}
	}
}

// TestRegionsAreFound: in a language with regional ways of speaking a search for each
// finds a woman and a man, if more than the first voices speak so.
func TestRegionsAreFound(t *testing.T) {
	t.Parallel()
	for _, accent := range []string{"American English", "British English", "European Spanish", "Latin American Spanish", "Brazilian Portuguese", "European Portuguese"} {
		for _, g := range []Gender{Female, Male} {
			if len(BuiltIn().Search(accent+" "+string(g))) == 0 {
				t.Errorf("no %s voice is %s", accent, g)
			}
		}
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("tamil male")
	f.Add("\xff\u0300")
	f.Add("A \xf2ȳ")
	f.Fuzz(func(t *testing.T, query string) {
		all := BuiltIn().Search(query)
		if more := BuiltIn().Search(query + " female"); len(more) > len(all) {
			t.Errorf("Search(%q) found %d voices, and with one word more %d", query, len(all), len(more))
		}
	})
}

func ExampleDirectory_Search() {
	for _, v := range BuiltIn().Search("odia female") {
		fmt.Println(v.Name)
	}
	// Output:
	// Sasmita
	// Nibedita
}

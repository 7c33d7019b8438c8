package voice

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

// origin is a row of names.tsv.
type origin struct {
	id           ID
	name, native string
	gender       Gender
	source       string
}

func origins(t *testing.T) []origin {
	t.Helper()
	table, err := os.ReadFile("names.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var rows []origin
	for line := range strings.Lines(string(table)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 5 {
			t.Fatalf("names.tsv: %d columns, want 5: %q", len(c), line)
		}
		rows = append(rows, origin{ID(c[0]), c[1], c[2], Gender(c[3]), c[4]})
	}
	return rows
}

func TestNamesAreThoseOfTheRoster(t *testing.T) {
	t.Parallel()
	rows := origins(t)
	if len(rows) != len(All()) {
		t.Fatalf("names.tsv has %d rows for %d voices", len(rows), len(All()))
	}
	for i, v := range All() {
		if o := rows[i]; o.id != v.ID || o.name != v.Name || o.gender != v.Gender {
			t.Errorf("row %d is %s %s, %s; the roster has %s %s, %s", i+1, o.id, o.name, o.gender, v.ID, v.Name, v.Gender)
		}
	}
}

func TestNamesAreSpeltInTheirLanguage(t *testing.T) {
	t.Parallel()
	for _, o := range origins(t) {
		if !norm.NFC.IsNormalString(o.native) || o.native == "" {
			t.Errorf("%s: %q is empty or not in NFC", o.name, o.native)
		}
		v, ok := Lookup(o.id)
		l, _ := lang.Lookup(v.Native)
		if !ok {
			t.Errorf("%s is not the id of a voice", o.id)
			continue
		}
		for _, r := range o.native {
			s := lang.ScriptOf(r)
			joins := r == '\u200d' || s == "Zinh" || unicode.Is(unicode.Mn, r)
			if !joins && (!unicode.In(r, unicode.L, unicode.M) || !l.Writes(s)) {
				t.Errorf("%s: %q has %q of script %s, which %s does not write", o.name, o.native, r, s, l.Name)
			}
		}
		if l.Writes("Latn") && len(l.Scripts) == 1 && o.native != o.name {
			t.Errorf("%s is spelt %q, and %s writes Latin letters", o.name, o.native, l.Name)
		}
	}
}

// sources are the forms that a source may have: a list of a released package,
// whose name says whose names it has, or a person and what the person is known
// for.
var sources = []struct {
	form *regexp.Regexp
	list bool
}{
	{regexp.MustCompile(`^list: faker \d+\.\d+\.\d+, [a-z]{2}(_[A-Z]{2})?, first_names_(fe)?male$`), true},
	{regexp.MustCompile(`^list: @faker-js/faker \d+\.\d+\.\d+, [a-z]{2}(_[A-Z]{2})?(_[a-z]+)?, person\.first_name\.(fe)?male$`), true},
	{regexp.MustCompile(`^list: mimesis \d+\.\d+\.\d+, [a-z]{2}, names\.(fe)?male$`), true},
	{regexp.MustCompile(`^list: datafaker \d+\.\d+\.\d+, [a-z]{2}\.yml, name\.(fe)?male_first_name$`), true},
	{regexp.MustCompile(`^list: gender-guesser \d+\.\d+\.\d+, nam_dict\.txt, [MF] [A-Z]{2}$`), true},
	{regexp.MustCompile(`^bearer: [^,]+, [^,]+$`), false},
}

func TestNamesHaveSources(t *testing.T) {
	t.Parallel()
	female := regexp.MustCompile(`female|, F `)
	for _, o := range origins(t) {
		known := false
		for _, s := range sources {
			if !s.form.MatchString(o.source) {
				continue
			}
			known = true
			if s.list && female.MatchString(o.source) != (o.gender == Female) {
				t.Errorf("%s, %s: the list is of the other gender: %s", o.name, o.gender, o.source)
			}
			if who, _, _ := strings.Cut(strings.TrimPrefix(o.source, "bearer: "), ","); !s.list && !strings.Contains(who, o.name) {
				t.Errorf("%s is not a name of %s", o.name, who)
			}
		}
		if !known {
			t.Errorf("%s: source %q has none of the forms", o.name, o.source)
		}
	}
}

// locales begin the locale of a list whose code is not the language's.
var locales = map[lang.Code]string{"nb": "no_NO", "ca": "es_CA", "lt": "M LT, F LT", "mt": "M MT, F MT"}

func TestListsAreOfTheLanguage(t *testing.T) {
	t.Parallel()
	for _, o := range origins(t) {
		list, ok := strings.CutPrefix(o.source, "list: ")
		if !ok {
			continue
		}
		v, _ := Lookup(o.id)
		parts := strings.Split(list, ", ")
		locale := parts[1]
		if locale == "nam_dict.txt" { // one list; a country marks the name
			locale = parts[2]
		}
		if code, _, _ := strings.Cut(strings.TrimSuffix(locale, ".yml"), "_"); code != string(v.Native) &&
			!strings.Contains(locales[v.Native], locale) {
			t.Errorf("%s is a name of %s, and the list is of %s: %s", o.name, v.Accent, locale, o.source)
		}
	}
}

func TestNamesInsideALanguageAreApart(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		voices := ForLanguage(l.Code)
		for i, a := range voices {
			for _, b := range voices[:i] {
				if alike(a.Name, b.Name) {
					t.Errorf("%s and %s of %s can be taken for each other", a.Name, b.Name, l.Name)
				}
			}
		}
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Jignesh", "Jignasa", true},
		{"Sreeja", "Sreejith", true},
		{"Selvi", "Tamilselvi", true},
		{"Martin", "Margaret", true},
		{"Nurlan", "Yerlan", true},
		{"Deepak", "Dipak", true},
		{"Philip", "Filip", true},
		{"Søren", "Soren", true},
		{"Ji-yeon", "Jiyeon", true},
		{"Dewi", "Devi", true},
		{"Khalid", "Khulud", true},
		{"Suresh", "Rajesh", false},
		{"Arta", "Lindita", false},
		{"Nino", "Ketevan", false},
	} {
		if got := alike(tt.a, tt.b); got != tt.want || alike(tt.b, tt.a) != got {
			t.Errorf("alike(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNamesAreNoProducts(t *testing.T) {
	t.Parallel()
	everywhere := strings.Fields(assistants)
	for _, v := range All() {
		for _, taken := range append(strings.Fields(products[v.Native]), everywhere...) {
			if sound(v.Name) == sound(taken) {
				t.Errorf("%s of %s sounds like a product's voice, %s", v.Name, v.Accent, taken)
			}
		}
	}
	for code := range products {
		if len(ForLanguage(code)) == 0 {
			t.Errorf("names of products are listed for %q, which no voice has", code)
		}
	}
}

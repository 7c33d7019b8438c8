package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/locale"
)

// categories turns forms of a file into those by category.
func categories(f locale.Forms) map[cldr.Category]string {
	if f == nil {
		return nil
	}
	m := make(map[cldr.Category]string, len(f))
	for c := cldr.Zero; c <= cldr.Other; c++ {
		if s, ok := f[c.String()]; ok {
			m[c] = s
		}
	}
	return m
}

// pick returns the form of a category, or the one of Other.
func pick(forms map[cldr.Category]string, c cldr.Category) string {
	if s, ok := forms[c]; ok {
		return s
	}
	return forms[cldr.Other]
}

// forms reads plural forms as files write them.
func forms(value string) map[cldr.Category]string { return categories(locale.ParseForms(value)) }

// fieldSet takes the rule set out of a form's field {n:SET} and returns the form
// with {n}; the set is "" when the form names none.
func fieldSet(form string) (plain, set string) {
	before, rest, found := strings.Cut(form, "{n:")
	if !found {
		return form, ""
	}
	set, after, _ := strings.Cut(rest, "}")
	return before + "{n}" + after, set
}

// Package cldr holds what the Unicode CLDR, version 48.2, knows about reading
// numbers, dates, units, currencies and symbols aloud in the supported
// languages: an extract that is embedded in the binary and decoded one language
// at a time, on first use.
//
// The extract is written by the generator beside it from the npm packages of
// the CLDR; nothing in it is typed by hand. Where CLDR has no word of a
// language's own, the extract has none either: CLDR's root, which is English or
// abbreviations, is never passed off as that language.
//
// Data: Unicode CLDR, Copyright Unicode, Inc., Unicode License V3.
package cldr

import (
	"strings"

	"vaak/lang"
)

//go:generate go run ./generate

// Category is a plural category of CLDR. Every language has Other; which more
// it has, and for which numbers, is told by its plural rules.
type Category uint8

// The categories, in the order in which CLDR lists them.
const (
	Zero Category = iota
	One
	Two
	Few
	Many
	Other
)

// categoryNames are the names that CLDR gives the categories.
var categoryNames = [...]string{"zero", "one", "two", "few", "many", "other"}

// String returns CLDR's name of the category: "zero", "one", "two", "few",
// "many" or "other".
func (c Category) String() string {
	if int(c) < len(categoryNames) {
		return categoryNames[c]
	}
	return categoryNames[Other]
}

// categoryOf returns the category of a name, Other for any but the five.
func categoryOf(name string) Category {
	for c := Zero; c < Other; c++ {
		if categoryNames[c] == name {
			return c
		}
	}
	return Other
}

// Locale is what CLDR knows of one language or regional variant. It is shared
// by all callers and must not be changed.
type Locale struct {
	// Decimal and Group are the symbols between Latin digits, such as "," and
	// "."; Group may be a no-break space.
	Decimal, Group string
	// Indian says that digits are grouped 2-2-3, as in 12,34,567.
	Indian bool
	// Rules are the spellout rules in the text form of ICU, public and private
	// sets, arrows written as "→" and "←"; "" when CLDR has none.
	Rules string
	// Months are the names in a date (in the genitive where the language has
	// it), MonthsAlone those without a day, MonthsShort the abbreviated ones of
	// a date.
	Months, MonthsAlone, MonthsShort [12]string
	// Days and DaysShort are the names of the days, Sunday first.
	Days, DaysShort [7]string
	// AM, PM, Noon and Midnight are the wide day periods.
	AM, PM, Noon, Midnight string
	// BC and AD are the wide names of the eras, abbreviated where there are no
	// wide ones.
	BC, AD string
	// LongDate is the pattern of a long date, such as "d 'de' MMMM 'de' y".
	LongDate string
	// DateOrder is the order of numeric dates: "dmy", "mdy", "ymd" or "ydm".
	DateOrder string
	// Units are the long names by CLDR's id, such as "length-kilometer".
	Units map[string]Unit
	// Per joins a unit to another, such as "{0} per {1}".
	Per string
	// Currencies are the display names by ISO 4217 code.
	Currencies map[string]Forms
	// Symbols are the spoken names of symbols, such as "percent" for "%".
	Symbols map[string]string

	cardinal, ordinal rules
}

// Forms are the forms of a name by plural category. A form that the language
// does not tell apart is missing; Other is always there.
type Forms map[Category]string

// For returns the form for a category, that of Other where the category has
// none of its own.
func (f Forms) For(c Category) string {
	if form, ok := f[c]; ok {
		return form
	}
	return f[Other]
}

// Unit is the name of a unit of measurement.
type Unit struct {
	// Gender is CLDR's: "masculine", "feminine", "neuter", "common", "animate",
	// "inanimate" and the like; "" where the language has none.
	Gender string
	// Forms are patterns that hold "{0}" where the number goes; a form that
	// says the number itself, such as a dual, holds none. Some hold digits
	// ("per 100 kilometers") or a slash, as CLDR has them.
	Forms Forms
	// Per is the pattern of a rate, such as "{0} per kilometre"; "" when there
	// is none.
	Per string
}

// Of returns the locale of a language: for Chinese the simplified one, for
// Serbian the Cyrillic one, for English that of the United States. For any
// other code than those of the table it returns one without names. It never
// returns nil and is safe for concurrent use.
func Of(code lang.Code) *Locale { return bundle().locale(string(code)) }

// ForRegion returns the locale of the region and script of a tag where CLDR
// tells it from that of the language, such as en-IN, pt-PT, es-419 for the whole
// of Latin America, or zh-Hant for Taiwan; else that of the language.
func ForRegion(tag lang.Tag) *Locale {
	b, code := bundle(), string(tag.Code)
	if tag.Script != "" {
		// The script goes before the region: a reader of zh-Hant cannot use the words of a
		// region that writes zh-Hans.
		for _, name := range []string{code + "-" + tag.Script + "-" + tag.Region, code + "-" + tag.Script} {
			if name = b.resolve(name); name != "" && name != code {
				return b.locale(name)
			}
		}
	}
	name := b.resolve(code + "-" + tag.Region)
	if name == "" || tag.Script != "" && scripted(name) {
		name = code
	}
	return b.locale(name)
}

// scripted reports whether the name of a locale names a script. That of a region does
// where the region writes another script than the language usually does.
func scripted(name string) bool {
	_, variant, _ := strings.Cut(name, "-")
	script, _, _ := strings.Cut(variant, "-")
	return len(script) == len("Latn")
}

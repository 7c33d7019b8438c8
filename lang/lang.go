// Package lang knows the supported languages. It resolves a hint in any form to a language, and
// detects the language of a text.
//
// The table of languages, languages.tsv, belongs to the product and does not depend on what an
// engine can speak. Everything here is constant after start-up and safe for concurrent use.
package lang

import "slices"

// Code is the code of a supported language: its ISO 639-1 code, or ISO 639-3 if it has none
// ("hi", "kok"). It is the language_id of the API.
type Code string

// Tag is a language with the region and the script that a caller asked for, which can change
// how text is read.
type Tag struct {
	Code   Code
	Region string // ISO 3166-1 alpha-2 or UN M.49, "" when none was given
	Script string // ISO 15924, "" when none was given; "Latn" with an Indian language means romanised text
}

// Language is a row of the table of languages.
type Language struct {
	Code      Code
	Name      string   // in English
	Native    string   // in the language itself
	ISO6391   string   // "" when there is none
	ISO6393   string   // the code of the macrolanguage if there are two
	BCP47     string   // the default tag, such as "hi-IN"
	Scripts   []string // ISO 15924, the usual one first
	Direction string   // "ltr" or "rtl"
	// NativeVoices reports whether there are voices with this native language: all but two of
	// the 80 languages, which have no native speakers' accent.
	NativeVoices bool
	// BorrowedPhonology reports whether native voices use the phonology of a related language.
	BorrowedPhonology bool
}

// All returns the supported languages in product order. If a script or a text leaves several
// languages possible, the earlier one is taken. The slice belongs to the caller; the Scripts in
// it are shared and must not be changed.
func All() []Language { return slices.Clone(table.rows) }

// Lookup returns the language with a code of the table. [Resolve] accepts all other forms.
func Lookup(code Code) (Language, bool) {
	i, ok := table.byCode[code]
	if !ok {
		return Language{}, false
	}
	return table.rows[i], true
}

// Writes reports whether the language is usually written in a script, given by its ISO 15924
// code. A composite script of the table stands for its parts: Jpan for Hani, Hira and Kana;
// Kore for Hang and Hani; Hans and Hant for Hani.
func (l Language) Writes(script string) bool {
	for _, s := range l.Scripts {
		if covers(s, script) {
			return true
		}
	}
	return false
}

// Writes reports whether letters of a script are read in the tag's language: the language is
// written in that script, or the tag names it, as "hi-Latn" does for romanised Hindi.
func (t Tag) Writes(script string) bool {
	if t.Script != "" && covers(t.Script, script) {
		return true
	}
	i, ok := table.byCode[t.Code]
	return ok && table.rows[i].Writes(script)
}

// IsZero reports whether the tag names no language, which asks for detection.
func (t Tag) IsZero() bool { return t == Tag{} }

// String returns the tag in BCP 47 form, such as "zh-Hant-TW", or "und" for the zero Tag.
func (t Tag) String() string {
	if t.Code == "" {
		return "und"
	}
	s := string(t.Code)
	if t.Script != "" {
		s += "-" + t.Script
	}
	if t.Region != "" {
		s += "-" + t.Region
	}
	return s
}

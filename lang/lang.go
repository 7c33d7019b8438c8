// Package lang knows the supported languages: it resolves a hint written in
// any form to one of them, and detects the language of a text.
//
// The table of languages is data of the product and does not depend on what an
// engine can speak; see languages.tsv. Everything here is fixed when the program
// starts and safe for concurrent use.
package lang

import "slices"

// Code names a supported language: its ISO 639-1 code, or its ISO 639-3 code
// where it has no shorter one ("hi", "kok"). It is the language_id of the API.
type Code string

// Tag is a language with the region and script that a caller asked for, where
// they matter to how text is read.
type Tag struct {
	Code   Code
	Region string // ISO 3166-1 alpha-2 or UN M.49, "" when none was given
	Script string // ISO 15924, "" when none was given; "Latn" with an Indian language means romanised text
}

// Language is a row of the table.
type Language struct {
	Code      Code
	Name      string   // in English
	Native    string   // in the language itself
	ISO6391   string   // "" when there is none
	ISO6393   string   // the macro code where there are two
	BCP47     string   // the default tag, such as "hi-IN"
	Scripts   []string // ISO 15924, the usual one first
	Direction string   // "ltr" or "rtl"
	// NativeVoices says whether voices have it as their native language; two
	// of the 80 have no first-language accent.
	NativeVoices bool
	// BorrowedPhonology says that native voices use a neighbour's phonology.
	BorrowedPhonology bool
}

// All returns the supported languages in product order: where a script or a
// text leaves several languages open, the earlier one is meant. The slice is
// the caller's; the Scripts inside it are shared and must not be changed.
func All() []Language { return slices.Clone(table.rows) }

// Lookup returns the language of a code. The code must be one of the table's
// own; [Resolve] takes every other form.
func Lookup(code Code) (Language, bool) {
	i, ok := table.byCode[code]
	if !ok {
		return Language{}, false
	}
	return table.rows[i], true
}

// Writes says whether the language is ordinarily written in a script, given
// and listed by its ISO 15924 code. The composite scripts of the table count
// for their parts: Jpan for Hani, Hira and Kana, Kore for Hang and Hani, Hans
// and Hant for Hani.
func (l Language) Writes(script string) bool {
	for _, s := range l.Scripts {
		if covers(s, script) {
			return true
		}
	}
	return false
}

// Writes says whether letters of a script are read in the tag's own language:
// its language writes that script, or the tag names the script, as "hi-Latn"
// does for romanised Hindi.
func (t Tag) Writes(script string) bool {
	if t.Script != "" && covers(t.Script, script) {
		return true
	}
	i, ok := table.byCode[t.Code]
	return ok && table.rows[i].Writes(script)
}

// IsZero says that the tag names no language, which asks for detection.
func (t Tag) IsZero() bool { return t == Tag{} }

// String returns the tag in BCP 47 form, such as "zh-Hant-TW"; "und" for the
// zero Tag.
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

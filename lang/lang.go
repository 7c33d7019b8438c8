// Package lang knows the supported languages: it resolves a hint written in
// any form to one of them, and detects the language of a text.
//
// The table of languages is data of the product and does not depend on what an
// engine can speak; see languages.tsv.
package lang

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

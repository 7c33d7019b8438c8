// Package voice holds the roster: 320 voices over 78 native languages, with
// stable ids, names and labels. It knows nothing of engines; how a voice
// sounds on an engine is that engine's data.
//
// Every supported language but Sanskrit and Esperanto, which have no
// first-language accent, has at least three voices, half of all of them women
// and half men: English 14, Hindi 12; Bengali, Tamil, Telugu, Marathi,
// Gujarati, Kannada, Malayalam, Punjabi and Urdu 8 each; Spanish, French,
// German, Portuguese, Arabic, Russian, Chinese and Japanese 5; Odia, Assamese,
// Italian, Indonesian and Korean 4; the other 54 have 3. Inside a language the
// numbers of women and men differ by at most one.
//
// The roster is data, in roster.tsv. An id there was made once, from the first
// 80 bits of the SHA-256 of "code/n" (the voice's native language and its
// number in it) in base32, and stays whatever else about its voice changes.
//
// A name is a given name that people of the voice's native language bear, in
// its usual Latin spelling. All 320 differ, and no two of one language can be
// taken for each other when read or heard; none is an assistant's, nor that of
// a well-known ready-made voice of the same language. names.tsv, which is for
// people and tests and not built in, has the name in the language's own script
// and its source: a list of given names of the language's locale in a released
// package, which testdata/check_names.py looks up, or a bearer of public record.
package voice

import "vaak/lang"

// ID addresses a voice: "sv_" and 16 lower-case base32 characters. It never
// changes, and is the one address of a voice: what a [Directory] finds by other
// names is told, counted and kept under it.
type ID string

// Gender of a voice.
type Gender string

// The genders of the roster.
const (
	Female  Gender = "female"
	Male    Gender = "male"
	Neutral Gender = "neutral"
)

// Voice is a member of the roster.
type Voice struct {
	ID     ID
	Name   string // display name; may change
	Gender Gender
	Native lang.Code // where the accent comes from
	// Region is whose way of speaking the native language the voice has, as in
	// [lang.Tag]: "GB", "419". "" where no engine here tells regions apart.
	Region string
	// Accent names what one hears: the variety where there is a region, as in "British
	// English", else the native language, with "(Indian)" where that is one of India.
	Accent      string
	Description string
	QualityBand string // [Standard] or [Basic]
	// NativeSource is false where the default engine has no usable voice of the
	// native language and one of a neighbour stands in: bho, brx, doi, kok, ks, mai,
	// mni and sat. Choosing a variety, as for English, is no borrowing.
	NativeSource    bool
	PreviewLanguage lang.Code
}

// Quality bands. A voice is basic where so many vowels are missing in what the native
// orthography writes that words are guessed: where less than [LeastVowels] of the
// phonemes that the default engine reads in running text are vowels. Hebrew has
// 11 %, Arabic 32 %; every other language has more than 36 %.
const (
	Standard    = "standard"
	Basic       = "basic"
	LeastVowels = 0.35
)

// Category is the same for every voice of the roster.
const Category = "premade"

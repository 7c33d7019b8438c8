// Package voice holds the roster: 320 voices with 78 native languages, with stable ids, names
// and labels. A [Directory] finds them, together with the voices that an operator has added. How
// a voice sounds on an engine belongs to that engine.
//
// Every supported language has at least three voices, except Sanskrit and Esperanto, which have
// no native speakers' accent. English has 14 and Hindi 12; Bengali, Tamil, Telugu, Marathi,
// Gujarati, Kannada, Malayalam, Punjabi and Urdu 8 each; Spanish, French, German, Portuguese,
// Arabic, Russian, Chinese and Japanese 5; Odia, Assamese, Italian, Indonesian and Korean 4;
// the other 54 have 3. Half of all voices are women and half are men, and within a language the
// two numbers differ by at most one.
//
// The roster is data, in roster.tsv. Each id was made once: the first 80 bits of the SHA-256 of
// "code/n" (the voice's native language and its number in it), in base32. An id stays, whatever
// else about its voice changes.
//
// A name is a given name used by people with the voice's native language, in its usual Latin
// spelling. All 320 names differ, and no two in one language can be confused when read or
// heard. None is the name of an assistant or of a well-known premade voice of the same
// language. names.tsv, which is for people and tests and not part of the program, has the name
// in the language's own script and its source: a list of given names for the language's locale
// in a released package, which testdata/check_names.py looks up, or a person of public record.
package voice

import "vaak/lang"

// ID identifies a voice: "sv_" and 16 lower-case base32 characters. It never changes. Voices
// found by other names, through a [Directory], are reported, counted and stored under their id.
type ID string

// Gender is the gender of a voice.
type Gender string

// The genders of the roster.
const (
	Female  Gender = "female"
	Male    Gender = "male"
	Neutral Gender = "neutral"
)

// Voice is a member of the roster, or a voice that the operator has added.
type Voice struct {
	ID     ID
	Name   string // display name; may change
	Gender Gender
	Native lang.Code // the language that its accent comes from
	// Region is the region whose variety of the native language the voice speaks, as in
	// [lang.Tag]: "GB", "419". It is "" if the engines do not distinguish regions.
	Region string
	// Accent names what is heard: the variety if there is a region, as in "British English",
	// else the native language, with "(Indian)" if it is one of India.
	Accent      string
	Description string
	QualityBand string // [Standard] or [Basic]
	// NativeSource is false if the default engine has no usable voice of the native language
	// and uses one of a related language: for bho, brx, doi, kok, ks, mai, mni and sat.
	// Choosing a variety, as for English, does not count.
	NativeSource    bool
	PreviewLanguage lang.Code

	// Engine names the engine that speaks a voice which the operator has added. It is "" for
	// the voices of the roster, which the embedded engine speaks.
	Engine string
	// License is what the files of an added voice say of its licence; "" if they say nothing.
	License string
	// Quality is what the files of an added voice say of its quality: "x_low", "low", "medium" or
	// "high"; "" if they say nothing.
	Quality string
	// Bytes is the size of the model of an added voice, which may have several voices.
	Bytes int64
	// Load is how many seconds of a processor a second of an added voice takes, as measured when
	// it was added.
	Load float64
}

// The categories of voices.
const (
	Premade = "premade" // of the roster
	Custom  = "custom"  // added by the operator
)

// Category returns the category of the voice.
func (v Voice) Category() string {
	if v.Engine == "" {
		return Premade
	}
	return Custom
}

// Quality bands. A voice is basic if its native orthography leaves out so many vowels that
// words are guessed: if less than [LeastVowels] of the phonemes that the default engine reads
// in running text are vowels. Hebrew has 11 % and Arabic 32 %; every other language has more
// than 36 %.
const (
	Standard    = "standard"
	Basic       = "basic"
	LeastVowels = 0.35
)

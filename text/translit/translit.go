// Package translit finds Indian words that are written in Latin letters, as
// people type them ("kya haal hai"), and writes them in the script of their own
// language, so that a voice of that language reads them as its words.
//
// The words are looked up in lexicons of the package's own, one a language, and
// read by rules where no lexicon has them. There is no scheme behind what people
// type: "nahi", "nahin" and "nahee" are one word, so a lexicon is asked first for
// what was typed and then for the same word in a loose spelling, in which vowel
// length, doubled letters and, in the south, aspiration do not count.
//
// The languages are Hindi, Marathi, Gujarati, Punjabi, Bengali, Tamil, Telugu,
// Kannada, Malayalam, Odia, Assamese and Urdu. Romanised Urdu is written in its own
// script where the request names it or the words are clearly Urdu; else it is taken
// as Hindi, which sounds alike.
//
// English stays English. A word that both English and an Indian language have
// ("main", "the", "do") goes with its sentence. Names of people and places go
// with their sentence too: an English voice reads "Rahul" and "Mumbai" well
// enough, and a change of voice for one name is heard more than the accent. Only
// a few words that English letters mislead are Indian wherever they stand; see
// sure.go.
//
// Everything here is safe for concurrent use. Tables are read on first use.
package translit

import (
	"slices"

	"vaak/lang"
)

// codes are the languages in the order in which ties are broken.
var codes = [...]lang.Code{"hi", "bn", "ta", "te", "mr", "gu", "kn", "ml", "pa", "or", "as", "ur"}

const numCodes = len(codes)

// index returns the place of a language in codes, -1 for one that is not there.
func index(code lang.Code) int {
	return slices.Index(codes[:], code)
}

// Codes returns the languages of the package.
func Codes() []lang.Code { return slices.Clone(codes[:]) }

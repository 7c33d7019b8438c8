// Package respell replaces words of a text by a respelling, which says how they are to be
// read: "API" by "A P I", "nginx" by "engine x", "API" in a Hindi sentence by "ए पी आई".
// Respellings are in letters, never in phonetics.
//
// # What matches
//
// A term matches text that is the same in NFC, in ordinary instead of fullwidth or
// halfwidth forms, with the letters of ligatures, and, unless the rule is case
// sensitive, in full case folding: "Straße" matches "STRASSE". Requests in Turkish and
// Azerbaijani fold I to ı and İ to i. Diacritics count. Joiners, soft hyphens, marks of
// direction and other invisible characters are ignored on both sides, white space
// inside a term matches any run of white space, and the apostrophes ’ and ‘ are ', as
// the Hebrew ׳ is and ״ is ".
//
// A match begins and ends at the bounds of grapheme clusters, also inside words: a
// letter is never parted from its vowel sign, an emoji or a flag never split. Nor does
// one begin or end between a virama and the next letter of its script, whether or not
// they are written as a conjunct, or where a zero width joiner holds letters together.
//
// # Whole words
//
// Unless a rule matches inside words too, no letter, mark or digit of the same word may
// stand beside an edge of the match that is one itself. Words end where the script
// changes, so "API" is found in "APIकी", and at an apostrophe, so it is in "l'API" and
// "API's"; but not at that of "can't", nor where the apostrophe is a letter. Scripts
// without spaces between words (Han, kana, Thai) have no such test; Korean words also
// end before particles. What Arabic and Hebrew write onto the front of a word, such as
// the article, belongs to the word.
//
// # Which rule
//
// A text is read once from left to right. Where several rules match, the longest match
// wins, then the rule with Only, then the case sensitive one, then the earlier one.
// The inserted text is not searched again.
package respell

import "vaak/text"

// Limits of a dictionary, in code points where text is counted.
const (
	MaxRules      = 1000
	MaxTerm       = 128
	MaxRespelling = 256
	MaxLanguages  = 80 // in each list of a rule
)

// Rule replaces one term by its respelling. The zero value of every option is its
// default.
type Rule struct {
	Term       string // as it stands in texts: 1 to MaxTerm code points
	Respelling string // what is read in its place: 1 to MaxRespelling code points
	// CaseSensitive wants the exact casing of Term.
	CaseSensitive bool
	// InWords has the rule match inside words too; otherwise whole words only.
	InWords bool
	// Only and Except scope the rule by the language of the request: languages in
	// any form that [lang.Resolve] takes. None is every language.
	Only, Except []string
	// Alphabet is the phonetic notation that the rule claims to be in, "" for none.
	// [Check] refuses a rule that has one.
	Alphabet string
}

// Match is a place where a rule applies.
type Match struct {
	text.Span         // of the text
	Respelling string // what is read there
	Rule       int    // that applies: its index in the list of its dictionary
}

// Dictionaries are the dictionaries of a request, in the order in which they apply. Text
// that one has replaced is not seen by the next.
type Dictionaries []*Dictionary

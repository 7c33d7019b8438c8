// Package voice holds the roster: 320 voices over 78 native languages, with
// stable ids, names and labels. It knows nothing of engines; how a voice
// sounds on an engine is that engine's data.
package voice

import "vaak/lang"

// ID addresses a voice: "sv_" and 16 lower-case base32 characters. It never
// changes, and is the only way to address a voice.
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
	ID          ID
	Name        string // display name; may change
	Gender      Gender
	Native      lang.Code // where the accent comes from
	Accent      string
	Description string
	QualityBand string // "standard", or "basic" where the native orthography leaves vowels out
	// NativeSource is false when the phonology is borrowed from a neighbour of
	// the native language.
	NativeSource    bool
	PreviewLanguage lang.Code
}

// Category is the same for every voice of the roster.
const Category = "premade"

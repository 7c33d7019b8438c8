// Package rig holds what all measurements of the voices share: the texts that are spoken, how loud
// speech is, the runner that uses all cores, and the part of a document that a measurement writes.
package rig

import (
	"vaak/lang"
)

// Options are the settings of a measurement.
type Options struct {
	Worker   string    // file of the built worker of the engine
	Texts    string    // gzipped file of running text, see [ReadTexts]
	Language lang.Code // timbres: measure the voices of this native language only; "" is all
	Choose   bool      // timbres: look for better variants and pitches first
	Write    bool      // write the tables, pictures and documents
}

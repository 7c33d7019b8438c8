package ingest

import (
	"iter"

	"vaak/catalogue/unseen"
)

// lookedAt yields what is looked at for personal data, in the order of the recordings.
func lookedAt(all []Measured) iter.Seq[unseen.Recording] {
	return func(yield func(unseen.Recording) bool) {
		for _, m := range all {
			r := unseen.Recording{ID: m.ID, Path: m.Path, Session: m.Session, Split: m.Split,
				Speakers: m.Speakers, Roles: m.Roles, File: m.TranscriptFile, Segments: m.Transcript}
			if !yield(r) {
				return
			}
		}
	}
}

// Package inspect says what a folder is before anything is written: in which layout it is, what
// was found in it, what is wrong with it, and what a card has to say that nobody can measure. It
// also writes the beginning of a card from what it found.
package inspect

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/report"
)

// Inspection is what was seen in a folder. Audio is counted and not decoded.
type Inspection struct {
	Folder      string         `json:"folder"` // its name
	Layout      string         `json:"layout"`
	Manifests   []string       `json:"manifests"` // up to 20, sorted
	AudioFiles  int            `json:"audioFiles"`
	AudioBytes  int64          `json:"audioBytes"`
	Recordings  int            `json:"recordings"`
	Formats     map[string]int `json:"audioFormats"` // recordings by extension
	Packed      bool           `json:"packed"`       // recordings are in archives
	Splits      map[string]int `json:"splits"`       // recordings by split; empty if there are none
	Transcripts Transcripts    `json:"transcripts"`
	Speakers    *int           `json:"speakers"`  // nil: not every recording has speakers
	Genders     map[string]int `json:"genders"`   // speakers by gender, as far as manifests tell
	Languages   []Language     `json:"languages"` // the most likely first; empty if nothing tells
	Readme      Readme         `json:"readme"`
	Card        string         `json:"card"` // its path; "" is none
	// ToIngest and ToPublish are the keys that the card lacks for a draft and, beyond that, to be
	// published.
	ToIngest  []string        `json:"missingToIngest"`
	ToPublish []string        `json:"missingToPublish"`
	Remarks   []string        `json:"remarks"` // what is left out, a sentence each
	Unused    folder.Unused   `json:"unused"`
	Faults    report.Problems `json:"-"`      // without that of a missing card
	Problems  []string        `json:"faults"` // the same, each as one line

	firstID string // of the first recording
}

// Transcripts counts recordings by what is known of their words.
type Transcripts struct {
	Recordings int            `json:"recordings"` // that have a transcript
	Timed      int            `json:"timed"`      // whose transcript has times of its own
	WordTimes  int            `json:"wordTimes"`  // with times of words
	Formats    map[string]int `json:"formats"`
}

// Look inspects the folder dir. It writes nothing. A folder that cannot be opened has one fault. The
// error is that of ctx, if it is done before all is read.
func Look(ctx context.Context, dir string, limits folder.Limits) (Inspection, error) {
	seen := folder.Inspect(ctx, dir, limits)
	if err := ctx.Err(); err != nil {
		return Inspection{}, err
	}
	f := seen.Folder
	v := Inspection{
		Folder: report.Printable(filepath.Base(f.Dir)), Layout: layoutName(f.Layout),
		Manifests:  append([]string{}, f.Layout.Manifests[:min(len(f.Layout.Manifests), 20)]...),
		AudioFiles: seen.Audio, AudioBytes: seen.Bytes, Recordings: len(f.Recordings), Packed: f.Packed(),
		Formats: map[string]int{}, Splits: map[string]int{}, Genders: map[string]int{},
		Transcripts: Transcripts{Formats: map[string]int{}}, Card: f.CardFile, Unused: f.Unused,
		Remarks: append([]string{}, f.Told.Remarks...), ToIngest: []string{}, ToPublish: []string{}, Languages: []Language{}, Problems: []string{},
		Readme: readme(f),
	}
	v.count(f)
	v.Languages = append(v.Languages, languages(f, v.Readme)...)
	v.missing(&f.Card, seen.HasCard)
	if faults, ok := errors.AsType[report.Problems](seen.Problems); ok {
		v.Faults = slices.DeleteFunc(slices.Clone(faults), func(p report.Problem) bool { return p.Message == folder.NoCard })
	}
	for _, p := range v.Faults {
		v.Problems = append(v.Problems, p.String())
	}
	return v, nil
}

// layoutName returns the name of a layout for people.
func layoutName(f layout.Found) string {
	switch {
	case f.Tool == "" && f.Own:
		return "Vaak"
	case f.Tool == "":
		return "audio files"
	case f.Own:
		return "Vaak with a manifest of " + f.Tool
	}
	return f.Tool
}

// count adds up the recordings.
func (v *Inspection) count(f *folder.Folder) {
	names := map[string]bool{}
	all := true // every recording has speakers
	for _, r := range f.Recordings {
		v.firstID = cmp.Or(v.firstID, r.ID)
		v.Formats[strings.TrimPrefix(strings.ToLower(path.Ext(r.Path)), ".")]++
		if r.Split != "" {
			v.Splits[r.Split]++
		}
		all = all && len(r.Speakers) > 0
		for _, name := range r.Speakers {
			names[name] = true
		}
		if r.Transcript == nil {
			continue
		}
		v.Transcripts.Recordings++
		v.Transcripts.Formats[string(r.TranscriptFormat)]++
		if !r.Untimed {
			v.Transcripts.Timed++
		}
		if r.WordTimes {
			v.Transcripts.WordTimes++
		}
	}
	if n := len(names); all && n > 0 {
		v.Speakers = &n
	}
	for name := range names {
		if gender := f.Told.Genders[name]; gender != "" {
			v.Genders[gender]++
		}
	}
}

// missing lists the keys that the card lacks.
func (v *Inspection) missing(c *card.Card, has bool) {
	add := func(to *[]string, key string, there bool) {
		if !has || !there {
			*to = append(*to, key)
		}
	}
	add(&v.ToIngest, "title", c.Title != "")
	add(&v.ToIngest, "description", c.Description != "")
	add(&v.ToIngest, "language.tag", c.Language.Tag != "")
	add(&v.ToPublish, "licence.name", c.Licence != nil)
	add(&v.ToPublish, "provenance.creator.name", c.Provenance != nil && c.Provenance.Creator != nil)
}

package write

import (
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/clean"
)

const (
	raiConformsTo = "http://mlcommons.org/croissant/RAI/1.0"
	cc0           = "https://creativecommons.org/publicdomain/zero/1.0/"
)

// dataset returns the whole document.
func (w *writer) dataset() datasetJSON {
	d := w.d
	out := datasetJSON{
		Context: w.version.Context(), Type: "sc:Dataset", ID: d.URL,
		Name: clean.Line(d.Title), AlternateName: d.Slug, Identifier: some(d.ID, d.Slug), Description: clean.Prose(d.Description),
		ConformsTo: oneOrMore[string]{w.version.ConformsTo()}, URL: d.URL, Version: clean.Line(d.Version),
		DatePublished: clean.Day(d.DatePublished), SDLicense: cc0,
		InLanguage: some(append([]string{d.BCP47}, d.OtherLanguages...)...), Keywords: keywords(d),
		Temporal: period(d.CollectionMethod), Spatial: places(d.Participants), CiteAs: citation(d),
		Measured: measuredValues(d), SubjectOf: recordOf(d), raiJSON: raiOf(d),
		Distribution: w.distribution(), RecordSet: w.recordSets(),
	}
	if !d.DateModified.IsZero() {
		out.DateModified = d.DateModified.UTC().Format(time.RFC3339)
	}
	if d.Status == catalogue.Retired {
		out.WorkStatus = "Obsolete"
	}
	// A document must not claim to conform to a vocabulary that it does not use.
	if !out.raiJSON.empty() {
		out.ConformsTo = append(out.ConformsTo, raiConformsTo)
	}
	w.offer(&out)
	return out
}

// keywords returns words by which people may search for the dataset.
func keywords(d *catalogue.Dataset) []string {
	words := []string{"speech"}
	if d.Collection != nil {
		words = append(words, clean.Line(strings.ReplaceAll(*d.Collection, "-", " ")))
	}
	for _, domain := range d.Domains {
		words = append(words, clean.Line(domain))
	}
	for _, one := range []struct {
		word  string
		holds bool
	}{
		{"dual channel", d.Channels != nil && *d.Channels == catalogue.Dual},
		{"transcribed", d.Transcribed},
		{"code-mixing", mixes(d)},
		{"turn-taking", takesTurns(d)},
		{clean.Line(d.Language.Name), true},
		{"synthetic", d.Provenance != nil && d.Provenance.Synthetic},
	} {
		if one.holds {
			words = append(words, one.word)
		}
	}
	return some(words...)
}

// mixes reports whether some words are in Latin letters and others are not. A share of 1 is a
// language that is written in Latin letters.
func mixes(d *catalogue.Dataset) bool {
	return d.EnglishShare != nil && *d.EnglishShare > 0 && *d.EnglishShare < 1
}

// takesTurns reports whether the record has figures of turn-taking.
func takesTurns(d *catalogue.Dataset) bool {
	return d.Sample != nil && d.Sample.Metrics.TurnTaking != nil ||
		d.Measurements != nil && d.Measurements.TurnTaking != nil
}

// period returns the time of the recordings as an ISO 8601 interval, which may be open.
func period(m *catalogue.CollectionMethod) string {
	if m == nil {
		return ""
	}
	// ".." is an open end (ISO 8601-2:2019). Both dates unknown are the first case: it
	// returns "".
	switch from, to := clean.Day(m.From), clean.Day(m.To); {
	case from == to:
		return from
	case from == "":
		return "../" + to
	case to == "":
		return from + "/.."
	default:
		return from + "/" + to
	}
}

// places returns the regions that the speakers come from. The region of the language is not used:
// a card that names only a language gets its usual region, which says nothing about speakers.
func places(p *catalogue.Participants) []thingJSON {
	if p == nil {
		return nil
	}
	var all []thingJSON
	for _, region := range p.Regions {
		if name := clean.Line(region); name != "" {
			all = append(all, thingJSON{Type: oneOrMore[string]{"Place"}, Name: name})
		}
	}
	return all
}

// recordOf returns a link to the record that the document describes.
func recordOf(d *catalogue.Dataset) *thingJSON {
	if d.Record == "" {
		return nil
	}
	return &thingJSON{
		Type: oneOrMore[string]{"CreativeWork"}, Name: "Record of the dataset", URL: d.Record,
		EncodingFormat: "application/json",
	}
}

package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/measure"
)

// Build makes the record of a folder and its public files from what its card declares and
// what was measured. all must be the measurements of the folder's recordings, in their
// order.
//
//   - Hours, recordings and splits are counted.
//   - Conversations are the sessions that manifests name. A recording without a session
//     counts as one if others have a session. If none has one, the number is unknown: a
//     file may be part of a conversation, or hold none.
//   - Speakers are the names in manifests and facts. Their number is unknown unless every
//     recording has names. Labels inside a transcript are not counted: they tell the
//     speakers of one recording apart.
//   - Channels are dual if most files have one speaker on each channel. They are mono if
//     most files have one channel and at least half of all files have a transcript with
//     two speakers or more. Else they are unknown. What the card claims is compared with
//     this.
//   - A dataset is transcribed if at least half of its recordings have a transcript with
//     words and times.
//
// progress, if not nil, is told how many recordings are compared; see [measure.Duplicates]. The error is
// [report.Problems] or that of ctx.
func Build(ctx context.Context, f *folder.Folder, all []Measured, progress func(measure.Progress)) (catalogue.Draft, error) {
	draft, _, err := build(ctx, f, all, progress)
	return draft, err
}

// build does what [Build] does, and returns the recordings that share sound, too: comparing takes long.
func build(ctx context.Context, f *folder.Folder, all []Measured, progress func(measure.Progress)) (catalogue.Draft, []measure.Duplicate, error) {
	if len(all) == 0 || len(all) != len(f.Recordings) {
		return catalogue.Draft{}, nil, fmt.Errorf("build the record of %s: %d recordings, %d measured", f.Card.Title, len(f.Recordings), len(all))
	}
	d := f.Card.Dataset()
	found, err := measured(ctx, &d, &f.Card, all, progress)
	if err != nil {
		return catalogue.Draft{}, nil, err
	}
	files := []catalogue.DraftFile{manifestFile(all)}
	if i := slices.IndexFunc(all, func(m Measured) bool { return m.ID == f.Card.Sample && m.ID != "" }); i >= 0 {
		if why := tooLongToServe(all[i].Measure); why != "" {
			return catalogue.Draft{}, nil, report.Problems{{File: f.CardFile, Message: "sample: " + why}}
		}
		d.Sample, d.HasSample = sampleOf(&d, all[i]), true
		if lexical := d.Sample.Metrics.Lexical; lexical != nil {
			share := lexical.EnglishShare
			d.EnglishShare = &share
		}
		files = append(files, sampleFiles(f, all[i])...)
	}
	// The slug is last, since a default is made of what was measured.
	d.Slug = slug(&f.Card, &d)
	return catalogue.Draft{Dataset: d, SlugMade: f.Card.Slug == "", Files: files}, found, nil
}

// measured sets the fields of the record that follow from the files, and returns which of them share
// sound.
func measured(ctx context.Context, d *catalogue.Dataset, c *card.Card, all []Measured, progress func(measure.Progress)) ([]measure.Duplicate, error) {
	recordings := make([]measure.Recording, len(all))
	lexical := make([]*catalogue.Lexical, len(all))
	seconds := 0.0
	for i, m := range all {
		recordings[i], lexical[i] = m.Measure, m.Lexical
		seconds += m.Measure.DurationS
	}
	d.Hours, d.Recordings = measure.Hours(seconds), len(all)
	d.Conversations, d.Speakers = conversations(all), speakers(all)
	d.Channels = channels(all)
	spec := measure.Specify(recordings, lexical, c.Channels)
	if d.Channels != nil && c.Channels != "" && c.Channels != *d.Channels {
		spec.ChannelsClaimed = c.Channels
	}
	found, err := measure.Duplicates(ctx, recordings, 0, progress)
	if err != nil {
		return nil, fmt.Errorf("compare %d recordings: %w", len(recordings), err)
	}
	spec.Duplicates = measure.Copies(recordings, found)
	d.Specification = &spec
	sums := measure.Summarize(recordings, lexical)
	sums.Speakers = balance(all)
	d.Measurements = &sums
	d.Transcripts, d.Transcribed = transcriptsOf(c, all)
	if d.Transcripts != nil && d.Transcripts.Script != nil {
		d.Language.Script = d.Transcripts.Script
	}
	d.Splits = splitsOf(all)
	return found, nil
}

// conversations counts sessions, as [Build] says; nil if no recording has one.
func conversations(all []Measured) *int {
	n := 0
	sessions := map[string]bool{}
	for _, m := range all {
		if m.Session == "" {
			n++
		} else {
			sessions[m.Session] = true
		}
	}
	if len(sessions) == 0 {
		return nil
	}
	n += len(sessions)
	return &n
}

// speakers counts the different names of speakers; nil if a recording has none.
func speakers(all []Measured) *int {
	names := map[string]bool{}
	for _, m := range all {
		if len(m.Speakers) == 0 {
			return nil
		}
		for _, s := range m.Speakers {
			names[s] = true
		}
	}
	n := len(names)
	return &n
}

// channels returns what most files hold, as [Build] says.
func channels(all []Measured) *string {
	dual, mono, labelled := 0, 0, 0
	for _, m := range all {
		switch {
		case m.Measure.Layout == catalogue.Dual:
			dual++
		case m.Measure.Channels == 1:
			mono++
		}
		if labels(m) > 1 {
			labelled++
		}
	}
	switch {
	case dual*2 > len(all):
		return optional(catalogue.Dual)
	// One channel alone may be a monologue; two labelled speakers show that it is a conversation.
	case mono*2 > len(all) && labelled*2 >= len(all):
		return optional(catalogue.Mono)
	}
	return nil
}

// labels counts the speakers that a transcript with times tells apart.
func labels(m Measured) int {
	if m.Untimed {
		return 0
	}
	names := map[string]bool{}
	for _, s := range m.Transcript {
		if s.Speaker != "" {
			names[s.Speaker] = true
		}
	}
	return len(names)
}

// splitsOf returns the splits: train, validation, test, then others by name; nil if recordings
// have none.
func splitsOf(all []Measured) []catalogue.Split {
	counts := map[string]int{}
	seconds := map[string]float64{}
	for _, m := range all {
		if m.Split != "" {
			counts[m.Split]++
			seconds[m.Split] += m.Measure.DurationS
		}
	}
	var splits []catalogue.Split
	for name, n := range counts {
		splits = append(splits, catalogue.Split{Name: name, Recordings: n, Hours: measure.Hours(seconds[name])})
	}
	usual := []string{"train", "validation", "test"}
	slices.SortFunc(splits, func(a, b catalogue.Split) int {
		i, j := slices.Index(usual, a.Name), slices.Index(usual, b.Name)
		switch {
		case i >= 0 && j >= 0:
			return i - j
		case i >= 0:
			return -1
		case j >= 0:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return splits
}

// slug returns the slug of the card, or makes one from language, collection, domain and
// channels.
func slug(c *card.Card, d *catalogue.Dataset) string {
	if c.Slug != "" {
		return c.Slug
	}
	parts := []string{d.BCP47}
	for _, p := range []*string{d.Collection, d.Domain, d.Channels} {
		if p != nil {
			parts = append(parts, *p)
		}
	}
	return catalogue.SlugOf(strings.Join(parts, "-"))
}

// optional returns s, or nil if it is empty: records tell unknown from empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

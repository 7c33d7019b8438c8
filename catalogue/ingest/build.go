package ingest

import (
	"fmt"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/catalogue/measure"
)

// Build makes the record of a folder and its public files out of what was
// declared and what was measured, which must be of the same folder, in order.
//
// Hours, recordings and splits are counted. Conversations are the sessions that
// manifests name, a recording without one being its own where others have one, and
// unknown where none has: a file may be a part of a conversation, or hold none.
// Speakers are the names in manifests and facts, and unknown unless each recording
// has them; labels inside a transcript tell the speakers of one recording apart, and
// are not counted. Channels are dual where most files hold a speaker on each
// channel, mono where most have one channel and at least half of all files have a
// transcript with two speakers or more, and else unknown; what the card claims is
// compared with that. A dataset is transcribed when at least half of its
// recordings have a transcript with words and times.
func Build(folder *Folder, all []Measured) (catalogue.Draft, error) {
	if len(all) == 0 || len(all) != len(folder.Recordings) {
		return catalogue.Draft{}, fmt.Errorf("build the record of %s: %d recordings, %d measured", folder.Card.Title, len(folder.Recordings), len(all))
	}
	d := declared(&folder.Card)
	measured(&d, &folder.Card, all)
	files := []catalogue.DraftFile{manifestFile(all)}
	if i := slices.IndexFunc(all, func(m Measured) bool { return m.ID == folder.Card.Sample && m.ID != "" }); i >= 0 {
		if why := tooLongToServe(all[i].Measure); why != "" {
			return catalogue.Draft{}, Problems{{File: folder.CardFile, Message: "sample: " + why}}
		}
		d.Sample, d.HasSample = sampleOf(&d, all[i]), true
		if lexical := d.Sample.Metrics.Lexical; lexical != nil {
			share := lexical.EnglishShare
			d.EnglishShare = &share
		}
		files = append(files, sampleFiles(folder, all[i])...)
	}
	d.Slug = slug(&folder.Card, &d)
	return catalogue.Draft{Dataset: d, SlugMade: folder.Card.Slug == "", Files: files}, nil
}

// measured fills what follows from the files.
func measured(d *catalogue.Dataset, card *Card, all []Measured) {
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
	spec := measure.Specify(recordings, lexical, card.Channels)
	if d.Channels != nil && card.Channels != "" && card.Channels != *d.Channels {
		spec.ChannelsClaimed = card.Channels
	}
	d.Specification = &spec
	sums := measure.Summarize(recordings, lexical)
	d.Measurements = &sums
	d.Transcripts, d.Transcribed = transcriptsOf(card, all)
	if d.Transcripts != nil && d.Transcripts.Script != nil {
		d.Language.Script = d.Transcripts.Script
	}
	d.Splits = splitsOf(all)
}

// conversations counts sessions, see [Build]; nil where no recording has one.
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

// speakers counts the names of speakers; nil where a recording has none.
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

// channels says what most files hold; see [Build].
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

// splitsOf counts the splits: train, validation, test, then others by name; nil
// where recordings have none.
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

// slug returns the card's slug, or makes one of language, collection, domain and
// channels.
func slug(card *Card, d *catalogue.Dataset) string {
	if card.Slug != "" {
		return card.Slug
	}
	parts := []string{d.BCP47}
	for _, p := range []*string{d.Collection, d.Domain, d.Channels} {
		if p != nil {
			parts = append(parts, *p)
		}
	}
	var b strings.Builder
	for _, c := range strings.ToLower(strings.Join(parts, "-")) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := b.String()
	return strings.Trim(s[:min(len(s), catalogue.MaxSlug)], "-")
}

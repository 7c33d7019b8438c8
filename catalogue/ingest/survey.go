package ingest

import (
	"context"
	"fmt"
	"slices"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/measure"
	"vaak/catalogue/unseen"
)

// Survey is the measurements of a folder, as a whole and of each file. It is for the operator: what
// is under Duplicates and Personal never goes into a record.
type Survey struct {
	Specification catalogue.Specification `json:"specification"`
	Measurements  catalogue.Measurements  `json:"measurements"`
	Duplicates    []Shared                `json:"duplicates"`
	Personal      unseen.Personal         `json:"personal"`
	Unused        folder.Unused           `json:"unused"`
	Remarks       []string                `json:"remarks,omitempty"` // what was left out or guessed, a sentence each
	Recordings    []Surveyed              `json:"recordings"`        // by id
}

// Surveyed is the measurements of one recording and its transcript. Its fingerprints are left out.
type Surveyed struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	measure.Recording
}

// Other is a recording of another dataset. Of its measurements only the digest, the duration and
// the fingerprints are used.
type Other struct {
	Dataset string // slug
	ID      string
	measure.Recording
}

// Shared is sound that two recordings share. The second one is of the folder.
type Shared struct {
	Kind     string     `json:"kind"`              // "exact" or "acoustic"
	Dataset  string     `json:"dataset,omitempty"` // of the first, if it is another
	A        string     `json:"a"`                 // ids
	B        string     `json:"b"`
	Channels [2]int     `json:"channels"` // from 1; 0 if the files are the same
	FromS    [2]float64 `json:"fromS"`    // where it begins in each
	Seconds  float64    `json:"seconds"`
	Share    float64    `json:"share"`  // of the sound of the shorter one
	Errors   float64    `json:"errors"` // share of the bits of the fingerprints that differ
}

// Look reads and measures the folder dir without a catalogue. Its errors are those of
// [Ingest] and of cfg.Others.
func Look(ctx context.Context, dir string, cfg Config) (Survey, error) {
	f, err := folder.Read(ctx, dir, cfg.Limits)
	if err != nil {
		return Survey{}, err
	}
	var others []Other
	if cfg.Others != nil {
		// First, because measuring takes longer than finding that they cannot be read.
		if others, err = cfg.Others(ctx); err != nil {
			return Survey{}, err
		}
	}
	all, err := Measure(ctx, f, cfg.Measure)
	if err != nil {
		return Survey{}, err
	}
	draft, found, err := build(ctx, f, all, cfg.Measure.Progress)
	if err != nil {
		return Survey{}, err
	}
	s := Survey{Specification: *draft.Dataset.Specification, Measurements: *draft.Dataset.Measurements, Unused: f.Unused, Remarks: f.Told.Remarks}
	// The folder may be one that is in the catalogue already.
	others = slices.DeleteFunc(others, func(o Other) bool { return o.Dataset == draft.Dataset.Slug })
	if s.Duplicates, err = shared(ctx, others, all, found, cfg.Measure.Progress); err != nil {
		return Survey{}, err
	}
	if s.Personal, err = unseen.Look(ctx, lookedAt(all)); err != nil {
		return Survey{}, err
	}
	for _, m := range all {
		one := Surveyed{ID: m.ID, Path: m.Path, Recording: m.Measure}
		one.Profile = metrics(&draft.Dataset, m)
		one.Prints = nil
		s.Recordings = append(s.Recordings, one)
	}
	return s, nil
}

// shared returns what recordings share with each other, which was found already, and with those of
// other datasets.
func shared(ctx context.Context, others []Other, all []Measured, found []measure.Duplicate, progress func(measure.Progress)) ([]Shared, error) {
	if len(others) > 0 {
		recordings := make([]measure.Recording, 0, len(others)+len(all))
		for _, o := range others {
			recordings = append(recordings, o.Recording)
		}
		for _, m := range all {
			recordings = append(recordings, m.Measure)
		}
		var err error
		if found, err = measure.Duplicates(ctx, recordings, len(others), progress); err != nil {
			return nil, fmt.Errorf("compare %d recordings with %d of others: %w", len(all), len(others), err)
		}
	}
	out := []Shared{}
	for _, d := range found {
		s := Shared{Kind: d.Kind, B: all[d.B-len(others)].ID, Channels: d.Channels, FromS: d.FromS,
			Seconds: d.Seconds, Share: d.Share, Errors: d.Errors}
		if d.A < len(others) {
			s.Dataset, s.A = others[d.A].Dataset, others[d.A].ID
		} else {
			s.A = all[d.A-len(others)].ID
		}
		out = append(out, s)
	}
	return out, nil
}

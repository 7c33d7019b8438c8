// Package ingest brings a folder with a dataset into the catalogue: it reads the folder,
// measures the audio, and writes the record and its public files.
//
// A folder is brought in as a whole or not at all. All faults are reported at once, each
// with its file and line, and the catalogue is not changed before there are none. The
// rooms below do the reading: ingest/tree lists and opens files, ingest/card reads the card,
// ingest/layout the manifests, ingest/folder all of a folder, and ingest/report collects
// the faults.
package ingest

import (
	"context"
	"errors"
	"fmt"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/measure"
	"vaak/catalogue/unseen"
)

// Putter writes a dataset into the catalogue. In the product it is [*catalogue.Service].
type Putter interface {
	Put(ctx context.Context, d catalogue.Draft) (catalogue.Dataset, error)
}

// Config configures [Ingest] and [Look].
type Config struct {
	Catalogue Putter         // required by Ingest
	Measure   measure.Config // the zero value measures on all processors
	Limits    folder.Limits  // the zero value is the default
	Publish   bool           // publishes the dataset too
	// Seen says that somebody has looked at what may be personal data in the transcript of the
	// sample and in the names that are published. Without it, Ingest publishes no such dataset, and
	// replaces none that is published.
	Seen bool
	// Personal, if not nil, is called with what may be personal data in all transcripts and names,
	// before anything is written.
	Personal func(unseen.Personal)
	// Others, if not nil, returns the recordings of other datasets that Look compares with.
	Others func(ctx context.Context) ([]Other, error)
	// Unused, if not nil, is called with the files of the folder that nothing was read
	// from, once the folder is brought in; and Remarks with what was left out or guessed, a sentence
	// each.
	Unused  func(folder.Unused)
	Remarks func([]string)
}

// Ingest brings the folder dir into the catalogue and returns its record. If the folder has
// faults, the error is [report.Problems] and nothing is written. Faults of the card, the
// names, the manifests and the transcripts are reported together. Only if there are none is
// the audio measured, because that takes long, and its faults are reported then. The error is an
// [*unseen.Error] if the dataset would be published, or is, and somebody must look at it first.
func Ingest(ctx context.Context, dir string, cfg Config) (catalogue.Dataset, error) {
	f, err := folder.Read(ctx, dir, cfg.Limits)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	all, err := Measure(ctx, f, cfg.Measure)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	draft, err := Build(ctx, f, all, cfg.Measure.Progress)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	if cfg.Personal != nil {
		found, err := unseen.Look(ctx, lookedAt(all))
		if err != nil {
			return catalogue.Dataset{}, err
		}
		cfg.Personal(found)
	}
	draft.Publish = cfg.Publish
	if !cfg.Seen {
		draft.Unseen = unseen.Published(ctx, lookedAt(all), f.Card.Sample)
		if _, ok := errors.AsType[*unseen.Error](draft.Unseen); draft.Unseen != nil && !ok {
			return catalogue.Dataset{}, draft.Unseen
		}
	}
	d, err := cfg.Catalogue.Put(ctx, draft)
	if _, ok := errors.AsType[*unseen.Error](err); ok {
		return catalogue.Dataset{}, err
	}
	if err != nil {
		return catalogue.Dataset{}, fmt.Errorf("write the dataset %s: %w", draft.Dataset.Slug, err)
	}
	if cfg.Unused != nil {
		cfg.Unused(f.Unused)
	}
	if cfg.Remarks != nil {
		cfg.Remarks(f.Told.Remarks)
	}
	return d, nil
}

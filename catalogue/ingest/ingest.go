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
	"fmt"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/measure"
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
	// Unused, if not nil, is called with the files of the folder that nothing was read
	// from, once the folder is brought in.
	Unused func(folder.Unused)
}

// Ingest brings the folder dir into the catalogue and returns its record. If the folder has
// faults, the error is [report.Problems] and nothing is written. Faults of the card, the
// names, the manifests and the transcripts are reported together. Only if there are none is
// the audio measured, because that takes long, and its faults are reported then.
func Ingest(ctx context.Context, dir string, cfg Config) (catalogue.Dataset, error) {
	f, err := folder.Read(dir, cfg.Limits)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	all, err := Measure(ctx, f, cfg.Measure)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	draft, err := Build(f, all)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	draft.Publish = cfg.Publish
	d, err := cfg.Catalogue.Put(ctx, draft)
	if err != nil {
		return catalogue.Dataset{}, fmt.Errorf("write the dataset %s: %w", draft.Dataset.Slug, err)
	}
	if cfg.Unused != nil {
		cfg.Unused(f.Unused)
	}
	return d, nil
}

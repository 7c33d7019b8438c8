package ingest

import (
	"context"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/measure"
)

// Survey is the measurements of a folder, as a whole and of each file.
type Survey struct {
	Specification catalogue.Specification `json:"specification"`
	Measurements  catalogue.Measurements  `json:"measurements"`
	Unused        folder.Unused           `json:"unused"`
	Recordings    []Surveyed              `json:"recordings"` // by id
}

// Surveyed is the measurements of one recording and its transcript.
type Surveyed struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	measure.Recording
}

// Look reads and measures the folder dir without a catalogue. Its errors are those of
// [Ingest].
func Look(ctx context.Context, dir string, cfg Config) (Survey, error) {
	f, err := folder.Read(dir, cfg.Limits)
	if err != nil {
		return Survey{}, err
	}
	all, err := Measure(ctx, f, cfg.Measure)
	if err != nil {
		return Survey{}, err
	}
	draft, err := Build(f, all)
	if err != nil {
		return Survey{}, err
	}
	s := Survey{Specification: *draft.Dataset.Specification, Measurements: *draft.Dataset.Measurements, Unused: f.Unused}
	for _, m := range all {
		one := Surveyed{ID: m.ID, Path: m.Path, Recording: m.Measure}
		one.Profile = metrics(&draft.Dataset, m)
		s.Recordings = append(s.Recordings, one)
	}
	return s, nil
}

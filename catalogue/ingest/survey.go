package ingest

import (
	"context"
	"os"
	"path/filepath"

	"vaak/catalogue"
	"vaak/catalogue/measure"
)

// Survey is what a folder measures, file by file and as a whole.
type Survey struct {
	Specification catalogue.Specification `json:"specification"`
	Measurements  catalogue.Measurements  `json:"measurements"`
	Unused        Unused                  `json:"unused"`
	Recordings    []Surveyed              `json:"recordings"` // by id
}

// Surveyed is what one recording measures, with what its transcript tells.
type Surveyed struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	measure.Recording
}

// Look reads and measures the folder dir and keeps nothing but measurements. Its
// errors are those of [Ingest].
func Look(ctx context.Context, dir string, cfg Config) (Survey, error) {
	folder, err := ReadFolder(dir, cfg.Limits)
	if err != nil {
		return Survey{}, err
	}
	all, err := Measure(ctx, folder, dir, cfg.Measure)
	if err != nil {
		return Survey{}, err
	}
	draft, err := Build(folder, all)
	if err != nil {
		return Survey{}, err
	}
	s := Survey{Specification: *draft.Dataset.Specification, Measurements: *draft.Dataset.Measurements, Unused: folder.Unused}
	for _, m := range all {
		one := Surveyed{ID: m.ID, Path: m.Path, Recording: m.Measure}
		one.Profile = metrics(&draft.Dataset, m)
		s.Recordings = append(s.Recordings, one)
	}
	return s, nil
}

// Opener opens the files of a folder for those who measure them for somebody
// else, see [measure.Work]. None is a link, none leads out of the folder, and pipes
// are not opened.
func Opener(root *os.Root) measure.Opener { return anyOpener{root} }

type anyOpener struct{ root *os.Root }

// Open opens a regular file.
func (o anyOpener) Open(path string) (measure.File, error) {
	info, err := o.root.Lstat(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	f, err := openSeen(o.root, path, info)
	if err != nil {
		return nil, err
	}
	return f, nil
}

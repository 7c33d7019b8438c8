package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"vaak/catalogue"
	"vaak/catalogue/measure"
	"vaak/catalogue/transcript"
	"vaak/internal/fault"
)

// late is by how many seconds a transcript may outlast its audio: labels are
// rounded, and tools that cut audio cut it short.
const late = 0.5

// opener opens the files that were listed when the folder was read.
type opener struct {
	root *os.Root
	seen map[string]fs.FileInfo
}

// Open opens a file; one that changed since is an error that says so.
func (o opener) Open(path string) (measure.File, error) {
	f, err := openSeen(o.root, path, o.seen[path])
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Measure measures the recordings of a folder that lies in dir. The error is
// [Problems] with every file that cannot be decoded or changed meanwhile and every
// transcript that does not fit its audio, or that of ctx or of the cache.
func Measure(ctx context.Context, folder *Folder, dir string, cfg measure.Config) ([]Measured, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, Problems{{Message: "the folder cannot be found: " + reason(err)}}
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, Problems{{Message: "the folder cannot be opened: " + reason(err)}}
	}
	defer root.Close()
	paths := make([]string, len(folder.Recordings))
	for i, rec := range folder.Recordings {
		paths[i] = rec.Path
	}
	results, faults, err := measure.Files(ctx, opener{root, folder.seen}, abs, paths, cfg)
	if err != nil {
		return nil, fmt.Errorf("measure %d files: %w", len(paths), err)
	}
	report := newReport(folder.limits)
	all := make([]Measured, len(paths))
	for i, rec := range folder.Recordings {
		if faults[i] != nil {
			report.add(rec.Path, 0, "%s", decodeReason(faults[i]))
			continue
		}
		if info := folder.seen[rec.Path]; info == nil || info.Size() != results[i].SizeBytes {
			report.add(rec.Path, 0, "%v", errChanged)
			continue
		}
		all[i] = withTranscript(report, rec, results[i])
	}
	if err := report.err(); err != nil {
		return nil, err
	}
	return all, nil
}

// decodeReason is what a person reads of a file that cannot be measured.
func decodeReason(err error) string {
	if fe, ok := errors.AsType[*fault.Error](err); ok {
		return fe.Msg
	}
	return reason(err)
}

// withTranscript puts a measurement beside its recording, and tells where the
// transcript does not fit.
func withTranscript(report *report, rec Recording, m measure.Recording) Measured {
	out := Measured{Recording: rec, Measure: m}
	if m.Frames <= 0 {
		report.add(rec.Path, 0, "holds no samples")
		return out
	}
	if rec.Transcript == nil {
		return out
	}
	out.Transcript = slices.Clone(rec.Transcript)
	for i := range out.Transcript {
		s := &out.Transcript[i]
		if rec.Untimed {
			s.Start, s.End = 0, m.DurationS
		}
		fits(report, rec, m, *s)
	}
	lexical := measure.Lexical(out.Transcript, m)
	if rec.Untimed {
		lexical.Coverage, lexical.IoU = nil, nil // the times are not the transcript's own
	}
	out.Lexical = &lexical
	return out
}

// fits tells of a segment that lies outside its audio.
func fits(report *report, rec Recording, m measure.Recording, s transcript.Segment) {
	if s.End > m.DurationS+late {
		report.add(rec.TranscriptFile, s.Line, "the segment ends at %.3f s; the audio %s is %.3f s long", s.End, rec.Path, m.DurationS)
	}
	if s.Channel > m.Channels {
		report.add(rec.TranscriptFile, s.Line, "the segment is on channel %d; the audio %s has %d", s.Channel, rec.Path, m.Channels)
	}
}

// Putter writes a dataset into the catalogue, as the catalogue's service does.
type Putter interface {
	Put(ctx context.Context, d catalogue.Draft) (catalogue.Dataset, error)
}

// Config says how a folder is brought in.
type Config struct {
	Catalogue Putter         // required
	Measure   measure.Config // the zero value measures on all processors
	Limits    Limits         // the zero value is the default
	Publish   bool           // puts it on the list, too
	Unused    func(Unused)   // told which files of a folder that was brought in are not used; nil is nobody
}

// Ingest brings the folder dir into the catalogue and returns its record. The
// error is [Problems] when the folder is at fault; nothing was written then. Faults
// of its card, names, manifests and transcripts are told together; only when there
// are none is the audio measured, and told of what is wrong with that.
func Ingest(ctx context.Context, dir string, cfg Config) (catalogue.Dataset, error) {
	folder, err := ReadFolder(dir, cfg.Limits)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	all, err := Measure(ctx, folder, dir, cfg.Measure)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	draft, err := Build(folder, all)
	if err != nil {
		return catalogue.Dataset{}, err
	}
	draft.Publish = cfg.Publish
	d, err := cfg.Catalogue.Put(ctx, draft)
	if err != nil {
		return catalogue.Dataset{}, fmt.Errorf("write the dataset %s: %w", draft.Dataset.Slug, err)
	}
	if cfg.Unused != nil {
		cfg.Unused(folder.Unused)
	}
	return d, nil
}

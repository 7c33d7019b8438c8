package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/measure"
	"vaak/catalogue/transcript"
	"vaak/internal/fault"
)

// maxLate is by how many seconds a transcript may end after its audio. Times are rounded,
// and tools that cut audio often cut a little too much.
const maxLate = 0.5

// Measured is a recording with its measurement.
type Measured struct {
	layout.Recording
	Measure measure.Recording
	// Lexical is what is measured on its transcript; nil without one.
	Lexical *catalogue.Lexical
}

// Measure measures the recordings of a folder. Recordings in archives are not shared with other
// processes; see [measure.Config.Share]. The error is [report.Problems] with every file
// that cannot be decoded or has changed since the folder was read, and with every
// transcript that does not fit its audio; or it is the error of ctx or of the cache.
func Measure(ctx context.Context, f *folder.Folder, cfg measure.Config) ([]Measured, error) {
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return nil, report.Problems{{Message: "the folder cannot be opened: " + report.Reason(err)}}
	}
	defer root.Close()
	paths := make([]string, len(f.Recordings))
	for i, rec := range f.Recordings {
		paths[i] = rec.Path
	}
	if f.Packed() {
		cfg.Share = nil // workers open files by their path
	}
	results, faults, err := measure.Files(ctx, listedOpener{root, f}, f.Dir, paths, cfg)
	if err != nil {
		return nil, fmt.Errorf("measure %d files: %w", len(paths), err)
	}
	problems := f.NewReport()
	all := make([]Measured, len(paths))
	for i, rec := range f.Recordings {
		if faults[i] != nil {
			problems.Add(rec.Path, 0, "%s", decodeReason(faults[i]))
			continue
		}
		if f.Size(rec.Path) != results[i].SizeBytes {
			problems.Add(rec.Path, 0, "%v", tree.ErrChanged)
			continue
		}
		all[i] = withTranscript(problems, rec, results[i])
		told(&f.Card, all[i].Lexical)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// decodeReason returns why a file cannot be measured, in words for a person.
func decodeReason(err error) string {
	if fe, ok := errors.AsType[*fault.Error](err); ok {
		return fe.Msg
	}
	return report.Reason(err)
}

// withTranscript joins a recording with its measurement, measures its transcript, and reports
// where the transcript does not fit the audio.
func withTranscript(problems *report.Report, rec layout.Recording, m measure.Recording) Measured {
	out := Measured{Recording: rec, Measure: m}
	if m.Frames <= 0 {
		problems.Add(rec.Path, 0, "holds no samples")
		return out
	}
	if rec.Transcript == nil {
		return out
	}
	// The times of untimed segments are set here, and the folder must stay as it was read.
	out.Transcript = slices.Clone(rec.Transcript)
	for i := range out.Transcript {
		s := &out.Transcript[i]
		if rec.Untimed {
			s.Start, s.End = 0, m.DurationS
		}
		checkFit(problems, rec, m, *s)
	}
	lexical := measure.Lexical(out.Transcript, m)
	if rec.Untimed {
		// The times are not the transcript's own.
		lexical.Coverage, lexical.IoU, lexical.AlignmentLagMs = nil, nil, nil
		lexical.ImplausibleSegments, lexical.UnheardSegments = 0, 0
	}
	out.Lexical = &lexical
	return out
}

// checkFit reports a segment that is outside its audio.
func checkFit(problems *report.Report, rec layout.Recording, m measure.Recording, s transcript.Segment) {
	if s.End > m.DurationS+maxLate {
		problems.Add(rec.TranscriptFile, s.Line, "the segment ends at %.3f s; the audio %s is %.3f s long", s.End, rec.Path, m.DurationS)
	}
	if s.Channel > m.Channels {
		problems.Add(rec.TranscriptFile, s.Line, "the segment is on channel %d; the audio %s has %d", s.Channel, rec.Path, m.Channels)
	}
}

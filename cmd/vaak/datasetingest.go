package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vaak/app/usage"
	"vaak/app/work"
	"vaak/catalogue"
	"vaak/catalogue/ingest"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/measure"
	"vaak/catalogue/unseen"
)

// measureFlags say how a folder is measured.
type measureFlags struct {
	Jobs  int  `help:"How many files to measure at once. Default: one for each processor." placeholder:"N"`
	Share bool `help:"Leave the measuring to the servers that were started with --dataset-root and see the folder at the same path."`
	// Patience may have to be longer for huge files.
	Patience time.Duration `help:"With --share: how long no file may come before this command measures some itself." default:"1m"`
	Dir      string        `arg:"" help:"Folder with card.yaml, audio/ and transcripts/." type:"existingdir"`
}

// measuring returns how to measure with the cache of the catalogue, and the meter that shows
// it.
func (f measureFlags) measuring(c catalogueParts, s streams) (measure.Config, *meter) {
	bar := newMeter(s.err)
	cfg := measure.Config{Jobs: f.Jobs, Cache: c.db.Catalogue(), Progress: bar.show, Patience: f.Patience}
	if f.Share {
		cfg.Share = func(ctx context.Context, tasks []measure.Task) error { return work.ShareMeasuring(ctx, c.db, tasks) }
	}
	return cfg, bar
}

// dir returns the path of the folder in full, as other machines see it, and refuses flags
// that are wrong.
func (f measureFlags) dir() (string, error) {
	if f.Jobs < 0 {
		return "", usage.Errorf("--jobs %d is under 0", f.Jobs)
	}
	if f.Patience <= 0 {
		return "", usage.Errorf("--patience %s is not over 0", f.Patience)
	}
	return filepath.Abs(f.Dir)
}

type datasetIngestCommand struct {
	catalogueFlags
	measureFlags
	Publish  bool `help:"Publish it, too."`
	LookedAt bool `help:"Somebody has looked at what may be personal data in what is published: the transcript of the sample, and names. Without it, such a dataset is not published."`
	jsonFlag
}

// Run prints the slug and the status. A folder with faults is refused with all of
// them, one a line, on standard error.
func (c datasetIngestCommand) Run(ctx context.Context, s streams) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	return c.with(ctx, s, c.place().Open, func(parts catalogueParts) error {
		measuring, bar := c.measuring(parts, s)
		var unused folder.Unused
		var remarks []string
		var found unseen.Personal
		d, err := ingest.Ingest(ctx, dir, ingest.Config{
			Catalogue: parts, Measure: measuring, Publish: c.Publish, Seen: c.LookedAt,
			Personal: func(p unseen.Personal) { found = p },
			Unused:   func(u folder.Unused) { unused = u }, Remarks: func(r []string) { remarks = r },
		})
		bar.end()
		if text := unseen.Counted(found.Counts); text != "" {
			fmt.Fprintf(s.err, "transcripts may hold personal data (%s); vaak dataset measure --json says where\n", text)
		}
		if text := unseen.Counted(found.Names.Counts); text != "" {
			fmt.Fprintf(s.err, "names of recordings or speakers may be personal data (%s); vaak dataset measure --json says where\n", text)
		}
		if err != nil {
			return told(s, lookFirst(err))
		}
		tellUnused(s, unused)
		tellRemarks(s, remarks)
		return c.made(s, member{"slug", d.Slug}, member{"status", string(d.Status)})
	})
}

// lookFirst adds to the error of a dataset that somebody must look at which flag publishes it.
func lookFirst(err error) error {
	if _, ok := errors.AsType[*unseen.Error](err); ok {
		return fmt.Errorf("%w; look at it, then add --looked-at; nothing was changed", err)
	}
	return err
}

// told prints the faults of a folder, and returns an error of one line that counts them.
func told(s streams, err error) error {
	faults, ok := errors.AsType[report.Problems](err)
	if !ok {
		return err
	}
	for _, f := range faults {
		fmt.Fprintln(s.err, f)
	}
	if len(faults) == 1 {
		return errors.New("the folder has a fault; nothing was changed")
	}
	return fmt.Errorf("the folder has %d faults; nothing was changed", len(faults))
}

// tellUnused names on standard error the files of a folder that are not used.
func tellUnused(s streams, u folder.Unused) {
	for _, f := range u.Files {
		if f.Hint == "" {
			fmt.Fprintf(s.err, "%s: not used\n", f.Path)
		} else {
			fmt.Fprintf(s.err, "%s: not used: %s\n", f.Path, f.Hint)
		}
	}
	if more := u.Count - len(u.Files); more > 0 {
		fmt.Fprintf(s.err, "and %d more files are not used\n", more)
	}
}

// tellRemarks prints on standard error what was left out or guessed.
func tellRemarks(s streams, remarks []string) {
	for _, r := range remarks {
		fmt.Fprintln(s.err, r)
	}
}

type datasetMeasureCommand struct {
	catalogueFlags
	measureFlags
	Across bool `help:"Compare the sound with the published datasets of the catalogue, too."`
	JSON   bool `help:"Print all that was measured as JSON."`
}

// Run prints what was measured.
func (c datasetMeasureCommand) Run(ctx context.Context, s streams) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	return c.with(ctx, s, c.place().Open, func(parts catalogueParts) error {
		measuring, bar := c.measuring(parts, s)
		cfg := ingest.Config{Measure: measuring}
		if c.Across {
			cfg.Others = func(ctx context.Context) ([]ingest.Other, error) { return others(ctx, parts, s.err) }
		}
		survey, err := ingest.Look(ctx, dir, cfg)
		bar.end()
		if err != nil {
			return told(s, err)
		}
		if c.JSON {
			return s.json(survey)
		}
		tellUnused(s, survey.Unused)
		tellRemarks(s, survey.Remarks)
		return s.lines(surveyRows(survey))
	})
}

// surveyRows are the figures that people look at first: a name and a value a line,
// then a line for each recording.
func surveyRows(v ingest.Survey) [][]any {
	spec, sums := v.Specification, v.Measurements
	rows := [][]any{
		{"files", spec.MeasuredFrom.Files}, {"hours", spec.MeasuredFrom.Hours}, {"channels", spec.ChannelsMeasured},
		{"clipped_files", spec.ClippedFiles}, {"upsampled_files", spec.UpsampledFiles}, {"silent_channels", spec.SilentChannels},
		{"loudness_lufs", middle(spec.LoudnessLUFS)}, {"true_peak_dbtp", middle(spec.TruePeakDBTP)}, {"snr_db", middle(spec.SNRDB)},
		{"bandwidth_hz", middle(spec.EffectiveBandwidthHz)}, {"leakage_db", middle(spec.LeakageDB)}, {"silence_ratio", middle(sums.SilenceRatio)},
	}
	if t := sums.TurnTaking; t != nil {
		rows = append(rows, []any{"turns", t.TurnCount}, []any{"overlap_ratio", middle(t.OverlapRatio)},
			[]any{"floor_transfer_ms", middle(t.FTOMedianMs)}, []any{"backchannels_per_min", middle(t.BackchannelsPerMin)})
	}
	if w := sums.Words; w != nil {
		rows = append(rows, []any{"words", w.Words}, []any{"words_per_min", middle(w.WordsPerMin)}, []any{"english_share", middle(w.EnglishShare)})
	}
	rows = append(rows, []any{"reverb_time_s", middle(spec.ReverbTimeS)}, []any{"flattened_files", spec.FlattenedFiles}, []any{"dead_channels", spec.DeadChannels},
		[]any{"tone_files", spec.ToneFiles}, []any{"music_files", spec.MusicFiles}, []any{"companded_files", spec.CompandedFiles},
		[]any{"duplicates", len(v.Duplicates)})
	// Counts only: what may be personal is in no output.
	for _, kind := range slices.Sorted(maps.Keys(v.Personal.Counts)) {
		rows = append(rows, []any{"personal_" + string(kind), v.Personal.Counts[kind]})
	}
	for _, kind := range slices.Sorted(maps.Keys(v.Personal.Names.Counts)) {
		rows = append(rows, []any{"personal_names_" + string(kind), v.Personal.Names.Counts[kind]})
	}
	for _, d := range v.Duplicates {
		rows = append(rows, []any{"duplicate", d.Kind, d.B, strings.TrimPrefix(d.Dataset+"/"+d.A, "/"), fmt.Sprintf("%.1f", d.Seconds)})
	}
	for _, r := range v.Recordings {
		rows = append(rows, []any{"recording", r.ID, r.Layout, r.Codec, r.SampleRateHz, fmt.Sprintf("%.3f", r.DurationS)})
	}
	return rows
}

// middle returns the median of a figure over files; "" when it was not measured.
func middle(s *catalogue.Spread) any {
	if s == nil {
		return ""
	}
	return s.Median
}

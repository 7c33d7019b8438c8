// Package recordings measures how fast and in how much memory recordings are measured.
package recordings

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"vaak/catalogue/measure"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
)

// What measuring has to reach.
const (
	hoursPerCoreHour = 400 // of 8 kHz, two channels, FLAC
	twoJobsLimit     = 1.8 // times as fast as one
)

// speakerSize is how many characters each of the speakers has to say, over and over.
const speakerSize = 5000

// openFolder opens files of a directory.
type openFolder string

// Open opens a file.
func (f openFolder) Open(path string) (measure.File, error) {
	return os.Open(filepath.Join(string(f), path))
}

// measured is what measuring a folder took.
type measured struct {
	audio, wall, used time.Duration
}

// perCore is how many hours are measured in an hour of processor time.
func (m measured) perCore() float64 { return report.Over(m.audio, m.used) }

// Measure measures the speed, the memory and the parts of measuring.
func Measure(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	voices, err := newSpeakers(ctx, b.Library, speakerSize)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.Dir, "recordings")
	paths, bytes, err := voices.write(ctx, dir, b.Plan.Recordings, b.Plan.Recording)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	speed, err := measuringSpeed(ctx, b, dir, paths)
	if err != nil {
		return nil, err
	}
	others, err := yardsticks(ctx, filepath.Join(dir, paths[0]), b.Plan)
	if err != nil {
		return nil, err
	}
	memory, err := measuringMemory(ctx, b, voices)
	if err != nil {
		return nil, err
	}
	hours := float64(b.Plan.Recordings) * b.Plan.Recording.Hours()
	return []report.Part{
		report.Prose(fmt.Sprintf("%d recordings of %s of two people, each on a channel of 8 kHz, over noise 60 dB below full scale: prose of the first two languages of this document, spoken by the library, "+
			"in turns of 1 to 9 s. %.1f hours, FLAC of %.0f kbit/s. `measure.Files` reads each twice, once for its digest, and nothing is known of them before.",
			b.Plan.Recordings, b.Plan.Recording, hours, float64(bytes)*8/1000/3600/hours)),
		speed,
		report.Prose("Beside it ffmpeg, on one thread and on the first recording: as it decodes the file and forgets it, and as it measures the loudness by EBU R 128 as well."),
		yardstickTable(others),
		memory,
	}, nil
}

// measuringSpeed measures the folder with one and with two jobs at once.
func measuringSpeed(ctx context.Context, b *rig.Bench, dir string, paths []string) (report.Part, error) {
	var one, two []measured
	var gain, perCore []float64
	for range b.Plan.Rounds {
		a, err := measureFolder(ctx, b, dir, paths, 1)
		if err != nil {
			return nil, err
		}
		c, err := measureFolder(ctx, b, dir, paths, 2)
		if err != nil {
			return nil, err
		}
		one, two = append(one, a), append(two, c)
		gain, perCore = append(gain, report.Over(a.wall, c.wall)), append(perCore, a.perCore())
	}
	t := &report.Table{Header: []string{"jobs", "hours measured an hour", "hours measured a core-hour", "cores at work", "times as fast as one"}}
	row := func(name string, all []measured, gain string) {
		var walls, used, cores []float64
		for _, m := range all {
			walls, used, cores = append(walls, report.Over(m.audio, m.wall)), append(used, m.perCore()), append(cores, report.Over(m.used, m.wall))
		}
		t.Add(name, report.Whole(report.Median(walls)), report.Whole(report.Median(used)), report.Ratio(report.Median(cores)), gain)
	}
	row("1", one, "1")
	row("2", two, report.Ratio(report.Median(gain)))
	report.AtLeast(&b.Report, "Hours of 8 kHz two-channel FLAC measured a core-hour", report.Median(perCore), hoursPerCoreHour, report.Whole)
	report.AtLeast(&b.Report, "Measuring with two jobs, times as fast as one", report.Median(gain), twoJobsLimit, report.Ratio)
	return t, nil
}

// measureFolder measures all files with so many jobs.
func measureFolder(ctx context.Context, b *rig.Bench, dir string, paths []string, jobs int) (measured, error) {
	before, err := library.OwnTime()
	if err != nil {
		return measured{}, err
	}
	began := time.Now()
	_, faults, err := measure.Files(ctx, openFolder(dir), dir, paths, measure.Config{Jobs: jobs})
	wall := time.Since(began)
	if err != nil {
		return measured{}, err
	}
	for i, err := range faults {
		if err != nil {
			return measured{}, fmt.Errorf("%s: %w", paths[i], err)
		}
	}
	after, err := library.OwnTime()
	return measured{b.Plan.Recording * time.Duration(len(paths)), wall, after - before}, err
}

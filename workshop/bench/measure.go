package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"vaak/catalogue/measure"
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
func (m measured) perCore() float64 { return over(m.audio, m.used) }

// measuring measures the speed, the memory and the parts of measuring.
func measuring(ctx context.Context, b *bench) ([]part, error) {
	voices, err := b.library.newSpeakers(ctx, speakerSize)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, "recordings")
	paths, bytes, err := voices.write(ctx, dir, b.plan.recordings, b.plan.recording)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	speed, err := measuringSpeed(ctx, b, dir, paths)
	if err != nil {
		return nil, err
	}
	stages, err := measuringStages(filepath.Join(dir, paths[0]), b.plan.rounds)
	if err != nil {
		return nil, err
	}
	others, err := yardsticks(ctx, filepath.Join(dir, paths[0]), b.plan)
	if err != nil {
		return nil, err
	}
	memory, err := measuringMemory(ctx, b, voices)
	if err != nil {
		return nil, err
	}
	hours := float64(b.plan.recordings) * b.plan.recording.Hours()
	return []part{
		prose(fmt.Sprintf("%d recordings of %s of two people, each on a channel of 8 kHz, over noise 60 dB below full scale: prose of the first two languages of this document, spoken by the library, "+
			"in turns of 1 to 9 s. %.1f hours, FLAC of %.0f kbit/s. `measure.Files` reads each twice, once for its digest, and nothing is known of them before.",
			b.plan.recordings, b.plan.recording, hours, float64(bytes)*8/1000/3600/hours)),
		speed,
		prose("The parts alone, on the first recording, fed from memory: the share is that of their sum. The yardsticks are ffmpeg on one thread, which decodes the same file and forgets it, and which measures its loudness by EBU R 128 as well."),
		stages.table(others),
		memory,
	}, nil
}

// measuringSpeed measures the folder with one and with two jobs at once.
func measuringSpeed(ctx context.Context, b *bench, dir string, paths []string) (part, error) {
	var one, two []measured
	var gain, perCore []float64
	for range b.plan.rounds {
		a, err := measureFolder(ctx, b, dir, paths, 1)
		if err != nil {
			return nil, err
		}
		c, err := measureFolder(ctx, b, dir, paths, 2)
		if err != nil {
			return nil, err
		}
		one, two = append(one, a), append(two, c)
		gain, perCore = append(gain, over(a.wall, c.wall)), append(perCore, a.perCore())
	}
	t := &table{header: []string{"jobs", "hours measured an hour", "hours measured a core-hour", "cores at work", "times as fast as one"}}
	row := func(name string, all []measured, gain string) {
		var walls, used, cores []float64
		for _, m := range all {
			walls, used, cores = append(walls, over(m.audio, m.wall)), append(used, m.perCore()), append(cores, over(m.used, m.wall))
		}
		t.add(name, whole(median(walls)), whole(median(used)), ratio(median(cores)), gain)
	}
	row("1", one, "1")
	row("2", two, ratio(median(gain)))
	atLeast(&b.report, "Hours of 8 kHz two-channel FLAC measured a core-hour", median(perCore), hoursPerCoreHour, whole)
	atLeast(&b.report, "Measuring with two jobs, times as fast as one", median(gain), twoJobsLimit, ratio)
	return t, nil
}

// measureFolder measures all files with so many jobs.
func measureFolder(ctx context.Context, b *bench, dir string, paths []string, jobs int) (measured, error) {
	before, err := ownTime()
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
	after, err := ownTime()
	return measured{b.plan.recording * time.Duration(len(paths)), wall, after - before}, err
}

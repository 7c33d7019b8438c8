// Package library measures the bare speech library, and the parts of Vaak's chain of audio
// alone. Together they are the least that speech can cost.
package library

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vaak/workshop/bench/corpus"
)

// Library runs the C loop around the library.
type Library struct {
	Program string
	Dir     string // for the samples it hands out
}

// spoken is what one run of the C loop tells.
type spoken struct {
	Version     string
	rate        int // Hz
	init        time.Duration
	Repetitions []repetition
	MaxRSS      int64 // KiB
}

// repetition is one pass over the text.
type repetition struct {
	First, wall, cpu time.Duration
	samples          int64
}

// Speak speaks the text so many times in one process. With firstOnly each pass
// ends after the first chunk of samples. With out set, a further pass, which is
// not measured, leaves its samples there.
func (l Library) Speak(ctx context.Context, t corpus.Sample, times int, firstOnly bool, out string) (spoken, error) {
	set := t.Lang.Library
	args := []string{"-n", strconv.Itoa(times), "-s", strconv.Itoa(set.Rate), "-p", strconv.Itoa(set.Pitch),
		"-r", strconv.Itoa(set.Range), "-a", strconv.Itoa(set.Volume)}
	if firstOnly {
		args = append(args, "-f")
	}
	if out != "" {
		args = append(args, "-o", out)
	}
	cmd := exec.CommandContext(ctx, l.Program, append(args, set.Voice)...)
	cmd.Stdin = strings.NewReader(t.Text)
	b, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return spoken{}, fmt.Errorf("bare library: %w: %s", err, exit.Stderr)
	}
	if err != nil {
		return spoken{}, fmt.Errorf("bare library: %w", err)
	}
	return parseSpoken(b)
}

// parseSpoken reads the C loop's lines of JSON.
func parseSpoken(b []byte) (spoken, error) {
	var s spoken
	for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
		var line struct {
			Version string `json:"version"`
			Rate    int    `json:"sample_rate"`
			Init    int64  `json:"init_ns"`
			First   int64  `json:"first_ns"`
			Wall    int64  `json:"wall_ns"`
			CPU     int64  `json:"cpu_ns"`
			Samples int64  `json:"samples"`
			MaxRSS  int64  `json:"max_rss_kib"`
		}
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			return s, fmt.Errorf("bare library: line %q: %w", sc.Text(), err)
		}
		switch {
		case line.Rate > 0:
			s.Version, s.rate, s.init = line.Version, line.Rate, time.Duration(line.Init)
		case line.MaxRSS > 0:
			s.MaxRSS = line.MaxRSS
		case line.First < 0:
			return s, errors.New("bare library: it made no samples")
		default:
			s.Repetitions = append(s.Repetitions, repetition{
				time.Duration(line.First), time.Duration(line.Wall), time.Duration(line.CPU), line.Samples})
		}
	}
	if s.rate == 0 {
		return s, errors.New("bare library: it did not tell its sample rate")
	}
	return s, nil
}

// cost is processor time and wall time per second of audio.
type cost struct{ CPU, Wall time.Duration }

// Cost returns the means over all repetitions.
func (s spoken) Cost() cost {
	var cpu, wall time.Duration
	var samples int64
	for _, r := range s.Repetitions {
		cpu, wall, samples = cpu+r.cpu, wall+r.wall, samples+r.samples
	}
	seconds := float64(samples) / float64(s.rate)
	return cost{PerSecond(cpu, seconds), PerSecond(wall, seconds)}
}

// PerSecond divides processor time by seconds of audio.
func PerSecond(cpu time.Duration, seconds float64) time.Duration {
	if seconds == 0 {
		return 0
	}
	return time.Duration(float64(cpu) / seconds)
}

// Record returns the samples of the text and their rate.
func (l Library) Record(ctx context.Context, t corpus.Sample) (pcm []int16, rate int, err error) {
	file := filepath.Join(l.Dir, "bare.pcm")
	s, err := l.Speak(ctx, t, 0, false, file)
	if err != nil {
		return nil, 0, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, 0, err
	}
	pcm = make([]int16, len(b)/2)
	_, err = binary.Decode(b, binary.NativeEndian, pcm)
	return pcm, s.rate, err
}

// Chunk is how many samples the library hands out at a time.
const Chunk = 1081

// threadTime returns the processor time of this thread. Getrusage would tell
// that of a thread only to the last tick of the scheduler.
func threadTime() (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, fmt.Errorf("read the thread's clock: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

// OwnTime returns user and system time of this process.
func OwnTime() (time.Duration, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0, fmt.Errorf("getrusage: %w", err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// measuringMemory measures a short and a long recording with the program, each in a
// process of its own.
func measuringMemory(ctx context.Context, b *bench, voices speakers) (part, error) {
	t := &table{header: []string{"recording", "file, MiB", "most memory, MiB"}}
	var peaks []int64
	for _, length := range []time.Duration{b.plan.shortRecording, b.plan.longRecording} {
		peak, size, err := measurePeak(ctx, b, voices, length)
		if err != nil {
			return nil, fmt.Errorf("a recording of %s: %w", length, err)
		}
		peaks = append(peaks, peak)
		t.add(length.String(), mebibytes(size/1024), mebibytes(peak))
	}
	more := b.plan.longRecording - b.plan.shortRecording
	perHour := float64(peaks[1]-peaks[0]) / 1024 / more.Hours()
	t.add("an hour more", "", fmt.Sprintf("%.2f", perHour))
	return t, nil
}

// measurePeak returns the most memory that `vaak dataset measure` had, in KiB, and
// the size of the file.
func measurePeak(ctx context.Context, b *bench, voices speakers, length time.Duration) (peak, size int64, err error) {
	dir, err := os.MkdirTemp(b.dir, "recording-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	if _, size, err = voices.write(ctx, dir, 1, length); err != nil {
		return 0, 0, err
	}
	state, err := os.MkdirTemp(b.dir, "measured-") // it would be remembered
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(b.options.bin, "vaak"), "dataset", "measure", "--data-dir", state, "--jobs", "1", dir)
	peak, err = runPeak(cmd)
	return peak, size, err
}

// peakEvery is how often the memory of a process is looked at.
const peakEvery = 10 * time.Millisecond

// runPeak runs a program to its end and returns the most memory that it had, in KiB.
// The kernel keeps the peak, so that only one of the last moments is missed. What
// it tells of a process that has ended holds the memory of this one, too: a child
// has that until it becomes the program.
func runPeak(cmd *exec.Cmd) (peak int64, err error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(peakEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, &out)
			}
			return peak, err
		case <-tick.C:
			// It may be ending: then there is no such line, or no such file.
			if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)); err == nil {
				if n, err := parseKiB(text, "VmHWM"); err == nil {
					peak = max(peak, n)
				}
			}
		}
	}
}

package recordings

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// measuringMemory measures a short and a long recording with the program, each in a
// process of its own.
func measuringMemory(ctx context.Context, b *rig.Bench, voices speakers) (report.Part, error) {
	t := &report.Table{Header: []string{"recording", "file, MiB", "most memory, MiB"}}
	var peaks []int64
	for _, length := range []time.Duration{b.Plan.ShortRecording, b.Plan.LongRecording} {
		peak, size, err := measurePeak(ctx, b, voices, length)
		if err != nil {
			return nil, fmt.Errorf("a recording of %s: %w", length, err)
		}
		peaks = append(peaks, peak)
		t.Add(length.String(), report.Mebibytes(size/1024), report.Mebibytes(peak))
	}
	more := b.Plan.LongRecording - b.Plan.ShortRecording
	perHour := float64(peaks[1]-peaks[0]) / 1024 / more.Hours()
	t.Add("an hour more", "", fmt.Sprintf("%.2f", perHour))
	return t, nil
}

// measurePeak returns the most memory that `vaak dataset measure` had, in KiB, and
// the size of the file.
func measurePeak(ctx context.Context, b *rig.Bench, voices speakers, length time.Duration) (peak, size int64, err error) {
	dir, err := os.MkdirTemp(b.Dir, "recording-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	if _, size, err = voices.write(ctx, dir, 1, length); err != nil {
		return 0, 0, err
	}
	state, err := os.MkdirTemp(b.Dir, "measured-") // it would be remembered
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(b.Settings.Bin, "vaak"), "dataset", "measure", "--data-dir", state, "--jobs", "1", dir)
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
				if n, err := server.ParseKiB(text, "VmHWM"); err == nil {
					peak = max(peak, n)
				}
			}
		}
	}
}

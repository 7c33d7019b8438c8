package recordings

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"vaak/audio/audiotest"
	"vaak/catalogue/measure"
	"vaak/workshop/bench/rig"
)

// twoSpeakers are two who speak as encoders see it.
func twoSpeakers() speakers {
	pcm := audiotest.Speech(telephone, 6*telephone)
	return speakers{pcm, pcm[3*telephone:]}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	draw := func() [2][]int16 { return twoSpeakers().conversation(rand.New(rand.NewPCG(1, 1)), 20*time.Second) }
	a, b := draw(), draw()
	for c := range a {
		if len(a[c]) != 20*telephone {
			t.Fatalf("channel %d has %d samples, want %d", c, len(a[c]), 20*telephone)
		}
		for i, v := range a[c] {
			if v != b[c][i] {
				t.Fatalf("sample %d of channel %d differs from time to time", i, c)
			}
		}
	}
}

// TestMeasureFolder checks that what is made is measured as two who talk.
func TestMeasureFolder(t *testing.T) {
	t.Parallel()
	b := &rig.Bench{Plan: rig.QuickPlan}
	dir := t.TempDir()
	paths, bytes, err := twoSpeakers().write(t.Context(), dir, 2, b.Plan.Recording)
	if err != nil || len(paths) != 2 || bytes == 0 {
		t.Fatalf("write = %v, %d, %v; want two files", paths, bytes, err)
	}
	m, err := measureFolder(t.Context(), b, dir, paths, 2)
	if err != nil || m.audio != 2*b.Plan.Recording || m.wall <= 0 || m.used <= 0 {
		t.Errorf("measureFolder = %+v, %v", m, err)
	}
	found, faults, err := measure.Files(t.Context(), openFolder(dir), dir, paths, measure.Config{})
	if err != nil || faults[0] != nil || found[0].Layout != "dual" || found[0].SampleRateHz != telephone {
		t.Errorf("the first file is %s at %d Hz, %v, %v; want dual at %d Hz", found[0].Layout, found[0].SampleRateHz, faults[0], err, telephone)
	}
	if text := yardstickTable([]yardstick{{"other", []time.Duration{time.Millisecond}}}).Markdown(); !strings.Contains(text, "| other | 1000 | 1000 |") {
		t.Errorf("the table lacks the program:\n%s", text)
	}
}

// TestMeasureFolderFails checks that a file that is none ends it.
func TestMeasureFolderFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.flac"), []byte("fLaC"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := measureFolder(t.Context(), &rig.Bench{Plan: rig.QuickPlan}, dir, []string{"x.flac"}, 1); err == nil {
		t.Error("measuring four bytes gives no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := twoSpeakers().write(ctx, dir, 1, time.Second); err == nil {
		t.Error("writing after the end gives no error")
	}
}

// TestRunPeak checks that the memory of this process is not that of a program.
func TestRunPeak(t *testing.T) {
	t.Parallel()
	own := make([]byte, 64<<20)
	for i := range own {
		own[i] = 1
	}
	peak, err := runPeak(exec.CommandContext(t.Context(), "sleep", "0.5"))
	if err != nil || peak <= 0 || peak > 32<<10 {
		t.Errorf("sleep had %d KiB, %v; want a few thousand", peak, err)
	}
	if _, err := runPeak(exec.CommandContext(t.Context(), "false")); err == nil {
		t.Error("a program that fails gives no error")
	}
	runtime.KeepAlive(own)
}

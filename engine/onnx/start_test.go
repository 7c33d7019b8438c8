package onnx_test

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vaak/engine/onnx"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
)

// TestWorkerThatDoesNotStart: the voices are left out, which is logged once however often it is tried,
// and they are there when it starts.
func TestWorkerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	voices := t.TempDir()
	m := add(t, open(t, voices), piper(t, tiny.PiperOptions{}))
	works := command(t, worker.Settings{})
	folder := t.TempDir()
	repaired := filepath.Join(folder, "repaired")
	var log bytes.Buffer // of calls from this goroutine
	e := onnx.Open(onnx.Config{Dir: voices, Reader: reader(t), Logger: slog.New(slog.NewTextHandler(&log, nil)), Worker: func() *exec.Cmd {
		if _, err := os.Stat(repaired); err != nil {
			return exec.Command(filepath.Join(folder, "no such program"))
		}
		return works()
	}})
	defer func() { _ = e.Close() }()
	for range 2 {
		if all, changed := e.Refresh(); len(all) > 0 || changed {
			t.Errorf("Refresh = %d voices, changed %t", len(all), changed)
		}
	}
	if n := strings.Count(log.String(), "left out"); n != 1 {
		t.Errorf("it is logged %d times:\n%s", n, &log)
	}
	if e.Lacks() {
		t.Error("it is to be tried again at once")
	}
	if err := os.WriteFile(repaired, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if all, changed := e.Refresh(); len(all) != 1 || !changed || e.Lacks() {
		t.Errorf("afterwards Refresh = %d voices, changed %t", len(all), changed)
	}
	speak(t, e, says(m, 0, fox))
}

// TestHop: of a model that cannot be cut, the configuration tells how many samples a frame has.
func TestHop(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{Whole: true}))
	j := jobOf(t, m, 0, encoded(t, m, says(m, 0, fox))[0].IDs)
	p := process(t, worker.Settings{})
	_, want := take(t, p, j)
	j.Hop = tiny.Hop
	if _, got := take(t, p, j); len(got) != len(want) {
		t.Errorf("%d samples, want %d", len(got), len(want))
	}
	j.Hop = 2 * tiny.Hop
	if r := refused(t, p, j); !strings.Contains(r.Reason, "add up") {
		t.Errorf("with another hop it is refused with %q", r.Reason)
	}
}

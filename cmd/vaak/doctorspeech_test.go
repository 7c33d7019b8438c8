package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vaak/engine/enginetest"
	"vaak/internal/checkup"
	"vaak/internal/needed"
)

func TestCommandDoctorEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name, worker, data, found string
	}{
		{"missing", filepath.Join(dir, "none"), "", "no such file"},
		{"no program", program("text", "text", 0o600), "", "is no program"},
		{"a directory", dir, "", "is no program"},
		{"says it twice", program("twice", "#!/bin/sh\nfor i in 1 2; do printf 'no data\\n\\tin here\\n' >&2; done\nexit 3\n", 0o700), "", "did not start: EOF: no data; in here$"},
		{"ends at once", program("ends", "#!/bin/sh\necho no >&2\nexit 3\n", 0o700), "", "did not start.*no"},
		{"says something else", program("other", "#!/bin/sh\necho hello\n", 0o700), "", "did not start"},
		{"without its data", enginetest.Worker(t), dir, "did not start"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := examine(t, t.TempDir(), "--services", "speech", "--espeak-worker", tt.worker, "--espeak-data", tt.data).
				only("engine", "languages", "speech").
				expect("engine", checkup.Failure, tt.found).
				expect("languages", checkup.Skipped, "engine").expect("speech", checkup.Skipped, "engine")
			if e.stderr != "vaak: 1 of 19 checks failed: engine\n" {
				t.Errorf("standard error is %q", e.stderr)
			}
		})
	}
}

// TestCommandDoctorMissingDictionary gives the engine data without the Tamil dictionary.
func TestCommandDoctorMissingDictionary(t *testing.T) {
	t.Parallel()
	from := needed.SpeechData(t)
	dir := t.TempDir()
	data := filepath.Join(dir, "espeak-ng-data")
	if err := os.CopyFS(data, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(data, "ta_dict")); err != nil {
		t.Fatal(err)
	}
	e := examine(t, t.TempDir(), "--services", "speech", "--espeak-worker", enginetest.Worker(t), "--espeak-data", dir).
		only("languages").expect("languages", checkup.Failure, `^1 of 80 languages do not speak: ta \(`)
	if !strings.Contains(e.result("languages").Remedy, "espeak-ng-data") {
		t.Errorf("the remedy is %q", e.result("languages").Remedy)
	}
}

// TestLengthyDoctorMissingLibrary has the linker find no library in the place of lame's.
func TestLengthyDoctorMissingLibrary(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it speaks all languages for each library")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "libmp3lame.so.0"), []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "vaak", "doctor", "--services", "speech", "--data-dir", filepath.Join(dir, "var"),
		"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--espeak-worker", enginetest.Worker(t))
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr) // a warning is no failure
	}
	text := string(out)
	for _, want := range []string{"warning  formats    mp3 is refused: ", "Install what is missing: apt-get install libmp3lame0.", "ok       speech     pcm: first audio after "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "mp3: first audio") {
		t.Errorf("mp3 was measured without its library:\n%s", text)
	}
}

func TestCommandDoctorFigures(t *testing.T) {
	t.Parallel()
	f := examine(t, t.TempDir(), "--services", "speech", "--espeak-worker", enginetest.Worker(t)).
		only("speech").result("speech").Figures // a busy machine is slow, which is a warning
	for _, name := range []string{"pcm_first_audio_ms", "pcm_real_time_factor", "mp3_first_audio_ms", "mp3_real_time_factor"} {
		if v := f[name]; v <= 0 {
			t.Errorf("%s is %v, want more than 0 in %v", name, v, f)
		}
	}
	if len(f) != 4 {
		t.Errorf("figures are %v", f)
	}
}

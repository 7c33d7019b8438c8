package onnx_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/engine/onnx"
	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
	"vaak/internal/needed"
	"vaak/lang"
	"vaak/voice"
)

// asWorker makes the test binary run as the worker, with the settings that it has in JSON.
const asWorker = "VAAK_TEST_ONNX_WORKER"

func TestMain(m *testing.M) {
	if text := os.Getenv(asWorker); text != "" {
		var set worker.Settings
		err := json.Unmarshal([]byte(text), &set)
		if err == nil {
			err = worker.Main(set)
		}
		if err != nil {
			slog.Error("worker", "error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command returns what starts a worker, with more of an environment.
func command(t testing.TB, set worker.Settings, environment ...string) func() *exec.Cmd {
	t.Helper()
	set.Library = needed.ONNXRuntime(t)
	text, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), environment...), asWorker+"="+string(text))
		return cmd
	}
}

// quiet logs to nowhere: for tests in which workers are killed.
var quiet = slog.New(slog.DiscardHandler)

// reader returns what reads the texts.
func reader(t testing.TB) *espeak.Engine {
	t.Helper()
	r, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// open returns an engine whose voices are below a directory.
func open(t testing.TB, dir string) *onnx.Engine {
	t.Helper()
	return openWith(t, dir, command(t, worker.Settings{Memory: 2 << 30}))
}

func openWith(t testing.TB, dir string, start func() *exec.Cmd) *onnx.Engine {
	t.Helper()
	e := onnx.Open(onnx.Config{Dir: dir, Reader: reader(t), Worker: start, Logger: quiet})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// write writes files into a directory of the test and returns it.
func write(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// add adds what is in a directory to the voices of an engine.
func add(t testing.TB, e *onnx.Engine, dir string) *collection.Model {
	t.Helper()
	d, err := e.Collection().Draft([]string{dir}, collection.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Discard() }()
	if err := e.Audition(t.Context(), d, func(string) {}); err != nil {
		t.Fatal(err)
	}
	m, err := d.Keep()
	if err != nil {
		t.Fatal(err)
	}
	e.Refresh()
	return m
}

func piper(t testing.TB, o tiny.PiperOptions) string {
	model, config := tiny.Piper(o)
	return write(t, map[string][]byte{"en_US-tiny-medium.onnx": model, "en_US-tiny-medium.onnx.json": config})
}

func kokoro(t testing.TB) string {
	return write(t, map[string][]byte{
		"kokoro.onnx": tiny.Kokoro(tiny.KokoroOptions{Durations: "duration"}), "voices-v1.0.bin": tiny.NPZVoices(3, false), "config.json": tiny.KokoroConfig(),
	})
}

// TestContract runs the suite that every engine must pass, for each kind of model.
func TestContract(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{
		"piper": piper(t, tiny.PiperOptions{}), "piper of four speakers": piper(t, tiny.PiperOptions{Speakers: 4}),
		"piper uncut": piper(t, tiny.PiperOptions{Whole: true}), "kokoro": kokoro(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := open(t, t.TempDir())
			m := add(t, e, dir)
			t.Log(onnx.Describe(m))
			enginetest.Run(t, e, func(code lang.Code) voice.Voice {
				for _, s := range m.Speakers {
					if s.Language == code {
						return m.Voice(s)
					}
				}
				return m.Voice(m.Speakers[0])
			})
		})
	}
}

func speak(t testing.TB, e *onnx.Engine, u engine.Utterance) enginetest.Speech {
	t.Helper()
	var s enginetest.Speech
	if err := e.Synthesize(context.Background(), u, engine.SinkFunc(s.Frame)); err != nil {
		t.Fatal(err)
	}
	return s
}

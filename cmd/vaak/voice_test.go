package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vaak/engine/enginetest"
	"vaak/engine/onnx/tiny"
	"vaak/internal/needed"
)

// neuralFiles returns the files of a tiny neural voice, of one of several forms.
func neuralFiles(form string) map[string][]byte {
	piper := func(name string, o tiny.PiperOptions) map[string][]byte {
		model, config := tiny.Piper(o)
		return map[string][]byte{name + ".onnx": model, name + ".onnx.json": config}
	}
	switch form {
	case "piper":
		return piper("en_US-tiny-medium", tiny.PiperOptions{})
	case "speakers":
		return piper("de_DE-chor-low", tiny.PiperOptions{Speakers: 3, Language: "de_DE", Voice: "de", Dataset: "chor", Quality: "low", SampleRate: 16000})
	case "hindi":
		return piper("hi_IN-asha-medium", tiny.PiperOptions{Language: "hi_IN", Voice: "hi", Dataset: "asha"})
	case "klingon":
		return piper("tlh-worf-medium", tiny.PiperOptions{Language: "tlh_XX", Voice: "tlh", Dataset: "worf"})
	case "kokoro":
		return map[string][]byte{
			"kokoro.onnx": tiny.Kokoro(tiny.KokoroOptions{Durations: "duration"}), "voices-v1.0.bin": tiny.NPZVoices(3, false), "config.json": tiny.KokoroConfig(),
		}
	}
	return nil
}

// writeNeural writes the files of a tiny neural voice into a directory.
func writeNeural(dir, form string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, data := range neuralFiles(form) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// neuralCommand, as `neural FORM DIR`, writes the files of a tiny neural voice.
func neuralCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(writeNeural(ts.MkAbs(args[1]), args[0]))
}

// TestCommandVoiceScripts runs the scripts that need ONNX Runtime.
func TestCommandVoiceScripts(t *testing.T) {
	t.Parallel()
	library, worker := needed.ONNXRuntime(t), enginetest.Worker(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/voice",
		Setup: func(e *testscript.Env) error {
			e.Setenv("VAAK_ESPEAK_WORKER", worker)
			e.Setenv("VAAK_ONNXRUNTIME", library)
			e.Setenv("VAAK_DATA_DIR", e.WorkDir+"/var")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"neural": neuralCommand,
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

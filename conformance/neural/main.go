// Command neural writes tiny neural voices into a directory: piper/ has one of Piper's kind,
// speakers/ a model of Piper's kind with three speakers, and kokoro/ a model of Kokoro's kind
// with three voices.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"vaak/engine/onnx/tiny"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: neural DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "neural:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	model, config := tiny.Piper(tiny.PiperOptions{})
	choir, choirConfig := tiny.Piper(tiny.PiperOptions{Speakers: 3, Language: "de_DE", Voice: "de", Dataset: "chor", Quality: "low", SampleRate: 16000})
	for name, data := range map[string][]byte{
		"piper/en_US-tiny-medium.onnx": model, "piper/en_US-tiny-medium.onnx.json": config,
		"piper/MODEL_CARD":             []byte("# Model card for tiny\n\n* License: CC0\n"),
		"speakers/de_DE-chor-low.onnx": choir, "speakers/de_DE-chor-low.onnx.json": choirConfig,
		"kokoro/model.onnx": tiny.Kokoro(tiny.KokoroOptions{Durations: "duration"}), "kokoro/voices-v1.0.bin": tiny.NPZVoices(3, false), "kokoro/config.json": tiny.KokoroConfig(),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

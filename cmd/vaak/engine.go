package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"vaak/engine"
	"vaak/engine/espeak"
	"vaak/speech"
)

// engineFlags say how to run the engine. Every command that speaks has them.
type engineFlags struct {
	EspeakWorker string `help:"The espeak worker program. Default: vaak-espeak-worker beside this program." placeholder:"FILE" type:"path"`
	EspeakData   string `help:"Directory that holds espeak-ng-data. Default: the library's own." placeholder:"DIR" type:"path"`
}

// workerName is the file that `make build` leaves beside this program.
const workerName = "vaak-espeak-worker"

// worker returns the path of the worker program.
func (f engineFlags) worker() (string, error) {
	if f.EspeakWorker != "" {
		return f.EspeakWorker, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the espeak worker: %w", err)
	}
	return filepath.Join(filepath.Dir(self), workerName), nil
}

// open starts the engine.
func (f engineFlags) open(log *slog.Logger) (*espeak.Engine, error) {
	path, err := f.worker()
	if err != nil {
		return nil, err
	}
	e, err := espeak.Open(espeak.Config{Worker: path, Data: f.EspeakData, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("%w (`make build` makes the worker; --espeak-worker says where it is)", err)
	}
	return e, nil
}

// newSpeech returns the speech service on one engine. Keep has the settings of
// what it keeps; the zero value keeps no answers and no previews.
func newSpeech(e engine.Engine, ledger speech.Ledger, file *configFile, keep kept, log *slog.Logger) (*speech.Service, error) {
	voices, err := file.voices()
	if err != nil {
		return nil, err
	}
	return speech.New(speech.Config{
		Engines:         engine.Set{e},
		Ledger:          ledger,
		Cache:           keep.answers,
		Revision:        keep.revision,
		Answers:         keep.whole,
		PreviewDir:      keep.previews.dir,
		PreviewRevision: keep.previews.revision,
		Voices:          voices,
		DefaultVoices:   file.DefaultVoices,
		Logger:          log,
	})
}

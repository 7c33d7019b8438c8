// Package speaker opens the engine and the speech service on it, with what the service
// keeps on disk. The server uses it, and so does every command that speaks.
package speaker

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"vaak/engine"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// Engine says how to run the engine.
type Engine struct {
	Worker string // program of the worker; "" is vaak-espeak-worker beside this program
	Data   string // directory that holds espeak-ng-data; "" is the library's own
}

// workerName is the file that `make build` leaves beside this program.
const workerName = "vaak-espeak-worker"

// Program returns the path of the worker program, which need not be there.
func (e Engine) Program() (string, error) {
	if e.Worker != "" {
		return e.Worker, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the espeak worker: %w", err)
	}
	// The worker belongs to this build, so it is looked for beside the program and not in
	// PATH, where one of another build might be.
	return filepath.Join(filepath.Dir(self), workerName), nil
}

// Open starts the engine.
func (e Engine) Open(log *slog.Logger) (*espeak.Engine, error) {
	path, err := e.Program()
	if err != nil {
		return nil, err
	}
	opened, err := espeak.Open(espeak.Config{Worker: path, Data: e.Data, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("%w (`make build` makes the worker; --espeak-worker says where it is)", err)
	}
	return opened, nil
}

// Voices configures how requests name voices, the default voice of each language, and which
// languages are offered.
type Voices struct {
	Directory *voice.Directory       // nil is the built-in one
	Defaults  map[lang.Code]voice.ID // a language that is not in it has its built-in default
	Languages []lang.Code            // the ones that are offered; empty offers all
}

// New returns the speech service on one engine, which charges its use to ledger. The zero
// value of Kept stores no answers and no previews.
func New(e engine.Engine, ledger speech.Ledger, voices Voices, keep Kept, log *slog.Logger) (*speech.Service, error) {
	return speech.New(speech.Config{
		Engines:         engine.Set{e},
		Ledger:          ledger,
		Cache:           keep.Answers,
		Revision:        keep.revision,
		Answers:         keep.Whole,
		PreviewDir:      keep.previews.dir,
		PreviewRevision: keep.previews.revision,
		Voices:          voices.Directory,
		DefaultVoices:   voices.Defaults,
		Languages:       voices.Languages,
		Logger:          log,
	})
}

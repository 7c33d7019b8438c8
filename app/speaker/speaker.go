// Package speaker opens the engines and the speech service on them, with what the service keeps on
// disk. The server uses it, and so does every command that speaks.
package speaker

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"vaak/engine"
	"vaak/engine/espeak"
	"vaak/engine/onnx"
	"vaak/engine/onnx/collection"
	"vaak/engine/remote"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// Engine says how to run the engines.
type Engine struct {
	Worker string // program of the worker; "" is vaak-espeak-worker beside this program
	Data   string // directory that holds espeak-ng-data; "" is that of the worker if it is there, else the library's own
	Neural Neural
	Pools  string // file of the pools of model servers, see package settings of engine/remote; "" has none
}

// Added returns the voices that the operator has added, whether or not they can be used. The error
// says what is wrong with the file of the pools.
func (e Engine) Added() ([]voice.Voice, error) {
	all := e.Neural.Added()
	if e.Pools == "" {
		return all, nil
	}
	s, err := remote.Read(e.Pools)
	for _, v := range s.Voices {
		all = append(all, v.Voice)
	}
	return all, err
}

// Neural says how to run the voices that the operator has added.
type Neural struct {
	Dir     string // of their files; "" has none
	Library string // of ONNX Runtime; "" looks beside this program, and where the system has libraries
	Memory  int64  // bytes that all models may take together; 0 is no limit
}

// WorkerCommand is the command of this program that runs models. The flags say what [Neural] does.
const WorkerCommand = "onnx-worker"

// libraryName is the file of ONNX Runtime beside this program.
const libraryName = "libonnxruntime.so"

// command returns the command of the worker.
func (n Neural) command() (func() *exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	library := n.Library
	if beside := filepath.Join(filepath.Dir(self), libraryName); library == "" {
		if _, err := os.Stat(beside); err == nil {
			library = beside
		}
	}
	return func() *exec.Cmd {
		cmd := exec.Command(self, WorkerCommand)
		cmd.Env = append(os.Environ(), "VAAK_ONNXRUNTIME="+library, "VAAK_MAX_NEURAL_MEMORY="+strconv.FormatInt(n.Memory, 10))
		return cmd
	}, nil
}

// Added returns the voices that the operator has added, whether or not they can be used. Those
// that cannot be read are left out.
func (n Neural) Added() []voice.Voice {
	if n.Dir == "" {
		return nil
	}
	models, _ := collection.In(n.Dir).List() // the engine logs what is wrong
	var all []voice.Voice
	for _, m := range models {
		for _, s := range m.Speakers {
			all = append(all, m.Voice(s))
		}
	}
	return all
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

// dataName is the folder of the library's languages and voices.
const dataName = "espeak-ng-data"

// DataDir returns the directory that holds the library's data, for a worker: the one that the
// settings name, or that of the worker, where packages have the data that belongs to the library
// which the worker is linked with. "" is the library's own.
func (e Engine) DataDir(worker string) string {
	beside := filepath.Dir(worker)
	if _, err := os.Stat(filepath.Join(beside, dataName)); e.Data == "" && err == nil {
		return beside
	}
	return e.Data
}

// Open starts the engines. The worker of neural voices starts when there is one.
func (e Engine) Open(log *slog.Logger) (*Engines, error) {
	path, err := e.Program()
	if err != nil {
		return nil, err
	}
	opened, err := espeak.Open(espeak.Config{Worker: path, Data: e.DataDir(path), Logger: log})
	if err != nil {
		return nil, fmt.Errorf("%w (`make build` makes the worker; --espeak-worker says where it is)", err)
	}
	all := &Engines{Embedded: opened}
	if e.Neural.Dir != "" {
		command, err := e.Neural.command()
		if err != nil {
			return nil, errors.Join(err, opened.Close())
		}
		all.Neural = onnx.Open(onnx.Config{Dir: e.Neural.Dir, Reader: opened, Worker: command, Logger: log})
	}
	if e.Pools == "" {
		return all, nil
	}
	settings, err := remote.Read(e.Pools)
	if err == nil {
		all.Remote, err = remote.Open(remote.Config{Settings: settings, Others: all.local(), Find: all.find, Logger: log})
	}
	if err != nil {
		return nil, errors.Join(err, all.Close())
	}
	return all, nil
}

// Engines are the engines of a process.
type Engines struct {
	Embedded *espeak.Engine
	Neural   *onnx.Engine   // nil without a directory of voices
	Remote   *remote.Engine // nil without a file of pools
}

// Set returns the engines as the speech service uses them.
func (e *Engines) Set() engine.Set {
	if e.Remote == nil {
		return e.local()
	}
	return append(e.local(), e.Remote)
}

// local returns the engines that speak on this machine.
func (e *Engines) local() engine.Set {
	if e.Neural == nil {
		return engine.Set{e.Embedded}
	}
	return engine.Set{e.Embedded, e.Neural}
}

// find returns a voice of an engine that speaks on this machine.
func (e *Engines) find(id voice.ID) (voice.Voice, bool) {
	if v, ok := voice.Lookup(id); ok || e.Neural == nil {
		return v, ok
	}
	return e.Neural.Find(id)
}

// Added returns the voices of the engines that are not of the roster.
func (e *Engines) Added() []voice.Voice {
	var all []voice.Voice
	if e.Neural != nil {
		all = e.Neural.Voices()
	}
	if e.Remote != nil {
		all = append(all, e.Remote.Voices()...)
	}
	return all
}

// Close stops the engines.
func (e *Engines) Close() error {
	var err error
	if e.Remote != nil {
		err = e.Remote.Close()
	}
	if e.Neural != nil {
		err = errors.Join(err, e.Neural.Close())
	}
	return errors.Join(err, e.Embedded.Close())
}

// Voices configures how requests name voices, the default voice of each language, and which
// languages are offered.
type Voices struct {
	Directory *voice.Directory       // nil has no aliases but the built-in ones
	Defaults  map[lang.Code]voice.ID // a language that is not in it has its built-in default
	Languages []lang.Code            // the ones that are offered; empty offers all
	// Fallback lets voices of the roster speak for added ones that cannot be used.
	Fallback bool
}

// Service is the speech service on the engines, and what keeps their voices up to date.
type Service struct {
	*speech.Service
	engines  *Engines
	voices   *voice.Directory
	changing sync.Mutex // held while the voices change
}

// New returns the speech service on engines, which charges its use to ledger. The zero value of
// Kept stores no answers and no previews.
func New(engines *Engines, ledger speech.Ledger, voices Voices, keep Kept, log *slog.Logger) (*Service, error) {
	s := &Service{engines: engines, voices: voices.Directory}
	if s.voices == nil {
		var err error
		if s.voices, err = voice.NewDirectory(voice.Naming{}); err != nil {
			return nil, err
		}
	}
	var err error
	s.Service, err = speech.New(speech.Config{
		Engines:         engines.Set(),
		Ledger:          ledger,
		Cache:           keep.Answers,
		Revision:        keep.revision,
		Answers:         keep.Whole,
		PreviewDir:      keep.previews.dir,
		Previews:        keep.previews.shared,
		PreviewRevision: keep.previews.revision,
		Voices:          s.voices,
		DefaultVoices:   voices.Defaults,
		Languages:       voices.Languages,
		Fallback:        voices.Fallback,
		Logger:          log,
	})
	if err != nil || engines.Neural == nil && engines.Remote == nil {
		return s, err
	}
	// After the service has checked the defaults: they may name a voice that cannot be used now.
	return s, s.extend()
}

// extend offers the voices that the engines have now.
func (s *Service) extend() error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.voices.Extend(s.engines.Added())
	return s.PrepareRates()
}

// Reload follows the file of the pools, which has changed. If something is wrong with it, the error
// says what, and the service goes on with what it was.
func (s *Service) Reload(path string) error {
	settings, err := remote.Read(path)
	if err != nil {
		return err
	}
	if err := s.engines.Remote.Apply(settings); err != nil {
		return err
	}
	return s.extend()
}

// followPause is how long an added voice may take to be offered by a running server.
const followPause = 2 * time.Second

// Follow offers voices that are added while the server runs, and no longer those that are removed,
// until stop is called, which waits for the end of what is under way.
func (s *Service) Follow(log *slog.Logger) (stop func()) {
	if s.engines.Neural == nil {
		return func() {}
	}
	done := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() {
		tick := time.NewTicker(followPause)
		defer tick.Stop()
		for seen := ""; ; {
			select {
			case <-tick.C:
			case <-done:
				return
			}
			if now := s.engines.Neural.Collection().Stamp(); now != seen || s.engines.Neural.Lacks() {
				seen = now
				s.refresh(log)
			}
		}
	})
	return func() {
		close(done)
		following.Wait()
	}
}

// refresh offers the voices that the collection has now.
func (s *Service) refresh(log *slog.Logger) {
	added, changed := s.engines.Neural.Refresh()
	if !changed {
		return
	}
	if err := s.extend(); err != nil {
		log.Error("the rates of added voices", "error", err)
	}
	log.Info("the added voices have changed", "voices", len(added))
}

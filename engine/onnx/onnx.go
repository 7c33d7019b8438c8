// Package onnx speaks with neural voices that the operator has added, of Piper's and Kokoro's
// kinds, by ONNX Runtime.
//
// A text is read by the embedded engine, and the phonemes are encoded in the symbols of the voice
// (packages symbols, piper and kokoro). A worker process computes (package worker). Models of
// Piper's kind are cut in two (package graph), so that the sound of a sentence comes in chunks.
// Words begin where the durations of the model say. The noise of a model is made of a seed, so the
// same utterance always sounds the same.
//
// A third family of models needs: a [worker.Kind] with the names of its tensors, an encoder, a
// reader of its files in package collection, and its row in [newSpoken].
package onnx

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/cpu"

	"vaak/engine"
	"vaak/engine/espeak/accent"
	"vaak/engine/ipa"
	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/kokoro"
	"vaak/engine/onnx/piper"
	"vaak/engine/onnx/symbols"
	"vaak/engine/onnx/worker"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// Reader tells how texts are read. The embedded engine is one.
type Reader interface {
	// Transcribe returns how a text is read in a language as spoken in a region.
	Transcribe(ctx context.Context, code lang.Code, region, whole string) (ipa.Reading, error)
}

// Config configures an engine.
type Config struct {
	Dir    string           // of the collection of voices
	Reader Reader           // reads the texts
	Worker func() *exec.Cmd // returns a command that runs [worker.Main]
	Logger *slog.Logger     // receives failures, never text; nil is slog.Default
}

// Engine speaks with the voices of a collection. It is safe for concurrent use.
type Engine struct {
	reader     Reader
	log        *slog.Logger
	collection *collection.Collection
	command    func() *exec.Cmd
	process    atomic.Pointer[worker.Process] // nil until there is a voice
	voices     atomic.Pointer[map[voice.ID]*spoken]
	figure     figures

	// changing is held while the worker is started or the collection is read, which takes
	// seconds. It is locked before mu.
	changing sync.Mutex

	mu      sync.Mutex
	version string
	offered []voice.Voice
	failure string    // why the worker did not start, when it was tried last
	retry   time.Time // when it is to be tried again; zero if it runs, or nothing needs it
}

var _ engine.Engine = (*Engine)(nil)

// versionPatience is how long the worker may take to open the library.
const versionPatience = 20 * time.Second

// Open returns an engine with the voices of a collection. The worker is started when there is a
// voice. Without ONNX Runtime the engine has no voices, and says why in the log.
func Open(c Config) *Engine {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	e := &Engine{reader: c.Reader, log: c.Logger, collection: collection.In(c.Dir), command: c.Worker}
	e.voices.Store(&map[voice.ID]*spoken{})
	e.Refresh()
	return e
}

// Start starts the worker, unless it runs. The error says why there is none.
func (e *Engine) Start() error {
	e.changing.Lock()
	defer e.changing.Unlock()
	return e.start()
}

// start is Start. e.changing is held.
func (e *Engine) start() error {
	if e.process.Load() != nil {
		return nil
	}
	p, err := worker.Start(e.command, e.log)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), versionPatience)
	defer stop()
	version, err := p.Version(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("ONNX Runtime, which speaks with added voices, cannot be used: %w", err), p.Close())
	}
	e.mu.Lock()
	e.version = version
	e.mu.Unlock()
	e.process.Store(p)
	return nil
}

// startPause is after how long a worker that did not start is tried again.
const startPause = 30 * time.Second

// noteStart notes whether the worker that voices need runs. What is wrong is logged once.
func (e *Engine) noteStart(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		e.failure, e.retry = "", time.Time{}
		return
	}
	if reason := err.Error(); reason != e.failure {
		e.log.Error("added voices are left out", "error", err)
		e.failure = reason
	}
	e.retry = time.Now().Add(startPause)
}

// Lacks reports whether voices are left out because the worker did not start, and it is time to
// try again.
func (e *Engine) Lacks() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.retry.IsZero() && time.Now().After(e.retry)
}

// Close ends the worker.
func (e *Engine) Close() error {
	e.changing.Lock()
	defer e.changing.Unlock()
	e.voices.Store(&map[voice.ID]*spoken{})
	if p := e.process.Load(); p != nil {
		return p.Close()
	}
	return nil
}

// Name returns "onnx".
func (e *Engine) Name() string { return collection.EngineName }

// Version returns the version of ONNX Runtime; "" if the worker was not started.
func (e *Engine) Version() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.version
}

// Collection returns the collection of the engine's voices.
func (e *Engine) Collection() *collection.Collection { return e.collection }

// Refresh reads the collection again, and returns its voices. changed says whether they are others
// than before.
func (e *Engine) Refresh() (all []voice.Voice, changed bool) {
	e.changing.Lock()
	defer e.changing.Unlock()
	before := *e.voices.Load()
	models, err := e.collection.List()
	if err != nil {
		e.log.Warn("some added voices cannot be used", "error", err)
	}
	now := map[voice.ID]*spoken{}
	err = nil
	if len(models) > 0 {
		if err = e.start(); err != nil {
			models = nil
		}
	}
	e.noteStart(err)
	for _, m := range models {
		var read *parts // by the first speaker that needs them
		for _, s := range m.Speakers {
			one := before[s.ID]
			if one == nil || !one.model.Added.Equal(m.Added) {
				if one, err = e.newSpoken(m, s, &read); err != nil {
					e.log.Warn("an added voice cannot be used", "voice", s.ID, "error", err)
					continue
				}
				changed = true
			}
			now[s.ID] = one
			all = append(all, m.Voice(s))
		}
	}
	changed = changed || len(now) != len(before)
	e.voices.Store(&now)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.offered = all
	return slices.Clone(all), changed
}

// Voices returns the voices that can speak, as the collection was when it was read last.
func (e *Engine) Voices() []voice.Voice {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.offered)
}

// encoder turns a reading into the ids of a voice.
type encoder interface {
	Encode(r ipa.Reading, o symbols.Options) symbols.Encoding
}

// spoken is a voice that is ready to speak.
type spoken struct {
	model   *collection.Model
	speaker collection.Speaker
	encoder encoder
	reader  string     // the region whose reading the voice has learned
	number  int64      // of the speaker, of Piper's kind
	hop     int        // samples of a frame, where the model does not tell; 0 is unknown
	scales  [3]float32 // of Piper's kind
	style   func(symbols int) []float32
	traits  engine.Traits
	cost    *cost
	down    *outage
}

// plan names the way in which the worker divides a sentence into chunks: with another one, samples
// may differ by one step of 16 bits.
const plan = "chunks2"

// parts are what the files of a model tell of all its speakers.
type parts struct {
	*collection.Sources
	encoder encoder // of Piper's kind
}

// newSpoken reads the files of a voice. Those of its model are read once, into read.
func (e *Engine) newSpoken(m *collection.Model, s collection.Speaker, read **parts) (*spoken, error) {
	if *read == nil {
		sources, err := m.Sources()
		if err != nil {
			return nil, err
		}
		p := &parts{Sources: sources}
		if sources.Config != nil {
			p.encoder = piper.NewEncoder(sources.Config)
		}
		*read = p
	}
	p := *read
	style, print, err := p.Speaker(s)
	if err != nil {
		return nil, err
	}
	v := &spoken{model: m, speaker: s, reader: s.Region, cost: newCost(m.Load), down: &outage{}}
	v.traits = engine.Traits{
		SampleRate: m.Rate, Deterministic: !m.Facts.Fickle,
		Languages: spokenBy(s.Language),
		Revision:  fmt.Sprintf("%s %s %s %s", e.Version(), instructions(), plan, print),
	}
	if c := p.Config; c != nil {
		v.encoder, v.reader, v.hop = p.encoder, c.Reader, c.Hop
		v.scales = [3]float32{float32(c.NoiseScale), float32(c.LengthScale), float32(c.NoiseW)}
		if v.number, err = strconv.ParseInt(s.Key, 10, 64); err != nil {
			return nil, err
		}
		if m.Facts.Noisy {
			v.traits.Parameters = engine.UsualRanges("temperature", "seed")
		}
		return v, nil
	}
	v.encoder, v.style = kokoro.NewEncoder(p.Vocabulary, s.Language, s.Region), style.Row
	if m.Facts.Noisy {
		v.traits.Parameters = engine.UsualRanges("seed")
	}
	return v, nil
}

// instructions names the kind of processor. ONNX Runtime has other code for each of them, whose
// results differ in the last digits.
func instructions() string {
	for _, i := range []struct {
		name string
		has  bool
	}{
		{"avx512", cpu.X86.HasAVX512F}, {"avx2", cpu.X86.HasAVX2}, {"avx", cpu.X86.HasAVX}, {"sve", cpu.ARM64.HasSVE},
	} {
		if i.has {
			return runtime.GOARCH + "-" + i.name
		}
	}
	return runtime.GOARCH
}

// spokenBy returns what a voice speaks: its native language, and those of which it has an accent.
func spokenBy(native lang.Code) []lang.Code {
	all := []lang.Code{native}
	for _, l := range lang.All() {
		if l.Code != native && accent.IsMapped(native, l.Code) {
			all = append(all, l.Code)
		}
	}
	return all
}

// Find returns a voice with an id that can be used.
func (e *Engine) Find(id voice.ID) (voice.Voice, bool) {
	if (*e.voices.Load())[id] == nil {
		return voice.Voice{}, false
	}
	for _, v := range e.Voices() {
		if v.ID == id {
			return v, true
		}
	}
	return voice.Voice{}, false
}

// Languages returns the native languages of the voices.
func (e *Engine) Languages() []lang.Code {
	var all []lang.Code
	for _, v := range *e.voices.Load() {
		if !slices.Contains(all, v.speaker.Language) {
			all = append(all, v.speaker.Language)
		}
	}
	slices.Sort(all)
	return all
}

// Voice tells what a voice is like. Its load is measured as it speaks.
func (e *Engine) Voice(v voice.Voice) (engine.Traits, error) {
	one, err := e.find(v)
	if err != nil {
		return engine.Traits{}, err
	}
	if err := one.down.now(); err != nil {
		return engine.Traits{}, err
	}
	traits := one.traits
	traits.Load = one.cost.load()
	return traits, nil
}

// outage remembers why a voice could not speak. For a while it is told at once, so that another
// voice can stand in; then the voice is tried again.
type outage struct {
	mu    sync.Mutex
	err   error
	until time.Time
}

// retryPause is how long a voice that could not speak is not tried again.
const retryPause = 5 * time.Second

// note notes the outcome of an utterance.
func (o *outage) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if fault.KindOf(err) == fault.Unavailable {
		o.err, o.until = err, time.Now().Add(retryPause)
	} else if err == nil {
		o.err = nil
	}
}

func (o *outage) now() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Now().After(o.until) {
		return nil
	}
	return o.err
}

func (e *Engine) find(v voice.Voice) (*spoken, error) {
	one := (*e.voices.Load())[v.ID]
	if one == nil {
		return nil, fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", "engine onnx has no voice %s", v.ID)
	}
	return one, nil
}

// Figures tell what an engine has done since it was opened.
type Figures struct {
	Voices   int
	Restarts int64         // of the worker
	Audio    time.Duration // made
	Busy     time.Duration // that computing it took
	Replaced int64         // symbols that a voice did not know, for which others stood
	Dropped  int64         // symbols that a voice did not know, and that were left out
	PID      int           // of the worker
}

type figures struct{ audio, busy, replaced, dropped atomic.Int64 }

// Figures returns what the engine has done.
func (e *Engine) Figures() Figures {
	f := Figures{
		Voices: len(*e.voices.Load()),
		Audio:  time.Duration(e.figure.audio.Load()), Busy: time.Duration(e.figure.busy.Load()),
		Replaced: e.figure.replaced.Load(), Dropped: e.figure.dropped.Load(),
	}
	if p := e.process.Load(); p != nil {
		f.Restarts, f.PID = p.Restarts(), p.PID()
	}
	return f
}

// cost measures how much of a processor a voice takes.
type cost struct {
	mu     sync.Mutex
	factor float64
}

// leastLoad is the load of voices that were not measured, and the least of any.
const leastLoad = 0.002

func newCost(measured float64) *cost { return &cost{factor: max(measured, leastLoad)} }

func (c *cost) load() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.factor
}

// add counts an utterance. The factor follows slowly, since short utterances are dearer, and a
// busy machine makes all of them seem so.
func (c *cost) add(busy, audio time.Duration) {
	if audio < time.Second {
		return
	}
	const follow = 0.1
	c.mu.Lock()
	defer c.mu.Unlock()
	c.factor = max(leastLoad, c.factor+follow*(busy.Seconds()/audio.Seconds()-c.factor))
}

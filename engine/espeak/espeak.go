// Package espeak is the default engine: libespeak-ng behind a fork server.
//
// The library is not linked into this process. It has global state, it aborts on some valid
// text, and a second call gives other samples than the first. So a small C program (worker/)
// initialises it once and forks a child for every utterance. Results are then identical to
// the bit, a crash affects one utterance only, and closing a socket cancels the work. The
// worker is a separate program under its own licence (GPL-3.0-or-later). The two communicate
// over a socket only.
package espeak

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"vaak/engine"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// Config configures the engine.
type Config struct {
	// Worker is the path of the worker program. Required.
	Worker string
	// Data is the directory that holds espeak-ng-data; "" is the library's default.
	Data string
	// Stall is how long a child that works may send nothing before it is taken to hang; 0 is
	// 10 s. A child that does not even run is given up much sooner.
	Stall time.Duration
	// WarmVoices is how many voices are kept loaded, each in a worker of its own that takes 4
	// to 12 MB; 0 is 8, a negative value none.
	WarmVoices int
	// Accented reports whether voices of a native language speak another language with the
	// sounds of their own; nil uses the table of package accent. Pairs outside that table
	// are spoken at the volume of the native language.
	Accented func(native, spoken lang.Code) bool
	// Timbres replaces the timbres of the roster, to measure others; nil is [Timbres].
	Timbres map[voice.ID]Timbre
	// Logger receives restarts and crashes, never text; nil is slog.Default.
	Logger *slog.Logger
}

// Engine speaks through a fork server. It is safe for concurrent use.
type Engine struct {
	servers   *servers
	log       *slog.Logger
	stall     time.Duration
	languages []lang.Code
	accented  accents
	timbres   map[voice.ID]Timbre
	readers   sync.Pool     // of *frameReader
	onChild   func(pid int) // tests learn of each child by it; may be nil
	failures  failures

	crashes, leftOut atomic.Int64
}

var _ engine.Engine = (*Engine)(nil)

// Open starts the fork server. If the worker or the library's data is missing, the error
// says so.
func Open(c Config) (*Engine, error) {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Stall == 0 {
		c.Stall = 10 * time.Second
	}
	if _, err := os.Stat(c.Worker); err != nil {
		return nil, fmt.Errorf("espeak worker: %w", err)
	}
	if c.WarmVoices == 0 {
		c.WarmVoices = 8
	}
	s, err := startServers(program{path: c.Worker, data: c.Data, log: c.Logger}, c.WarmVoices)
	if err != nil {
		return nil, err
	}
	e := &Engine{servers: s, log: c.Logger, stall: c.Stall, accented: newAccents(c.Accented), timbres: c.Timbres}
	if e.timbres == nil {
		e.timbres = timbres()
	}
	e.readers.New = func() any { return newFrameReader() }
	for _, l := range lang.All() {
		if _, ok := voiceName(l.Code); ok {
			e.languages = append(e.languages, l.Code)
		}
	}
	return e, nil
}

// Close stops the workers. Running utterances are still finished by their children, or end
// when their callers cancel them.
func (e *Engine) Close() error { return e.servers.close() }

// Name returns "espeak".
func (e *Engine) Name() string { return "espeak" }

// Version returns the version of the library.
func (e *Engine) Version() string { return e.servers.any.version }

// SampleRate returns the library's rate, 22,050 Hz.
func (e *Engine) SampleRate() int { return e.servers.any.sampleRate }

// Languages returns the languages for which the library has a usable voice.
func (e *Engine) Languages() []lang.Code { return e.languages }

// Voice returns the same for every voice of the roster. An utterance starts from the same state
// of the library as any other, so it always sounds the same.
func (e *Engine) Voice(v voice.Voice) (engine.Traits, error) {
	if v.Engine != "" {
		return engine.Traits{}, fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", "engine espeak has no voice %s", v.ID)
	}
	return engine.Traits{SampleRate: e.SampleRate(), Languages: e.languages, Deterministic: true}, nil
}

// Crashes returns how many children have crashed or hung, and how many pieces of text were
// left out because the engine cannot speak them.
func (e *Engine) Crashes() (children, leftOut int64) {
	return e.crashes.Load(), e.leftOut.Load()
}

// Synthesize speaks u. If a child is killed or hangs, another continues after the samples
// that the sink already has. Text over which the library crashes is spoken defused (see
// defuse), then in ever smaller pieces. A piece of one character that still cannot be spoken
// is left out, if the voice can speak a control sentence; otherwise the engine is down.
func (e *Engine) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	set, ok := parametersOf(u, e.accented, e.timbres)
	if !ok {
		return fault.BadParameter("lang", "language %q is not spoken by engine espeak", u.Language)
	}
	if u.Text == "" {
		return nil
	}
	s := &synthesis{e: e, u: u, set: set, out: newOutput(u, sink)}
	s.reader, s.accent = e.accented.of(u)
	if s.out.form.text == "" {
		return sink.Frame(engine.Frame{LeftOut: []text.Span{{End: len(u.Text)}}})
	}
	if n := len(s.out.form.text); n > maxText {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "input",
			"an utterance of %d bytes is over %d", n, maxText)
	}
	if err := e.failures.recent(s.voices()); err != nil {
		return err
	}
	err := s.speak(ctx, piece{text: s.out.form.text, endPause: u.Continues})
	if err != nil {
		e.failures.note(s.voices(), err)
	}
	return err
}

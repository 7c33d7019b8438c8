// Package espeak is the embedded default engine: libespeak-ng behind a fork
// server.
//
// The library is not linked into this process. It keeps global state, aborts
// on some legal text and gives other samples from call to call, so a small C
// program (worker/) initialises it once and forks a child for every utterance.
// That makes results bit-identical, keeps a crash inside its utterance, and
// makes cancelling as cheap as closing a socket. The worker is a separate
// program under its own licence (GPL-3.0-or-later) and is talked to over a
// socket only.
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
	"vaak/voice"
)

// Config says how to run the engine.
type Config struct {
	// Worker is the path of the worker program.
	Worker string
	// Data is the directory that holds espeak-ng-data; "" is the library's own.
	Data string
	// Stall is how long a child that runs may say nothing before it counts as hung;
	// 0 is 10 s. One that does not even run is given up much sooner.
	Stall time.Duration
	// WarmVoices is how many voices at most are kept loaded, each in a worker
	// of its own of 4 to 12 MB; 0 is 8, less than 0 none.
	WarmVoices int
	// Accented says whether voices of a native language speak another with the
	// sounds of their own; nil is as the table of package accent has it. Those that
	// are not of the table are spoken at the volume of the native language.
	Accented func(native, spoken lang.Code) bool
	// Timbres is how voices sound, in place of the roster's timbres: whoever
	// looks for better ones measures them so. nil is [Timbres].
	Timbres map[voice.ID]Timbre
	// Logger gets restarts and crashes, never text; nil is slog.Default.
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
	readers   sync.Pool // of *frameReader
	onChild   func(pid int)
	refusals  refusals

	crashes, leftOut atomic.Int64
}

var _ engine.Engine = (*Engine)(nil)

// Open starts the fork server. The error says what is missing when the worker
// or the library's data is not there.
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
	e := &Engine{servers: s, log: c.Logger, stall: c.Stall, accented: as(c.Accented), timbres: c.Timbres}
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

// Close ends the worker. Utterances that run then are finished by their
// children, or end as the caller closes them.
func (e *Engine) Close() error { return e.servers.close() }

// Name returns "espeak".
func (e *Engine) Name() string { return "espeak" }

// Version returns the version of the library.
func (e *Engine) Version() string { return e.servers.any.version }

// SampleRate returns the library's rate, 22,050 Hz.
func (e *Engine) SampleRate() int { return e.servers.any.sampleRate }

// Languages lists the languages that the library has a usable voice for.
func (e *Engine) Languages() []lang.Code { return e.languages }

// Deterministic returns true: every utterance starts from the same state.
func (e *Engine) Deterministic() bool { return true }

// Crashes returns how many children crashed or hung, and how many pieces of
// text were left out because nothing could speak them.
func (e *Engine) Crashes() (children, leftOut int64) {
	return e.crashes.Load(), e.leftOut.Load()
}

// Synthesize speaks u. A child that is killed or hangs is replaced, and speech
// goes on after the samples that the sink already has. Text that the library
// crashes over is spoken defused, then in ever smaller pieces; a piece of one
// character that still cannot be spoken is left out, if the voice can speak a
// sentence that is known to be speakable. Else the engine is down.
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
	if n := len(s.out.form.text); n > maxText {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "input",
			"an utterance of %d bytes is over %d", n, maxText)
	}
	if err := e.refusals.recent(s.voices()); err != nil {
		return err
	}
	err := s.speak(ctx, piece{text: s.out.form.text, endPause: u.Continues})
	if err != nil {
		e.refusals.note(s.voices(), err)
	}
	return err
}

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
	"errors"
	"fmt"
	"log/slog"
	"net"
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
	// Stall is how long a child may say nothing before it counts as hung; 0 is
	// 10 s.
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
// character that still cannot be spoken is left out.
func (e *Engine) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	set, ok := parametersOf(u, e.accented, e.timbres)
	if !ok {
		return fault.BadParameter("lang", "language %q is not spoken by engine espeak", u.Language)
	}
	if u.Text == "" {
		return nil
	}
	s := &synthesis{e: e, set: set, out: newOutput(u, sink)}
	s.reader, s.accent = e.accented.of(u)
	if n := len(s.out.form.text); n > maxText {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "input",
			"an utterance of %d bytes is over %d", n, maxText)
	}
	return s.speak(ctx, piece{text: s.out.form.text, endPause: u.Continues})
}

// What can become of a child, besides speaking to the end.
var (
	errDown    = errors.New("espeak worker does not answer")      // it never said hello
	errLost    = errors.New("espeak child was lost")              // it was killed, or hangs
	errCrashed = errors.New("espeak child crashed over its text") // the library gave up
)

// opening are the samples of the frames that are wanted right behind the first,
// which has up to 49 ms, so that a listener has a third of a second before the
// stream has to ask for more.
var opening = []int{2 << 10, 4 << 10}

// converse has one child of a server answer a request and hands its frames to
// take, audio as there is room. The error is the context's, room's or take's, or
// wraps one of errDown, errLost and errCrashed.
func (e *Engine) converse(ctx context.Context, server *forkServer, r request, room room, take func(frame) error) error {
	if _, _, err := room(ctx); err != nil {
		return err
	}
	conn, err := server.dial(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%w: %v", errDown, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()

	reader := e.readers.Get().(*frameReader)
	defer func() { reader.r.Reset(nil); e.readers.Put(reader) }()
	reader.r.Reset(conn)

	message := r.append(nil)
	if r.flags&flagTranscribe == 0 {
		for _, samples := range opening {
			message = appendDemand(message, samples)
		}
	}
	if _, err := conn.Write(message); err != nil {
		return broken(ctx, errDown, err)
	}
	greeted, expected := errDown, 1+len(opening)
	for {
		if expected == 0 {
			if expected, err = demand(ctx, conn, room); err != nil {
				return err
			}
		}
		if err := conn.SetReadDeadline(time.Now().Add(e.stall)); err != nil {
			return broken(ctx, greeted, err)
		}
		f, err := reader.next()
		if err != nil {
			return broken(ctx, greeted, err)
		}
		switch f.kind {
		case frameHello:
			greeted = errLost
			if e.onChild != nil {
				e.onChild(int(f.value))
			}
		case frameEnd:
			return nil
		case frameCrash:
			return fmt.Errorf("%w: signal %d", errCrashed, f.value)
		case frameError:
			return fmt.Errorf("espeak worker refused voice %q: %s", r.set.Voice, f.text)
		case frameAudio:
			expected = max(expected-1, 0) // a child may send a frame early
			fallthrough
		default:
			if err := take(f); err != nil {
				return err
			}
		}
	}
}

// room is as Room of [engine.Sink].
type room func(context.Context) (samples int, ahead bool, err error)

// demand waits until there is room, asks for one or two frames, and returns how
// many.
func demand(ctx context.Context, conn net.Conn, room room) (frames int, err error) {
	samples, ahead, err := room(ctx)
	if err != nil {
		return 0, err
	}
	var buf [8]byte
	message := appendDemand(buf[:0], samples)
	frames = 1
	if ahead {
		message = appendDemand(message, samples)
		frames = 2
	}
	_, _ = conn.Write(message) // a child that has ended already says so to the reader
	return frames, nil
}

// broken tells why a connection ended before its end frame.
func broken(ctx context.Context, what, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		what = errLost
	}
	return fmt.Errorf("%w: %v", what, err)
}

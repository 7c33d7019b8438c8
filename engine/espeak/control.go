package espeak

import (
	"context"
	"errors"
	"sync"
	"time"

	"vaak/engine"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// What must be heard of a control sentence: less than any of them has, and more than
// the noise of a library that reads nothing.
const (
	controlSamples = 2000 // that are louder than
	controlLevel   = 500
	controlLength  = 100_000 // samples, within which it must be
)

var (
	errAudible   = errors.New("enough was heard") // ends a control sentence
	errInaudible = errors.New("the control sentence is silent")
)

// Hear has a voice speak a sentence of a language that any working engine speaks, up to
// its first sounds, by a worker that has not loaded the voice before: one that has speaks
// on when the data is gone. The error is that of an engine that is down.
func (e *Engine) Hear(ctx context.Context, v voice.Voice, code lang.Code) error {
	u := engine.Utterance{Text: voice.PreviewText(code), Language: code, Voice: v}
	set, ok := parametersOf(u, e.accented, e.timbres)
	if !ok {
		return fault.BadParameter("lang", "language %q is not spoken by engine espeak", code)
	}
	return e.hear(ctx, u, set, e.servers.any)
}

// hear does the same; server is the one to ask, and nil any that would be.
func (e *Engine) hear(ctx context.Context, u engine.Utterance, set Parameters, server *forkServer) error {
	loud, all := 0, 0
	s := &synthesis{e: e, set: set, strict: true, server: server}
	s.out = newOutput(u, engine.SinkFunc(func(f engine.Frame) error {
		if loud += louder(f.PCM, controlLevel); loud >= controlSamples {
			return errAudible
		}
		if all += len(f.PCM); all > controlLength {
			return errInaudible
		}
		return nil
	}))
	s.reader, s.accent = e.accented.of(u)
	err := s.speak(ctx, piece{text: s.out.form.text})
	switch {
	case errors.Is(err, errAudible):
		return nil
	case err == nil, errors.Is(err, errInaudible):
		return down(errInaudible)
	case errors.Is(err, errLost), errors.Is(err, errCrashed), errors.Is(err, errRefused):
		return down(err)
	}
	return err
}

// down is the error of an engine that does not speak.
func down(err error) error {
	return fault.Down(fault.CodeEngineUnavailable, time.Second, err, "the speech engine is not running; try again shortly")
}

// louder counts the samples that are louder than a level.
func louder(pcm []int16, level int16) int {
	n := 0
	for _, s := range pcm {
		if s > level || s < -level {
			n++
		}
	}
	return n
}

// refusals remember which voices could not speak a moment ago, so that those who ask
// meanwhile need not find out again, each after a second: one of them does. The zero
// value is ready.
type refusals struct {
	mu  sync.Mutex
	all map[string]*refusal // by voices
}

type refusal struct {
	err   error
	until time.Time // when it is asked again
}

const (
	refusedFor  = 500 * time.Millisecond // after it was found out
	tryFor      = 2 * time.Second        // as long as somebody finds out
	maxRefusals = 1024
)

// note remembers that voices could not speak; err is of any kind.
func (r *refusals) note(voices string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.CodeEngineUnavailable {
		if r.all == nil || len(r.all) >= maxRefusals {
			r.all = map[string]*refusal{}
		}
		r.all[voices] = &refusal{err, time.Now().Add(refusedFor)}
	} else if known := r.all[voices]; known != nil {
		known.until = time.Now() // who was to find out has not
	}
}

// forget says that voices speak.
func (r *refusals) forget(voices string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, voices)
}

// recent returns why voices could not speak, if nobody is to find out now.
func (r *refusals) recent(voices string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.all[voices]
	if known == nil {
		return nil
	}
	now := time.Now()
	if now.Before(known.until) {
		return known.err
	}
	known.until = now.Add(tryFor)
	return nil
}

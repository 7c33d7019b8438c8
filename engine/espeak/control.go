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

// What must be heard of a control sentence. Every sentence has more than this, and the noise
// of a library that reads nothing has less.
const (
	minControlSamples = 2000 // samples that are louder than controlLevel
	controlLevel      = 500
	maxControlLength  = 100_000 // samples within which they must come
)

var (
	errAudible   = errors.New("enough was heard") // ends a control sentence that is heard
	errInaudible = errors.New("the control sentence is silent")
)

// Hear checks that a voice speaks. The voice speaks a sentence that any working engine can
// speak, up to its first sounds. A worker that has not loaded the voice is asked, because
// one that has would still speak after the voice data is lost. The error says that the
// engine is down.
func (e *Engine) Hear(ctx context.Context, v voice.Voice, code lang.Code) error {
	u := engine.Utterance{Text: voice.PreviewText(code), Language: code, Voice: v}
	set, ok := parametersOf(u, e.accented, e.timbres)
	if !ok {
		return fault.BadParameter("lang", "language %q is not spoken by engine espeak", code)
	}
	return e.hear(ctx, u, set, e.servers.any)
}

// hear speaks the control sentence u. If server is nil it asks the server that the voice
// would use.
func (e *Engine) hear(ctx context.Context, u engine.Utterance, set Parameters, server *forkServer) error {
	loud, all := 0, 0
	s := &synthesis{e: e, set: set, strict: true, server: server}
	// strict: an error of the control sentence must not lead to another control sentence.
	s.out = newOutput(u, engine.SinkFunc(func(f engine.Frame) error {
		if loud += louder(f.PCM, controlLevel); loud >= minControlSamples {
			return errAudible
		}
		if all += len(f.PCM); all > maxControlLength {
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

// down returns the error for an engine that does not speak.
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

// failures remember which voices could not speak a moment ago. To find that out takes about
// a second, so only one request does it and the others get the known error. The zero value
// is ready to use.
type failures struct {
	mu  sync.Mutex
	all map[string]*failure // by the name that synthesis.voices returns
}

type failure struct {
	err   error
	until time.Time // when the voice is tried again
}

const (
	failureAge  = 500 * time.Millisecond // how long an error is returned without trying
	retryTime   = 2 * time.Second        // how long one request may try while others get the error
	maxFailures = 1024                   // forget all beyond this, so that the map stays small
)

// note records the error of an utterance, which may be of any kind.
func (r *failures) note(voices string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// Other errors say nothing about the voices.
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.CodeEngineUnavailable {
		if r.all == nil || len(r.all) >= maxFailures {
			r.all = map[string]*failure{}
		}
		r.all[voices] = &failure{err, time.Now().Add(failureAge)}
	} else if known := r.all[voices]; known != nil {
		known.until = time.Now() // the request that tried again did not find out; let the next one try
	}
}

// forget records that the voices speak.
func (r *failures) forget(voices string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, voices)
}

// recent returns the known error of voices, or nil if this request is to try.
func (r *failures) recent(voices string) error {
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
	known.until = now.Add(retryTime)
	return nil
}

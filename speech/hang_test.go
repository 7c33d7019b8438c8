package speech_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
)

// hanging is an engine that asks for room and then does nothing until the
// context ends, for every text of a language.
type hanging struct{ enginetest.Tone }

func (e hanging) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	if u.Language != "fr" {
		return e.Tone.Synthesize(ctx, u, sink)
	}
	if _, _, err := sink.Room(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestHangingUtterancesKeepNobodyWaiting has more of them than there are slots.
func TestHangingUtterancesKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{Engines: engine.Set{hanging{}}})
		ctx, leave := context.WithCancel(t.Context())
		var hung sync.WaitGroup
		for range 100 {
			hung.Go(func() {
				_, err := s.Speak(ctx, account.Local, speech.Request{Text: "bonjour", Language: "fr"}, io.Discard)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("an utterance that hangs = %v, want the context's end", err)
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		if _, err := s.Speak(t.Context(), account.Local, speech.Request{Text: "hello", Language: "en", Stream: true}, io.Discard); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("a text beside them took %v, want a quarter of a second or so", waited)
		}
		leave()
		hung.Wait()
	})
}

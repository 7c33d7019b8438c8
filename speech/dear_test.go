package speech_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// dearEngine has one voice, which takes a hundredth of a processor. It computes an utterance as
// do says, and does not look at its text beyond that.
type dearEngine struct {
	enginetest.Tone
	do func(ctx context.Context, text string, sink engine.Sink) error
}

func (dearEngine) Name() string { return "choir" }

func (dearEngine) Voice(voice.Voice) (engine.Traits, error) {
	return engine.Traits{SampleRate: 16000, Languages: []lang.Code{"en"}, Load: 0.01}, nil
}

func (e dearEngine) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	return e.do(ctx, u.Text, sink)
}

// TestEncodingNeedsNoTurn: what a dear voice has computed is encoded and sent although others compute
// meanwhile, however many slots they have.
func TestEncodingNeedsNoTurn(t *testing.T) {
	t.Parallel()
	d, err := voice.NewDirectory(voice.Naming{Added: []voice.Voice{added}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var computing sync.WaitGroup // others, each in a slot
	computing.Add(runtime.GOMAXPROCS(0))
	first := make(chan struct{})
	rest := make([]int16, 16000)
	for i := range rest {
		rest[i] = math.MaxInt16 / 2
	}
	e := dearEngine{do: func(ctx context.Context, text string, sink engine.Sink) error {
		if _, _, err := sink.Room(ctx); err != nil {
			return err
		}
		if text != "Speak." {
			computing.Done()
			<-ctx.Done()
			return context.Cause(ctx)
		}
		if err := sink.Frame(engine.Frame{PCM: rest[:8000]}); err != nil {
			return err
		}
		close(first)
		computing.Wait()
		return sink.Frame(engine.Frame{PCM: rest})
	}}
	s := newService(t, speech.Config{Voices: d, Engines: engine.Set{enginetest.Tone{}, e}, Ledger: metered(t, newLedgerStore())})
	others, leave := context.WithCancel(ctx)
	var gone sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		gone.Go(func() {
			<-first
			_, _ = s.Speak(others, alice, pcmAt(16000, "Compute.", string(added.ID)), &listener{}) // it ends as it is cancelled
		})
	}
	var sent listener
	if _, err := s.Speak(ctx, alice, pcmAt(16000, "Speak.", string(added.ID)), &sent); err != nil {
		t.Error(err)
	}
	if n := len(sent.pcm()); n != 24000 {
		t.Errorf("%d samples were sent, want 24000", n)
	}
	leave()
	gone.Wait()
}

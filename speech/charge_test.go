package speech_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/speech"
)

// TestCharge: what is charged, and that the result, the receipt and the day's
// sums say the same.
func TestCharge(t *testing.T) {
	t.Parallel()
	const text = "alpha beta gamma delta" // a tone lasts 80 ms a letter, 40 ms a space
	pcm := audio.Format{Codec: audio.PCM, SampleRate: 24000}
	boom := enginetest.Tone{Before: func(context.Context, engine.Utterance) error { return errors.New("boom") }}
	for _, tt := range []struct {
		name   string
		engine engine.Engine
		stream bool
		w      io.Writer
		want   []int // characters of the receipts
		heard  time.Duration
	}{
		{"finished", enginetest.Tone{}, true, io.Discard, []int{22}, 1640 * time.Millisecond},
		{"finished whole", enginetest.Tone{}, false, io.Discard, []int{22}, 1640 * time.Millisecond},
		{"left in the third word", enginetest.Tone{}, true, &until{left: 48 * (400 + 40 + 320 + 40 + 100)}, []int{10}, 800 * time.Millisecond},
		{"left at once", enginetest.Tone{}, true, &until{}, nil, 0},
		{"left a whole answer", enginetest.Tone{}, false, &until{}, nil, 0},
		{"engine fault", boom, true, io.Discard, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := newLedgerStore()
			s := newService(t, speech.Config{Engines: engine.Set{tt.engine}, Ledger: metered(t, store)})
			res, _ := s.Speak(t.Context(), alice, speech.Request{Text: text, Language: "en", Stream: tt.stream, Format: pcm}, tt.w)
			if diff := cmp.Diff(tt.want, store.characters()); diff != "" {
				t.Errorf("charged (-want +got)\n%s", diff)
			}
			sum := 0
			for _, u := range store.uses() {
				sum += int(u.Characters)
				if u.Voice != string(res.Voice) || u.Language != "en" || u.Requests != 1 || u.Audio != res.Duration.Round(time.Millisecond) {
					t.Errorf("use %+v of an answer %+v", u, res)
				}
			}
			if res.Charged != sum || res.Voice == "" || res.Language != "en" {
				t.Errorf("result %+v, want %d characters charged, a voice and a language", res, sum)
			}
			if d := res.Duration - tt.heard; d < -210*time.Millisecond || d > 210*time.Millisecond {
				t.Errorf("%v of audio was handed over, want about %v", res.Duration, tt.heard)
			}
			if tt.heard > 0 && res.FirstAudio == 0 {
				t.Error("the result does not tell when audio began")
			}
		})
	}
}

// TestRefusedByTheLedger: the result tells who would have spoken.
func TestRefusedByTheLedger(t *testing.T) {
	t.Parallel()
	store := newLedgerStore()
	s := newService(t, speech.Config{Ledger: metered(t, store)})
	caller := alice
	caller.Metered = true
	store.fail(fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "spent"))
	res, err := s.Speak(t.Context(), caller, speech.Request{Text: "hello", Language: "en"}, io.Discard)
	if fault.KindOf(err) != fault.QuotaExceeded || res.Charged != 0 || res.Duration != 0 || res.Voice == "" || res.Language != "en" {
		t.Errorf("Speak = %+v, %v; want quota exceeded, nothing charged, a voice and a language", res, err)
	}
}

// TestWholeAnswerIsWithheld: nobody gets a whole answer that cannot be charged,
// and nobody is charged for one that nobody waits for.
func TestWholeAnswerIsWithheld(t *testing.T) {
	t.Parallel()
	store := newLedgerStore()
	down := fault.Down(fault.CodeStoreUnavailable, 0, nil, "the store is down")
	var hook func()
	tone := enginetest.Tone{Before: func(context.Context, engine.Utterance) error {
		hook()
		return nil
	}}
	s := newService(t, speech.Config{Engines: engine.Set{tone}, Ledger: metered(t, store)})
	hook = func() { store.fail(down) }
	res, err := s.Speak(t.Context(), alice, speech.Request{Text: "hello"}, io.Discard)
	if fault.KindOf(err) != fault.Unavailable || res.Charged != 0 || res.Total != 0 {
		t.Errorf("Speak while the store is away = %+v, %v; want unavailable", res, err)
	}
	store.fail(nil)

	ctx, cancel := context.WithCancelCause(t.Context())
	revoked := fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "revoked")
	hook = func() {}
	w := &leaving{leave: func() { cancel(revoked) }}
	_, err = s.Speak(ctx, alice, speech.Request{Text: "hello"}, w)
	if !errors.Is(err, revoked) || len(store.uses()) != 0 {
		t.Errorf("Speak to one who left at the last byte = %v, charges %v; want %v and none", err, store.uses(), revoked)
	}
}

// leaving is a writer whose reader leaves with the bytes.
type leaving struct{ leave func() }

func (w *leaving) Write(p []byte) (int, error) {
	w.leave()
	return len(p), nil
}

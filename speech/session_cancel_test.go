package speech_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
	"vaak/speech/chunk"
)

// cancelled cancels a play and checks that it ends well, with nothing sent later.
func (p *play) cancelled(w interface{ got() []byte }, added string, played time.Duration) speech.Spoken {
	p.t.Helper()
	spoken := p.Cancel(played)
	sent := len(w.got())
	if res, err := p.outcome(); err != nil || res.Bytes != int64(sent) {
		p.t.Errorf("Run of a cancelled session = %+v, %v; %d bytes were sent when Cancel returned", res, err, sent)
	}
	if got := len(w.got()); got != sent {
		p.t.Errorf("%d bytes were sent after Cancel", got-sent)
	}
	if spoken.Text+spoken.Remaining != added || spoken.Characters != utf8.RuneCountInString(spoken.Text) {
		p.t.Errorf("%+v is not all of %q", spoken, added)
	}
	return spoken
}

// TestCancelTellsWhatWasHeard has three words said, of 80 ms a letter, and a
// sentence wait.
func TestCancelTellsWhatWasHeard(t *testing.T) {
	t.Parallel()
	const text = "नम one more. And 😀 so on"
	// The 300 ms of the pause behind the sentence belong to it only if the session has seen that
	// more follows before it said the sentence.
	const whole, pause = 1030 * time.Millisecond, 150 * time.Millisecond
	for _, tt := range []struct {
		played time.Duration
		heard  string
		audio  time.Duration
	}{
		{-1, "नम one more.", whole},
		{0, "", 0},
		{10 * time.Millisecond, "नम", 10 * time.Millisecond},
		{250 * time.Millisecond, "नम one", 250 * time.Millisecond},
		{500 * time.Millisecond, "नम one more.", 500 * time.Millisecond},
		{time.Hour, "नम one more.", whole},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, speech.Config{})
			w := &listener{}
			p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "hi", Format: native}, w)
			p.add("नम one more.", flush, " And 😀 so on")
			synctest.Wait()
			got := p.cancelled(w, text, tt.played)
			within := 100 * time.Millisecond
			if tt.audio == whole {
				within += pause
			}
			if got.Text != tt.heard || (got.Audio-tt.audio).Abs() > within {
				t.Errorf("Cancel(%v) = %+v, want %q in %v", tt.played, got, tt.heard, tt.audio)
			}
			if again := p.Cancel(tt.played); again != got {
				t.Errorf("the second Cancel(%v) = %+v, the first %+v", tt.played, again, got)
			}
		})
	}
}

// TestCancelAtSpeed checks that time is that of the listener.
func TestCancelAtSpeed(t *testing.T) {
	t.Parallel()
	for _, speed := range []float64{0.7, 1, 1.5} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, speech.Config{})
			w := &listener{}
			p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en", Format: native, Speed: speed}, w)
			p.add("electronic mechanical deliberate", flush)
			synctest.Wait()
			// The second word is said from 840 to 1,640 ms of what the engine made.
			at := func(ms float64) time.Duration { return time.Duration(ms / speed * float64(time.Millisecond)) }
			if got := p.cancelled(w, "electronic mechanical deliberate", at(800)); got.Text != "electronic" {
				t.Errorf("speed %g: heard %q before the second word", speed, got.Text)
			}
			if got := p.Cancel(at(880)); got.Text != "electronic mechanical" {
				t.Errorf("speed %g: heard %q in the second word", speed, got.Text)
			}
		})
	}
}

// TestCancelAtOddMoments has no text, nothing that can be said, everything said,
// and a writer that is blocked.
func TestCancelAtOddMoments(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"nothing": "", "half a word": "Hel", "spaces": "  ", "an emoji": "😀 ", "flushed": "Hi.\x00"} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, speech.Config{})
			w := &listener{}
			p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Format: native}, w)
			text, flushed := strings.CutSuffix(text, "\x00")
			p.add(text)
			if flushed || name == "an emoji" {
				p.Flush()
			}
			synctest.Wait()
			got := p.cancelled(w, text, -1)
			if len(w.got()) == 0 && (got.Text != "" || got.Audio != 0) {
				t.Errorf("%s: Cancel = %+v without any audio", name, got)
			}
			p.add("more", flush)
			p.End()
			if got := p.Cancel(-1); !strings.HasPrefix(got.Text+got.Remaining, text) {
				t.Errorf("%s: Cancel after the end = %+v", name, got)
			}
		})
	}
	t.Run("ended", func(t *testing.T) {
		for _, steps := range [][]string{{"All of it. Said. "}, {"All of it. Said. ", flush}, {"All of it. ", "Said. 😀 "}} {
			s := newService(t, speech.Config{})
			w := &listener{}
			p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en"}, w)
			p.add(steps...)
			p.End()
			if _, err := p.outcome(); err != nil {
				t.Fatal(err)
			}
			added := strings.ReplaceAll(strings.Join(steps, ""), flush, "")
			if got := p.cancelled(w, added, -1); got.Text != added {
				t.Errorf("Cancel of what was said whole = %+v", got)
			}
		}
	})
}

// TestCancelDuringABlockedWrite has the write end well, or as a broken connection.
func TestCancelDuringABlockedWrite(t *testing.T) {
	t.Parallel()
	for _, broken := range []error{nil, errLeft} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, speech.Config{})
			release := make(chan struct{})
			w := &listener{each: func() error { <-release; return broken }}
			p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en", Format: native}, w)
			p.add("One two three. Four five six. ", flush)
			synctest.Wait()
			done := make(chan speech.Spoken)
			go func() { done <- p.cancelled(w, "One two three. Four five six. ", -1) }()
			synctest.Wait()
			select {
			case <-done:
				t.Error("Cancel returned while bytes were being written")
			default:
			}
			close(release)
			got := <-done
			if w.writes > 1 || broken != nil && got.Text != "" {
				t.Errorf("%d writes, heard %q", w.writes, got.Text)
			}
		})
	}
}

// deaf is an engine that returns another error than the cause of the end.
type deaf struct{ enginetest.Tone }

func (e deaf) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	if err := e.Tone.Synthesize(ctx, u, sink); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestCancelOfADeafEngine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{Engines: engine.Set{deaf{}}})
		w := &listener{}
		p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en"}, w)
		p.add("Hello.", flush)
		synctest.Wait()
		p.cancelled(w, "Hello.", -1)
	})
}

// TestCauseOfTheContext outlives a Cancel that comes later.
func TestCauseOfTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		ctx, leave := context.WithCancelCause(t.Context())
		p := begin(ctx, t, s, account.Local, speech.SessionRequest{}, io.Discard)
		leave(errRevoked)
		synctest.Wait()
		p.Cancel(-1)
		if _, err := p.outcome(); !errors.Is(err, errRevoked) {
			t.Errorf("Run = %v, want %v", err, errRevoked)
		}
	})
}

// TestThousandCancelledSessionsLeaveNothing is not parallel: it counts goroutines.
func TestThousandCancelledSessionsLeaveNothing(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	s := newService(t, speech.Config{})
	turns := speech.NewTurns()
	const text = "Hello there, how are you doing today, and is it raining? Yes, it is. "
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			first := make(chan struct{})
			w := &listener{each: func() error {
				select {
				case <-first:
				default:
					close(first)
				}
				return nil
			}}
			req := speech.SessionRequest{Language: "en", Idle: time.Minute, Chunks: chunk.Config{Mode: chunk.Mode(i % 4)}}
			if i%3 == 0 {
				req.Turns = turns
			}
			session, err := s.Open(account.Local, req)
			if err != nil {
				t.Error(err)
				return
			}
			p := &play{Session: session, t: t, end: make(chan struct{})}
			go func() {
				defer close(p.end)
				p.res, p.err = s.Run(t.Context(), session, w)
			}()
			p.add(text)
			if i%2 == 0 {
				p.Flush()
				select {
				case <-first:
				case <-p.end: // refused: the server is busy
				}
			}
			p.Cancel(-1)
			<-p.end
		})
	}
	all.Wait()
	goleak.VerifyNone(t, ignore)
}

package speech_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/speech"
	"vaak/speech/chunk"
)

// books are accounts in memory with one organisation.
type books struct {
	t       *testing.T
	db      *accounttest.Store
	service *account.Service
	caller  account.Caller
}

// openBooks gives an organisation so many characters a month.
func openBooks(t *testing.T, characters int64) books {
	t.Helper()
	db := accounttest.New(nil)
	plan := ledger.Plan{ID: "small", Name: "Small", MonthlyCharacters: characters, RequestsPerMinute: -1, MaxStreams: -1}
	if err := db.SetPlan(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	b := books{t: t, db: db, service: metered(t, db)}
	org, err := b.service.CreateOrganisation(t.Context(), "Example", "small")
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := b.service.CreateKey(t.Context(), org.ID, account.KeyRequest{Label: "test"})
	if err != nil {
		t.Fatal(err)
	}
	b.caller = account.Caller{OrgID: org.ID, KeyID: key.ID, Plan: "small", Metered: true}
	return b
}

// settled checks, in a bubble, that so much was charged and nothing is held.
func (b books) settled(want int) {
	b.t.Helper()
	synctest.Wait()
	a, err := b.db.Audit(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	if n := b.held(); a.Charged != int64(want) || n != 0 || !a.Sound() {
		b.t.Errorf("audit is %+v, want %d characters charged; %d are held, want none", a, want, n)
	}
}

// held returns how many characters are held.
func (b books) held() int {
	b.t.Helper()
	a, err := b.db.Audit(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := b.service.Report(b.t.Context(), b.caller.OrgID)
	if err != nil {
		b.t.Fatal(err)
	}
	return int(r.Balance.Granted - r.Balance.Remaining - a.Charged)
}

var (
	errLeft    = errors.New("the reader left")
	errRevoked = fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "revoked")
)

// TestSessionCharges has two sentences, of 13 and 11 characters, and something
// happen when the first was sent and the second has not come, or is being made.
func TestSessionCharges(t *testing.T) {
	t.Parallel()
	const first, second = "Hello there. ", "Goodbye now"
	down := fault.Down(fault.CodeEngineUnavailable, time.Second, nil, "the engine is down")
	full := fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "there is no room")
	for _, tt := range []struct {
		name    string
		balance int64
		fails   error // of the engine at the second sentence
		breaks  error // of the writer then
		then    func(p *play, leave context.CancelCauseFunc)
		want    error
		kind    fault.Kind
		charged int
	}{
		{name: "finished", then: func(p *play, _ context.CancelCauseFunc) { p.add(second); p.End() }, charged: 24},
		{name: "finished after spaces", then: func(p *play, _ context.CancelCauseFunc) { p.add(second, flush, "  "); p.End() }, charged: 26},
		{name: "cancelled between", then: func(p *play, _ context.CancelCauseFunc) { p.Cancel(-1) }, charged: 12},
		{name: "cancelled with text that waits", then: func(p *play, _ context.CancelCauseFunc) { p.add(second); p.Cancel(0) }, charged: 12},
		{name: "idle", then: func(*play, context.CancelCauseFunc) {}, kind: fault.Idle, charged: 12},
		{name: "left", then: func(_ *play, leave context.CancelCauseFunc) { leave(errLeft) }, want: errLeft, charged: 12},
		{name: "revoked", then: func(_ *play, leave context.CancelCauseFunc) { leave(errRevoked) }, want: errRevoked, charged: 12},
		{name: "writer broke", breaks: errLeft, then: func(p *play, _ context.CancelCauseFunc) { p.add(second); p.End() }, want: errLeft, charged: 12},
		{name: "writer had no room", breaks: full, then: func(p *play, _ context.CancelCauseFunc) { p.add(second); p.End() }, want: full, kind: fault.Unavailable, charged: 0},
		{name: "engine fault", fails: errors.New("crash"), then: func(p *play, _ context.CancelCauseFunc) { p.add(second); p.End() }, kind: fault.Internal, charged: 0},
		{name: "engine down", fails: down, then: func(p *play, _ context.CancelCauseFunc) { p.add(second); p.End() }, kind: fault.Unavailable, charged: 0},
		{name: "quota spent", balance: 20, then: func(p *play, _ context.CancelCauseFunc) { p.add(second); p.End() }, kind: fault.QuotaExceeded, charged: 12},
		{name: "just enough", balance: 24, then: func(p *play, _ context.CancelCauseFunc) { p.add(second); p.End() }, charged: 24},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if tt.balance == 0 {
					tt.balance = 1000
				}
				b := openBooks(t, tt.balance)
				again := false
				tone := enginetest.Tone{Before: func(context.Context, engine.Utterance) error {
					if again {
						return tt.fails
					}
					return nil
				}}
				w := &listener{}
				w.each = func() error {
					if again {
						return tt.breaks
					}
					return nil
				}
				s := newService(t, speech.Config{Engines: engine.Set{tone}, Ledger: b.service})
				ctx, leave := context.WithCancelCause(t.Context())
				p := begin(ctx, t, s, b.caller, speech.SessionRequest{Language: "en", Idle: 20 * time.Second}, w)
				p.add(first, flush)
				synctest.Wait()
				if got := b.held(); got != 13 && got != 12 {
					t.Errorf("%d characters are held, want those of the first sentence", got)
				}
				again = true
				sent := len(w.got())
				tt.then(p, leave)
				res, err := p.outcome()
				leave(nil)
				if tt.want != nil && !errors.Is(err, tt.want) || tt.kind != "" && fault.KindOf(err) != tt.kind || tt.want == nil && tt.kind == "" && err != nil {
					t.Errorf("Run = %v, want %v %s", err, tt.want, tt.kind)
				}
				if tt.charged != 24 && tt.charged != 26 && len(w.got()) != sent {
					t.Errorf("%d bytes were sent after that", len(w.got())-sent)
				}
				if res.Charged != tt.charged {
					t.Errorf("Charged = %d, want %d", res.Charged, tt.charged)
				}
				if (res.Duration > 0) != (sent > 0) || res.Bytes != int64(len(w.got())) {
					t.Errorf("result %+v of %d bytes", res, len(w.got()))
				}
				b.settled(tt.charged)
			})
		})
	}
}

// TestSessionWithoutAudioIsFree ends sessions before there is any.
func TestSessionWithoutAudioIsFree(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		balance int64
		text    string
		then    func(*play)
		kind    fault.Kind
	}{
		"no text":           {100, "", (*play).finish, ""},
		"spaces":            {100, " \n\t ", (*play).finish, ""},
		"cancelled early":   {100, "Hel", func(p *play) { p.Cancel(-1) }, ""},
		"no balance":        {3, "Hello.", (*play).finish, fault.QuotaExceeded},
		"idle before words": {100, "", func(*play) {}, fault.Idle},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := openBooks(t, tt.balance)
				w := &listener{}
				s := newService(t, speech.Config{Ledger: b.service})
				p := begin(t.Context(), t, s, b.caller, speech.SessionRequest{Language: "en", Idle: time.Second}, w)
				p.add(tt.text)
				synctest.Wait()
				tt.then(p)
				res, err := p.outcome()
				if fault.KindOf(err) != tt.kind && !(err == nil && tt.kind == "") {
					t.Errorf("Run = %v, want %q", err, tt.kind)
				}
				if len(w.got()) > 0 || len(w.starts) > 0 || res.Charged != 0 {
					t.Errorf("%d bytes, told %d times, %+v; want nothing", len(w.got()), len(w.starts), res)
				}
				b.settled(0)
			})
		})
	}
}

func (p *play) finish() { p.End() }

// TestSessionHoldGrows has many chunks, each of which extends the hold.
func TestSessionHoldGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := openBooks(t, 10_000)
		s := newService(t, speech.Config{Ledger: b.service})
		req := speech.SessionRequest{Language: "en", Chunks: chunk.Config{Mode: chunk.Eager, ChunkWords: 2}}
		w := &listener{}
		p := begin(t.Context(), t, s, b.caller, req, w)
		text, held := "", 0
		for range 30 {
			const more = "one two three four five "
			p.add(more)
			text += more
			synctest.Wait()
			switch got := b.held(); {
			case got < held || got > len(text):
				t.Errorf("%d characters are held, %d before, of %d", got, held, len(text))
			default:
				held = got
			}
		}
		p.End()
		res, err := p.outcome()
		if err != nil || res.Charged != len(text) || res.Characters != len(text) {
			t.Errorf("Run = %+v, %v, want %d charged", res, err, len(text))
		}
		b.settled(len(text))
	})
}

// TestChargeOfACancelledSessionIsWhatWasSent cancels in the midst of a long
// sentence, at each write.
func TestChargeOfACancelledSessionIsWhatWasSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const text = "One two three four five six seven eight nine ten eleven twelve."
		last := 0
		for n := 1; n <= 12; n++ {
			b := openBooks(t, 1000)
			s := newService(t, speech.Config{Ledger: b.service})
			ctx, leave := context.WithCancelCause(t.Context())
			w := &listener{}
			w.each = func() error {
				if w.writes+1 == n {
					leave(errLeft)
				}
				return nil
			}
			p := begin(ctx, t, s, b.caller, speech.SessionRequest{Language: "en", Format: native}, w)
			p.add(text)
			p.End()
			res, err := p.outcome()
			leave(nil)
			if err != nil && !errors.Is(err, errLeft) {
				t.Errorf("Run = %v", err)
			}
			if res.Charged < last || res.Charged == 0 || res.Charged > utf8.RuneCountInString(text) || err != nil && res.Charged == len(text) {
				t.Errorf("after %d writes %d characters are charged, %d after one fewer", n, res.Charged, last)
			}
			last = res.Charged
			b.settled(res.Charged)
		}
	})
}

// TestAfford asks with something left and with nothing.
func TestAfford(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := openBooks(t, 6)
		s := newService(t, speech.Config{Ledger: b.service})
		if err := s.Afford(t.Context(), b.caller); err != nil {
			t.Errorf("Afford = %v with 6 characters left", err)
		}
		b.settled(0)
		if _, err := s.Speak(t.Context(), b.caller, speech.Request{Text: "Hello."}, io.Discard); err != nil {
			t.Fatal(err)
		}
		if err := s.Afford(t.Context(), b.caller); fault.KindOf(err) != fault.QuotaExceeded {
			t.Errorf("Afford = %v with nothing left", err)
		}
		b.settled(6)
	})
}

// TestStreamDoesNotWait speaks a stream while commits take a second: its characters are ahead,
// so its first audio does not wait, and it is charged.
func TestStreamDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := openBooks(t, 1000)
		s := newService(t, speech.Config{Engines: engine.Set{enginetest.Tone{}}, Ledger: b.service})
		const text = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi"
		req := speech.Request{Text: "a", Language: "en", Stream: true, Format: audio.Format{Codec: audio.PCM, SampleRate: 24000}}
		if _, err := s.Speak(t.Context(), b.caller, req, io.Discard); err != nil {
			t.Fatal(err)
		}
		b.db.Slow(time.Second, accounttest.Commits)
		req.Text = text
		res, err := s.Speak(t.Context(), b.caller, req, io.Discard)
		if err != nil || res.Charged != len(text) {
			t.Errorf("Speak = %+v, %v, want %d characters charged", res, err, len(text))
		}
		if res.FirstAudio > 100*time.Millisecond {
			t.Errorf("first audio came after %v: it waited for the store", res.FirstAudio)
		}
		b.db.Slow(0, accounttest.Commits)
		time.Sleep(5 * time.Second)
		b.settled(1 + len(text))
	})
}

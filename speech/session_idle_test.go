package speech_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/speech"
)

// TestIdle says when a session gives up waiting for its caller.
func TestIdle(t *testing.T) {
	t.Parallel()
	const idle = 20 * time.Second
	for name, tt := range map[string]struct {
		idle  time.Duration
		steps func(*play)
		after time.Duration // 0 is never
	}{
		"nothing":           {idle, func(*play) {}, idle},
		"never":             {0, func(*play) {}, 0},
		"touched":           {idle, func(p *play) { time.Sleep(15 * time.Second); p.Touch() }, 35 * time.Second},
		"touched often":     {idle, func(p *play) { each(10, func() { time.Sleep(19 * time.Second); p.Touch() }) }, 210 * time.Second},
		"half a word":       {idle, func(p *play) { time.Sleep(15 * time.Second); p.add("Hel") }, 35 * time.Second},
		"empty text":        {idle, func(p *play) { time.Sleep(15 * time.Second); p.add("") }, 35 * time.Second},
		"flush of nothing":  {idle, func(p *play) { time.Sleep(15 * time.Second); p.Flush() }, 35 * time.Second},
		"trigger":           {idle, func(p *play) { time.Sleep(15 * time.Second); p.Trigger() }, 35 * time.Second},
		"spoken":            {idle, func(p *play) { time.Sleep(15 * time.Second); p.add("Hello.", flush) }, 35 * time.Second},
		"refused text":      {idle, func(p *play) { time.Sleep(15 * time.Second); _ = p.Add(strings.Repeat("a", 5001)) }, 35 * time.Second},
		"the limit allowed": {180 * time.Second, func(*play) {}, 180 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newService(t, speech.Config{})
				since := time.Now()
				p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en", Idle: tt.idle}, &listener{})
				tt.steps(p)
				if tt.after == 0 {
					time.Sleep(24 * time.Hour)
					p.Cancel(-1)
				}
				_, err := p.outcome()
				f, _ := errors.AsType[*fault.Error](err)
				switch {
				case tt.after == 0:
					if err != nil {
						t.Errorf("Run = %v, want nothing after a day", err)
					}
				case f == nil || f.Kind != fault.Idle || f.Code != fault.CodeInputTimeout || !strings.Contains(f.Msg, "nothing came for"):
					t.Errorf("Run = %v, want idle", err)
				case time.Since(since) != tt.after:
					t.Errorf("it ended after %v, want %v", time.Since(since), tt.after)
				}
			})
		})
	}
}

func each(n int, do func()) {
	for range n {
		do()
	}
}

// TestSpeakingIsNotIdle has a reader who takes longer than the session waits.
func TestSpeakingIsNotIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		since := time.Now()
		w := &listener{each: func() error { time.Sleep(30 * time.Second); return nil }}
		p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en", Idle: 20 * time.Second}, w)
		p.add("One two three. ", flush)
		_, err := p.outcome()
		if want := time.Duration(w.writes)*30*time.Second + 20*time.Second; fault.KindOf(err) != fault.Idle || time.Since(since) != want || w.writes < 2 {
			t.Errorf("Run = %v after %v and %d writes, want idle after %v", err, time.Since(since), w.writes, want)
		}
	})
}

// diary is a listener that notes who is sent something.
type diary struct {
	listener
	mu    *sync.Mutex
	lines *[]string
	name  string
}

func (d *diary) Write(p []byte) (int, error) {
	n, err := d.listener.Write(p)
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := *d.lines; len(l) == 0 || l[len(l)-1] != d.name {
		*d.lines = append(l, d.name)
	}
	return n, err
}

// TestTurnsAreFirstComeFirstServed has a reader of the first session hold up three
// others, one of which is cancelled meanwhile and one of whose callers leaves.
func TestTurnsAreFirstComeFirstServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		turns := speech.NewTurns()
		var mu sync.Mutex
		var lines []string
		release := make(chan struct{})
		var plays []*play
		var writers []*diary
		ctx, leave := context.WithCancelCause(t.Context())
		for i, name := range []string{"a", "b", "c", "d", "e"} {
			w := &diary{mu: &mu, lines: &lines, name: name}
			if i == 0 {
				w.each = func() error { <-release; return nil }
			}
			of := t.Context()
			if i == 3 {
				of = ctx
			}
			p := begin(of, t, s, account.Local, speech.SessionRequest{Language: "en", Turns: turns}, w)
			p.add("One two three. ", "Four five six. ")
			p.End()
			synctest.Wait()
			plays, writers = append(plays, p), append(writers, w)
		}
		if len(lines) > 0 {
			t.Errorf("%q were sent something beside the first", lines)
		}
		plays[2].cancelled(writers[2], "One two three. Four five six. ", -1)
		leave(errLeft)
		if _, err := plays[3].outcome(); !errors.Is(err, errLeft) {
			t.Errorf("Run while it waits = %v, want %v", err, errLeft)
		}
		close(release)
		for _, i := range []int{0, 1, 4} {
			if _, err := plays[i].outcome(); err != nil {
				t.Error(err)
			}
		}
		if len(lines) < 3 || !slices.Equal(lines[:3], []string{"a", "b", "e"}) || slices.Contains(lines, "c") || slices.Contains(lines, "d") {
			t.Errorf("served in the order %q, want a, b, e first and no others", lines)
		}
	})
}

// TestWritesInTurns has many sessions of one connection, of which no two may write
// at once, however they end.
func TestWritesInTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		turns := speech.NewTurns()
		var writing sync.Mutex
		one := func() error {
			if !writing.TryLock() {
				t.Error("two sessions write at once")
				return nil
			}
			defer writing.Unlock()
			time.Sleep(time.Millisecond)
			return nil
		}
		var plays []*play
		for range 20 {
			w := &listener{each: one}
			p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en", Format: mp3, Turns: turns}, w)
			go func() {
				p.add(fragments("One two three. Four five six. Seven. ", 10, 3)...)
				time.Sleep(time.Millisecond)
				p.End()
			}()
			plays = append(plays, p)
		}
		for _, p := range plays {
			if _, err := p.outcome(); err != nil {
				t.Error(err)
			}
		}
	})
}

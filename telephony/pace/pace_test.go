package pace

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/telephony/line"
)

// wire keeps what is sent, and when.
type wire struct {
	mu    sync.Mutex
	began time.Time
	sent  []sent
}

type sent struct {
	at   time.Duration
	what string // "a" to "z" for a frame of that byte, "silence", "clear", or the name of a mark
}

func (w *wire) add(what string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, sent{time.Since(w.began), what})
	return nil
}

func (w *wire) Send(frame []byte) error {
	if frame[0] == 0xFF {
		return w.add("silence")
	}
	return w.add(string(frame[:1]))
}
func (w *wire) Clear() error           { return w.add("clear") }
func (w *wire) Mark(name string) error { return w.add(name) }

func (w *wire) all() []sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sent)
}

// frames returns so many frames of a byte.
func frames(b byte, n int) []byte { return slices.Repeat([]byte{b}, n*160) }

// play runs a player in fake time.
func play(t *testing.T, cfg Config, f func(p *Player, w *wire)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cfg.Format = line.Telephone
		if cfg.Reached == nil {
			cfg.Reached = func(string) {}
		}
		w := &wire{began: time.Now()}
		p := New(w, cfg)
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() { defer close(over); _ = p.Run(ctx) }()
		f(p, w)
		stop()
		<-over
	})
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// TestPace: a frame every 20 ms from the first on, the lead at once; a frame that comes after a
// pause begins a new count, one that comes within the lead does not.
func TestPace(t *testing.T) {
	t.Parallel()
	play(t, Config{Lead: ms(60)}, func(p *Player, w *wire) {
		time.Sleep(ms(7))
		track := p.Track()
		_, _ = track.Write(frames('a', 5))
		time.Sleep(ms(70)) // at 77 the last was sent, and 30 ms of it wait at the provider
		_, _ = track.Write(frames('b', 2))
		time.Sleep(ms(1000))
		_, _ = track.Write(frames('c', 1))
		_ = track.Close()
		time.Sleep(ms(1000))
		want := []sent{{ms(7), "a"}, {ms(7), "a"}, {ms(7), "a"}, {ms(7), "a"}, {ms(27), "a"}, {ms(77), "b"}, {ms(77), "b"}, {ms(1077), "c"}}
		if got := w.all(); !slices.Equal(got, want) {
			t.Errorf("sent %v, want %v", got, want)
		}
		if got := track.Heard(); got != ms(160) {
			t.Errorf("Heard = %v, want 160 ms", got)
		}
	})
}

// TestNoDrift: after two minutes each frame is sent at its time to the nanosecond, and the track
// is heard exactly as far as the clock says.
func TestNoDrift(t *testing.T) {
	t.Parallel()
	play(t, Config{}, func(p *Player, w *wire) {
		track := p.Track()
		_, _ = track.Write(frames('a', 6000))
		time.Sleep(ms(1))
		for i, s := range w.all() {
			if s.at != time.Duration(i)*line.FrameTime {
				t.Fatalf("frame %d was sent at %v", i, s.at)
			}
		}
		// The write came back when the last 2 s were queued.
		if heard, want := track.Heard(), 2*time.Minute-2*time.Second-ms(20); heard < want || heard > want+ms(20) {
			t.Errorf("Heard = %v, want %v", heard, want)
		}
	})
}

// TestClear: what was not heard is dropped, also what is written later to the same track; a write
// that waits for room is freed; marks that were not reached never are.
func TestClear(t *testing.T) {
	t.Parallel()
	var reached []string
	play(t, Config{Lead: ms(60), Patience: time.Hour, Reached: func(m string) { reached = append(reached, m) }}, func(p *Player, w *wire) {
		track := p.Track()
		p.Mark("before")
		written := make(chan struct{})
		go func() { defer close(written); _, _ = track.Write(frames('a', 500)) }()
		time.Sleep(ms(130))
		p.Mark("behind")
		p.Echo("before")
		if err := p.Clear(); err != nil {
			t.Fatal(err)
		}
		<-written
		if got := track.Heard(); got != ms(120) {
			t.Errorf("Heard = %v, want 120 ms of which all frames are whole", got)
		}
		_, _ = track.Write(frames('b', 3))
		next := p.Track()
		_, _ = next.Write(frames('c', 1))
		p.Mark("end")
		time.Sleep(ms(100))
		p.Echo("behind")
		p.Echo("end")
		p.Echo("end")
		synctest.Wait()
		var after []sent
		for i, s := range w.all() {
			if s.what == "clear" {
				after = w.all()[i:]
			}
		}
		want := []sent{{ms(130), "clear"}, {ms(130), "c"}, {ms(130), "end"}}
		if !slices.Equal(after, want) {
			t.Errorf("from the clear on: %v, want %v", after, want)
		}
		if want := []string{"before", "end"}; !slices.Equal(reached, want) {
			t.Errorf("reached %q, want %q", reached, want)
		}
	})
}

// TestMarks: without a provider that says so a mark is reached when all before it was heard, and
// with one that never says so after the patience.
func TestMarks(t *testing.T) {
	t.Parallel()
	for _, patience := range []time.Duration{0, ms(500)} {
		var at []time.Duration
		began := time.Time{}
		play(t, Config{Lead: ms(60), Patience: patience, Reached: func(string) { at = append(at, time.Since(began)) }}, func(p *Player, w *wire) {
			began = w.began
			p.Mark("at once")
			track := p.Track()
			_, _ = track.Write(frames('a', 10))
			p.Mark("end")
			time.Sleep(time.Second)
			synctest.Wait()
			if want := []time.Duration{patience, ms(200) + patience}; !slices.Equal(at, want) {
				t.Errorf("with a patience of %v reached at %v, want %v", patience, at, want)
			}
		})
	}
}

// TestContinuous: a line that expects frames gets silence, also after a clear, without a gap.
func TestContinuous(t *testing.T) {
	t.Parallel()
	play(t, Config{Continuous: true}, func(p *Player, w *wire) {
		time.Sleep(ms(50))
		track := p.Track()
		_, _ = track.Write(frames('a', 3))
		time.Sleep(ms(45))
		_ = p.Clear()
		time.Sleep(ms(50))
		want := []string{"silence", "silence", "silence", "a", "a", "clear", "silence", "silence", "silence"}
		var got []string
		for i, s := range w.all() {
			got = append(got, s.what)
			if s.what == "clear" {
				continue
			}
			if i > 5 {
				i--
			}
			if s.at != time.Duration(i)*line.FrameTime {
				t.Errorf("frame %d (%s) was sent at %v", i, s.what, s.at)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if got := track.Heard(); got != ms(20) {
			t.Errorf("Heard = %v, want 20 ms", got)
		}
	})
}

// TestPadding: the last frame of a track is whole.
func TestPadding(t *testing.T) {
	t.Parallel()
	play(t, Config{}, func(p *Player, w *wire) {
		track := p.Track()
		_, _ = track.Write(frames('a', 2)[:170])
		_ = track.Close()
		time.Sleep(ms(100))
		if got := track.Written(); len(w.all()) != 2 || got != ms(40) {
			t.Errorf("%d frames, %v written; want 2, 40 ms", len(w.all()), got)
		}
		if got := p.Ahead(); got != 0 {
			t.Errorf("Ahead = %v, want 0", got)
		}
	})
}

// TestSuspended: a player that could not send for long gives the time up, and does not send all
// that is late at once.
func TestSuspended(t *testing.T) {
	t.Parallel()
	p := New(&wire{began: time.Now()}, Config{Format: line.Telephone, Reached: func(string) {}})
	track := p.Track()
	_, _ = track.Write(frames('a', 50))
	now := time.Now()
	if it, _, _ := p.take(now); it.frame == nil {
		t.Fatal("the first frame is not sent")
	}
	burst := 0
	for now = now.Add(time.Minute); ; burst++ {
		if it, _, _ := p.take(now); it.frame == nil {
			break
		}
	}
	if burst != 1 {
		t.Errorf("%d frames are sent at once after a minute, want 1", burst)
	}
}

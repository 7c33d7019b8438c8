package schedule

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/internal/fault"
)

// admit lets a stream in that must be.
func admit(t testing.TB, s *Scheduler) *Stream {
	t.Helper()
	st, err := s.Admit(Live)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// instantly has a stream make audio at no cost.
func (st *Stream) instantly(t testing.TB, audio time.Duration) {
	t.Helper()
	if err := st.Do(t.Context(), audio, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestMostUrgentFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 1})
		var streams []*Stream
		for _, lead := range []time.Duration{3 * time.Second, 0, 1 * time.Second, 2 * time.Second} {
			st := admit(t, s)
			if lead > 0 {
				st.instantly(t, lead)
			}
			streams = append(streams, st)
			time.Sleep(time.Millisecond)
		}
		busy := make(chan struct{})
		holder := admit(t, s)
		go func() { _ = holder.Do(t.Context(), Unit, func() error { <-busy; return nil }) }()
		synctest.Wait()

		var mu sync.Mutex
		var order []int
		for i, st := range streams {
			go func() {
				_ = st.Do(t.Context(), Unit, func() error {
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					return nil
				})
			}()
		}
		synctest.Wait()
		time.Sleep(5 * time.Millisecond)
		close(busy)
		synctest.Wait()
		if want := []int{1, 2, 3, 0}; !slices.Equal(order, want) {
			t.Errorf("streams worked in the order %v, want %v", order, want)
		}
		if got := streams[1].Queued(); got != 5*time.Millisecond {
			t.Errorf("Queued() = %v, want 5ms", got)
		}
	})
}

// TestSlots drives many streams, some of which give up while they wait, and
// checks that never more work than there are slots, and all can in the end.
func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const slots = 3
		s := New(Config{Slots: slots})
		var mu sync.Mutex
		working, most, gaveUp := 0, 0, 0
		broken := errors.New("broken")
		var all sync.WaitGroup
		for i := range 60 {
			st := admit(t, s)
			all.Go(func() {
				defer st.End()
				r := rand.New(rand.NewPCG(1, uint64(i)))
				for range 50 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(300))*time.Millisecond)
					err := st.Do(ctx, Unit, func() error {
						mu.Lock()
						working++
						most = max(most, working)
						mu.Unlock()
						time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
						mu.Lock()
						working--
						mu.Unlock()
						if r.IntN(10) == 0 {
							return broken
						}
						return nil
					})
					cancel()
					if errors.Is(err, context.DeadlineExceeded) {
						mu.Lock()
						gaveUp++
						mu.Unlock()
					} else if err != nil && !errors.Is(err, broken) {
						t.Errorf("Do: %v", err)
					}
				}
			})
		}
		all.Wait()
		if most != slots || gaveUp == 0 {
			t.Errorf("at most %d worked at a time and %d gave up; want %d and some", most, gaveUp, slots)
		}
		if s.free != slots || len(s.waiting[Live]) != 0 || s.running != [2]int{} || s.starting != 0 || s.sending != 0 {
			t.Errorf("left over: %d free slots, %d waiting, %v running, %d starting, %d sending",
				s.free, len(s.waiting[Live]), s.running, s.starting, s.sending)
		}
	})
}

func TestPanicGivesTheSlotBack(t *testing.T) {
	t.Parallel()
	s := New(Config{Slots: 1})
	st := admit(t, s)
	func() {
		defer func() { _ = recover() }()
		_ = st.Do(t.Context(), Unit, func() error { panic("a codec broke") })
	}()
	st.instantly(t, Unit) // would wait for ever
	st.End()
	st.End()
	if s.running != [2]int{} {
		t.Errorf("%v streams run after End, want none", s.running)
	}
}

// machine is a simulated server: streams work for cost a second of audio in one
// of two slots, and readers take audio at playback speed with a buffer ahead.
type machine struct {
	s      *Scheduler
	cost   time.Duration // of a second of audio
	start  time.Duration // of a stream's first piece, besides
	buffer time.Duration // that a reader takes ahead

	mu        sync.Mutex
	refused   int
	admitted  int
	underruns int
	worst     time.Duration // until the first audio
}

// listen has one stream of a length played, or fetched whole.
func (m *machine) listen(t *testing.T, kind Kind, length time.Duration) {
	asked := time.Now()
	st, err := m.s.Admit(kind)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("Admit: %v, want a refusal of kind unavailable", err)
		}
		m.refused++
		return
	}
	m.admitted++
	m.mu.Unlock()
	defer st.End()
	late := false
	var began time.Time
	piece := Unit / 4 // the first is short, as engines make it
	for made := time.Duration(0); made < length; made, piece = made+piece, Unit {
		cost := time.Duration(float64(m.cost) * piece.Seconds())
		if made == 0 {
			cost += m.start
		}
		if err := st.Do(t.Context(), piece, func() error { time.Sleep(cost); return nil }); err != nil {
			t.Error(err)
		}
		if made == 0 {
			began = time.Now()
		} else if time.Since(began) > made {
			late = true
		}
		if kind == Whole {
			continue
		}
		_ = st.Send(func() error {
			if ahead := made + piece - time.Since(began) - m.buffer; ahead > 0 {
				time.Sleep(ahead)
			}
			return nil
		})
	}
	m.mu.Lock()
	if late && kind == Live {
		m.underruns++
	}
	m.worst = max(m.worst, began.Sub(asked))
}

// crowd has n listeners arrive evenly over a time and waits for the end.
func (m *machine) crowd(t *testing.T, n int, over, length time.Duration) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() { m.listen(t, Live, length) })
		time.Sleep(over / time.Duration(n))
	}
	all.Wait()
}

func TestLengthyCrowds(t *testing.T) {
	t.Parallel()
	// Two slots at 4 ms a second of audio carry 500 streams.
	length := 60 * time.Second
	if testing.Short() {
		length = 25 * time.Second
	}
	for _, tt := range []struct {
		name             string
		listeners        int
		over             time.Duration
		fewest, mostWant int // admitted
	}{
		{"half", 250, 10 * time.Second, 250, 250},
		{"nearly all", 420, 20 * time.Second, 420, 420},
		{"twice as many", 1000, 20 * time.Second, 380, 500},
		{"four times as many", 2000, 20 * time.Second, 380, 500},
		{"a thousand in two seconds", 1000, 2 * time.Second, 250, 500},
		{"a thousand at once", 1000, time.Millisecond, 50, 500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &machine{s: New(Config{Slots: 2}), cost: 4 * time.Millisecond, start: time.Millisecond, buffer: 3 * time.Second}
				m.crowd(t, tt.listeners, tt.over, length)
				t.Logf("%d admitted, %d refused, %d underruns, first audio after %v at worst", m.admitted, m.refused, m.underruns, m.worst)
				if m.underruns > 0 {
					t.Errorf("%d of %d admitted streams were interrupted, want none", m.underruns, m.admitted)
				}
				if m.admitted < tt.fewest || m.admitted > tt.mostWant {
					t.Errorf("%d of %d listeners were admitted, want %d to %d", m.admitted, tt.listeners, tt.fewest, tt.mostWant)
				}
			})
		})
	}
}

// TestRecovers checks that a refusal is not remembered longer than its reason.
func TestRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &machine{s: New(Config{Slots: 2}), cost: 4 * time.Millisecond, buffer: 3 * time.Second}
		m.crowd(t, 1500, 10*time.Second, 20*time.Second)
		if m.refused == 0 {
			t.Fatal("none of 1500 was refused; there is nothing to recover from")
		}
		*m = machine{s: m.s, cost: 4 * time.Millisecond, buffer: 3 * time.Second}
		m.crowd(t, 300, 10*time.Second, 20*time.Second)
		if m.refused > 0 || m.underruns > 0 {
			t.Errorf("after the crowd left, %d of 300 were refused and %d interrupted, want none", m.refused, m.underruns)
		}
	})
}

// TestFewAreNeverRefused checks that clients who take all they can get at once
// do not shut the others out.
func TestFewAreNeverRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &machine{s: New(Config{Slots: 2}), cost: 4 * time.Millisecond, start: time.Millisecond, buffer: time.Hour}
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				for range 20 {
					m.listen(t, Live, 10*time.Second)
				}
			})
		}
		all.Wait()
		if m.refused > 0 {
			t.Errorf("%d of %d requests of 64 greedy clients were refused, want none", m.refused, m.refused+m.admitted)
		}
	})
}

// TestWholeTakesWhatIsLeft checks that a burst of whole requests waits instead of
// being refused, interrupts no listener, and is not starved by them.
func TestWholeTakesWhatIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const cost, start, buffer = 4 * time.Millisecond, time.Millisecond, 3 * time.Second
		s := New(Config{Slots: 2})
		listeners := &machine{s: s, cost: cost, start: start, buffer: buffer}
		batch := &machine{s: s, cost: cost, start: start}
		var all sync.WaitGroup
		all.Go(func() { listeners.crowd(t, 400, 20*time.Second, 60*time.Second) })
		time.Sleep(25 * time.Second)
		came := time.Now()
		var took time.Duration
		for range 200 {
			all.Go(func() {
				batch.listen(t, Whole, 10*time.Second)
				batch.mu.Lock()
				defer batch.mu.Unlock()
				took = time.Since(came)
			})
		}
		all.Wait()
		t.Logf("200 whole requests took %v", took)
		if batch.refused > 0 || listeners.refused > 0 || listeners.underruns > 0 {
			t.Errorf("%d whole requests and %d listeners refused, %d interrupted; want none",
				batch.refused, listeners.refused, listeners.underruns)
		}
		// 2,000 s of audio beside 400 of the 500 s a second that there are.
		if took > 25*time.Second {
			t.Errorf("200 whole requests took %v, want at most 25 s", took)
		}
		if _, err := s.Admit(Whole); err != nil {
			t.Error(err)
		}
	})
}

// TestSlowReaders checks that readers who take a second of audio a minute are not
// taken for starving: they shut nobody out and get no turn before the others.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 2})
		var all sync.WaitGroup
		for range 20 {
			slow := admit(t, s)
			all.Go(func() {
				defer slow.End()
				for range 5 {
					slow.instantly(t, Unit)
					_ = slow.Send(func() error { time.Sleep(12 * time.Second); return nil })
				}
			})
		}
		m := &machine{s: s, cost: 4 * time.Millisecond, start: time.Millisecond, buffer: 3 * time.Second}
		m.crowd(t, 380, 20*time.Second, 20*time.Second)
		all.Wait()
		if m.refused > 0 || m.underruns > 0 {
			t.Errorf("beside slow readers, %d of 380 listeners were refused and %d interrupted, want none", m.refused, m.underruns)
		}
	})
}

func BenchmarkTurn(b *testing.B) {
	s := New(Config{Slots: runtime.GOMAXPROCS(0) + 1})
	st := admit(b, s)
	for b.Loop() {
		if err := st.Do(b.Context(), Unit, func() error { return nil }); err != nil {
			b.Fatal(err)
		}
		_ = st.Send(func() error { return nil })
	}
}

// Do makes so much audio with work, in a turn of the stream. The error is that of work, or
// the cause of the context if that ends before the turn comes.
func (st *Stream) Do(ctx context.Context, audio time.Duration, work func() error) error {
	if err := st.Acquire(ctx); err != nil {
		return err
	}
	done := time.Duration(0)
	defer func() { st.Release(done) }()
	err := work()
	if err == nil {
		done = audio
	}
	return err
}

package schedule

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// counts returns what admission looks at.
func (s *Scheduler) counts() (running, starting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[Live], s.starting
}

func wantCounts(t *testing.T, s *Scheduler, running, starting int) {
	t.Helper()
	if r, st := s.counts(); r != running || st != starting {
		t.Errorf("%d run and %d are starting, want %d and %d", r, st, running, starting)
	}
}

// TestPausedDoNotRun pauses streams before and after their first audio.
func TestPausedDoNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 1})
		a, b := admit(t, s), admit(t, s)
		wantCounts(t, s, 2, 2)
		a.instantly(t, Unit)
		wantCounts(t, s, 2, 1)
		a.Pause()
		a.Pause()
		b.Pause()
		wantCounts(t, s, 0, 0)
		a.Resume()
		a.Resume()
		b.Resume()
		wantCounts(t, s, 2, 1)
		b.instantly(t, Unit)
		a.Pause()
		time.Sleep(time.Minute)
		a.Resume() // all of it was heard: it begins anew
		wantCounts(t, s, 2, 1)
		if lead := a.Lead(); lead != 0 {
			t.Errorf("Lead() = %v of a stream that begins anew", lead)
		}
		a.instantly(t, Unit)
		wantCounts(t, s, 2, 0)
		a.Pause()
		a.End()
		a.End()
		a.Resume()
		a.Pause()
		wantCounts(t, s, 1, 0)
		b.End()
		b.Pause()
		wantCounts(t, s, 0, 0)
	})
}

// TestPausedTakeNoPlace has as many streams wait for their callers as would be
// refused if they ran, with and without audio.
func TestPausedTakeNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 1})
		for i := range 3 * startingPerCore * runtime.GOMAXPROCS(0) {
			st := admit(t, s)
			if i%2 == 0 {
				st.instantly(t, Unit)
			}
			st.Pause()
		}
		wantCounts(t, s, 0, 0)
		st := admit(t, s)
		st.instantly(t, Unit)
		if s.capacity.pressed() {
			t.Error("streams that are paused press the server")
		}
		st.End()
	})
}

// TestResumedIsNotStarving has callers who think for a while: what is left of the
// audio is little then, and nobody's fault.
func TestResumedIsNotStarving(t *testing.T) {
	t.Parallel()
	for _, left := range []time.Duration{-10 * time.Second, -time.Millisecond, 0, 10 * time.Millisecond, 150 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			s := New(Config{Slots: 1})
			st := admit(t, s)
			st.instantly(t, 20*time.Second)
			st.Pause()
			time.Sleep(20*time.Second - left)
			st.Resume()
			st.instantly(t, 50*time.Millisecond)
			if !s.lastTight.IsZero() {
				t.Errorf("with %v left, a stream that is resumed counts as starving", left)
			}
		})
	}
	// One that does not wait for its caller is starving still.
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 1})
		st := admit(t, s)
		st.instantly(t, 2*time.Second)
		time.Sleep(2 * time.Second)
		st.instantly(t, 50*time.Millisecond)
		if s.lastTight.IsZero() {
			t.Error("a stream that runs and has nothing left does not count as starving")
		}
	})
}

// TestResumedIsUrgent has streams wait for a turn: with audio in hand, resumed with
// nothing, resumed with a little, and resumed with a lot.
func TestResumedIsUrgent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 1})
		leads := []time.Duration{time.Second, 0, 40 * time.Millisecond, 3 * time.Second}
		var streams []*Stream
		for i, lead := range leads {
			st := admit(t, s)
			st.instantly(t, 10*time.Second+lead)
			if i > 0 {
				st.Pause()
			}
			streams = append(streams, st)
		}
		time.Sleep(10 * time.Second)
		if err := streams[0].Acquire(t.Context()); err != nil { // the only turn
			t.Fatal(err)
		}
		order := make(chan int, len(leads))
		for i, st := range streams[1:] {
			st.Resume()
			go func() {
				_ = st.Do(t.Context(), Unit, func() error { order <- i + 1; return errors.ErrUnsupported })
			}()
		}
		other := admit(t, s)
		go func() {
			_ = other.Do(t.Context(), Unit, func() error { order <- 4; return errors.ErrUnsupported })
		}()
		synctest.Wait()
		streams[0].Release(0)
		synctest.Wait()
		close(order)
		got := slices.Collect(values(order))
		if slices.Sort(got[1:3]); !slices.Equal(got, []int{2, 1, 4, 3}) {
			t.Errorf("turns in the order %v, want 2, then 1 and 4, which are as urgent as each other, then 3", got)
		}
	})
}

func values(c <-chan int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for v := range c {
			if !yield(v) {
				return
			}
		}
	}
}

// TestPausesDoNotDistortCapacity has streams that pause often: what is measured is
// what is made while the server is pressed.
func TestPausesDoNotDistortCapacity(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 2})
		for range 2 { // no more than there are slots: the server is at ease
			st := admit(t, s)
			go func() {
				for range 200 {
					if st.Do(t.Context(), Unit, func() error { time.Sleep(5 * time.Millisecond); return nil }) != nil {
						return
					}
				}
			}()
		}
		for range 50 {
			st := admit(t, s)
			st.Pause()
			go func() {
				time.Sleep(300 * time.Millisecond)
				st.Resume()
				st.Pause()
			}()
		}
		time.Sleep(2 * time.Second)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.capacity.pressed() || s.capacity.pressedTime > 0 {
			t.Errorf("pressed for %v by streams that wait for their callers", s.capacity.pressedTime)
		}
	})
}

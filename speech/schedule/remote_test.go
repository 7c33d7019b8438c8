package schedule

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/internal/fault"
)

// faraway has one remote stream of a length played. Its pieces come from another machine, the first
// after half a second and each later one after wait, and take cost to be encoded.
func (m *machine) faraway(t *testing.T, length, wait, cost time.Duration) {
	st, err := m.s.AdmitRemote(Live)
	m.mu.Lock()
	if err != nil {
		m.refused++
		m.mu.Unlock()
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("AdmitRemote: %v, want a refusal of kind unavailable", err)
		}
		return
	}
	m.admitted++
	m.mu.Unlock()
	defer st.End()
	time.Sleep(500 * time.Millisecond)
	late := false
	for made := time.Duration(0); made < length; made += Unit {
		if err := st.Do(t.Context(), Unit, func() error { time.Sleep(cost); return nil }); err != nil {
			t.Error(err)
		}
		late = late || made > 0 && st.Lead() < Unit
		_ = st.Send(func() error {
			if ahead := st.Lead() - m.buffer; ahead > 0 {
				time.Sleep(ahead)
			}
			return nil
		})
		time.Sleep(wait)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if late && wait == 0 { // else it was the other machine that was late
		m.underruns++
	}
}

// empty fails the test if the scheduler counts anything though all streams have ended.
func empty(t *testing.T, s *Scheduler) {
	t.Helper()
	if s.free != s.slots || s.running != [2]int{} || s.remote != [2]int{} || s.wanting != 0 || s.starting != 0 || s.sending != 0 {
		t.Errorf("left over: %d of %d slots free, running %v, remote %v, %d wanting, %d starting, %d sending",
			s.free, s.slots, s.running, s.remote, s.wanting, s.starting, s.sending)
	}
}

// TestRemoteStart: as many remote streams start at once as like to, though all of them wait for
// their first audio, and those made here start beside them.
func TestRemoteStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &machine{s: New(Config{Slots: 2}), cost: 4 * time.Millisecond, start: time.Millisecond, buffer: 3 * time.Second}
		var all sync.WaitGroup
		remote := max(100, 2*startingPerCore*runtime.GOMAXPROCS(0))
		for range remote {
			all.Go(func() { m.faraway(t, 5*time.Second, 0, 400*time.Microsecond) })
		}
		synctest.Wait()
		for range 20 {
			all.Go(func() { m.listen(t, Live, 5*time.Second) })
		}
		all.Wait()
		if m.refused > 0 || m.underruns > 0 {
			t.Errorf("of %d streams %d were refused and %d interrupted, want none", remote+20, m.refused, m.underruns)
		}
		empty(t, m.s)
	})
}

// TestRemoteTakesNoCapacity: as many streams made here are carried beside remote ones as alone,
// less what encoding those takes, whether the pool is quick or slow.
func TestRemoteTakesNoCapacity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		wait time.Duration // for each piece
	}{
		{"quick", 20 * time.Millisecond},
		{"as fast as it is played", Unit},
		{"too slow", 2 * Unit}, // the listeners hear gaps, which are not of this machine's making
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				// Two slots carry 500 streams at 4 ms a second; 200 remote ones at 0.4 ms take the share of 20.
				s := New(Config{Slots: 2})
				far := &machine{s: s, buffer: 3 * time.Second}
				m := &machine{s: s, cost: 4 * time.Millisecond, start: time.Millisecond, buffer: 3 * time.Second}
				var all sync.WaitGroup
				for range 200 {
					all.Go(func() { far.faraway(t, 40*time.Second, tt.wait, 80*time.Microsecond) })
				}
				time.Sleep(2 * time.Second)
				m.crowd(t, 400, 20*time.Second, 20*time.Second)
				all.Wait()
				if far.refused+m.refused+m.underruns > 0 {
					t.Errorf("%d remote streams and %d of 400 others were refused, %d interrupted; want none", far.refused, m.refused, m.underruns)
				}
				empty(t, s)
			})
		})
	}
}

// TestRemoteBesideACrowd: the streams made here are still limited to what this machine carries, and
// remote ones that it would keep waiting are refused too.
func TestRemoteBesideACrowd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 2})
		far := &machine{s: s, buffer: 3 * time.Second}
		m := &machine{s: s, cost: 4 * time.Millisecond, start: time.Millisecond, buffer: 3 * time.Second}
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() { far.faraway(t, 60*time.Second, 20*time.Millisecond, 80*time.Microsecond) })
		}
		m.crowd(t, 1000, 20*time.Second, 25*time.Second)
		all.Wait()
		if m.underruns > 0 || m.admitted < 360 || m.admitted > 500 {
			t.Errorf("%d of 1000 were admitted and %d interrupted, want 360 to 500 and none", m.admitted, m.underruns)
		}
		empty(t, s)

		// Encoding alone can be too much.
		far = &machine{s: s, buffer: 3 * time.Second}
		for range 400 {
			all.Go(func() { far.faraway(t, 30*time.Second, 0, 2*Unit/300) })
			time.Sleep(40 * time.Millisecond)
		}
		all.Wait()
		if far.admitted < 200 || far.admitted > 340 || far.underruns > 0 {
			t.Errorf("%d remote streams were admitted where 300 are carried, %d refused, %d interrupted", far.admitted, far.refused, far.underruns)
		}
		empty(t, s)
	})
}

// TestLocal: a remote stream whose audio comes to be made here counts like any other.
func TestLocal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Slots: 1})
		st, err := s.AdmitRemote(Live)
		if err != nil {
			t.Fatal(err)
		}
		if s.starting != 0 || s.pressing() != 0 {
			t.Errorf("%d starting, %d pressing; want none", s.starting, s.pressing())
		}
		if err := st.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.pressing() != 1 {
			t.Errorf("%d press with a turn, want 1", s.pressing())
		}
		st.Local()
		st.Local()
		if s.starting != 1 || s.pressing() != 1 || s.remote != [2]int{} {
			t.Errorf("%d starting, %d pressing, remote %v; want 1, 1, none", s.starting, s.pressing(), s.remote)
		}
		st.Release(Unit)
		if s.starting != 0 || s.pressing() != 1 {
			t.Errorf("after its first audio: %d starting, %d pressing; want 0, 1", s.starting, s.pressing())
		}
		st.End()
		empty(t, s)
		// While it is paused it is in no count.
		paused, err := s.AdmitRemote(Whole)
		if err != nil {
			t.Fatal(err)
		}
		paused.Pause()
		paused.Local()
		paused.Resume()
		if s.running != [2]int{Whole: 1} || s.remote != [2]int{} {
			t.Errorf("running %v, remote %v", s.running, s.remote)
		}
		paused.End()
		empty(t, s)
	})
}

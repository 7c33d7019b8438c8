package schedule

import "time"

// Pause says that the stream has nothing to make until Resume: it waits for its
// caller. It is not counted among those that run, and its listener, who may hear
// the last of it while it waits, is not starving when that ends.
func (st *Stream) Pause() {
	if st.paused || st.ended {
		return
	}
	st.paused = true
	s := st.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(time.Now())
	st.leave()
}

// Resume says that there is something to make again. A stream that was let in
// once is not refused then; when its listener has heard nearly all of it meanwhile,
// it is as urgent as a new one.
func (st *Stream) Resume() {
	if !st.paused || st.ended {
		return
	}
	st.paused = false
	s, now := st.s, time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(now)
	if lead := st.Lead(); lead < leastLead {
		// It begins anew, no later than its listener needs it: what it has left
		// does not say that it starves.
		st.admitted, st.began, st.made = now, time.Time{}, 0
		if lead > 0 {
			st.admitted = now.Add(min(lead, patience) - patience)
		}
	}
	s.running[st.kind]++
	if st.kind == Live && st.began.IsZero() {
		s.starting++
	}
}

// leave takes the stream from those that run.
func (st *Stream) leave() {
	st.s.running[st.kind]--
	if st.kind == Live && st.began.IsZero() {
		st.s.starting--
	}
}

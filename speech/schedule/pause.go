package schedule

import "time"

// Pause says that the stream has no work until Resume, because it waits for its caller. A
// paused stream is not counted as running. Its listener may hear the last of its audio
// meanwhile; that is no underrun, and does not make the server refuse others.
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

// Resume says that the stream has work again. It never fails: a stream that was admitted
// is not refused later. If its listener has heard nearly all of its audio meanwhile, it is
// as urgent as a new stream.
func (st *Stream) Resume() {
	if !st.paused || st.ended {
		return
	}
	st.paused = false
	s, now := st.s, time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(now)
	if lead := st.Lead(); lead < minLead {
		// Count it as new, so that its small lead does not look like an overloaded server.
		// It is due when its listener runs out of audio, and never later than a new one.
		st.admitted, st.began, st.made = now, time.Time{}, 0
		if lead > 0 {
			st.admitted = now.Add(min(lead, patience) - patience)
		}
	}
	st.enter()
}

// enter adds the stream to the counts of those that run. s.mu is held.
func (st *Stream) enter() {
	st.s.running[st.kind]++
	if st.remote {
		st.s.remote[st.kind]++
	}
	if st.kind != Live || st.remote {
		return
	}
	st.s.load += st.load
	if st.began.IsZero() {
		st.s.starting++
	}
}

// leave removes the stream from the counts of those that run. s.mu is held.
func (st *Stream) leave() {
	st.s.running[st.kind]--
	if st.remote {
		st.s.remote[st.kind]--
	}
	if st.kind != Live || st.remote {
		return
	}
	st.s.load -= st.load
	if st.began.IsZero() {
		st.s.starting--
	}
}

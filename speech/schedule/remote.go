package schedule

import "time"

// AdmitRemote admits a stream whose audio another machine makes: here it only takes turns to be
// encoded. While it waits for that machine it wants no processor, so it counts neither among the
// streams that start nor in the measurement of capacity, which is that of audio made here. A live
// one is refused while streams run out of audio because they wait for turns, and when more remote
// streams would need a turn than can be encoded, which is measured in the same way.
func (s *Scheduler) AdmitRemote(kind Kind) (*Stream, error) {
	return s.admit(&Stream{kind: kind, remote: true})
}

// Local says that from here on this machine makes the audio of a stream that was admitted as a
// remote one. It never fails, and does nothing for other streams.
func (st *Stream) Local() {
	s := st.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if !st.remote {
		return
	}
	s.observe(time.Now())
	st.want(false)
	if st.paused || st.ended { // it is in no count
		st.remote = false
		return
	}
	st.leave()
	st.remote = false
	st.enter()
}

// want notes that a remote stream waits for a turn or has one, or that it does not any more. s.mu
// is held.
func (st *Stream) want(turn bool) {
	if !st.remote || st.wants == turn {
		return
	}
	st.wants = turn
	if turn {
		st.s.wanting++
	} else {
		st.s.wanting--
	}
}

// pressing returns how many running streams want a processor, or are in a write to their reader:
// those whose audio is made here, and the remote ones that want a turn. s.mu is held.
func (s *Scheduler) pressing() int {
	return s.running[Live] + s.running[Whole] - s.remote[Live] - s.remote[Whole] + s.wanting
}

// starved reports whether a live stream has less lead than it must keep, and this machine is why.
// What a remote stream lacks because its audio came late is not. s.mu is held.
func (st *Stream) starved(lead time.Duration) bool {
	return lead < minLead && (!st.remote || lead+st.waited >= minLead)
}

package live

import (
	"time"

	"vaak/workshop/bench/listeners"
)

// arrival is audio that came at a time after the start of its session.
type arrival struct {
	at    time.Duration
	audio time.Duration
}

// textGrace is how long before its sound a text must have been sent, so that
// silence in its place is an underrun.
const textGrace = 60 * time.Millisecond

// silences are what a listener heard of what should have been there.
type silences struct {
	underruns int
	worst     time.Duration // by which a block was late
	waited    time.Duration // for text that had not been sent
}

// listen plays what has come as a [playback] does: block k must have come whole
// at start + (k+1) blocks, where start is the first audio, and a block that is
// late puts off all that follow. It is an underrun as far as the audio had been
// promised by text that was sent [textGrace] before: sent says when, after the
// start of the session, each piece of text was sent, and promised how much audio
// must come of the text up to that piece.
func (s *silences) listen(heard []arrival, sent, promised []time.Duration) {
	if len(heard) == 0 {
		return
	}
	due, needed, have := heard[0].at+listeners.Block, listeners.Block, time.Duration(0)
	for _, a := range heard {
		have += a.audio
		for ; have >= needed; needed += listeners.Block {
			if a.at <= due {
				due += listeners.Block
				continue
			}
			s.gap(due, a.at, blamable(needed, sent, promised))
			due = a.at + listeners.Block
		}
	}
}

// gap notes that nothing was heard, and from when on that was the service's
// fault; -1 is never.
func (s *silences) gap(from, to, blamable time.Duration) {
	if blamable < 0 || blamable >= to {
		s.waited += to - from
		return
	}
	blame := max(from, blamable)
	s.waited += blame - from
	s.underruns++
	s.worst = max(s.worst, to-blame)
}

// blamable returns from when on audio must be there, or -1.
func blamable(audio time.Duration, sent, promised []time.Duration) time.Duration {
	for i, p := range promised[:min(len(sent), len(promised))] {
		if p >= audio {
			return sent[i] + textGrace
		}
	}
	return -1
}

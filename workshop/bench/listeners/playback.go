package listeners

import "time"

const (
	// Block is how much a listener plays at a time.
	Block = 100 * time.Millisecond
	// retry is how often a listener looks whether a late block has come, and so
	// the precision of how late it was.
	retry = 5 * time.Millisecond
)

// playback is the clock of a listener: from the first byte of audio on, the
// block k must have come whole at start + (k+1) blocks. A block that is not
// there then stops the playback until it is, as in a player, and puts off all
// that follow.
type playback struct {
	due     time.Time     // when to look for the block
	needed  time.Duration // audio that must have come by then
	missing time.Time     // when the block should have been there; zero while none is missing

	underruns int
	worst     time.Duration // by which a block was late
}

func startPlayback(start time.Time) playback {
	return playback{due: start.Add(Block), needed: Block}
}

// present notes that the block is there when the listener looks, at now.
func (p *playback) present(now time.Time) {
	if p.missing.IsZero() {
		p.due = p.due.Add(Block) // whatever the hour: the listener's own delay is not the server's
	} else {
		p.note(now)
		p.missing = time.Time{}
		p.due = now.Add(Block)
	}
	p.needed += Block
}

// absent notes that the block is not there when the listener looks, at now.
func (p *playback) absent(now time.Time) {
	if p.missing.IsZero() {
		p.missing = p.due
		p.underruns++
	}
	p.note(now)
	p.due = now.Add(retry)
}

// note keeps how late the missing block is.
func (p *playback) note(now time.Time) { p.worst = max(p.worst, now.Sub(p.missing)) }

// lateness returns how much later than it meant to a listener looks at now.
func (p *playback) lateness(now time.Time) time.Duration { return now.Sub(p.due) }

// stalled returns how long the playback has been waiting.
func (p *playback) stalled(now time.Time) time.Duration {
	if p.missing.IsZero() {
		return 0
	}
	return now.Sub(p.missing)
}

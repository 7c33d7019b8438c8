package live

import (
	"slices"
	"sync"

	"vaak/speech"
	"vaak/speech/chunk"
)

// gaps knows where two phrases meet that were sent without a space between them. With auto_mode
// each message is a phrase. Some clients split a text into sentences without the spaces between
// them, and then find words in the alignment by spaces. So the alignment of the next phrase begins
// with a space that has no duration. A nil gaps knows no gaps. The conductor and the session use it
// at the same time.
type gaps struct {
	mu   sync.Mutex
	at   []int // the gaps, as numbers of code points since the session began
	sent int   // how many code points the client has the timing of
}

// newGaps returns the gaps of a session; nil unless its fragments are phrases.
func newGaps(r speech.SessionRequest) *gaps {
	if r.Chunks.Mode != chunk.Auto {
		return nil
	}
	return &gaps{}
}

// add notes a gap behind the first at code points.
func (g *gaps) add(at int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = append(g.at, at)
}

// forget removes the gap behind the first at code points, if it was noted.
func (g *gaps) forget(at int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = slices.DeleteFunc(g.at, func(n int) bool { return n == at })
}

// reached notes that the timing of n more code points was sent, and reports whether there is a gap
// behind them.
func (g *gaps) reached(n int) bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sent += n
	// at is sorted, because text is only ever appended.
	i, found := slices.BinarySearch(g.at, g.sent)
	if found {
		i++
	}
	// Gaps that were passed never match again, so the list holds only those ahead.
	g.at = slices.Delete(g.at, 0, i)
	return found && n > 0
}

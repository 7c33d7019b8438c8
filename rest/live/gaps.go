package live

import (
	"slices"
	"sync"

	"vaak/speech"
	"vaak/speech/chunk"
)

// gaps knows where phrases meet that were sent without a space between them.
// With auto_mode each message is a phrase, and there are clients that send
// sentences without the space that they had and tell words by it: so the
// alignment of the next begins with one, which has no time. A nil gaps knows
// none. It is used by a conductor and by the session.
type gaps struct {
	mu   sync.Mutex
	at   []int // code points of the session
	told int   // code points whose timing was told
}

// newGaps returns where a session knows its gaps; nil unless its fragments are
// phrases.
func newGaps(r speech.SessionRequest) *gaps {
	if r.Chunks.Mode != chunk.Auto {
		return nil
	}
	return &gaps{}
}

// add notes a gap behind so many code points.
func (g *gaps) add(at int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = append(g.at, at)
}

// reached notes that the timing of so many more code points was told, and
// reports whether there is a gap behind them.
func (g *gaps) reached(n int) bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.told += n
	i, found := slices.BinarySearch(g.at, g.told)
	if found {
		i++
	}
	g.at = slices.Delete(g.at, 0, i)
	return found && n > 0
}

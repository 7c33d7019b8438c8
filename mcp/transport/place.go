package transport

import (
	"sync"

	"vaak/internal/ratelimit"
)

// places bounds how many calls of a client run and how many of its questions wait. A call gives
// up its place while a person thinks. Otherwise a few questions without an answer would block
// all calls from the same network address.
type places struct {
	running, asking *ratelimit.Slots
	most            int // how many calls of one client may run
}

func newPlaces(most int) *places {
	return &places{running: ratelimit.NewSlots(), asking: ratelimit.NewSlots(), most: most}
}

// place is the place of one call.
type place struct {
	*places
	client string

	mu      sync.Mutex
	waiting bool // the call waits for a person
	over    bool
}

// enter takes a place for a call of a client; nil when none is left.
func (p *places) enter(client string) *place {
	if _, ok := p.running.Acquire(client, p.most); !ok {
		return nil
	}
	return &place{places: p, client: client}
}

// wait gives up the place for a question until back is called. ok is false when the client has
// as many questions open as it may. back always succeeds, because otherwise the answer of a
// person would be lost. So for a moment more calls may run than the limit, by at most the
// number of questions.
func (p *place) wait() (back func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A call asks one question at a time.
	if p.over || p.waiting {
		return nil, false
	}
	if _, ok := p.asking.Acquire(p.client, maxQuestionsOfClient); !ok {
		return nil, false
	}
	// First the place for the question and then the call's own, so that a call always holds one of
	// the two.
	p.waiting = true
	p.running.Release(p.client)
	return p.back, true
}

func (p *place) back() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting {
		p.waiting = false
		p.asking.Release(p.client)
		// -1 is no limit: the place is taken even when others have used it meanwhile.
		p.running.Acquire(p.client, -1)
	}
}

// leave gives up the place for good.
func (p *place) leave() {
	// A call that ends while it waits holds a place for a question, not for a call.
	p.back()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.over = true
		p.running.Release(p.client)
	}
}

package transport

import (
	"sync"

	"vaak/internal/ratelimit"
)

// places are those of calls that run and of questions that wait, by client. A call
// leaves its place while a person thinks, or a few questions that nobody answers would
// keep everybody at one network address from calling.
type places struct {
	running, asking *ratelimit.Slots
	most            int // calls of one client that run
}

func newPlaces(most int) *places {
	return &places{running: ratelimit.NewSlots(), asking: ratelimit.NewSlots(), most: most}
}

// place is that of one call.
type place struct {
	*places
	client string

	mu      sync.Mutex
	waiting bool // for a person
	over    bool
}

// enter takes a place for a call of a client; nil is none left.
func (p *places) enter(client string) *place {
	if _, ok := p.running.Acquire(client, p.most); !ok {
		return nil
	}
	return &place{places: p, client: client}
}

// wait leaves the place for a question, until back is called; false is a client that
// has as many open as it may. Back never fails, or an answer would be lost that a
// person gave: for the moment that is left of them, as many calls more may run as there
// were questions.
func (p *place) wait() (back func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.waiting {
		return nil, false
	}
	if _, ok := p.asking.Acquire(p.client, maxQuestionsOfClient); !ok {
		return nil, false
	}
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
		p.running.Acquire(p.client, -1)
	}
}

// leave gives the place back for good.
func (p *place) leave() {
	p.back()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.over = true
		p.running.Release(p.client)
	}
}

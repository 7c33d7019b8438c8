package live

import (
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// pongs answers pings in a goroutine of its own, so that neither a long utterance nor a client that
// stopped reading blocks the reader. If pings come faster than they can be answered, only the last
// one is answered, as RFC 6455, section 5.5.3, allows.
type pongs struct {
	mu      sync.Mutex
	busy    bool
	waiting bool
	payload string // of the ping that waits
}

// ping is the handler of pings; it is called by the reader.
func (c *connection) ping(payload string) error {
	// Never blocks the reader. One signal is enough, because the conductor only restarts a timeout.
	select {
	case c.pings <- struct{}{}:
	default:
	}
	p := &c.pong
	p.mu.Lock()
	defer p.mu.Unlock()
	// Overwrites a ping that still waits: only the newest is answered.
	p.waiting, p.payload = true, payload
	if !p.busy {
		p.busy = true
		c.crew.Go(func() {
			for payload, ok := p.next(); ok; payload, ok = p.next() {
				deadline := time.Now().Add(c.handler.cfg.ReaderPause)
				// On an error the write of audio fails too, and ends the socket.
				_ = c.ws.WriteControl(websocket.PongMessage, []byte(payload), deadline)
			}
		})
	}
	return nil
}

func (p *pongs) next() (payload string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.waiting {
		// Under the lock, so that a ping that comes now starts a new goroutine and is not lost.
		p.busy = false
		return "", false
	}
	p.waiting = false
	return p.payload, true
}

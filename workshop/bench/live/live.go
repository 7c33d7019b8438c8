// Package live measures live speech over WebSockets, whose text is written while it is
// spoken, as by a language model.
package live

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"vaak/workshop/bench/server"
)

// talk is a session that is fed as a model writes, and everything that is to be
// known of it afterwards.
type talk struct {
	path    string // of the socket
	dialect bool   // the first message is a space
	context string // of its messages, on a socket of many
	text    dictation
	due     []time.Duration // of each token, after the start
	flush   int             // the token behind which the text is flushed and stops, or -1

	conn  *socket
	began time.Time
	first chan struct{} // closed at the first audio

	mu      sync.Mutex      // guards the rest until the session has ended
	sent    []time.Duration // when each token was, and last the end
	flushed time.Duration
	heard   []arrival
	tardy   time.Duration // by which this process itself sent a token too late
}

// newTalk returns a session on the native socket.
func newTalk(f dictation, m mode, lead time.Duration) *talk {
	return &talk{path: socketPath(nativeSocket, "mode", string(m)), text: f, due: f.paced(lead), flush: -1, first: make(chan struct{})}
}

// open connects; the start is when that is done.
func (p *talk) open(s *server.Server, d *net.Dialer) (err error) {
	if p.conn, err = dialSocket(s, p.path, d); err != nil {
		return err
	}
	if p.dialect {
		err = p.conn.send(p.message(message{"text": " "}))
	}
	p.began = time.Now()
	return err
}

// message adds the context to a message.
func (p *talk) message(m message) message {
	if p.context != "" {
		m["context_id"] = p.context
	}
	return m
}

// attend feeds the session and listens to it until it has ended, or until the
// context has, which is no error.
func (p *talk) attend(ctx context.Context) error {
	defer p.conn.close()
	writing, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(ctx, p.conn.close)()
	written := make(chan error, 1)
	go func() { written <- p.write(writing) }()
	err := p.read()
	stop()
	if werr := <-written; err != nil && werr != nil {
		err = errors.Join(err, werr)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// write sends each token at its time, then the end or what takes its place.
func (p *talk) write(ctx context.Context) error {
	for i, token := range p.text.tokens {
		server.Pause(ctx, time.Until(p.began.Add(p.due[i])))
		if ctx.Err() != nil {
			return nil
		}
		p.mark(p.due[i])
		if err := p.conn.send(p.message(message{"text": token})); err != nil {
			return err
		}
		if i == p.flush {
			p.mu.Lock()
			p.flushed = time.Since(p.began)
			p.mu.Unlock()
			return p.conn.send(p.message(message{"flush": true}))
		}
	}
	p.mark(p.due[len(p.due)-1])
	return p.conn.send(p.message(message{"text": ""}))
}

// mark notes that a piece of text is sent, which was due at a time.
func (p *talk) mark(due time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := time.Since(p.began)
	p.sent, p.tardy = append(p.sent, at), max(p.tardy, at-due)
}

// read listens until the last frame.
func (p *talk) read() error {
	for {
		r, err := p.conn.next()
		if err != nil {
			return errors.Join(errUnheard, err)
		}
		if r.bytes > 0 {
			p.hear(r)
		}
		if r.last {
			return nil
		}
	}
}

func (p *talk) hear(r reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.heard) == 0 {
		close(p.first)
	}
	p.heard = append(p.heard, arrival{r.at.Sub(p.began), r.sound()})
}

// delay returns the time until the first audio from a token, or from the flush.
// Early says that the audio came before.
func (p *talk) delay(token int) (delay time.Duration, early bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if token >= len(p.sent) || p.flush >= 0 && p.flushed == 0 {
		return 0, true
	}
	since := p.sent[token]
	if p.flush >= 0 {
		since = p.flushed
	}
	delay = p.heard[0].at - since
	return max(delay, 0), delay < 0
}

// audio returns how much was heard.
func (p *talk) audio() time.Duration {
	total := time.Duration(0)
	for _, a := range p.heard {
		total += a.audio
	}
	return total
}

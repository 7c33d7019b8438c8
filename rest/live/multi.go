package live

import (
	"context"
	"time"

	"github.com/gorilla/websocket"

	"vaak/rest/live/message"
	"vaak/speech"
)

// multi is a socket of many utterances, which the dialect calls contexts: each is
// a session, and they speak one at a time.
type multi struct {
	*connection
	open  map[string]*utterance // by id: those that take text
	all   map[*live]*utterance  // those whose last frame was not sent yet
	last  map[string]*utterance // of those, the newest with an id
	ended chan *live
	idle  *time.Timer // runs while there are none

	leaving error // why the socket closes when none is left; nil: it does not
	// refused are the ids of contexts that were not opened though they were asked for
	// with dictionaries, the newest last. Their text is dropped: it would be read in
	// another way than was asked for.
	refused []string
	inVain  int // contexts whose dictionaries were looked up for nothing, since any spoke
}

// utterance is a context.
type utterance struct {
	*live
	id     string
	named  bool           // its frame names dictionaries
	spoken *speech.Spoken // told in the last frame; nil: not
	closed chan struct{}  // closed when the last frame was sent
}

func newMulti(c *connection) *multi {
	return &multi{
		connection: c,
		open:       map[string]*utterance{},
		all:        map[*live]*utterance{},
		last:       map[string]*utterance{},
		ended:      make(chan *live),
	}
}

// conduct serves the socket until it is closed.
func (m *multi) conduct() {
	m.request.Turns = speech.NewTurns()
	m.idle = time.NewTimer(m.request.Idle)
	defer m.idle.Stop()
	m.finish(m.attend())
}

// attend obeys the client until the socket is to be closed, and returns why.
func (m *multi) attend() error {
	draining := m.handler.draining
	for {
		if len(m.all) == 0 && m.leaving != nil {
			return m.leaving
		}
		var err error
		select {
		case msg := <-m.inbox:
			var f message.Message
			if f, err = m.take(msg); err == nil {
				err = m.obey(f)
			}
		case l := <-m.ended:
			err = m.close(m.all[l])
		case <-m.idle.C:
			if len(m.all) == 0 {
				err = message.TimedOut(m.request.Idle)
			}
		case <-draining:
			m.leaving, draining = message.ErrStopping, nil
		case <-m.handler.stopping:
			err = message.ErrStopping
		case <-m.present.Done():
			err = context.Cause(m.present)
		case <-m.pings: // do not count
		}
		if err != nil {
			return err
		}
	}
}

// close sends the last frames of a context that has ended, be it well or not.
func (m *multi) close(u *utterance) error {
	if u == nil { // that was done when it was stopped
		return nil
	}
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	if isGone(u.err) {
		return u.err
	}
	if err := m.sendLast(u); err != nil {
		return err
	}
	m.forget(u)
	close(u.closed)
	if len(m.all) == 0 {
		m.idle.Reset(m.request.Idle)
	}
	return nil
}

// forget takes a context off the books.
func (m *multi) forget(u *utterance) {
	m.add(u.result)
	switch {
	case u.result.Charged > 0:
		m.inVain = 0
	case u.named:
		m.inVain++
	}
	delete(m.all, u.live)
	for _, by := range []map[string]*utterance{m.open, m.last} {
		if by[u.id] == u {
			delete(by, u.id)
		}
	}
}

// sendLast says why a context has failed, if it has, and that it is over.
func (m *multi) sendLast(u *utterance) error {
	switch {
	case u.err == nil && !u.halted():
		if err := u.out.flush(); err != nil {
			return err
		}
	case u.err != nil && !timeout(u.err):
		if err := m.complain(u.id, u.err); err != nil {
			return err
		}
	}
	return m.send(websocket.TextMessage, message.AppendFinal(nil, u.id, u.spoken))
}

// complain sends an error of one context.
func (m *multi) complain(id string, why error) error {
	f, code := message.Trouble(why)
	if code == websocket.CloseInternalServerErr {
		m.handler.cfg.Logger.Error("a context failed", "request_id", m.requestID(), "code", f.Code, "error", why)
	}
	return m.send(websocket.TextMessage, message.AppendError(nil, f, id))
}

// finish ends all contexts and closes the socket with its last frame.
func (m *multi) finish(why error) {
	defer m.hasten(why)()
	cut := len(m.all) > 0
	for _, u := range m.all {
		u.stop(everything)
		m.forget(u)
	}
	if why == errDone {
		m.depart(nil, websocket.CloseNormalClosure, "")
		return
	}
	m.note(why)
	if isGone(why) {
		return
	}
	f, code := message.Trouble(why)
	var last []byte
	if why != message.ErrStopping || cut { // who has nothing open has lost nothing
		last = message.AppendError(nil, f, "")
	}
	m.depart(last, code, f.Msg)
}

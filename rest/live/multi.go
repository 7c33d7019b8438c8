package live

import (
	"context"
	"time"

	"github.com/gorilla/websocket"

	"vaak/rest/live/message"
	"vaak/speech"
)

// multi is a socket with many utterances, which the dialect calls contexts. Each context is a
// session. They speak one at a time, and frames name the context that they belong to.
type multi struct {
	*connection
	open  map[string]*utterance // by id: contexts that take text
	all   map[*live]*utterance  // contexts whose last frame is not sent yet
	last  map[string]*utterance // by id: the newest of those contexts
	ended chan *live
	idle  *time.Timer // runs while there are none

	leaving error // why the socket closes after the last context; nil while it stays open
	// refused holds the ids of contexts that were not opened because of their dictionaries,
	// newest last. Their text is dropped, because without the dictionaries it would be read
	// in another way than the client asked for.
	refused []string
	inVain  int // how many contexts in a row had dictionaries looked up and spoke nothing
}

// utterance is a context.
type utterance struct {
	*live
	id     string
	named  bool           // its frame names dictionaries
	spoken *speech.Spoken // how far it came, for the last frame; nil is left out
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
	m.request.Turns = speech.NewTurns() // contexts speak one at a time, in the order in which they have text
	m.idle = time.NewTimer(m.request.Idle)
	defer m.idle.Stop()
	m.finish(m.attend())
}

// attend handles messages and events until the socket must be closed, and returns why.
func (m *multi) attend() error {
	draining := m.handler.draining
	for {
		// Looked at after every event, because the last context may have ended by a message or by
		// itself.
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
			// The timer is not stopped when a context opens, so it may fire while there are
			// contexts and then means nothing. close starts it again.
			if len(m.all) == 0 {
				err = message.TimedOut(m.request.Idle)
			}
		case <-draining:
			// Contexts that have begun may finish. A nil channel is never ready, so that
			// the loop does not spin on a channel that stays closed.
			m.leaving, draining = message.ErrStopping, nil
		case <-m.handler.stopping:
			err = message.ErrStopping
		case <-m.late:
			err = m.errLate()
		case <-m.present.Done():
			err = context.Cause(m.present)
		case <-m.pings: // pings do not restart the timeouts of contexts
		}
		if err != nil {
			return err
		}
	}
}

// close sends the last frames of a context that has ended, with or without an error.
func (m *multi) close(u *utterance) error {
	if u == nil { // the frames were sent when the context was stopped
		return nil
	}
	// A revoked key ends all contexts at the same time. The reason belongs to the socket, and one
	// of the contexts must not report it as its own.
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
	// A context with the same id waits for this, so its frames come after the last frame above.
	close(u.closed)
	if len(m.all) == 0 {
		m.idle.Reset(m.request.Idle)
	}
	return nil
}

// forget removes a context from all maps.
func (m *multi) forget(u *utterance) {
	// The result is complete: both callers have seen the session end.
	m.add(u.result)
	switch {
	case u.result.Charged > 0:
		// Paid speech shows that the client means it, so the count of vain look-ups begins again.
		m.inVain = 0
	case u.named:
		m.inVain++
	}
	delete(m.all, u.live)
	for _, by := range []map[string]*utterance{m.open, m.last} {
		if by[u.id] == u { // a newer context may have the same id
			delete(by, u.id)
		}
	}
}

// sendLast sends the error of a context, if it failed, and its last frame.
func (m *multi) sendLast(u *utterance) error {
	switch {
	case u.err == nil && !u.halted():
		// A context that was stopped sends no more alignment, because its audio was cut off.
		if err := u.out.flush(); err != nil {
			return err
		}
	case u.err != nil && !timeout(u.err):
		// A timeout is no error of the context: the client gets the last frame alone.
		if err := m.complain(u.id, u.err); err != nil {
			return err
		}
	}
	return m.send(websocket.TextMessage, message.AppendFinal(nil, u.id, u.spoken))
}

// complain sends an error about one context.
func (m *multi) complain(id string, why error) error {
	f, code := message.Trouble(why)
	if code == websocket.CloseInternalServerErr {
		m.handler.cfg.Logger.Error("a context failed", "request_id", m.requestID(), "code", f.Code, "error", why)
	}
	return m.send(websocket.TextMessage, message.AppendError(nil, f, id))
}

// finish ends all contexts and closes the socket with its last frame.
func (m *multi) finish(why error) {
	defer m.boundClosing(why)()
	// Looked at before the contexts are forgotten.
	cut := len(m.all) > 0
	for _, u := range m.all { // deleting from a map while it is ranged over is allowed
		u.stop(everything)
		m.forget(u)
	}
	if why == errDone {
		m.endWith(nil, websocket.CloseNormalClosure, "")
		return
	}
	m.note(why)
	if isGone(why) {
		return
	}
	f, code := message.Trouble(why)
	var last []byte
	if why != message.ErrStopping || cut { // without an open context the stop cost the client nothing
		last = message.AppendError(nil, f, "")
	}
	m.endWith(last, code, f.Msg)
}

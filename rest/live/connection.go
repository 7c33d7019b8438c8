package live

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/rest/live/message"
	"vaak/speech"
)

// connection is a socket after its upgrade: what it is asked to do, and how to
// read and write it.
type connection struct {
	handler *Handler
	caller  account.Caller
	request speech.SessionRequest // of each session, unless its first message differs
	// dictionaries are those of the handshake. Their versions are those of that moment.
	dictionaries dictionaries
	base         context.Context // of the request
	ctx          context.Context // ends when the key is revoked, or the socket is over
	present      context.Context // ends with ctx, or when the reader sees the client leave
	leave        context.CancelCauseFunc
	free         func() // gives the stream slot back
	ws           *websocket.Conn

	inbox chan incoming // from the reader
	pings chan struct{} // likewise; one may wait
	deaf  chan struct{} // closed when nobody listens to the inbox any more
	read  chan struct{} // closed when the reader has ended
	spent speech.Result // all that was spoken

	crew    sync.WaitGroup // what runs for the socket, but for the reader
	writing chan struct{}  // full while a data frame is written
	pong    pongs
}

// readAhead is how many messages are read before those that came earlier were obeyed,
// to see among them that the client leaves.
const readAhead = 32

// incoming is what the reader has to say: a frame, or why there are no more.
type incoming struct {
	frame message.Message
	err   error
}

// serve lets conduct have the connection, while it is read with a parser.
func (c *connection) serve(parse message.Parser, conduct func(*connection)) {
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(c.ctx)
	c.present, c.leave = context.WithCancelCause(c.ctx)
	c.inbox, c.pings = make(chan incoming, readAhead), make(chan struct{}, 1)
	c.deaf, c.read = make(chan struct{}), make(chan struct{})
	c.writing = make(chan struct{}, 1)
	c.ws.SetPingHandler(c.ping)
	c.ws.SetCloseHandler(c.parting)
	go c.listen(parse)
	defer func() { // also when conduct panics
		cancel()
		_ = c.ws.Close() // it may be closed already
		c.hush()
		c.crew.Wait()
		if c.handler.cfg.Ended != nil {
			c.handler.cfg.Ended(c.base, c.spent)
		}
	}()
	conduct(c)
}

// take returns what a message says, unless the socket has ended for another reason:
// what waits of a client that has left is not obeyed.
func (c *connection) take(m incoming) (message.Message, error) {
	if c.present.Err() != nil {
		return message.Message{}, context.Cause(c.present)
	}
	return m.frame, m.err
}

// listen is the reader.
func (c *connection) listen(parse message.Parser) {
	defer close(c.read)
	for more := true; more; {
		var m incoming
		m.frame, more, m.err = c.next(parse)
		if isGone(m.err) {
			c.leave(m.err)
		}
		select {
		case c.inbox <- m:
		case <-c.deaf:
		}
	}
}

// hush waits for the reader of a connection that was closed.
func (c *connection) hush() {
	select {
	case <-c.deaf:
	default:
		close(c.deaf)
	}
	<-c.read
}

var buffers = sync.Pool{New: func() any { return new([message.MaxMessage + 1]byte) }}

// next reads a message; more says whether another one may follow. An error that
// is not [isGone] is the client's, and nothing that comes after it is obeyed.
func (c *connection) next(parse message.Parser) (f message.Message, more bool, err error) {
	kind, r, err := c.ws.NextReader()
	if errors.Is(err, websocket.ErrReadLimit) { // a length of over 63 bits
		return message.Message{}, false, errTooLarge()
	}
	if err != nil {
		return message.Message{}, false, gone(err)
	}
	if kind != websocket.TextMessage {
		return message.Message{}, true, fault.New(fault.Unsupported, fault.CodeInvalidMessage, "",
			"messages are JSON in text frames; a binary frame was sent")
	}
	buffer := buffers.Get().(*[message.MaxMessage + 1]byte)
	defer buffers.Put(buffer)
	n, err := io.ReadFull(r, buffer[:])
	switch {
	case err == nil:
		return message.Message{}, true, errTooLarge()
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		f, err = parse(buffer[:n])
		return f, true, err
	default:
		return message.Message{}, false, gone(err)
	}
}

func errTooLarge() error {
	return fault.New(fault.TooLarge, fault.CodeInvalidMessage, "", "a message may have %d bytes; a longer one was sent", message.MaxMessage)
}

// send writes a data frame. Its error says that the client is gone: one that
// stops reading for too long counts as such.
func (c *connection) send(kind int, p []byte) error {
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	_ = c.ws.SetWriteDeadline(time.Now().Add(c.handler.cfg.ReaderPause)) // it always returns nil
	if err := c.ws.WriteMessage(kind, p); err != nil {
		return gone(err)
	}
	return nil
}

// parting answers the close frame of a client; it is called by the reader. The
// slot is given back first, so that a client that has the answer may go on.
func (c *connection) parting(code int, _ string) error {
	c.free()
	var answer []byte
	if code != websocket.CloseNoStatusReceived {
		answer = websocket.FormatCloseMessage(code, "")
	}
	_ = c.ws.WriteControl(websocket.CloseMessage, answer, time.Now().Add(lastWords)) // it has left anyway
	return nil
}

// bye gives the slot back, sends a close frame, and lingers for the client's
// own: to close before could destroy what it has not read yet, which is seconds of
// audio when it reads no faster than it plays. See [connection.hasten] for those
// that may not take that long.
func (c *connection) bye(code int, why string) {
	c.free()
	deadline := time.Now().Add(c.handler.cfg.ReaderPause)
	err := c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason(why)), deadline)
	close(c.deaf)
	if err != nil {
		return
	}
	timer := time.NewTimer(c.handler.cfg.ReaderPause)
	defer timer.Stop()
	select {
	case <-c.read:
	case <-timer.C:
	}
}

// hasten closes the connection in a second if it is to end soon: because the
// server stops, or the key was revoked, be it now or while the end is told. If
// there is nobody at the other end it does so at once. What it returns must be
// called when the end is reached.
func (c *connection) hasten(why error) (reached func()) {
	if isGone(why) {
		_ = c.ws.Close() // nobody reads what is being written
		return func() {}
	}
	over := make(chan struct{})
	c.crew.Go(func() {
		if why != message.ErrStopping {
			select {
			case <-over:
				return
			case <-c.handler.stopping:
			case <-c.ctx.Done():
			}
		}
		timer := time.NewTimer(lastWords)
		defer timer.Stop()
		select {
		case <-over:
		case <-timer.C:
			_ = c.ws.Close() // the end is not reached
		}
	})
	return func() { close(over) }
}

func (c *connection) requestID() string { return edge.RequestID(c.base) }

// note keeps an error for the access log.
func (c *connection) note(err error) {
	if err != nil {
		edge.Note(c.base, err)
	}
}

// add counts what a session has spoken.
func (c *connection) add(res speech.Result) {
	if c.spent.Info.Voice == "" {
		first := res.Info
		first.Characters = c.spent.Characters
		c.spent.Info = first
	}
	c.spent.Characters += res.Characters
	c.spent.Charged += res.Charged
	c.spent.Duration += res.Duration
	c.spent.Bytes += res.Bytes
	c.spent.Total += res.Total
}

// depart sends the last frame, if there is one, and closes the socket.
func (c *connection) depart(last []byte, code int, why string) {
	if last != nil {
		if err := c.send(websocket.TextMessage, last); err != nil {
			c.note(err)
			return
		}
	}
	c.bye(code, why)
}

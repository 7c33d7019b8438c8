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
	"vaak/internal/pause"
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
	words        bool            // the client wants the times of words; on the native socket alone
	base         context.Context // the context of the request
	ctx          context.Context // ends when the key is revoked or the socket ends
	present      context.Context // ends with ctx, and when the reader sees the client leave
	leave        context.CancelCauseFunc
	free         func() // gives the stream slot back
	ws           *websocket.Conn

	inbox chan incoming // what the reader has read
	pings chan struct{} // pings that the reader has read; one may wait
	deaf  chan struct{} // closed when nobody receives from the inbox any more
	read  chan struct{} // closed when the reader has ended
	spent speech.Result // the sum of all that was spoken

	allowed *allowance       // nil without a token that limits the text
	late    <-chan time.Time // ready when the time that a token allows is over; nil without such a limit
	seconds int              // that the token allows

	crew    sync.WaitGroup // the goroutines of the socket, except the reader
	writing chan struct{}  // full while a data frame is written
	pong    pongs
}

// readAhead is how many messages the reader reads ahead of the conductor. It reads ahead to see
// early that the client leaves.
const readAhead = 32

// incoming is what the reader passes on: a frame, or the error after which there are no more.
type incoming struct {
	frame message.Message
	err   error
}

// serve runs conduct, while a goroutine reads the connection with the parser. When serve returns,
// the connection is closed and all its goroutines have ended.
func (c *connection) serve(parse message.Parser, conduct func(*connection)) {
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(c.ctx)
	c.present, c.leave = context.WithCancelCause(c.ctx)
	c.inbox, c.pings = make(chan incoming, readAhead), make(chan struct{}, 1)
	c.deaf, c.read = make(chan struct{}), make(chan struct{})
	c.writing = make(chan struct{}, 1)
	// The library calls these handlers in the goroutine that reads, so they must not block long: a
	// blocked reader does not see that the client leaves.
	c.ws.SetPingHandler(c.ping)
	c.ws.SetCloseHandler(c.answerClose)
	go c.listen(parse)
	defer func() { // deferred, because conduct may panic
		// The order matters. The end of the context stops the sessions, and the closing ends every
		// read and write that blocks. The reader must end before the wait for the crew, because a
		// ping makes it start another goroutine of the crew. After that nothing adds to c.spent.
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

// take returns a message that the reader has read. If the client has left or the socket must end,
// it returns the reason instead: messages that still wait then are dropped.
func (c *connection) take(m incoming) (message.Message, error) {
	if c.present.Err() != nil {
		return message.Message{}, context.Cause(c.present)
	}
	return m.frame, m.err
}

// listen is the goroutine that reads messages and puts them into the inbox.
func (c *connection) listen(parse message.Parser) {
	defer close(c.read)
	for more := true; more; {
		var m incoming
		m.frame, more, m.err = c.next(parse)
		// Before the inbox, which may be full because the conductor is blocked. A look-up of
		// dictionaries, for one, ends with present.
		if isGone(m.err) {
			c.leave(m.err)
		}
		select {
		case c.inbox <- m:
		case <-c.deaf:
		}
	}
}

// hush waits until the reader has ended. The connection must be closed, or the reader would block.
func (c *connection) hush() {
	select {
	case <-c.deaf:
	default:
		close(c.deaf)
	}
	<-c.read
}

var buffers = sync.Pool{New: func() any { return new([message.MaxMessage + 1]byte) }}

// next reads a message; more says whether another one may follow. An error for which [isGone] is
// false is a mistake of the client, and ends the socket.
func (c *connection) next(parse message.Parser) (f message.Message, more bool, err error) {
	kind, r, err := c.ws.NextReader()
	if errors.Is(err, websocket.ErrReadLimit) { // the library's own limit: a length of over 63 bits
		return message.Message{}, false, errTooLarge()
	}
	if err != nil {
		return message.Message{}, false, gone(err)
	}
	if kind != websocket.TextMessage {
		// The error ends the socket, and still more is true: the reader must go on to receive the
		// close frame of the client.
		return message.Message{}, true, fault.New(fault.Unsupported, fault.CodeInvalidMessage, "",
			"messages are JSON in text frames; a binary frame was sent")
	}
	buffer := buffers.Get().(*[message.MaxMessage + 1]byte)
	defer buffers.Put(buffer)
	// The buffer has room for one byte more than a message may have. If it gets full, the message
	// is too long.
	n, err := io.ReadFull(r, buffer[:])
	switch {
	case err == nil:
		return message.Message{}, true, errTooLarge()
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		// The message ended before the buffer did. A connection that breaks within a message gives
		// a *websocket.CloseError instead, so that half a message is never parsed.
		f, err = parse(buffer[:n])
		return f, true, err
	default:
		return message.Message{}, false, gone(err)
	}
}

func errTooLarge() error {
	return fault.New(fault.TooLarge, fault.CodeInvalidMessage, "", "a message may have %d bytes; a longer one was sent", message.MaxMessage)
}

// send writes a data frame. Its error says that the client is gone. A client that stops reading
// for too long counts as gone.
func (c *connection) send(kind int, p []byte) error {
	// The library allows one writer of data frames at a time, and both a session and the conductor
	// may want to write. Control frames need no turn.
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	_ = c.ws.SetWriteDeadline(time.Now().Add(c.handler.cfg.ReaderPause)) // it always returns nil
	if err := c.ws.WriteMessage(kind, p); err != nil {
		return gone(err)
	}
	return nil
}

// answerClose answers the close frame of a client. The reader calls it. It releases the stream
// slot before it answers, so that a client that has the answer can open the next socket.
func (c *connection) answerClose(code int, _ string) error {
	c.free()
	var answer []byte
	if code != websocket.CloseNoStatusReceived {
		answer = websocket.FormatCloseMessage(code, "")
	}
	_ = c.ws.WriteControl(websocket.CloseMessage, answer, time.Now().Add(lastWords)) // it has left anyway
	return nil
}

// closeWith releases the stream slot, sends a close frame, and waits for the close frame of the
// client. To close the connection earlier could discard audio that the client has not read yet:
// seconds of it, if the client reads as fast as it plays. [connection.boundClosing] ends the wait
// where there is no time for it.
func (c *connection) closeWith(code int, why string) {
	c.free()
	deadline := time.Now().Add(c.handler.cfg.ReaderPause)
	// A data frame that blocks holds the library's turn to write, so the close frame waits behind
	// it until the deadline.
	err := c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason(why)), deadline)
	// The reader must go on to receive the close frame. It drops every other message from here on.
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

// boundClosing gives the closing of the connection one second when the server stops or the key is
// revoked, also when that happens during the closing. If the client is gone it closes the
// connection at once. The caller calls reached when the closing is done.
func (c *connection) boundClosing(why error) (reached func()) {
	if isGone(why) {
		_ = c.ws.Close() // nobody reads what is being written
		return func() {}
	}
	over := make(chan struct{})
	c.crew.Go(func() {
		// When the server stops, the second begins now. Otherwise the closing has its full time
		// unless a stop or a revoked key comes meanwhile.
		if why != message.ErrStopping {
			select {
			case <-over:
				return
			case <-c.handler.stopping:
			case <-c.ctx.Done():
			}
		}
		limit := pause.After(lastWords, func() { _ = c.ws.Close() }) // ends every write and read that still blocks
		defer limit.Stop()
		<-over
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

// add adds what a session has spoken to the sum of the socket. The sum keeps the voice and language
// of the first session.
func (c *connection) add(res speech.Result) {
	if c.spent.Info.Voice == "" {
		first := res.Info
		// Info holds Characters too, which are summed below with those of earlier sessions.
		first.Characters = c.spent.Characters
		c.spent.Info = first
	}
	c.spent.Characters += res.Characters
	c.spent.Charged += res.Charged
	c.spent.Duration += res.Duration
	c.spent.Bytes += res.Bytes
	c.spent.Total += res.Total
}

// endWith sends the last frame, if there is one, and closes the socket.
func (c *connection) endWith(last []byte, code int, why string) {
	if last != nil {
		if err := c.send(websocket.TextMessage, last); err != nil {
			c.note(err)
			return
		}
	}
	c.closeWith(code, why)
}

package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/account"
)

// maxLine is the most bytes of a message on one line.
const maxLine = 1 << 20

// How many requests of a client on standard input are served at the same time, and how many
// more are read meanwhile. Further requests wait unread.
const (
	maxInFlight = 16
	maxWaiting  = 256
)

// Stdio serves one local client, which needs no key. Each line of in is a message, and each
// line of out is an answer; nothing else is written to out. Stdio returns nil when in has ended
// and all requests are answered, the error of in or out, or the cause when ctx ends. It does
// not close in: a Read that still blocks then keeps one goroutine until it returns. Stdio uses
// only Server, Missing and Log of cfg.
func Stdio(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &lines{log: cfg.Log, protocol: cfg.Server, missing: cfg.Missing, out: out, fail: cancel, stopping: newStop()}
	session := server.NewInProcessSession("stdio", nil)
	if err := l.protocol.RegisterSession(ctx, session); err != nil {
		return fmt.Errorf("register the client: %w", err)
	}
	defer l.protocol.UnregisterSession(ctx, session.SessionID())
	// The local user needs no key: whoever can start the program can read its files.
	ctx = withNotifier(withCaller(l.protocol.WithContext(ctx, session), account.Local), l)

	messages, readErr := readLines(ctx, in)
	q := newQueue(ctx, l)
	defer q.close()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case note := <-session.ClientNotifications():
			l.write(note)
		case r := <-q.ended:
			q.end(r)
		case line, ok := <-q.reads(messages):
			if ok {
				l.take(ctx, q, line)
				continue
			}
			// A nil channel is never ready. The loop goes on until the requests that were read are
			// answered.
			messages = nil
			l.stopping.stop() // a client that has closed its end answers no more questions
		}
		// The context may have ended at the same time, for example because a write failed. That
		// reason comes first.
		if messages == nil && q.idle() {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			return <-readErr
		}
	}
}

// lines answers the messages of one client.
type lines struct {
	missing  func(method, name string) string
	log      *slog.Logger
	protocol *server.MCPServer
	fail     context.CancelCauseFunc
	asked    questions
	stopping *stop

	mu  sync.Mutex // held while a line is written
	out io.Writer
}

// take handles a message, or queues it. Queued requests are answered while later messages are
// read. The request that sets up the connection and notifications are handled at once.
func (l *lines) take(ctx context.Context, q *queue, line []byte) {
	if line == nil {
		l.write(newFailed(nil, wrongf(mcp.PARSE_ERROR, "the message is over %d bytes", maxLine)))
		return
	}
	if !json.Valid(line) {
		l.write(newFailed(nil, wrongf(mcp.PARSE_ERROR, "the line is not JSON")))
		return
	}
	m, wrong := sniff(line, nil)
	if wrong == nil {
		wrong = m.checkParams(line)
	}
	if wrong == nil {
		wrong = m.missing(l.missing)
	}
	switch {
	case m.answers():
		// Before wrong is looked at: an answer is never answered, even if it is malformed.
		l.asked.answer(m) // an answer to no question is ignored
	case wrong != nil && m.Method != "" && !m.request() && wrong.Code != mcp.INVALID_REQUEST:
		// Notifications are not answered.
	case wrong != nil:
		l.write(newFailed(m.ID, wrong))
	case m.cancels():
		q.cancel(m)
	case m.request() && m.Method != string(mcp.MethodInitialize):
		// initialize is answered before the next message is read, because later messages depend on
		// what it agrees on.
		q.add(m, line)
	default:
		l.serve(ctx, m, line)
	}
}

// serve answers a message. A panic in the protocol library ends only this message.
func (l *lines) serve(ctx context.Context, m message, line []byte) {
	defer func() {
		if p := recover(); p != nil {
			LogPanic(ctx, l.log, "message", p)
			l.write(newFailed(m.ID, wrongf(mcp.INTERNAL_ERROR, "internal error")))
		}
	}()
	if m.listens() {
		line = m.hush() // a stream would occupy one of the places of calls for ever
	}
	ctx, code := withCode(ctx)
	answer := l.protocol.HandleMessage(ctx, line)
	// The library gives every error of a handler the code of an internal one.
	if failed, ok := answer.(mcp.JSONRPCError); ok && failed.Error.Code == mcp.INTERNAL_ERROR && code.Load() != 0 {
		failed.Error.Code = int(code.Load())
		answer = failed
	}
	if answer != nil {
		l.write(answer)
	}
}

// notify writes a notification before it returns, so that the answer to the call comes after it.
func (l *lines) notify(method string, params map[string]any) error {
	l.write(notification{mcp.JSONRPC_VERSION, method, params})
	return nil
}

// write writes a message as one line. When that fails the client is gone, and everything stops.
func (l *lines) write(message any) {
	b, err := json.Marshal(message)
	if err != nil {
		l.log.Error("encode message", "error", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// One write for the line and its end, so that a line is never torn.
	if _, err := l.out.Write(append(b, '\n')); err != nil {
		l.fail(fmt.Errorf("write answer: %w", err))
	}
}

// readLines sends the lines of in that are not blank, and nil for a line over maxLine. When in
// ends, it closes the first channel and sends the reason on the second: nil at the end of in.
func readLines(ctx context.Context, in io.Reader) (<-chan []byte, <-chan error) {
	messages, reason := make(chan []byte), make(chan error, 1)
	go func() {
		defer close(messages)
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, blank, err := readLine(r)
			if !blank {
				select {
				case messages <- line:
				case <-ctx.Done():
					return
				}
			}
			if errors.Is(err, io.EOF) {
				reason <- nil
				return
			}
			if err != nil {
				reason <- fmt.Errorf("read message: %w", err)
				return
			}
		}
	}()
	return messages, reason
}

// readLine reads to the next line feed. The line is nil when it is over maxLine; the whole line
// is then skipped.
func readLine(r *bufio.Reader) (line []byte, blank bool, err error) {
	line, blank = []byte{}, true
	for {
		part, err := r.ReadSlice('\n')
		for _, b := range part {
			blank = blank && (b == ' ' || b == '\t' || b == '\r' || b == '\n')
		}
		// A line that is too long is read to its end and not kept, so that the next line is read as
		// a message and not as its tail.
		if line != nil && len(line)+len(part) <= maxLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, blank, err
		}
	}
}

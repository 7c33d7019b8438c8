package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/account"
)

// maxLine is the most bytes of one message.
const maxLine = 1 << 20

// maxInFlight is the most requests of a client on standard input that are
// served at the same time; more of them wait unread.
const maxInFlight = 16

// ServeStdio serves one local client, which needs no key: a message on each
// line of in, an answer on each line of out, nothing else on out. It returns
// nil when in has ended and everything that was asked is answered, the error
// of in or out, or the cause when ctx is done. It does not close in: a Read
// that blocks when ctx is done keeps one goroutine until it returns.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &lines{server: s, protocol: s.protocol(Stdio), out: out, fail: cancel}
	session := server.NewInProcessSession("stdio", nil)
	if err := l.protocol.RegisterSession(ctx, session); err != nil {
		return fmt.Errorf("register the client: %w", err)
	}
	defer l.protocol.UnregisterSession(ctx, session.SessionID())
	ctx = withCaller(l.protocol.WithContext(ctx, session), account.Local)

	messages, readErr := readLines(ctx, in)
	slots := make(chan struct{}, maxInFlight)
	var serving sync.WaitGroup
	defer serving.Wait()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case note := <-session.ClientNotifications():
			l.write(note)
		case line, ok := <-messages:
			if !ok {
				serving.Wait()
				if err := context.Cause(ctx); err != nil {
					return err
				}
				return <-readErr
			}
			if !concurrent(line) {
				l.serve(ctx, line)
				continue
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			serving.Go(func() {
				defer func() { <-slots }()
				l.serve(ctx, line)
			})
		}
	}
}

// lines answers the messages of one client.
type lines struct {
	server   *Server
	protocol *server.MCPServer
	fail     context.CancelCauseFunc

	mu  sync.Mutex // one line is written at a time
	out io.Writer
}

// serve answers a message. A panic inside the protocol ends the message, not
// the program.
func (l *lines) serve(ctx context.Context, line []byte) {
	defer func() {
		if p := recover(); p != nil {
			l.server.logPanic(ctx, "message", p)
			l.write(mcp.NewJSONRPCError(idOf(line), mcp.INTERNAL_ERROR, "internal error", nil))
		}
	}()
	if line == nil {
		l.write(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.PARSE_ERROR, "the message is over 1048576 bytes", nil))
		return
	}
	if answer := l.protocol.HandleMessage(ctx, line); answer != nil {
		l.write(answer)
	}
}

// write sends a message as one line; when that fails, the client is gone and
// everything stops.
func (l *lines) write(message any) {
	b, err := json.Marshal(message)
	if err != nil {
		l.server.log.Error("encode message", "error", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.out.Write(append(b, '\n')); err != nil {
		l.fail(fmt.Errorf("write answer: %w", err))
	}
}

// idOf is the id of a request, null when it has none.
func idOf(line []byte) mcp.RequestId {
	var m struct {
		ID any `json:"id"`
	}
	_ = json.Unmarshal(line, &m) // without an id the answer says null
	return mcp.NewRequestId(m.ID)
}

// concurrent reports whether a message may be answered while later ones are
// read: requests may, once the connection is set up. Notifications are quick,
// and one that cancels must not wait.
func concurrent(line []byte) bool {
	var m struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
	}
	if json.Unmarshal(line, &m) != nil {
		return false
	}
	return m.ID != nil && m.Method != "" && m.Method != string(mcp.MethodInitialize)
}

// readLines sends the lines of in that are not blank, nil for one over
// maxLine, until in ends; then it closes the first channel and sends the
// reason on the second, nil at the end of in.
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

// readLine reads to the next line feed. The line is nil when it is over
// maxLine; what is over is thrown away.
func readLine(r *bufio.Reader) (line []byte, blank bool, err error) {
	line, blank = []byte{}, true
	for {
		part, err := r.ReadSlice('\n')
		for _, b := range part {
			blank = blank && (b == ' ' || b == '\t' || b == '\r' || b == '\n')
		}
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

// Package client is a minimal client of HTTP/1.1 on connections that stay open. It costs
// little, since clients run on the cores of the servers that they measure.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/server"
)

// Client is one kept-alive HTTP/1.1 connection. It knows as much of HTTP as the
// two servers need, so that what it costs is little beside what they cost.
type Client struct {
	conn     net.Conn
	Buf      []byte
	From, To int // what of buf has been read and not been taken

	chunked bool
	left    int64 // bytes of the chunk, or of the body if it is not chunked
	opened  bool  // a chunk has been begun, so its end of line is still to come
	Retry   bool  // the response said when to come again
}

// Dial connects and asks once for something that costs the server next to
// nothing, so that the connection is in use as a kept-alive one is.
func Dial(s *server.Server) (*Client, error) { return dialWith(s, &net.Dialer{}) }

// DialAfar is dial from afar.
func DialAfar(s *server.Server) (*Client, error) { return dialWith(s, &Afar) }

// Afar connects with the segments of an Ethernet and a receive buffer that
// stays at 512 KiB. Over plain loopback the kernel takes minutes of audio off a
// server's hands before a reader at playback speed makes it wait; with 128 KiB it
// now and then drops a segment that no longer fits, and then waits for about as
// long as the buffer lasts.
var Afar = net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
	const segment, buffer = 1448, 256 << 10 // bytes; the kernel doubles the buffer
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = errors.Join(
			unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, segment),
			unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, buffer))
	})
	return errors.Join(err, failed)
}}

func dialWith(s *server.Server, d *net.Dialer) (*Client, error) {
	c, err := Connect(s, d)
	if err != nil {
		return nil, err
	}
	if _, err := c.Send(s.WarmUp()); err != nil {
		return nil, errors.Join(err, c.conn.Close())
	}
	if err := c.Drain(); err != nil {
		return nil, errors.Join(err, c.conn.Close())
	}
	return c, nil
}

// Connect connects and says nothing yet.
func Connect(s *server.Server, d *net.Dialer) (*Client, error) {
	conn, err := d.Dial("tcp", s.Addr)
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, Buf: make([]byte, 64<<10)}, nil
}

func (c *Client) Close() { _ = c.conn.Close() } // nothing that was sent matters any more

// Send writes a request and reads the head of its response.
func (c *Client) Send(request []byte) (status int, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(server.Patience)); err != nil {
		return 0, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	head, err := c.until("\r\n\r\n")
	if err != nil {
		return 0, fmt.Errorf("read the head of the response: %w", err)
	}
	h, err := parseHead(head)
	c.chunked, c.left, c.opened, c.Retry = h.chunked, h.length, false, h.retry
	return h.status, err
}

// head is what of a response's head matters here.
type head struct {
	status  int
	chunked bool
	length  int64
	retry   bool // it says when to come again
}

func parseHead(text string) (head, error) {
	// Without an allocation: the clients of a fast server take half of the machine.
	first, lines, _ := strings.Cut(strings.TrimSuffix(text, "\r\n\r\n"), "\r\n")
	_, code, _ := strings.Cut(first, " ")
	code, _, _ = strings.Cut(code, " ")
	status, err := strconv.Atoi(code)
	if err != nil {
		return head{}, fmt.Errorf("status line %q", first)
	}
	h := head{status: status, length: -1}
	for line := range strings.SplitSeq(lines, "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case strings.EqualFold(name, "content-length"):
			if h.length, err = strconv.ParseInt(value, 10, 64); err != nil {
				return h, fmt.Errorf("content length %q", value)
			}
		case strings.EqualFold(name, "transfer-encoding"):
			h.chunked, h.length = true, 0
		case strings.EqualFold(name, "retry-after"):
			h.retry = true
		case strings.EqualFold(name, "x-cache"):
			if value == "hit" {
				return h, errors.New("the answer came from a cache and measures nothing")
			}
		}
	}
	if h.status == statusNotModified {
		h.chunked, h.length = false, 0
	}
	if h.length < 0 {
		return h, errors.New("the response has neither a length nor chunks")
	}
	return h, nil
}

// Next returns the next bytes of the body, good until the next call, and io.EOF
// after the last.
func (c *Client) Next() ([]byte, error) {
	if c.left == 0 {
		if !c.chunked {
			return nil, io.EOF
		}
		if err := c.nextChunk(); err != nil {
			return nil, err
		}
	}
	if c.From == c.To {
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
	n := int(min(c.left, int64(c.To-c.From)))
	b := c.Buf[c.From : c.From+n]
	c.From += n
	c.left -= int64(n)
	return b, nil
}

// nextChunk reads the line that says how long the next chunk is.
func (c *Client) nextChunk() error {
	if c.opened {
		if _, err := c.until("\r\n"); err != nil {
			return err
		}
	}
	line, err := c.until("\r\n")
	if err != nil {
		return err
	}
	size, _, _ := strings.Cut(strings.TrimSuffix(line, "\r\n"), ";")
	if c.left, err = strconv.ParseInt(size, 16, 64); err != nil {
		return fmt.Errorf("chunk size %q", size)
	}
	c.opened = true
	if c.left > 0 {
		return nil
	}
	if _, err := c.until("\r\n"); err != nil { // there are no trailers
		return err
	}
	c.chunked = false
	return io.EOF
}

// until takes the bytes up to and with the mark.
func (c *Client) until(mark string) (string, error) {
	for {
		if i := bytes.Index(c.Buf[c.From:c.To], []byte(mark)); i >= 0 {
			s := string(c.Buf[c.From : c.From+i+len(mark)])
			c.From += len(s)
			return s, nil
		}
		if err := c.fill(); err != nil {
			return "", err
		}
	}
}

// fill reads what there is, behind what has not been taken yet.
func (c *Client) fill() error {
	if c.From > 0 {
		c.To = copy(c.Buf, c.Buf[c.From:c.To])
		c.From = 0
	}
	if c.To == len(c.Buf) {
		return errors.New("a line of the response is too long")
	}
	n, err := c.conn.Read(c.Buf[c.To:])
	c.To += n
	if n > 0 {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Drain reads the body to its end.
func (c *Client) Drain() error {
	_, err := c.Count(nil)
	return err
}

// Count reads the body to its end and returns its length; each, if set, is told
// of every part.
func (c *Client) Count(each func(n int)) (int64, error) {
	total := int64(0)
	for {
		b, err := c.Next()
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		total += int64(len(b))
		if each != nil {
			each(len(b))
		}
	}
}

// Ask sends a request that is to be answered with audio.
func (c *Client) Ask(request []byte) error {
	status, err := c.Send(request)
	if err != nil {
		return err
	}
	return c.Expect(status)
}

// statusNotModified answers who has the content already; it has no body.
const statusNotModified = 304

// Expect returns an error, with what the body says, of a status that promises
// no audio.
func (c *Client) Expect(status int) error {
	if status == 200 || status == statusNotModified {
		return nil
	}
	body, _ := c.Next() // the status says enough without it
	return fmt.Errorf("status %d: %s", status, body)
}

// Whole sends a request and returns the length of the body.
func (c *Client) Whole(request []byte) (int64, error) {
	if err := c.Ask(request); err != nil {
		return 0, err
	}
	return c.Count(nil)
}

// First sends a request and returns the time until the first byte of audio,
// which comes after header bytes of the body.
func (c *Client) First(request []byte, header int) (time.Duration, error) {
	began := time.Now()
	if err := c.Ask(request); err != nil {
		return 0, err
	}
	for n := 0; n <= header; {
		b, err := c.Next()
		if err != nil {
			return 0, fmt.Errorf("before the first audio: %w", err)
		}
		n += len(b)
	}
	return time.Since(began), nil
}

// FirstOf is first, with the rest of the response read too.
func (c *Client) FirstOf(s *server.Server, t corpus.Sample) (time.Duration, error) {
	d, err := c.First(s.Request(t), s.Header)
	if err != nil {
		return 0, err
	}
	return d, c.Drain()
}

// Sip asks, reads a byte now and then until the context ends, and closes the
// connection.
func (c *Client) Sip(ctx context.Context, request []byte) error {
	defer c.Close()
	if err := c.Ask(request); err != nil {
		return err
	}
	var one [1]byte
	for ctx.Err() == nil {
		if err := c.conn.SetDeadline(time.Now().Add(server.Patience)); err != nil {
			return err
		}
		if _, err := c.conn.Read(one[:]); err != nil {
			return fmt.Errorf("a slow reader: %w", err)
		}
		server.Pause(ctx, slowSips)
	}
	return nil
}

// Timed sends a short request, the text of which is that listener's only, and
// returns the times until the first audio and until the last.
func (c *Client) Timed(ctx context.Context, s *server.Server, listener int) (took [2]time.Duration, err error) {
	t, err := corpus.Shuffled(corpus.English, 200, listener)
	if err != nil {
		return took, err
	}
	server.Pause(ctx, BetweenRequests)
	if err := ctx.Err(); err != nil {
		return took, err
	}
	began := time.Now()
	if took[0], err = c.First(s.Request(t), s.Header); err != nil {
		return took, err
	}
	err = c.Drain()
	took[1] = time.Since(began)
	return took, err
}

// Unchunker goes on with the body where the client is.
func (c *Client) Unchunker() Unchunker {
	u := Unchunker{chunked: c.chunked, left: c.left}
	if c.opened && c.left == 0 {
		u.expect = chunkEnd
	}
	return u
}

// Detach takes the socket off the client, which is closed, and off the poller.
// Reads of it do not block; it belongs to the caller.
func (c *Client) Detach() (fd int, err error) {
	defer c.Close() // which the duplicate survives
	sys, ok := c.conn.(syscall.Conn)
	if !ok {
		return -1, fmt.Errorf("a connection of type %T has no socket", c.conn)
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return -1, err
	}
	cerr := raw.Control(func(own uintptr) { fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) })
	return fd, errors.Join(err, cerr)
}

// slowSips is how often a slow reader takes a byte.
const slowSips = time.Second

// BetweenRequests is the pause of one who asks again and again.
const BetweenRequests = 20 * time.Millisecond

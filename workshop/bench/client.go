package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// client is one kept-alive HTTP/1.1 connection. It knows as much of HTTP as the
// two servers need, so that what it costs is little beside what they cost.
type client struct {
	conn     net.Conn
	buf      []byte
	from, to int // what of buf has been read and not been taken

	chunked bool
	left    int64 // bytes of the chunk, or of the body if it is not chunked
	opened  bool  // a chunk has been begun, so its end of line is still to come
	retry   bool  // the response said when to come again
}

// patience is how long a server may say nothing.
const patience = 60 * time.Second

// dial connects and asks once for something that costs the server next to
// nothing, so that the connection is in use as a kept-alive one is.
func dial(s *server) (*client, error) { return dialWith(s, &net.Dialer{}) }

// dialAfar is dial from afar.
func dialAfar(s *server) (*client, error) { return dialWith(s, &afar) }

// afar connects with the segments of an Ethernet and a receive buffer that
// stays at 512 KiB. Over plain loopback the kernel takes minutes of audio off a
// server's hands before a reader at playback speed makes it wait; with 128 KiB it
// now and then drops a segment that no longer fits, and then waits for about as
// long as the buffer lasts.
var afar = net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
	const segment, buffer = 1448, 256 << 10 // bytes; the kernel doubles the buffer
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = errors.Join(
			unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, segment),
			unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, buffer))
	})
	return errors.Join(err, failed)
}}

func dialWith(s *server, d *net.Dialer) (*client, error) {
	c, err := connect(s, d)
	if err != nil {
		return nil, err
	}
	if _, err := c.send(s.warmUp()); err != nil {
		return nil, errors.Join(err, c.conn.Close())
	}
	if err := c.drain(); err != nil {
		return nil, errors.Join(err, c.conn.Close())
	}
	return c, nil
}

// connect connects and says nothing yet.
func connect(s *server, d *net.Dialer) (*client, error) {
	conn, err := d.Dial("tcp", s.addr)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, buf: make([]byte, 64<<10)}, nil
}

func (c *client) close() { _ = c.conn.Close() } // nothing that was sent matters any more

// send writes a request and reads the head of its response.
func (c *client) send(request []byte) (status int, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
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
	c.chunked, c.left, c.opened, c.retry = h.chunked, h.length, false, h.retry
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
	lines := strings.Split(strings.TrimSuffix(text, "\r\n\r\n"), "\r\n")
	words := strings.SplitN(lines[0], " ", 3)
	if len(words) < 2 {
		return head{}, fmt.Errorf("status line %q", lines[0])
	}
	status, err := strconv.Atoi(words[1])
	if err != nil {
		return head{}, fmt.Errorf("status line %q", lines[0])
	}
	h := head{status: status, length: -1}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(name) {
		case "content-length":
			if h.length, err = strconv.ParseInt(value, 10, 64); err != nil {
				return h, fmt.Errorf("content length %q", value)
			}
		case "transfer-encoding":
			h.chunked, h.length = true, 0
		case "retry-after":
			h.retry = true
		case "x-cache":
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

// next returns the next bytes of the body, good until the next call, and io.EOF
// after the last.
func (c *client) next() ([]byte, error) {
	if c.left == 0 {
		if !c.chunked {
			return nil, io.EOF
		}
		if err := c.nextChunk(); err != nil {
			return nil, err
		}
	}
	if c.from == c.to {
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
	n := int(min(c.left, int64(c.to-c.from)))
	b := c.buf[c.from : c.from+n]
	c.from += n
	c.left -= int64(n)
	return b, nil
}

// nextChunk reads the line that says how long the next chunk is.
func (c *client) nextChunk() error {
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
func (c *client) until(mark string) (string, error) {
	for {
		if i := bytes.Index(c.buf[c.from:c.to], []byte(mark)); i >= 0 {
			s := string(c.buf[c.from : c.from+i+len(mark)])
			c.from += len(s)
			return s, nil
		}
		if err := c.fill(); err != nil {
			return "", err
		}
	}
}

// fill reads what there is, behind what has not been taken yet.
func (c *client) fill() error {
	if c.from > 0 {
		c.to = copy(c.buf, c.buf[c.from:c.to])
		c.from = 0
	}
	if c.to == len(c.buf) {
		return errors.New("a line of the response is too long")
	}
	n, err := c.conn.Read(c.buf[c.to:])
	c.to += n
	if n > 0 {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// drain reads the body to its end.
func (c *client) drain() error {
	_, err := c.count(nil)
	return err
}

// count reads the body to its end and returns its length; each, if set, is told
// of every part.
func (c *client) count(each func(n int)) (int64, error) {
	total := int64(0)
	for {
		b, err := c.next()
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

// ask sends a request that is to be answered with audio.
func (c *client) ask(request []byte) error {
	status, err := c.send(request)
	if err != nil {
		return err
	}
	return c.expect(status)
}

// statusNotModified answers who has the content already; it has no body.
const statusNotModified = 304

// expect returns an error, with what the body says, of a status that promises
// no audio.
func (c *client) expect(status int) error {
	if status == 200 || status == statusNotModified {
		return nil
	}
	body, _ := c.next() // the status says enough without it
	return fmt.Errorf("status %d: %s", status, body)
}

// whole sends a request and returns the length of the body.
func (c *client) whole(request []byte) (int64, error) {
	if err := c.ask(request); err != nil {
		return 0, err
	}
	return c.count(nil)
}

// first sends a request and returns the time until the first byte of audio,
// which comes after header bytes of the body.
func (c *client) first(request []byte, header int) (time.Duration, error) {
	began := time.Now()
	if err := c.ask(request); err != nil {
		return 0, err
	}
	for n := 0; n <= header; {
		b, err := c.next()
		if err != nil {
			return 0, fmt.Errorf("before the first audio: %w", err)
		}
		n += len(b)
	}
	return time.Since(began), nil
}

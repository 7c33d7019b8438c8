package edge

import (
	"bufio"
	"net"
	"net/http"
	"sync/atomic"
)

// Hijack hands the connection over, as [http.Hijacker] has it: to a protocol
// that begins as a request, such as WebSocket. The status is 101 from then on,
// what is written to the connection counts to the bytes of the answer, and
// deadlines are the business of the new owner, who may be served until the
// handler returns.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := r.control.Hijack()
	if err != nil {
		return nil, nil, err
	}
	r.status = http.StatusSwitchingProtocols
	r.taken = &counted{Conn: conn}
	return r.taken, buffered, nil
}

// counted counts what is written to a connection.
type counted struct {
	net.Conn
	bytes atomic.Int64
}

// Write sends p.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}

// NetConn returns the connection beneath, as that of [crypto/tls.Conn] does.
func (c *counted) NetConn() net.Conn { return c.Conn }

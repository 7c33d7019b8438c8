package edge

import (
	"bufio"
	"net"
	"net/http"
	"sync/atomic"
)

// Hijack hands over the connection, as [http.Hijacker] says, to a protocol that begins as a
// request, such as WebSocket. From then on the status in the log is 101, and what is written to
// the connection counts as bytes of the answer. The new owner sets its own deadlines. The access
// log line is written when the handler returns, so the handler must serve the connection until
// it ends.
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

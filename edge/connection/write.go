package connection

import (
	"net/http"
	"sync"
)

const (
	// netHTTP is how long a body may be that net/http sends with its head in any case, in bytes.
	netHTTP = 2 << 10
	// maxHeld bounds what is held back of an answer, in bytes.
	maxHeld = 32 << 10
)

// Write writes the whole body of an answer whose length its head has, and sends both with one call
// to the system. net/http sends what fits into its buffer of 4 KiB, and then the remainder, so that the client
// is woken twice. Write leaves to net/http what is longer than 32 KiB, what comes over HTTP/2, and
// connections that are not of a [Pool].
func Write(w http.ResponseWriter, r *http.Request, body []byte) error {
	c, ok := r.Context().Value(connKey{}).(*Conn)
	flusher, flushes := w.(interface{ FlushError() error })
	if !ok || !flushes || len(body) < netHTTP || len(body) > maxHeld || c.http2.Load() {
		_, err := w.Write(body)
		return err
	}
	c.held = held.Get().(*[]byte)
	defer c.drop() // also where w panics
	if _, err := w.Write(body); err != nil {
		return err
	}
	// The end of the body may be in the buffer of net/http.
	if err := flusher.FlushError(); err != nil {
		return err
	}
	_, err := c.Conn.Write(*c.held)
	return err
}

// held has buffers for what is held back.
var held = sync.Pool{New: func() any { return new([]byte) }}

// drop ends the holding back.
func (c *Conn) drop() {
	*c.held = (*c.held)[:0]
	held.Put(c.held)
	c.held = nil
}

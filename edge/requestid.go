package edge

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"time"
)

const requestIDHeader = "X-Request-Id"

// maxRequestID is the longest id that is taken from a caller, in bytes.
const maxRequestID = 256

// Identify gives every request an id and an [Exchange], and sets the id as a header of the
// answer before anything else can write it. An id that the caller sent is kept if it is 1 to 256
// visible ASCII characters. Any other id is replaced.
func Identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !goodRequestID(id) {
			id = NewRequestID()
		}
		// Without Set, because the name is canonical already and every request comes through here.
		c := &exchanged{Context: r.Context(), exchange: Exchange{ID: id}, id: [1]string{id}}
		w.Header()[requestIDHeader] = c.id[:]
		next.ServeHTTP(w, r.WithContext(c))
	})
}

// exchanged is a context with the exchange of its request, and with the header, in one allocation.
type exchanged struct {
	context.Context
	exchange Exchange
	id       [1]string
}

// Value returns the exchange, or what the context before has.
func (c *exchanged) Value(key any) any {
	if key == (exchangeKey{}) {
		return &c.exchange
	}
	return c.Context.Value(key)
}

func goodRequestID(id string) bool {
	if len(id) == 0 || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		// Anything else could end a header or forge a line of the log.
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewRequestID returns an id for a request.
func NewRequestID() string { return newRequestID(time.Now()) }

// newRequestID returns a ULID: 48 bits of Unix milliseconds and 80 random
// bits, in 26 characters that sort by time.
func newRequestID(now time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16) // the time fills the first 6 bytes
	rand.Read(b[6:])                                               // never fails: crypto/rand ends the program instead

	// 26 characters hold 130 bits; the 128 of the id are written 5 at a time from the low end.
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	var out [26]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}

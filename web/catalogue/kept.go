package catalogue

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"time"

	"vaak/internal/fault"
	"vaak/internal/flight"
	"vaak/internal/recent"
	"vaak/web/site"
)

// Bounds of the documents in memory, in bytes, plain and compressed. A full sitemap has about 7 MiB.
const (
	maxSitemaps = 32 << 20
	maxFeed     = 4 << 20 // the first page, of a few states of the catalogue
)

// maxWaiting is how many documents may wait to be made.
const maxWaiting = 64

// keptKey names a document that is made of the whole catalogue.
type keptKey struct {
	tag  string // of the state that it is made of
	name string
}

// kept are documents that are made when they are first asked for. Those of earlier states of the
// catalogue go as others need their room.
type kept = recent.Memory[keptKey, *site.Document]

func newKept(bound int) *kept {
	return recent.New(bound, func(k keptKey, d *site.Document) int { return len(k.name) + d.Size() })
}

// maker makes documents of the whole catalogue, with half of the processors at most. The others
// are left for speech.
type maker = flight.Bounded[keptKey, *site.Document]

func newMaker() *maker {
	return flight.NewBounded[keptKey, *site.Document](max(1, runtime.GOMAXPROCS(0)/2), maxWaiting)
}

// serveMade answers with a document. It is made once for all who ask at the same time, and then
// kept in memory; nil keeps it nowhere.
func (s *pages) serveMade(w http.ResponseWriter, r *http.Request, memory *kept, key keptKey, create func(context.Context) (*site.Document, error)) {
	if memory != nil {
		if d, ok := memory.Get(key); ok {
			d.ServeHTTP(w, r)
			return
		}
	}
	d, err := s.maker.Do(r.Context(), key, func(ctx context.Context) (*site.Document, error) {
		if memory != nil {
			if d, ok := memory.Get(key); ok { // it was made since
				return d, nil
			}
		}
		d, err := create(ctx)
		if err == nil && memory != nil {
			d.Size() // compresses it: memory is locked while it asks for sizes, and then no other could be read
			memory.Put(key, d)
		}
		return d, err
	})
	switch {
	case err == nil:
		d.ServeHTTP(w, r)
	case errors.Is(err, flight.ErrBusy):
		s.CatalogueFailed(w, r, fault.Down(fault.CodeOverloaded, time.Second, nil, "%d documents of the catalogue wait to be made; try again in 1 s", maxWaiting))
	default:
		s.CatalogueFailed(w, r, err)
	}
}

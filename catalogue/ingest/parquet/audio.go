package parquet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Recording is a recording that is embedded in a table.
type Recording struct {
	row   int64
	size  int64
	place place
	pages *Pages
	table int // number of the table in pages
}

// HeadBytes is how many bytes of a recording are shown when it is listed.
const HeadBytes = 512 // the magic number of tar is at byte 257

// maxOpen is how many bytes the recordings that are open may keep in memory: two pages of the largest
// size. Files are measured by as many jobs as there are processors, and each has a recording open.
const maxOpen = 2 * maxPage

// Pages keeps the page that was decoded last, of all tables that it is given to: recordings are
// mostly read in their order, and one page may hold many of them. Recordings that are open keep up to
// 512 MiB beside it. It is safe for concurrent use.
type Pages struct {
	most int64               // bytes that open recordings keep
	open *semaphore.Weighted // of most

	mu     sync.Mutex
	tables int

	table int
	at    int64
	body  []byte
}

// NewPages returns pages of which none is decoded yet.
func NewPages() *Pages { return newPages(maxOpen) }

func newPages(most int64) *Pages { return &Pages{most: most, open: semaphore.NewWeighted(most)} }

// Recordings calls each for the recording in every row, with the row from 0, and stops with the
// error that each returns. A table without embedded recordings has none. head are the first
// [HeadBytes] of the recording, or all if it has fewer. Every page is decompressed, for only so it
// is known where the recordings begin and how long they are. A row without bytes is an error: its path names a file that is not in the
// table.
func (p *Pages) Recordings(r io.ReaderAt, size int64, each func(row int64, head []byte, one Recording) error) error {
	t, err := Open(r, size)
	if err != nil {
		return err
	}
	c := t.Audio()
	if c == nil {
		return nil
	}
	p.mu.Lock()
	p.tables++
	table := p.tables
	p.mu.Unlock()
	total := int64(0) // bytes of all recordings
	return t.Values(c, func(v Value) error {
		if v.Bytes == nil {
			return fmt.Errorf("has no audio in row %d: %s is empty there, and a file that its path names is not looked for", v.Row+1, c.Path)
		}
		// A dictionary could have one recording in millions of rows.
		if total += int64(len(v.Bytes)); total > freeUnpacked+maxRatio*size {
			return fmt.Errorf("unpacks to more than %d times its size", maxRatio)
		}
		return each(v.Row, v.Bytes[:min(len(v.Bytes), HeadBytes)], Recording{v.Row, int64(len(v.Bytes)), v.place, p, table})
	})
}

// Size returns the size of the recording in bytes.
func (r Recording) Size() int64 { return r.size }

// Reader reads a recording that is open. It must be closed, or others may wait for ever.
type Reader struct {
	*bytes.Reader
	release func()
}

// Close lets other recordings be opened. It may be called twice, and its error is nil.
func (r *Reader) Close() error {
	r.release()
	return nil
}

// Open returns the bytes of the recording. container must be the table, of size bytes. It waits while
// other recordings that are open keep too much memory, so nobody may open a recording and hold it
// while waiting for another.
func (r Recording) Open(container io.ReaderAt, size int64) (*Reader, error) {
	p := r.pages
	// A reader of a part keeps the whole page in memory, even after another has taken its place.
	kept := int64(r.place.page.unpacked)
	small := r.size <= kept/2
	if small {
		kept = r.size
	}
	kept = min(kept, p.most) // one recording can be open always
	if err := p.open.Acquire(context.Background(), kept); err != nil {
		return nil, err
	}
	sound, err := p.sound(r, container, size)
	if err != nil {
		p.open.Release(kept)
		return nil, err
	}
	if small {
		sound = bytes.Clone(sound)
	}
	return &Reader{bytes.NewReader(sound), sync.OnceFunc(func() { p.open.Release(kept) })}, nil
}

// sound returns the bytes of a recording, which are part of a page.
func (p *Pages) sound(r Recording, container io.ReaderAt, size int64) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.body == nil || p.table != r.table || p.at != r.place.page.at {
		p.body = nil // not two pages at once in memory
		t := &Table{r: container, size: size}
		body, err := t.body(*r.place.page, r.place.codec)
		if err != nil {
			return nil, err
		}
		p.table, p.at, p.body = r.table, r.place.page.at, body
	}
	if int64(r.place.at) > int64(len(p.body))-r.size {
		return nil, fmt.Errorf("has a broken page: the recording of row %d is not in it", r.row+1)
	}
	return p.body[r.place.at : int64(r.place.at)+r.size], nil
}

package cache

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// model says what a cache holds, without a disk.
type model struct {
	max, maxEntry int64
	used          int64
	order         []int         // keys, the latest used first
	room          map[int]int64 // of the entries
	size          map[int]int   // of their bodies
	readers       map[int]int
}

// modelDraft is a draft and what the model knows of it.
type modelDraft struct {
	*Draft
	key       int
	body      int
	room      int64
	small     bool // it holds one small piece, and no other may follow
	over      bool
	forgotten bool // its cache was closed
}

func (m *model) drop(d *modelDraft) {
	m.used -= d.room
	d.over, d.room = true, 0
}

// take is what writing size bytes in all does.
func (m *model) take(d *modelDraft, size int64) {
	more := blocks(size) - d.room
	if more <= 0 {
		return
	}
	for {
		if slices.Contains(m.order, d.key) {
			m.drop(d)
			return
		}
		if m.used+more <= m.max {
			m.used += more
			d.room += more
			return
		}
		if !m.evict() {
			m.drop(d)
			return
		}
	}
}

func (m *model) evict() bool {
	for i, k := range slices.Backward(m.order) {
		if m.readers[k] == 0 {
			m.used -= m.room[k]
			m.order = slices.Delete(m.order, i, i+1)
			return true
		}
	}
	return false
}

func (m *model) write(d *modelDraft, n int) {
	if int64(d.body+n+footerSize) > m.maxEntry {
		m.drop(d)
		return
	}
	d.body += n
	if n > bufferSize { // else it waits in the buffer
		m.take(d, int64(d.body))
	}
}

func (m *model) commit(d *modelDraft) {
	size := int64(d.body + len(head(key(d.key))) + footerSize)
	if size > m.maxEntry {
		m.drop(d)
		return
	}
	if m.take(d, size); d.over {
		return
	}
	if slices.Contains(m.order, d.key) {
		m.drop(d)
		return
	}
	m.order = slices.Insert(m.order, 0, d.key)
	m.room[d.key], m.size[d.key] = d.room, d.body
	d.over = true
}

// machine runs a cache beside the model.
type machine struct {
	model
	dir    string
	cache  *Cache
	drafts []*modelDraft
	open   []reading
}

type reading struct {
	*Entry
	key, size int
}

const modelKeys = 7

// TestModel takes random steps and compares the cache with the model after each:
// what is held, in which order it would leave, and what the disk says.
func TestModel(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		m := &machine{dir: dir, model: model{
			max: 24 * blockSize, maxEntry: 12 * blockSize,
			room: map[int]int64{}, size: map[int]int{}, readers: map[int]int{},
		}}
		m.start(t)
		defer m.stop(t)
		t.Repeat(map[string]func(*rapid.T){
			"":        m.check,
			"keep":    m.keep,
			"begin":   m.begin,
			"write":   func(t *rapid.T) { m.write(t, bufferSize+1, 40_000) },
			"small":   func(t *rapid.T) { m.write(t, 1, bufferSize/2) },
			"commit":  m.commit,
			"discard": m.discard,
			"get":     m.get,
			"use":     func(t *rapid.T) { m.get(t); m.closeLast(t) },
			"close":   m.closeEntry,
			"restart": m.restart,
		})
	})
}

func (m *machine) start(t *rapid.T) {
	c, err := Open(Config{Dir: m.dir, MaxBytes: m.max, MaxEntry: m.maxEntry})
	if err != nil {
		t.Fatal(err)
	}
	m.cache = c
}

func (m *machine) stop(t *rapid.T) {
	for _, r := range m.open {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, d := range m.drafts {
		d.Discard()
	}
	if err := errors.Join(m.cache.Close(), os.RemoveAll(m.dir)); err != nil {
		t.Error(err)
	}
}

// keep drafts and commits a body of one piece.
func (m *machine) keep(t *rapid.T) {
	m.begin(t)
	d := m.drafts[len(m.drafts)-1]
	m.piece(t, d, rapid.IntRange(bufferSize+1, 40_000).Draw(t, "bytes"))
	m.finish(d)
}

func (m *machine) begin(t *rapid.T) {
	k := rapid.IntRange(1, modelKeys).Draw(t, "key")
	d := &modelDraft{Draft: m.cache.Begin(key(k)), key: k, over: slices.Contains(m.order, k)}
	if got := d.Draft.cache == nil; got != d.over {
		t.Fatalf("a draft of key %d is over: %v, want %v", k, got, d.over)
	}
	m.drafts = append(m.drafts, d)
}

// draft draws one of the drafts.
func (m *machine) draft(t *rapid.T) *modelDraft {
	if len(m.drafts) == 0 {
		t.Skip("no drafts")
	}
	return rapid.SampledFrom(m.drafts).Draw(t, "draft")
}

func (m *machine) write(t *rapid.T, least, most int) {
	d := m.draft(t)
	if d.small || least == 1 && d.body > 0 {
		t.Skip("no more pieces")
	}
	d.small = least == 1
	m.piece(t, d, rapid.IntRange(least, most).Draw(t, "bytes"))
}

func (m *machine) piece(t *rapid.T, d *modelDraft, n int) {
	// The piece is what comes next of a body that is long enough for all.
	piece := body(key(d.key), d.body+n)[d.body:]
	if got, err := d.Write(piece); got != n || err != nil {
		t.Fatalf("Write = %d, %v; want %d, nil", got, err, n)
	}
	if d.over {
		d.body += n
		return
	}
	if d.forgotten {
		d.over = true
		return
	}
	m.model.write(d, n)
}

func (m *machine) commit(t *rapid.T) { m.finish(m.draft(t)) }

func (m *machine) finish(d *modelDraft) {
	d.Commit(head(key(d.key)))
	if !d.over && !d.forgotten {
		m.model.commit(d)
	}
	m.forget(d)
}

func (m *machine) discard(t *rapid.T) {
	d := m.draft(t)
	d.Discard()
	if !d.over {
		m.drop(d)
	}
	m.forget(d)
}

func (m *machine) forget(d *modelDraft) {
	m.drafts = slices.DeleteFunc(m.drafts, func(o *modelDraft) bool { return o == d })
}

func (m *machine) get(t *rapid.T) {
	k := rapid.IntRange(1, modelKeys).Draw(t, "key")
	at := slices.Index(m.order, k)
	e, ok := m.cache.Get(key(k))
	if ok != (at >= 0) {
		t.Fatalf("Get(%d) = %v, want %v", k, ok, at >= 0)
	}
	if !ok {
		return
	}
	m.order = slices.Insert(slices.Delete(m.order, at, at+1), 0, k)
	m.readers[k]++
	m.open = append(m.open, reading{e, k, m.size[k]})
}

func (m *machine) closeEntry(t *rapid.T) {
	if len(m.open) == 0 {
		t.Skip("no entries")
	}
	m.closeAt(t, rapid.IntRange(0, len(m.open)-1).Draw(t, "entry"))
}

// closeLast closes the entry that was opened last.
func (m *machine) closeLast(t *rapid.T) {
	if len(m.open) > 0 {
		m.closeAt(t, len(m.open)-1)
	}
}

func (m *machine) closeAt(t *rapid.T, i int) {
	r := m.open[i]
	m.open = slices.Delete(m.open, i, i+1)
	if err := errors.Join(same(r.Entry, key(r.key), body(key(r.key), r.size)), r.Close()); err != nil {
		t.Fatal(err)
	}
	if r.Entry.cache == m.cache {
		m.readers[r.key]--
	}
}

// restart closes the cache with all that is open, and opens it with other bounds.
func (m *machine) restart(t *rapid.T) {
	if err := m.cache.Close(); err != nil {
		t.Fatal(err)
	}
	for i, k := range m.order {
		at := time.Unix(int64(1000-i), 0) // what touch does once a minute
		if err := os.Chtimes(m.cache.path(entryName(key(k))), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range m.drafts {
		if !d.over {
			m.drop(d)
			d.over, d.forgotten = false, true
		}
	}
	clear(m.readers)
	m.max = rapid.Int64Range(12, 30).Draw(t, "blocks") * blockSize
	for m.used > m.max {
		m.evict()
	}
	m.start(t)
}

func (m *machine) check(t *rapid.T) {
	var order []int
	m.cache.mu.Lock()
	for at := m.cache.order.Front(); at != nil; at = at.Next() {
		k := at.Value.(*item).key
		order = append(order, number(k))
	}
	m.cache.mu.Unlock()
	if diff := cmp.Diff(append([]int{}, m.order...), append([]int{}, order...)); diff != "" {
		t.Fatalf("order of use (-want +got):\n%s", diff)
	}
	if s := m.cache.Stats(); s.Bytes != m.used || s.Bytes > m.max || s.Entries != len(m.order) {
		t.Fatalf("Stats = %+v, want %d bytes of at most %d in %d entries", s, m.used, m.max, len(m.order))
	}
	room, entries, drafts, err := disk(m.dir)
	if err != nil || room != m.used || entries != len(m.order) {
		t.Fatal(fmt.Errorf("on disk %d bytes in %d entries and %d drafts (%w); want %d and %d", room, entries, drafts, err, m.used, len(m.order)))
	}
}

// number is the inverse of key.
func number(k Key) (n int) {
	for _, b := range k[:8] {
		n = n<<8 | int(b)
	}
	return n
}

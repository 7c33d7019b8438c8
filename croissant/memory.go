package croissant

import "sync"

// maxMemory bounds the documents in memory, in bytes of their bodies as they are
// and compressed. One takes some 20 KiB, so that a thousand datasets find room.
const maxMemory = 32 << 20

// place is which document is meant.
type place struct {
	slug    string
	version Version
}

// kept is a document of a revision of its record.
type kept struct {
	revision int64
	document *Document
}

// memory keeps the documents that were asked for last: two halves, of which the
// older is dropped when the newer is full.
type memory struct {
	mu       sync.Mutex
	new, old map[place]kept
	used     int // bytes in new
}

// get returns the document of a revision; nil when it is not there.
func (m *memory) get(at place, revision int64) *Document {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.new[at]
	if !ok {
		if k, ok = m.old[at]; ok {
			delete(m.old, at)
			m.keep(at, k)
		}
	}
	if !ok || k.revision != revision {
		return nil
	}
	return k.document
}

func (m *memory) put(at place, revision int64, d *Document) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(at, kept{revision, d})
}

func (m *memory) keep(at place, k kept) {
	if was, ok := m.new[at]; ok {
		m.used -= was.size()
	}
	if m.new == nil || m.used+k.size() > maxMemory/2 {
		m.old, m.new, m.used = m.new, map[place]kept{}, 0
	}
	m.new[at] = k
	m.used += k.size()
}

func (k kept) size() int { return len(k.document.Body) + len(k.document.Gzip) }

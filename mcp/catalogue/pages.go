package catalogue

import (
	"vaak/catalogue"
	"vaak/internal/recent"
)

// maxPages bounds the pages that are cached, in bytes of their structured form and text together. A
// page takes some 10 kB.
const maxPages = 4 << 20

// pageMemory caches the pages that were asked for last, by tag, in the form in which they are sent.
type pageMemory struct {
	*recent.Memory[string, foundPage]
}

func newPageMemory() pageMemory {
	return pageMemory{recent.New(maxPages, func(tag string, p foundPage) int { return len(tag) + p.size() })}
}

// of returns both forms of a page, from the cache if possible. The tag of a page changes with its
// content, so no cached page is out of date. A page without a tag is not cached.
func (m pageMemory) of(page catalogue.Page) (foundPage, error) {
	if known, ok := m.Get(page.Tag); ok {
		return known, nil
	}
	written, err := writePage(page)
	if err == nil && page.Tag != "" {
		m.Put(page.Tag, written)
	}
	return written, err
}

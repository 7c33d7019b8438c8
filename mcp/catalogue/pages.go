package catalogue

import (
	"vaak/catalogue"
	"vaak/internal/recent"
)

// maxPages bounds the pages in memory, in bytes of both forms. One takes some
// 10 kB.
const maxPages = 4 << 20

// pageMemory keeps the pages of the list that were asked for last, by tag, as they
// are sent.
type pageMemory struct {
	*recent.Memory[string, foundPage]
}

func newPageMemory() pageMemory {
	return pageMemory{recent.New(maxPages, func(tag string, p foundPage) int { return len(tag) + p.size() })}
}

// of returns the forms of a page. The tag of a page changes with its content, so
// none can be out of date; without a tag nothing is kept.
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

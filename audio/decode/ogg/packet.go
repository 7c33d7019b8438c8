package ogg

import (
	"io"

	"vaak/audio/decode/recording"
)

// packetReader reads the packets of a stream page by page.
type packetReader struct {
	pages *pageReader
	page  rawPage
	most  int // largest allowed packet in bytes

	ends   [maxTable]int // where in the body of the page its packets end
	n      int           // how many packets end in the page
	joined bool          // the first packet began on an earlier page and is in first
	first  []byte        // a packet that began on an earlier page, or its beginning
	begun  bool          // a packet continues on the next page; first has its beginning
}

// load reads the next page. At the end of the file it returns io.EOF.
func (o *packetReader) load() error {
	if err := o.keepPartial(); err != nil {
		return err
	}
	if err := o.pages.next(&o.page); err != nil {
		if err == io.EOF && o.begun {
			return recording.Broken("the file ends at byte %d in the middle of a packet", o.pages.at)
		}
		return err
	}
	p := &o.page
	if continued := p.flags&flagContinued != 0; continued != o.begun {
		return recording.Broken("the Ogg page at byte %d and the one before it disagree about where a packet ends", p.at)
	}
	o.n = 0
	at := 0
	// Lacing: a packet is segments of 255 bytes and one of fewer, which may be 0 and ends it.
	for _, length := range p.segments {
		at += int(length)
		if length < 255 {
			o.ends[o.n] = at
			o.n++
		}
	}
	o.joined = o.begun && o.n > 0
	if o.joined {
		o.begun = false
		return o.join(p.body[:o.ends[0]])
	}
	return nil
}

// keepPartial keeps the part of the page that the next page continues.
func (o *packetReader) keepPartial() error {
	last := len(o.page.segments) - 1
	if last < 0 || o.page.segments[last] < 255 {
		return nil
	}
	if !o.begun {
		o.first = o.first[:0]
	}
	// The body is only valid until the next page is read, so the unfinished packet is copied.
	tail := o.page.body
	if o.n > 0 {
		tail = tail[o.ends[o.n-1]:]
	}
	o.begun = true
	return o.join(tail)
}

// join appends to the packet that began on an earlier page.
func (o *packetReader) join(b []byte) error {
	// Tested before it grows, or a file of continued pages would fill the memory.
	if len(o.first)+len(b) > o.most {
		return recording.Broken("the packet that ends or goes on in the Ogg page at byte %d has more than the %d bytes that an Opus packet may have", o.page.at, o.most)
	}
	o.first = append(o.first, b...)
	return nil
}

// packet returns packet i of the n that end in the page. It is valid until the next load.
func (o *packetReader) packet(i int) []byte {
	switch {
	case i == 0 && o.joined:
		return o.first
	case i == 0:
		return o.page.body[:o.ends[0]]
	}
	return o.page.body[o.ends[i-1]:o.ends[i]]
}

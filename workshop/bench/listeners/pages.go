package listeners

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"
)

// pages is the timeline of Opus in Ogg (RFC 3533, RFC 7845). The header of a
// page says at which sample its last packet ends; the audio has come when the
// page has come whole. What the pages hold is skipped unread.
type pages struct {
	head    []byte // of the page that has begun, as far as it has come
	left    int    // bytes of that page's body that are still to come
	granule int64  // where that page ends, in samples
	first   bool   // the first page's body, which holds the number of samples to skip, has come
	intro   []byte // of the first page's body

	skip  int64 // samples before the audio
	whole int64 // where the last whole page ends, in samples
}

// The sizes of Ogg, in bytes, and the clock of its Opus, in Hz.
const (
	pageHeader = 27 // before the table of segments
	introSize  = 12 // of an OpusHead, up to and with the samples to skip
	opusRate   = 48000
)

func (p *pages) add(body []byte) error {
	for len(body) > 0 {
		if p.left == 0 {
			rest, err := p.header(body)
			if err != nil {
				return err
			}
			body = rest
			continue
		}
		n := min(p.left, len(body))
		if !p.first {
			p.intro = append(p.intro, body[:min(n, introSize-min(len(p.intro), introSize))]...)
		}
		body, p.left = body[n:], p.left-n
		if p.left == 0 {
			if err := p.end(); err != nil {
				return err
			}
		}
	}
	return nil
}

// header takes bytes of a page's header and returns those after it.
func (p *pages) header(body []byte) ([]byte, error) {
	size := pageHeader
	if len(p.head) >= pageHeader {
		size += int(p.head[pageHeader-1])
	}
	n := min(size-len(p.head), len(body))
	p.head, body = append(p.head, body[:n]...), body[n:]
	if len(p.head) < size {
		return body, nil
	}
	if size == pageHeader {
		if !bytes.HasPrefix(p.head, []byte("OggS")) {
			return nil, fmt.Errorf("a page of Ogg begins with %q", p.head[:4])
		}
		if p.head[pageHeader-1] > 0 {
			return body, nil // the table of segments follows
		}
	}
	for _, segment := range p.head[pageHeader:] {
		p.left += int(segment)
	}
	p.granule = int64(binary.LittleEndian.Uint64(p.head[6:]))
	p.head = p.head[:0]
	if p.left == 0 {
		return body, p.end()
	}
	return body, nil
}

// end notes that a page has come whole.
func (p *pages) end() error {
	if !p.first {
		p.first = true
		if len(p.intro) < introSize || !bytes.HasPrefix(p.intro, []byte("OpusHead")) {
			return fmt.Errorf("the first page of Ogg begins with %q, not with an OpusHead", p.intro)
		}
		p.skip = int64(binary.LittleEndian.Uint16(p.intro[10:]))
	}
	p.whole = max(p.whole, p.granule) // -1 if no packet ends on the page
	return nil
}

func (p *pages) audio() time.Duration {
	samples := max(p.whole-p.skip, 0)
	return time.Duration(samples/opusRate)*time.Second + time.Duration(samples%opusRate)*time.Second/opusRate
}

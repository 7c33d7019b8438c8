package decode

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Fields of an Ogg page (RFC 3533, section 6).
const (
	oggHeaderSize = 27 // bytes before the segment table
	oggMaxTable   = 255
	oggMaxBody    = 255 * 255
	oggMaxPage    = oggHeaderSize + oggMaxTable + oggMaxBody
	oggChecksumAt = 22

	oggContinued = 1 // the page begins inside a packet
	oggBegins    = 2 // the first page of a stream
	oggEnds      = 4 // the last page of a stream

	oggNoGranule = -1 // for a page in which no packet ends
	oggBuffer    = 32 << 10
)

// oggPage is a page. Its slices are valid until the next page is read.
type oggPage struct {
	at       int64 // offset in the file
	flags    byte
	granule  int64
	serial   uint32
	sequence uint32
	segments []byte // segment table: the length of each segment
	body     []byte
}

// oggPages reads the pages of a file, which must all belong to one logical stream and follow
// each other without a gap.
type oggPages struct {
	r      *bufio.Reader
	at     int64 // offset of the next page
	size   int64
	serial uint32
	count  uint32 // pages read
	memory [oggMaxPage]byte
}

func newOggPages(src io.ReaderAt, size int64) *oggPages {
	return &oggPages{r: bufio.NewReaderSize(io.NewSectionReader(src, 0, size), oggBuffer), size: size}
}

// next reads the next page into page. At the end of the file it returns io.EOF.
func (o *oggPages) next(page *oggPage) error {
	if o.at == o.size {
		return io.EOF
	}
	head, err := o.read(0, oggHeaderSize)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(head, []byte("OggS")) || head[4] != 0 {
		return broken("there is no Ogg page at byte %d, where the one before it ends", o.at)
	}
	table, err := o.read(oggHeaderSize, int(head[oggHeaderSize-1]))
	if err != nil {
		return err
	}
	length := 0
	for _, n := range table {
		length += int(n)
	}
	if _, err := o.read(oggHeaderSize+len(table), length); err != nil {
		return err
	}
	*page = parseOggPage(o.memory[:oggHeaderSize+len(table)+length])
	page.at = o.at
	if err := o.check(page); err != nil {
		return err
	}
	o.at += int64(oggHeaderSize + len(table) + length)
	o.count++
	return nil
}

// read fills the buffer from an offset in the page on.
func (o *oggPages) read(from, n int) ([]byte, error) {
	b := o.memory[from : from+n]
	if _, err := io.ReadFull(o.r, b); err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, broken("the file ends at byte %d in the middle of the Ogg page at byte %d", o.size, o.at)
	} else if err != nil {
		return nil, fmt.Errorf("read the Ogg page at byte %d: %w", o.at, err)
	}
	return b, nil
}

// parseOggPage returns the fields of a complete page.
func parseOggPage(b []byte) oggPage {
	le, table := binary.LittleEndian, oggHeaderSize+int(b[oggHeaderSize-1])
	return oggPage{
		flags:    b[5],
		granule:  int64(le.Uint64(b[6:])),
		serial:   le.Uint32(b[14:]),
		sequence: le.Uint32(b[18:]),
		segments: b[oggHeaderSize:table],
		body:     b[table:],
	}
}

// check returns an error unless a page is undamaged and the next one of its stream.
func (o *oggPages) check(p *oggPage) error {
	whole := o.memory[:oggHeaderSize+len(p.segments)+len(p.body)]
	if got, want := oggChecksum(whole), binary.LittleEndian.Uint32(whole[oggChecksumAt:]); got != want {
		return broken("the Ogg page at byte %d is damaged: its checksum is %08x and should be %08x", p.at, got, want)
	}
	if o.count == 0 {
		o.serial = p.serial
	}
	switch {
	case o.count == 0 && p.flags&oggBegins == 0:
		return broken("the first Ogg page is not the first of its stream")
	case o.count > 0 && p.flags&oggBegins != 0 && o.count > 1:
		return unsupported("a second recording begins in the Ogg file at byte %d; only one in a file is read, so split it", p.at)
	case o.count > 0 && (p.flags&oggBegins != 0 || p.serial != o.serial):
		return unsupported("the Ogg file holds more than one stream: %s at byte %d; only one in a file is read, so take its Opus stream out", oggCodec(p.body), p.at)
	case p.sequence != o.count:
		return broken("the Ogg page at byte %d has the number %d where %d is due: pages are missing or out of order", p.at, p.sequence, o.count)
	}
	return nil
}

// oggCodec returns the name of the codec of a stream, from its first packet.
func oggCodec(packet []byte) string {
	for _, c := range [][2]string{
		{"OpusHead", "Opus"}, {"\x01vorbis", "Vorbis"}, {"\x7fFLAC", "FLAC"}, {"fLaC", "FLAC"}, {"Speex   ", "Speex"},
		{"\x80theora", "Theora"}, {"fishead\x00", "Skeleton"}, {"CELT    ", "CELT"}, {"PCM     ", "PCM"},
	} {
		if strings.HasPrefix(string(packet[:min(len(packet), 8)]), c[0]) {
			return c[1]
		}
	}
	return "an unknown one"
}

// oggLast returns the granule position of the page that ends with the file, if there is one and
// it belongs to the stream.
func oggLast(src io.ReaderAt, size int64, serial uint32) (granule int64, ok bool, err error) {
	b := make([]byte, min(size, oggMaxPage))
	if err := readAt(src, b, size-int64(len(b))); err != nil {
		return 0, false, err
	}
	for end := len(b); ; {
		at := bytes.LastIndex(b[:end], []byte("OggS"))
		if at < 0 {
			return 0, false, nil
		}
		if p, ok := oggWhole(b[at:]); ok && p.serial == serial {
			return p.granule, p.granule != oggNoGranule, nil
		}
		end = at + 3 // the pattern of four bytes cannot overlap itself
	}
}

// oggWhole returns the page that b holds, if it holds exactly one.
func oggWhole(b []byte) (oggPage, bool) {
	if len(b) < oggHeaderSize || len(b) < oggHeaderSize+int(b[oggHeaderSize-1]) {
		return oggPage{}, false
	}
	p := parseOggPage(b)
	length := 0
	for _, n := range p.segments {
		length += int(n)
	}
	return p, length == len(p.body) && oggChecksum(b) == binary.LittleEndian.Uint32(b[oggChecksumAt:])
}

// oggTable holds the checksums of single bytes, for the polynomial 0x04c11db7, most significant
// bit first.
var oggTable = func() (t [256]uint32) {
	for b := range t {
		sum := uint32(b) << 24
		for range 8 {
			sum = sum<<1 ^ sum>>31*0x04c11db7
		}
		t[b] = sum
	}
	return t
}()

// oggChecksum returns the checksum that a page should have, with its checksum field taken as zero.
func oggChecksum(page []byte) (sum uint32) {
	for _, b := range page[:oggChecksumAt] {
		sum = sum<<8 ^ oggTable[byte(sum>>24)^b]
	}
	for range 4 {
		sum = sum<<8 ^ oggTable[byte(sum>>24)]
	}
	for _, b := range page[oggChecksumAt+4:] {
		sum = sum<<8 ^ oggTable[byte(sum>>24)^b]
	}
	return sum
}

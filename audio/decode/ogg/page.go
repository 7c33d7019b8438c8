package ogg

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"vaak/audio/decode/recording"
)

// Fields of an Ogg page (RFC 3533, section 6).
const (
	pageHeaderSize = 27 // bytes before the segment table
	maxTable       = 255
	maxBody        = 255 * 255
	maxPage        = pageHeaderSize + maxTable + maxBody
	checksumAt     = 22

	flagContinued = 1 // the page begins inside a packet
	flagBegins    = 2 // the first page of a stream
	flagEnds      = 4 // the last page of a stream

	noGranule  = -1 // for a page in which no packet ends
	bufferSize = 32 << 10
)

// rawPage is a page. Its slices are valid until the next page is read.
type rawPage struct {
	at       int64 // offset in the file
	flags    byte
	granule  int64
	serial   uint32
	sequence uint32
	segments []byte // segment table: the length of each segment
	body     []byte
}

// pageReader reads the pages of a file, which must all belong to one logical stream and follow
// each other without a gap.
type pageReader struct {
	r      *bufio.Reader
	at     int64 // offset of the next page
	size   int64
	serial uint32
	count  uint32 // pages read
	memory [maxPage]byte
}

func newPageReader(src io.ReaderAt, size int64) *pageReader {
	return &pageReader{r: bufio.NewReaderSize(io.NewSectionReader(src, 0, size), bufferSize), size: size}
}

// next reads the next page into page. At the end of the file it returns io.EOF.
func (o *pageReader) next(page *rawPage) error {
	if o.at == o.size {
		return io.EOF
	}
	head, err := o.read(0, pageHeaderSize)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(head, []byte("OggS")) || head[4] != 0 {
		return recording.Broken("there is no Ogg page at byte %d, where the one before it ends", o.at)
	}
	table, err := o.read(pageHeaderSize, int(head[pageHeaderSize-1]))
	if err != nil {
		return err
	}
	length := 0
	for _, n := range table {
		length += int(n)
	}
	if _, err := o.read(pageHeaderSize+len(table), length); err != nil {
		return err
	}
	*page = parsePage(o.memory[:pageHeaderSize+len(table)+length])
	page.at = o.at
	if err := o.check(page); err != nil {
		return err
	}
	o.at += int64(pageHeaderSize + len(table) + length)
	o.count++
	return nil
}

// read fills the buffer from an offset in the page on.
func (o *pageReader) read(from, n int) ([]byte, error) {
	b := o.memory[from : from+n]
	if _, err := io.ReadFull(o.r, b); err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, recording.Broken("the file ends at byte %d in the middle of the Ogg page at byte %d", o.size, o.at)
	} else if err != nil {
		return nil, fmt.Errorf("read the Ogg page at byte %d: %w", o.at, err)
	}
	return b, nil
}

// parsePage returns the fields of a complete page.
func parsePage(b []byte) rawPage {
	le, table := binary.LittleEndian, pageHeaderSize+int(b[pageHeaderSize-1])
	return rawPage{
		flags:    b[5],
		granule:  int64(le.Uint64(b[6:])),
		serial:   le.Uint32(b[14:]),
		sequence: le.Uint32(b[18:]),
		segments: b[pageHeaderSize:table],
		body:     b[table:],
	}
}

// check returns an error unless a page is undamaged and the next one of its stream.
func (o *pageReader) check(p *rawPage) error {
	whole := o.memory[:pageHeaderSize+len(p.segments)+len(p.body)]
	if got, want := checksum(whole), binary.LittleEndian.Uint32(whole[checksumAt:]); got != want {
		return recording.Broken("the Ogg page at byte %d is damaged: its checksum is %08x and should be %08x", p.at, got, want)
	}
	if o.count == 0 {
		o.serial = p.serial
	}
	switch {
	case o.count == 0 && p.flags&flagBegins == 0:
		return recording.Broken("the first Ogg page is not the first of its stream")
	case o.count > 0 && p.flags&flagBegins != 0 && o.count > 1:
		return recording.Unsupported("a second recording begins in the Ogg file at byte %d; only one in a file is read, so split it", p.at)
	case o.count > 0 && (p.flags&flagBegins != 0 || p.serial != o.serial):
		return recording.Unsupported("the Ogg file holds more than one stream: %s at byte %d; only one in a file is read, so take its Opus stream out", codecName(p.body), p.at)
	case p.sequence != o.count:
		return recording.Broken("the Ogg page at byte %d has the number %d where %d is due: pages are missing or out of order", p.at, p.sequence, o.count)
	}
	return nil
}

// codecName returns the name of the codec of a stream, from its first packet.
func codecName(packet []byte) string {
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

// lastGranule returns the granule position of the page that ends with the file, if there is one and
// it belongs to the stream.
func lastGranule(src io.ReaderAt, size int64, serial uint32) (granule int64, ok bool, err error) {
	// The last page begins within the last maxPage bytes, whatever stands before them.
	b := make([]byte, min(size, maxPage))
	if err := recording.ReadAt(src, b, size-int64(len(b))); err != nil {
		return 0, false, err
	}
	for end := len(b); ; {
		at := bytes.LastIndex(b[:end], []byte("OggS"))
		if at < 0 {
			return 0, false, nil
		}
		// The pattern also occurs in sound. Only a page with a right checksum that ends with the
		// file counts.
		if p, ok := wholePage(b[at:]); ok && p.serial == serial {
			return p.granule, p.granule != noGranule, nil
		}
		end = at + 3 // the pattern of four bytes cannot overlap itself
	}
}

// wholePage returns the page that b holds, if it holds exactly one.
func wholePage(b []byte) (rawPage, bool) {
	if len(b) < pageHeaderSize || len(b) < pageHeaderSize+int(b[pageHeaderSize-1]) {
		return rawPage{}, false
	}
	p := parsePage(b)
	length := 0
	for _, n := range p.segments {
		length += int(n)
	}
	return p, length == len(p.body) && checksum(b) == binary.LittleEndian.Uint32(b[checksumAt:])
}

// crcTable holds the checksums of single bytes, for the polynomial 0x04c11db7, most significant
// bit first.
var crcTable = func() (t [256]uint32) {
	for b := range t {
		sum := uint32(b) << 24
		for range 8 {
			sum = sum<<1 ^ sum>>31*0x04c11db7
		}
		t[b] = sum
	}
	return t
}()

// checksum returns the checksum that a page should have, with its checksum field taken as zero.
func checksum(page []byte) (sum uint32) {
	for _, b := range page[:checksumAt] {
		sum = sum<<8 ^ crcTable[byte(sum>>24)^b]
	}
	for range 4 {
		sum = sum<<8 ^ crcTable[byte(sum>>24)]
	}
	for _, b := range page[checksumAt+4:] {
		sum = sum<<8 ^ crcTable[byte(sum>>24)^b]
	}
	return sum
}

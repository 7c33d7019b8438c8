package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// oggPage is what parseOgg finds in a page.
type oggPage struct {
	granule int64
	ended   int // packets that end in it
	bytes   int
}

// parseOgg reads one logical bitstream as RFC 3533 defines it, and accepts
// nothing that the RFC does not.
func parseOgg(data []byte) (packets [][]byte, pages []oggPage, err error) {
	le := binary.LittleEndian
	var open []byte // a packet that the next page continues
	var inside, ended bool
	var serial uint32
	last := int64(0)
	for n := uint32(0); len(data) > 0; n++ {
		if ended {
			return nil, nil, fmt.Errorf("%d bytes after the last page", len(data))
		}
		if len(data) < 27 || string(data[:4]) != "OggS" || data[4] != 0 {
			return nil, nil, fmt.Errorf("page %d: no capture pattern of version 0", n)
		}
		flags, granule, segments := data[5], int64(le.Uint64(data[6:])), int(data[26])
		if n == 0 {
			serial = le.Uint32(data[14:])
		}
		if got := le.Uint32(data[14:]); got != serial {
			return nil, nil, fmt.Errorf("page %d: serial number %#x, want %#x", n, got, serial)
		}
		if got := le.Uint32(data[18:]); got != n {
			return nil, nil, fmt.Errorf("page %d: sequence number %d", n, got)
		}
		if continued, begins := flags&1 != 0, flags&2 != 0; continued != inside || begins != (n == 0) || flags > 7 {
			return nil, nil, fmt.Errorf("page %d: flags %03b", n, flags)
		}
		ended = flags&4 != 0
		if len(data) < 27+segments {
			return nil, nil, fmt.Errorf("page %d: segment table cut off", n)
		}
		page := oggPage{granule: granule, bytes: 27 + segments}
		table := data[27:][:segments]
		for _, size := range table {
			if len(data) < page.bytes+int(size) {
				return nil, nil, fmt.Errorf("page %d: body cut off", n)
			}
			open, inside = append(open, data[page.bytes:][:size]...), size == 255
			page.bytes += int(size)
			if !inside {
				packets, open = append(packets, open), nil
				page.ended++
			}
		}
		if want := otherOggChecksum(data[:page.bytes]); want != le.Uint32(data[22:]) {
			return nil, nil, fmt.Errorf("page %d: checksum %#x, want %#x", n, le.Uint32(data[22:]), want)
		}
		switch {
		case page.ended == 0 && granule != -1:
			return nil, nil, fmt.Errorf("page %d: granule position %d, but no packet ends", n, granule)
		case page.ended > 0 && granule < last:
			return nil, nil, fmt.Errorf("page %d: granule position %d after %d", n, granule, last)
		case page.ended > 0:
			last = granule
		}
		pages, data = append(pages, page), data[page.bytes:]
	}
	if !ended || inside {
		return nil, nil, fmt.Errorf("no last page, or a packet left open in it")
	}
	return packets, pages, nil
}

// otherOggChecksum is the same sum in another way: with all bits mirrored it is
// the CRC-32 of hash/crc32 but for the two inversions. The checksum field counts
// as zero.
func otherOggChecksum(page []byte) uint32 {
	mirrored := make([]byte, len(page))
	for i, b := range page {
		mirrored[i] = bits.Reverse8(b)
	}
	clear(mirrored[min(22, len(page)):min(26, len(page))])
	return bits.Reverse32(^crc32.Update(math.MaxUint32, crc32.IEEETable, mirrored))
}

// mux lays packets into pages; a page ends after those that flush holds.
func mux(packets [][]byte, flush func(i int) bool) []byte {
	o := newOggStream(0xdecade)
	var out []byte
	for i, p := range packets {
		out = o.packet(out, p, int64(i)*960)
		if i < len(packets)-1 && flush(i) {
			out = o.flush(o.flush(out)) // the second has nothing to do
		}
	}
	return o.end(out)
}

func TestOggPages(t *testing.T) {
	t.Parallel()
	const never, always = false, true
	for _, tt := range []struct {
		name  string
		sizes []int
		flush bool
		want  []oggPage
	}{
		{"nothing", nil, never, []oggPage{{-1, 0, 27}}},
		{"empty packet", []int{0}, never, []oggPage{{0, 1, 28}}},
		{"one page", []int{1, 254, 0}, never, []oggPage{{1920, 3, 27 + 3 + 255}}},
		{"a page each", []int{1, 254, 0}, always, []oggPage{{0, 1, 29}, {960, 1, 28 + 254}, {1920, 1, 28}}},
		{"lacing of 255", []int{255, 256, 510}, never, []oggPage{{1920, 3, 27 + 7 + 1021}}},
		{"full to the byte", []int{255*255 - 1}, never, []oggPage{{0, 1, 27 + 255 + 255*255 - 1}}},
		{"ends on the next page", []int{255 * 255}, never, []oggPage{{-1, 0, 27 + 255 + 255*255}, {0, 1, 28}}},
		{"three pages", []int{7, 2*255*255 + 9, 3}, never,
			[]oggPage{{0, 1, 27 + 255 + 7 + 254*255}, {-1, 0, 27 + 255 + 255*255}, {1920, 2, 27 + 3 + 255 + 9 + 3}}},
	} {
		packets := make([][]byte, len(tt.sizes))
		for i, n := range tt.sizes {
			packets[i] = bytes.Repeat([]byte{byte(i + 1)}, n)
		}
		got, pages, err := parseOgg(mux(packets, func(int) bool { return tt.flush }))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, pages, cmp.AllowUnexported(oggPage{})); diff != "" {
			t.Errorf("%s: pages:\n%s", tt.name, diff)
		}
		if len(got) != len(packets) || !bytes.Equal(bytes.Join(got, nil), bytes.Join(packets, nil)) {
			t.Errorf("%s: %d packets differ from the %d that went in", tt.name, len(got), len(packets))
		}
	}
}

func TestOggChecksum(t *testing.T) {
	t.Parallel()
	// CRC-32/CKSUM of the catalogue of parametrised CRC algorithms, not inverted
	// and without the length that cksum adds.
	if got, want := oggChecksum([]byte("123456789")), uint32(0x89a1897f); got != want {
		t.Errorf("checksum = %#x, want %#x", got, want)
	}
	rapid.Check(t, func(rt *rapid.T) {
		page := rapid.SliceOf(rapid.Byte()).Draw(rt, "page")
		clear(page[min(22, len(page)):min(26, len(page))])
		if got, want := oggChecksum(page), otherOggChecksum(page); got != want {
			rt.Fatalf("checksum of %x = %#x, want %#x", page, got, want)
		}
	})
}

// FuzzOgg reads its input as sizes of packets, three bytes each, of which the
// highest bit ends the page.
func FuzzOgg(f *testing.F) {
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{0, 0, 255, 0, 1, 254, 0, 0, 0x80})
	f.Add([]byte{0, 0xfe, 0x01, 0x80, 0xfe, 0x01, 0, 0xfe, 0x00})
	f.Add([]byte{0x03, 0, 0, 0x81, 0x23, 0x45, 0x00, 0x01, 0x7f})
	f.Fuzz(func(t *testing.T, in []byte) {
		var packets [][]byte
		var flush []bool
		for total := 0; len(in) >= 3 && total < 1<<18; in = in[3:] {
			size := int(in[0]&3)<<16 | int(in[1])<<8 | int(in[2])
			total += size
			packet := bytes.Repeat([]byte{byte(len(packets)), byte(size), byte(size >> 8)}, size/3+1)[:size]
			packets, flush = append(packets, packet), append(flush, in[0]&0x80 != 0)
		}
		got, _, err := parseOgg(mux(packets, func(i int) bool { return flush[i] }))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(packets) {
			t.Fatalf("%d packets came out of %d", len(got), len(packets))
		}
		for i := range got {
			if !bytes.Equal(got[i], packets[i]) {
				t.Fatalf("packet %d of %d bytes came out as %d other bytes", i, len(packets[i]), len(got[i]))
			}
		}
	})
}

func BenchmarkOggChecksum(b *testing.B) {
	page := make([]byte, 8192)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		oggChecksum(page)
	}
}

package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Kinds of pages and encodings (parquet.thrift).
const (
	pageData       = 0
	pageDictionary = 2
	pageData2      = 3

	encodingPlain         = 0
	encodingPlainDict     = 2
	encodingRLEDictionary = 8
)

// page is the head of a page.
type page struct {
	at       int64 // offset of its body in the file
	kind     int
	packed   int // bytes of the body
	unpacked int
	values   int
	encoding int
	levels   int  // version 2: bytes of levels at the beginning of the body, never compressed
	defined  int  // version 2: those that are definition levels, at the end of them
	plain    bool // version 2: the values are not compressed
}

// head reads the head of the page at an offset. room is how many bytes are left for the page.
func (t *Table) head(at, room int64) (page, error) {
	if t.pages++; t.pages > maxPages {
		return page{}, fmt.Errorf("has more than %d pages", maxPages)
	}
	for n := int64(512); ; n *= 8 {
		b := make([]byte, min(n, room, maxHead))
		if _, err := t.r.ReadAt(b, at); err != nil {
			return page{}, err
		}
		c := &compact{b: b}
		p := readPage(c)
		if errors.Is(c.err, errShort) && n < room && n < maxHead {
			continue
		}
		if c.err != nil {
			return page{}, fmt.Errorf("has a broken page: its head %w", c.err)
		}
		p.at = at + int64(len(b)-len(c.b))
		if p.packed < 0 || int64(p.packed) > at+room-p.at {
			return page{}, errors.New("has a broken page: it goes on after its column")
		}
		if p.unpacked < 0 || p.unpacked > maxPage || p.packed > maxPage+spare {
			return page{}, fmt.Errorf("has a page of %d bytes; allowed are %d: write it with smaller row groups", max(p.packed, p.unpacked), maxPage)
		}
		if p.values > maxValues {
			return page{}, fmt.Errorf("has a page of %d values; allowed are %d", p.values, maxValues)
		}
		if p.values < 0 || p.levels < 0 || p.levels > p.packed || p.levels > p.unpacked || p.defined < 0 || p.defined > p.levels {
			return page{}, errors.New("has a broken page: its head says what cannot be")
		}
		return p, nil
	}
}

// readPage reads a PageHeader.
func readPage(c *compact) page {
	p := page{kind: -1}
	c.fields(func(id int, kind byte) {
		switch {
		case id == 1:
			p.kind = int(c.varint())
		case id == 2:
			p.unpacked = int(c.varint())
		case id == 3:
			p.packed = int(c.varint())
		case (id == 5 || id == 7) && kind == thriftStruct: // a data page, or a dictionary
			c.fields(func(id int, kind byte) {
				switch id {
				case 1:
					p.values = int(c.varint())
				case 2:
					p.encoding = int(c.varint())
				default:
					c.skip(kind, 0)
				}
			})
		case id == 8 && kind == thriftStruct: // a data page of version 2
			c.fields(func(id int, kind byte) {
				switch id {
				case 1:
					p.values = int(c.varint())
				case 4:
					p.encoding = int(c.varint())
				case 5:
					p.defined = int(c.varint())
					p.levels += p.defined
				case 6:
					p.levels += int(c.varint())
				case 7:
					p.plain = kind == thriftFalse
				default:
					c.skip(kind, 0)
				}
			})
		default:
			c.skip(kind, 0)
		}
	})
	return p
}

// body returns the bytes of a page, uncompressed.
func (t *Table) body(p page, codec int) ([]byte, error) {
	packed := make([]byte, p.packed)
	if _, err := t.r.ReadAt(packed, p.at); err != nil {
		return nil, err
	}
	if p.kind == pageData2 && p.plain {
		codec = 0
	}
	levels, values := packed[:p.levels], packed[p.levels:]
	unpacked, err := unpack(values, p.unpacked-p.levels, codec)
	if err != nil {
		return nil, fmt.Errorf("has a broken page: %w", err)
	}
	if p.levels == 0 {
		return unpacked, nil
	}
	return append(bytes.Clone(levels), unpacked...), nil
}

// unpack returns size bytes of compressed data; other sizes are errors. It takes no more memory
// than size, whatever the data claims.
func unpack(b []byte, size, codec int) ([]byte, error) {
	var r io.Reader
	switch codec {
	case 0:
		r = bytes.NewReader(b)
	case 1:
		n, err := snappy.DecodedLen(b)
		if err != nil || n != size {
			return nil, errors.New("it does not unpack to the size that its head says")
		}
		out, err := snappy.Decode(nil, b)
		if err != nil {
			return nil, errors.New("it is not whole Snappy")
		}
		return out, nil
	case 2:
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, errors.New("it is not gzip")
		}
		r = z
	case 6:
		z, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(64<<20))
		if err != nil {
			return nil, errors.New("it is not Zstandard")
		}
		defer z.Close()
		r = z
	default:
		return nil, fmt.Errorf("it is compressed with the codec %d of Parquet; none, Snappy, gzip and Zstandard are read", codec)
	}
	// The buffer grows with what is really there.
	out, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err != nil || len(out) != size {
		return nil, errors.New("it does not unpack to the size that its head says")
	}
	return out, nil
}

// Value is a value of a column.
type Value struct {
	Row   int64  // from 0
	Bytes []byte // nil is no value; of numbers, their digits. It may be kept.
	place place
}

// place is where the bytes of a value are: in a page of the file.
type place struct {
	page  *page
	codec int
	at    int // in the body of the page, uncompressed
}

// Reads reports whether [Table.Values] reads columns of this type: texts, bytes and whole numbers.
func (c *Column) Reads() bool {
	return c.kind == typeByteArray || c.kind == typeInt32 || c.kind == typeInt64
}

// Values calls each for every row of a column, in their order, and stops with the error that each
// returns. Columns of other types than texts, bytes and whole numbers are an error. Errors are the
// ends of sentences about the file.
func (t *Table) Values(c *Column, each func(Value) error) error {
	if !c.Reads() {
		return fmt.Errorf("has the column %q of the type %d of Parquet; texts, bytes and whole numbers are read", c.Path, c.kind)
	}
	row := int64(0)
	for _, k := range c.chunks {
		if err := t.values(c, k, &row, each); err != nil {
			return err
		}
	}
	if row != t.rows {
		return fmt.Errorf("has %d values in the column %q and %d rows", row, c.Path, t.rows)
	}
	return nil
}

// values reads the pages of one part of a column.
func (t *Table) values(c *Column, k chunk, row *int64, each func(Value) error) error {
	var dictionary []Value
	seen := int64(0)
	for at := k.start; seen < k.values; {
		p, err := t.head(at, k.start+k.size-at)
		if err != nil {
			return err
		}
		at = p.at + int64(p.packed)
		if t.unpacked += int64(p.unpacked); t.unpacked > freeUnpacked+maxRatio*t.size {
			return fmt.Errorf("unpacks to more than %d times its size", maxRatio)
		}
		if p.kind != pageData && p.kind != pageData2 && p.kind != pageDictionary {
			continue // an index
		}
		body, err := t.body(p, k.codec)
		if err != nil {
			return err
		}
		d := decoder{column: c, page: &p, codec: k.codec, body: body}
		if p.kind == pageDictionary {
			if dictionary, err = d.plain(p.values); err != nil {
				return err
			}
			continue
		}
		if seen += int64(p.values); seen > k.values || *row+int64(p.values) > t.rows {
			return fmt.Errorf("has more values in a page of the column %q than in the column", c.Path)
		}
		if err := d.data(dictionary, row, each); err != nil {
			return err
		}
	}
	return nil
}

// decoder decodes the values of a page.
type decoder struct {
	column *Column
	page   *page
	codec  int
	body   []byte
	at     int // in body
}

func (d *decoder) broken() error {
	return fmt.Errorf("has a broken page in the column %q", d.column.Path)
}

// data calls each for the values of a data page.
func (d *decoder) data(dictionary []Value, row *int64, each func(Value) error) error {
	there, err := d.levels()
	if err != nil {
		return err
	}
	n := d.page.values
	if there != nil {
		n = 0
		for _, yes := range there {
			if yes {
				n++
			}
		}
	}
	var values []Value
	switch d.page.encoding {
	case encodingPlain:
		values, err = d.plain(n)
	case encodingPlainDict, encodingRLEDictionary:
		values, err = d.indexed(n, dictionary)
	default:
		return fmt.Errorf("has the column %q in the encoding %d of Parquet; PLAIN and dictionaries are read", d.column.Path, d.page.encoding)
	}
	if err != nil {
		return err
	}
	for i := range d.page.values {
		v := Value{}
		if there == nil || there[i] {
			v, values = values[0], values[1:]
		}
		v.Row = *row
		*row++
		if err := each(v); err != nil {
			return err
		}
	}
	return nil
}

// levels reads the definition levels: which values are there. It returns nil if all are.
func (d *decoder) levels() ([]bool, error) {
	if d.page.kind == pageData2 {
		d.at = d.page.levels
	}
	if d.column.level == 0 {
		return nil, nil
	}
	from, n := d.page.levels-d.page.defined, d.page.defined
	if d.page.kind == pageData {
		if len(d.body) < 4 {
			return nil, d.broken()
		}
		size := binary.LittleEndian.Uint32(d.body)
		if uint64(size) > uint64(len(d.body)-4) {
			return nil, d.broken()
		}
		from, n = 4, int(size)
		d.at = 4 + n
	}
	there := make([]bool, 0, min(d.page.values, 1<<16))
	ok := hybrid(d.body[from:from+n], width(d.column.level), d.page.values, func(v int) bool {
		there = append(there, v == d.column.level)
		return v <= d.column.level
	})
	if !ok {
		return nil, d.broken()
	}
	return there, nil
}

// width returns how many bits numbers up to most need.
func width(most int) int {
	n := 0
	for ; most > 0; most >>= 1 {
		n++
	}
	return n
}

// hybrid calls each for n numbers in the hybrid of runs and packed bits (Parquet, "Run Length
// Encoding / Bit-Packing Hybrid"). It returns false if the bytes are fewer, or each returns false.
func hybrid(b []byte, bits, n int, each func(int) bool) bool {
	c := &compact{b: b}
	for n > 0 {
		head := c.uvarint()
		if c.err != nil {
			return false
		}
		if head&1 == 0 { // a run
			v := 0
			for i := range (bits + 7) / 8 {
				v |= int(c.byte()) << (8 * i)
			}
			if c.err != nil {
				return false
			}
			for range min(head>>1, uint64(n)) {
				if n--; !each(v) {
					return false
				}
			}
			if head>>1 == 0 {
				return false // would go on for ever
			}
			continue
		}
		groups := head >> 1 // of eight numbers
		if groups == 0 || bits > 0 && groups > uint64(len(c.b)) || groups > maxValues {
			return false
		}
		acc, have := uint64(0), 0
		for range min(int(groups)*8, n) {
			for have < bits {
				acc |= uint64(c.byte()) << have
				have += 8
			}
			if c.err != nil {
				return false
			}
			v := int(acc & (1<<bits - 1))
			acc >>= bits
			have -= bits
			if n--; !each(v) {
				return false
			}
		}
	}
	return true
}

// plain reads n values that lie one after the other.
func (d *decoder) plain(n int) ([]Value, error) {
	size := 4 // bytes that a value takes at least
	if d.column.kind == typeInt64 {
		size = 8
	}
	if n < 0 || n > (len(d.body)-d.at)/size {
		return nil, d.broken()
	}
	values := make([]Value, n)
	for i := range values {
		if len(d.body)-d.at < size {
			return nil, d.broken()
		}
		raw := d.body[d.at:]
		v := Value{place: place{d.page, d.codec, d.at}}
		switch d.column.kind {
		case typeInt32:
			v.Bytes = fmt.Append(nil, int32(binary.LittleEndian.Uint32(raw)))
		case typeInt64:
			v.Bytes = fmt.Append(nil, int64(binary.LittleEndian.Uint64(raw)))
		default:
			length := binary.LittleEndian.Uint32(raw)
			if uint64(length) > uint64(len(raw)-4) {
				return nil, d.broken()
			}
			v.place.at += 4
			v.Bytes = raw[4 : 4+length : 4+length]
			d.at += int(length)
		}
		d.at += size
		values[i] = v
	}
	return values, nil
}

// indexed reads n values that are numbers in a dictionary.
func (d *decoder) indexed(n int, dictionary []Value) ([]Value, error) {
	if n == 0 {
		return nil, nil
	}
	if d.at >= len(d.body) || d.body[d.at] > 32 {
		return nil, d.broken()
	}
	values := make([]Value, 0, min(n, 1<<16))
	ok := hybrid(d.body[d.at+1:], int(d.body[d.at]), n, func(v int) bool {
		if v < 0 || v >= len(dictionary) {
			return false
		}
		values = append(values, dictionary[v])
		return true
	})
	if !ok {
		return nil, d.broken()
	}
	return values, nil
}

package parquet

import (
	"errors"
	"fmt"
)

// compact reads the compact protocol of Thrift, in which Parquet writes its footer and the heads of
// its pages (Apache Thrift, "Thrift compact protocol"). Nothing is allocated for a length that the
// bytes only claim: values are parts of b, and lists are read element by element.
type compact struct {
	b   []byte
	err error // the first one; nothing is read after it
}

// errShort is the error of a structure that goes on after the bytes that were given.
var errShort = errors.New("ends too early")

// The types of fields that are told apart.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// mostNested bounds how deep structures are nested. Those of Parquet are six deep.
const mostNested = 16

func (c *compact) fail(err error) {
	if c.err == nil {
		c.err, c.b = err, nil
	}
}

func (c *compact) byte() byte {
	if len(c.b) == 0 {
		c.fail(errShort)
		return 0
	}
	x := c.b[0]
	c.b = c.b[1:]
	return x
}

// uvarint reads an unsigned number of up to 64 bits.
func (c *compact) uvarint() uint64 {
	var x uint64
	for shift := 0; shift < 64; shift += 7 {
		b := c.byte()
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
	c.fail(errors.New("has a number of more than 64 bits"))
	return 0
}

// varint reads a signed number.
func (c *compact) varint() int64 {
	u := c.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// binary reads a text or bytes.
func (c *compact) binary() []byte {
	n := c.uvarint()
	if n > uint64(len(c.b)) {
		c.fail(errShort)
		return nil
	}
	x := c.b[:n]
	c.b = c.b[n:]
	return x
}

// fields calls each for every field of a structure. each must read the value, or skip it.
func (c *compact) fields(each func(id int, kind byte)) {
	id := 0
	for c.err == nil {
		head := c.byte()
		kind := head & 0x0f
		if kind == 0 {
			return
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(c.varint())
		}
		each(id, kind)
	}
}

// list calls each for every element of a list of structures, or of values. A list of another kind
// of elements is an error.
func (c *compact) list(kind byte, each func()) {
	n, of := c.listHead()
	if n > 0 && of != kind && c.err == nil {
		c.fail(fmt.Errorf("has a list of the type %d where one of %d should be", of, kind))
	}
	// Each element takes a byte at least, so a length that lies ends with errShort soon.
	for ; n > 0 && c.err == nil; n-- {
		each()
	}
}

func (c *compact) listHead() (n uint64, kind byte) {
	head := c.byte()
	if n = uint64(head >> 4); n == 15 {
		n = c.uvarint()
	}
	return n, head & 0x0f
}

// skip passes over a value.
func (c *compact) skip(kind byte, depth int) {
	if depth > mostNested {
		c.fail(fmt.Errorf("is nested more than %d deep", mostNested))
		return
	}
	switch kind {
	case thriftTrue, thriftFalse: // the value is the type
	case thriftByte:
		c.byte()
	case thriftDouble:
		for range 8 {
			c.byte()
		}
	case thriftBinary:
		c.binary()
	case thriftList, thriftSet:
		n, of := c.listHead()
		for ; n > 0 && c.err == nil; n-- {
			c.skipElement(of, depth)
		}
	case thriftMap:
		n := c.uvarint()
		if n == 0 {
			return
		}
		kinds := c.byte()
		for ; n > 0 && c.err == nil; n-- {
			c.skipElement(kinds>>4, depth)
			c.skipElement(kinds&0x0f, depth)
		}
	case thriftStruct:
		c.fields(func(_ int, kind byte) { c.skip(kind, depth+1) })
	default: // integers of 16, 32 and 64 bits
		c.uvarint()
	}
}

// skipElement passes over a value in a list, a set or a map. There a truth has a byte, which it has
// not as a field. So every element takes a byte at least, and a number of elements that lies ends
// with errShort.
func (c *compact) skipElement(kind byte, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		c.byte()
		return
	}
	c.skip(kind, depth+1)
}

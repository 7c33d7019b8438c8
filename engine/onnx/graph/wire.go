package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Wire types of protobuf.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// field is a field of a message.
type field struct {
	num, wire int
	raw       []byte // with its tag
	body      []byte // where wire is wireBytes
	value     uint64 // of the other wire types
}

var errWire = errors.New("it is cut off, or its parts do not fit together")

// fields calls do for each field of a message, until one fails.
func fields(b []byte, do func(field) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
			return errWire
		}
		f := field{num: int(tag >> 3), wire: int(tag & 7)}
		switch f.wire {
		case wireVarint:
			v, k := binary.Uvarint(b[n:])
			if k <= 0 {
				return errWire
			}
			f.value, n = v, n+k
		case wire64:
			if len(b)-n < 8 {
				return errWire
			}
			f.value, n = binary.LittleEndian.Uint64(b[n:]), n+8
		case wire32:
			if len(b)-n < 4 {
				return errWire
			}
			f.value, n = uint64(binary.LittleEndian.Uint32(b[n:])), n+4
		case wireBytes:
			size, k := binary.Uvarint(b[n:])
			if k <= 0 || size > uint64(len(b)-n-k) {
				return errWire
			}
			n += k
			f.body, n = b[n:n+int(size):n+int(size)], n+int(size)
		default: // groups, which ONNX does not use
			return errWire
		}
		f.raw, b = b[:n:n], b[n:]
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// appendInts appends the integers of a repeated field, which may be packed. More than limit
// are an error.
func (f field) appendInts(list []int64, limit int) ([]int64, error) {
	body := f.body
	switch f.wire {
	case wireVarint:
		body = binary.AppendUvarint(nil, f.value)
	case wireBytes:
	default:
		return nil, errWire
	}
	for len(body) > 0 {
		v, n := binary.Uvarint(body)
		if n <= 0 {
			return nil, errWire
		}
		if len(list) == limit {
			return nil, fmt.Errorf("a list has more than %d numbers", limit)
		}
		list, body = append(list, int64(v)), body[n:]
	}
	return list, nil
}

// appendTag begins a field of so many bytes.
func appendTag(b []byte, num, size int) []byte {
	b = binary.AppendUvarint(b, uint64(num)<<3|wireBytes)
	return binary.AppendUvarint(b, uint64(size))
}

func appendField(b []byte, num int, body []byte) []byte {
	return append(appendTag(b, num, len(body)), body...)
}

func appendString(b []byte, num int, s string) []byte {
	return append(appendTag(b, num, len(s)), s...)
}

func appendInt(b []byte, num int, v int64) []byte {
	b = binary.AppendUvarint(b, uint64(num)<<3|wireVarint)
	return binary.AppendUvarint(b, uint64(v))
}

// fieldSize returns the bytes of a field with a body of so many.
func fieldSize(num, size int) int { return len(appendTag(nil, num, size)) + size }

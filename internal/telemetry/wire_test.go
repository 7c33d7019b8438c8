package telemetry

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The numbers of OTLP's fields and values (opentelemetry/proto/trace/v1/trace.proto).
const (
	kindServer  = 2
	statusError = 2
)

// span is what the tests look at in a span of OTLP.
type span struct {
	TraceID, SpanID, ParentSpanID []byte
	Name                          string
	Kind                          uint64
	Attributes                    map[string]string
	Events                        []string // their names
	Status                        status
}

type status struct {
	Code    uint64
	Message string
}

// field is a field of a message in the wire format of protocol buffers: Bytes for what
// has a length, otherwise Value, which for a fixed width holds the bits.
type field struct {
	Number int
	Value  uint64
	Bytes  []byte
}

var errWire = errors.New("not a message of protocol buffers")

// fields reads a message to its last byte.
func fields(b []byte) (all []field, err error) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 >= 1<<29 {
			return nil, errWire
		}
		f := field{Number: int(tag >> 3)}
		b = b[n:]
		switch tag & 7 {
		case 0:
			f.Value, n = binary.Uvarint(b)
		case 1:
			if n = 8; len(b) >= n {
				f.Value = binary.LittleEndian.Uint64(b)
			}
		case 2:
			size, head := binary.Uvarint(b)
			if head <= 0 || size > uint64(len(b)-head) {
				return nil, errWire
			}
			n = head + int(size)
			f.Bytes = b[head:n:n]
		case 5:
			if n = 4; len(b) >= n {
				f.Value = uint64(binary.LittleEndian.Uint32(b))
			}
		default:
			return nil, errWire
		}
		if n <= 0 || n > len(b) {
			return nil, errWire
		}
		all, b = append(all, f), b[n:]
	}
	return all, nil
}

// each calls f with the messages at a path of field numbers below b.
func each(b []byte, f func([]byte) error, path ...int) error {
	if len(path) == 0 {
		return f(b)
	}
	all, err := fields(b)
	if err != nil {
		return err
	}
	for _, sub := range all {
		if sub.Number == path[0] {
			err = errors.Join(err, each(sub.Bytes, f, path[1:]...))
		}
	}
	return err
}

// spansOf returns the spans of an ExportTraceServiceRequest.
func spansOf(request []byte) (spans []*span, err error) {
	err = each(request, func(b []byte) error {
		s, err := readSpan(b)
		spans = append(spans, s)
		return err
	}, 1, 2, 2)
	return spans, err
}

func readSpan(b []byte) (*span, error) {
	s := &span{Attributes: map[string]string{}}
	all, err := fields(b)
	for _, f := range all {
		switch f.Number {
		case 1:
			s.TraceID = f.Bytes
		case 2:
			s.SpanID = f.Bytes
		case 4:
			s.ParentSpanID = f.Bytes
		case 5:
			s.Name = string(f.Bytes)
		case 6:
			s.Kind = f.Value
		case 9:
			err = errors.Join(err, s.attribute(f.Bytes))
		case 11:
			err = errors.Join(err, each(f.Bytes, func(name []byte) error {
				s.Events = append(s.Events, string(name))
				return nil
			}, 2))
		case 15:
			err = errors.Join(err, s.Status.read(f.Bytes))
		}
	}
	return s, err
}

// attribute adds an attribute of one of the simple types.
func (s *span) attribute(b []byte) error {
	pair, err := fields(b)
	var key, value string
	for _, f := range pair {
		if f.Number == 1 {
			key = string(f.Bytes)
			continue
		}
		kinds, kindErr := fields(f.Bytes)
		err = errors.Join(err, kindErr)
		for _, v := range kinds {
			switch v.Number {
			case 1:
				value = string(v.Bytes)
			case 2:
				value = fmt.Sprint(v.Value != 0)
			case 3:
				value = fmt.Sprint(int64(v.Value))
			case 4:
				value = fmt.Sprint(math.Float64frombits(v.Value))
			}
		}
	}
	s.Attributes[key] = value
	return err
}

func (st *status) read(b []byte) error {
	all, err := fields(b)
	for _, f := range all {
		switch f.Number {
		case 2:
			st.Message = string(f.Bytes)
		case 3:
			st.Code = f.Value
		}
	}
	return err
}

// TestFields checks the reader of the wire format itself, with bytes written by hand.
func TestFields(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]field{
		"":                                     nil,
		"\x08\x96\x01":                         {{Number: 1, Value: 150}},
		"\x12\x02hi\x12\x00":                   {{Number: 2, Bytes: []byte("hi")}, {Number: 2, Bytes: []byte{}}},
		"\x19\x01\x00\x00\x00\x00\x00\x00\x80": {{Number: 3, Value: 1<<63 + 1}},
		"\x85\x01\x02\x00\x00\x01":             {{Number: 16, Value: 1<<24 + 2}},
	} {
		got, err := fields([]byte(in))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("fields(%q): %v (-want +got):\n%s", in, err, diff)
		}
	}
	for _, in := range []string{"\x08", "\x12\x05hi", "\x19\x01", "\x85\x01\x02", "\x0b", "\x00\x01", "\xff", "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if got, err := fields([]byte(in)); err == nil {
			t.Errorf("fields(%q) = %v, want an error", in, got)
		}
	}
}

package audiosocket

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"vaak/telephony/line"
	"vaak/telephony/line/linetest"
)

const id = "\x01\x00\x10\x40\x32\x5e\xc2\x5e\xfd\x4b\xd3\x80\x5f\x53\x57\x6e\x58\x1d\x13"

// read returns all events of a connection, and the error that ended it.
func read(r io.Reader) (events []string, err error) {
	for reader := NewReader(r); ; {
		e, err := reader.Read()
		if err != nil {
			return events, err
		}
		if e.Kind != line.Nothing {
			events = append(events, linetest.Describe(e))
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	start := "start 40325ec2-5efd-4bd3-805f-53576e581d13 from= to= map[] pcm/8000"
	for _, tt := range []struct{ name, sent, want, wrong string }{
		{"a call", id + "\x10\x00\x04\x01\x02\xff\xff" + "\x03\x00\x01#" + "\x77\x00\x01x" + "\x00\x00\x00", start + ", audio 0102ffff, dtmf #, stop", ""},
		{"no id", "\x10\x00\x02ab", "", "kind 0x10 came before the id"},
		{"a short id", "\x01\x00\x04abcd", "", "of 4 bytes; an id has 16"},
		{"two ids", id + id, start, "a second id came"},
		{"half a sample", id + "\x10\x00\x03abc", start, "ends within a sample"},
		{"more than a second", id + "\x10\xff\xff" + strings.Repeat("a", 65535), start, "a packet has 65535 bytes"},
		{"no key", id + "\x03\x00\x01x", start, "no key of a telephone"},
		{"faster audio", id + "\x12\x00\x02ab", start, "kind 0x12 came; 0x10 is spoken"},
		{"an error", id + "\xff\x00\x01\x02", start, "error of code 0x02"},
		{"cut off", id + "\x10\x01", start, io.ErrUnexpectedEOF.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(tt.sent), iotest.OneByteReader(strings.NewReader(tt.sent))} {
				got, err := read(r)
				if strings.Join(got, ", ") != tt.want || tt.wrong == "" && !errors.Is(err, io.EOF) || tt.wrong != "" && !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("events %q, %v; want %s, %s", got, err, tt.want, tt.wrong)
				}
			}
		})
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	if got, want := AppendHangup(AppendAudio(nil, make([]byte, 320))), append([]byte{0x10, 1, 0x40}, make([]byte, 323)...); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// FuzzRead checks that the first event is the start and there is only one, and that audio is whole
// and short.
func FuzzRead(f *testing.F) {
	f.Add([]byte(id + "\x10\x00\x04\x01\x02\xff\xff\x03\x00\x01#\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data))
		for i := 0; ; i++ {
			e, err := r.Read()
			if err != nil {
				return
			}
			if e.Kind == line.Stop {
				continue
			}
			if (e.Kind == line.Start) && !r.started || e.Kind == line.Audio && Format.Whole(e.Audio) != nil || e.Kind == line.Audio && !r.started {
				t.Fatalf("event %d: %s", i, linetest.Describe(e))
			}
		}
	})
}

// Package audiosocket speaks AudioSocket, by which Asterisk hands the audio of a call to a program
// over TCP. A packet has a byte of kind, two of length, big-endian, and its payload.
//
// Source: https://docs.asterisk.org/Configuration/Channel-Drivers/AudioSocket and
// https://github.com/CyCoreSystems/audiosocket
package audiosocket

import (
	"encoding/binary"
	"encoding/hex"
	"io"

	"vaak/audio"
	"vaak/telephony/line"
)

// Format is that of all calls: signed linear, called slin.
var Format = line.Format{Codec: audio.PCM, Rate: 8000}

// The kinds of packets.
const (
	kindHangup = 0x00
	kindID     = 0x01
	kindDTMF   = 0x03
	kindAudio  = 0x10
	kindError  = 0xff

	firstFaster, lastFaster = 0x11, 0x18 // slin at 12 to 192 kHz
)

// Reader reads the packets of one call.
type Reader struct {
	src     io.Reader
	packet  []byte
	started bool
}

// NewReader returns a reader of the packets of a connection.
func NewReader(src io.Reader) *Reader { return &Reader{src: src, packet: make([]byte, 0, 512)} }

// Read returns the next event. The first must be the id of the call. Audio is valid until the
// next Read.
func (r *Reader) Read() (line.Event, error) {
	var head [3]byte
	if _, err := io.ReadFull(r.src, head[:]); err != nil {
		return line.Event{}, err
	}
	kind, n := head[0], int(binary.BigEndian.Uint16(head[1:]))
	if n > Format.Bytes(line.FrameTime)*50 {
		return line.Event{}, line.Refused("a packet has %d bytes; at most a second of audio is read", n)
	}
	if cap(r.packet) < n {
		r.packet = make([]byte, n)
	}
	r.packet = r.packet[:n]
	if _, err := io.ReadFull(r.src, r.packet); err != nil {
		return line.Event{}, err
	}
	return r.event(kind)
}

func (r *Reader) event(kind byte) (line.Event, error) {
	switch {
	case kind == kindHangup:
		return line.Event{Kind: line.Stop}, nil
	case kind == kindID:
		if r.started || len(r.packet) != 16 {
			return line.Event{}, line.Refused("a second id came, or one of %d bytes; an id has 16", len(r.packet))
		}
		r.started = true
		return line.Event{Kind: line.Start, Call: line.Call{ID: uuid(r.packet), Format: Format}}, nil
	case !r.started:
		return line.Event{}, line.Refused("a packet of kind %#x came before the id of the call", kind)
	case kind == kindAudio:
		return line.Event{Kind: line.Audio, Audio: r.packet}, Format.Whole(r.packet)
	case kind == kindDTMF:
		return line.Digit(string(r.packet))
	case kind == kindError:
		return line.Event{}, line.Refused("Asterisk reports an error of code %#x", r.packet)
	case kind >= firstFaster && kind <= lastFaster:
		return line.Event{}, line.Refused("audio of kind %#x came; 0x10 is spoken, which is slin at 8000 Hz", kind)
	}
	return line.Event{}, nil
}

// uuid writes an id as people do.
func uuid(id []byte) string {
	b := make([]byte, 0, 36)
	for i, part := range [][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return string(b)
}

// AppendAudio appends a packet with a frame.
func AppendAudio(b, frame []byte) []byte {
	b = append(b, kindAudio)
	b = binary.BigEndian.AppendUint16(b, uint16(len(frame)))
	return append(b, frame...)
}

// AppendHangup appends the packet that ends the call.
func AppendHangup(b []byte) []byte { return append(b, kindHangup, 0, 0) }

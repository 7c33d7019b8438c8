package espeak

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// This file is the client's side of worker/protocol.h.

const (
	requestMagic = 0x31454b56 // "VKE1"

	flagPhonemes   = 1 << 0
	flagEndPause   = 1 << 1
	flagTranscribe = 1 << 2
)

const (
	frameHello  = 1
	frameWords  = 2
	frameAudio  = 3
	frameEnd    = 4
	frameError  = 5
	frameCrash  = 6
	frameClause = 7
)

// Limits of the protocol, in bytes. A frame that exceeds them is an error of the worker.
const (
	maxText       = 1 << 20
	maxAudioFrame = 32 << 10
	maxWordFrame  = 1024 * wordSize
	maxErrorFrame = 1 << 10
	maxClause     = 4 + 16<<10
	wordSize      = 12
)

// request asks a worker to speak a text.
type request struct {
	flags uint32
	set   Parameters
	text  string
}

// append encodes the request onto b.
func (r request) append(b []byte) []byte {
	le := binary.LittleEndian
	for _, v := range []uint32{
		requestMagic, r.flags,
		uint32(r.set.Rate), uint32(r.set.Pitch), uint32(r.set.Range), uint32(r.set.Volume),
		uint32(len(r.set.Voice)), uint32(len(r.text)),
	} {
		b = le.AppendUint32(b, v)
	}
	b = append(b, r.set.Voice...)
	return append(b, r.text...)
}

// appendDemand encodes a request for a frame of so many samples onto b.
func appendDemand(b []byte, samples int) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(2*min(samples, maxAudioFrame/2)))
}

// wireWord is a word event, in code points of the text and samples, both counted from 0.
type wireWord struct{ position, length, sample int }

// frame is one frame from a worker. Its slices belong to the reader and are valid until the
// next frame.
type frame struct {
	kind  byte
	words []wireWord
	pcm   []int16
	value uint32 // of hello, end, crash and clause
	text  string // of error and clause
}

// clone returns a copy that stays valid.
func (f frame) clone() frame {
	f.words, f.pcm = slices.Clone(f.words), slices.Clone(f.pcm)
	return f
}

var errProtocol = errors.New("worker broke its protocol")

// frameReader reads frames from a worker.
type frameReader struct {
	r     *bufio.Reader
	pcm   []int16
	words []wireWord
}

func newFrameReader() *frameReader {
	return &frameReader{
		r:   bufio.NewReaderSize(nil, 4+maxAudioFrame),
		pcm: make([]int16, maxAudioFrame/2),
	}
}

// next returns the next frame. io.EOF means that the worker has closed the connection.
func (f *frameReader) next() (frame, error) {
	// Peek instead of read: a deadline that expires in the middle loses no bytes.
	h, err := f.r.Peek(4)
	if err != nil {
		return frame{}, err
	}
	// The head holds the type in its high byte and the length in the other three.
	head := binary.LittleEndian.Uint32(h)
	kind, n := byte(head>>24), int(head&0xffffff)
	// Check the length before waiting for that many bytes.
	if err := checkFrame(kind, n); err != nil {
		return frame{}, err
	}
	raw, err := f.r.Peek(4 + n)
	if err != nil {
		return frame{}, err
	}
	raw = raw[4:]
	out := frame{kind: kind}
	switch kind {
	case frameHello, frameEnd, frameCrash:
		out.value = binary.LittleEndian.Uint32(raw)
	case frameWords:
		out.words = f.decodeWords(raw)
	case frameAudio:
		out.pcm = f.decodeAudio(raw)
	case frameError:
		out.text = string(raw)
	case frameClause:
		out.value, out.text = binary.LittleEndian.Uint32(raw), string(raw[4:])
	}
	_, _ = f.r.Discard(4 + n) // cannot fail: the bytes were peeked
	return out, nil
}

func checkFrame(kind byte, n int) error {
	ok := false
	switch kind {
	case frameHello, frameEnd, frameCrash:
		ok = n == 4
	case frameWords:
		ok = n%wordSize == 0 && n <= maxWordFrame
	case frameAudio:
		ok = n%2 == 0 && n <= maxAudioFrame
	case frameError:
		ok = n <= maxErrorFrame
	case frameClause:
		ok = n >= 4 && n <= maxClause
	}
	if !ok {
		return fmt.Errorf("%w: frame of type %d with %d bytes", errProtocol, kind, n)
	}
	return nil
}

func (f *frameReader) decodeAudio(raw []byte) []int16 {
	pcm := f.pcm[:len(raw)/2]
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return pcm
}

func (f *frameReader) decodeWords(raw []byte) []wireWord {
	f.words = f.words[:0]
	for ; len(raw) > 0; raw = raw[wordSize:] {
		le := binary.LittleEndian
		f.words = append(f.words, wireWord{
			position: int(le.Uint32(raw)),
			length:   int(le.Uint32(raw[4:])),
			sample:   int(le.Uint32(raw[8:])),
		})
	}
	return f.words
}

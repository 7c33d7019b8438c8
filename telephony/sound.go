package telephony

import (
	"encoding/binary"
	"errors"
	"io"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/telephony/line"
	"vaak/telephony/live"
)

// voiceWriter takes the audio of the speech server and writes it in the format of a line.
type voiceWriter struct {
	to  audio.Writer
	pcm []int16
}

func newVoiceWriter(w io.Writer, f line.Format) (*voiceWriter, error) {
	to, err := newSound(w, live.SampleRate, f)
	return &voiceWriter{to: to}, err
}

// newSound returns a writer of samples at a rate that writes them to w in a format.
func newSound(w io.Writer, rate int, f line.Format) (audio.Writer, error) {
	enc, err := codec.NewEncoder(w, audio.Format{Codec: f.Codec, SampleRate: f.Rate}, codec.Stream)
	if err != nil {
		return nil, err
	}
	return resample.NewWriter(enc, rate, f.Rate)
}

// Write takes 16-bit little-endian samples.
func (v *voiceWriter) Write(b []byte) (int, error) {
	if len(b)%2 != 0 {
		return 0, errors.New("the speech server sends half a sample")
	}
	v.pcm = appendPCM(v.pcm[:0], b)
	return len(b), v.to.WritePCM(v.pcm)
}

// Close writes what is held back.
func (v *voiceWriter) Close() error { return v.to.Close() }

func appendPCM(pcm []int16, b []byte) []int16 {
	for ; len(b) >= 2; b = b[2:] {
		pcm = append(pcm, int16(binary.LittleEndian.Uint16(b)))
	}
	return pcm
}

// ear turns the audio of a caller into samples, and into what agents get: μ-law at 8 kHz.
type ear struct {
	format line.Format
	pcm    []int16
	ulaw   []byte
	to     audio.Writer // nil if the line has μ-law
}

func newEar(f line.Format) (*ear, error) {
	e := &ear{format: f}
	if f == line.Telephone {
		return e, nil
	}
	var err error
	e.to, err = newSound(e, f.Rate, line.Telephone)
	return e, err
}

// Write keeps what agents get.
func (e *ear) Write(b []byte) (int, error) {
	e.ulaw = append(e.ulaw, b...)
	return len(b), nil
}

// samples decodes audio. The result is valid until the next call.
func (e *ear) samples(b []byte) []int16 {
	e.pcm = e.pcm[:0]
	switch e.format.Codec {
	case audio.PCM:
		e.pcm = appendPCM(e.pcm, b)
	case audio.ALaw:
		for _, code := range b {
			e.pcm = append(e.pcm, alaw(code))
		}
	default:
		for _, code := range b {
			e.pcm = append(e.pcm, ulaw(code))
		}
	}
	return e.pcm
}

// telephone returns audio, whose samples are pcm, in μ-law at 8 kHz. It lags by some milliseconds
// where the rate changes.
func (e *ear) telephone(b []byte, pcm []int16) ([]byte, error) {
	if e.to == nil {
		return b, nil
	}
	e.ulaw = e.ulaw[:0]
	err := e.to.WritePCM(pcm)
	return e.ulaw, err
}

// ulaw decodes a code of ITU-T G.711.
func ulaw(code byte) int16 {
	code = ^code
	magnitude := (int16(code&0xF)<<3+0x84)<<(code>>4&7) - 0x84
	if code&0x80 != 0 {
		return -magnitude
	}
	return magnitude
}

// alaw decodes a code of ITU-T G.711.
func alaw(code byte) int16 {
	code ^= 0x55
	magnitude := int16(code&0xF)<<4 + 8
	if segment := code >> 4 & 7; segment > 0 {
		magnitude = (magnitude + 0x100) << (segment - 1)
	}
	if code&0x80 == 0 {
		return -magnitude
	}
	return magnitude
}

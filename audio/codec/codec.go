// Package codec encodes mono 16-bit PCM into the formats of the service, as a stream or as a
// file.
//
// The codecs are rows of one table. A codec whose library is missing is not in the table: it
// is not in [Available], and requests for it are refused with a message that names it.
package codec

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"vaak/audio"
	"vaak/internal/fault"
)

// Mode tells how encoded bytes are written.
type Mode int

// The modes.
const (
	// Stream writes bytes as soon as they are made. A header declares an unknown length.
	Stream Mode = iota
	// File also writes bytes as soon as they are made. Close then replaces the header by
	// one with exact lengths, so the destination must be a [Rewriter].
	File
)

// Rewriter can replace the beginning of what was written to it.
type Rewriter interface {
	// Rewrite replaces the first len(head) bytes, at most 4,096.
	Rewrite(head []byte) error
}

// maxHead is the most bytes that a [Rewriter] has to replace.
const maxHead = 4096

// encoder is one row of the table.
type encoder struct {
	codec audio.Codec
	// rate returns the rate at which the encoder wants its samples, in Hz, for a format
	// with a sample rate; nil means the same rate.
	rate func(sampleRate int) int
	// kbps returns the bit rates that the codec has at a sample rate; nil if it has none.
	kbps func(sampleRate int) bitrates
	// lag returns how much audio must follow a sample until its bytes are written in Stream
	// mode: the lookahead and the remainder of the frame. nil means none.
	lag func(f audio.Format) time.Duration
	// requestable are the bit rates that a request may name at any sample rate, in kbit/s.
	// One that the codec does not have becomes the nearest that it has.
	requestable span
	// open returns a coder for f, which [Check] has accepted.
	open func(f audio.Format, mode Mode) (coder, error)
}

// span is a range of bit rates in kbit/s.
type span struct{ least, most int }

// bitrates are the bit rates of a lossy codec at a sample rate, in kbit/s.
type bitrates struct {
	span
	// steps, if not nil, are the only possible ones, ascending.
	steps []int
}

// nearest returns the possible bit rate that is nearest to kbps, the lower one of two.
func (b bitrates) nearest(kbps int) int {
	// MinFunc takes the first of equals, hence the lower bit rate.
	kbps = min(max(kbps, b.least), b.most)
	if b.steps == nil {
		return kbps
	}
	return slices.MinFunc(b.steps, func(x, y int) int { return max(x-kbps, kbps-x) - max(y-kbps, kbps-y) })
}

// encoders lists the available codecs, in the order of audio.Codecs.
var encoders = sync.OnceValue(func() []encoder {
	var all []encoder
	for _, e := range []func() (encoder, bool){mp3Encoder, opusEncoder, aacEncoder, flacEncoder, wavEncoder, pcmEncoder, ulawEncoder, alawEncoder} {
		if e, ok := e(); ok {
			all = append(all, e)
		}
	}
	return all
})

// Absence tells why a codec is not [Available].
type Absence struct {
	Codec   audio.Codec
	Package string // the package of Debian and Ubuntu that has the library
	Err     error  // the error of the dynamic linker
}

// Absent returns the codecs whose library is missing or unusable.
func Absent() []Absence {
	var all []Absence
	for _, l := range []struct {
		codec   audio.Codec
		debian  string
		missing func() error
	}{
		{audio.MP3, "libmp3lame0", func() error { _, err := loadLAME(); return err }},
		{audio.Opus, "libopus0", func() error { _, err := loadLibopus(); return err }},
		{audio.AAC, "libvo-aacenc0", func() error { _, err := loadVOAAC(); return err }},
	} {
		if _, ok := find(l.codec); ok {
			continue
		}
		all = append(all, Absence{Codec: l.codec, Package: l.debian, Err: l.missing()})
	}
	return all
}

func find(c audio.Codec) (encoder, bool) {
	all := encoders()
	if i := slices.IndexFunc(all, func(e encoder) bool { return e.codec == c }); i >= 0 {
		return all[i], true
	}
	return encoder{}, false
}

// Available returns the codecs that can be used here, in the order of [audio.Codecs].
func Available() []audio.Codec {
	var names []audio.Codec
	for _, e := range encoders() {
		names = append(names, e.codec)
	}
	return names
}

// NewEncoder returns a writer that encodes samples at [InputRate](f) Hz into f and writes
// the bytes to w. It checks f as [Check] does and returns the same errors.
//
// In Stream mode the header and the first samples are written in one Write. No Write splits
// a 16-bit sample. In File mode w must be a [Rewriter]. A WAV file of more than 4 GiB, which
// its header cannot declare, keeps the header of a stream. If there are no samples, Close
// writes the format's empty file.
//
// Close flushes but does not close w. A second Close returns the result of the first.
// WritePCM after Close returns an error. An error of w is returned at once and by all later
// calls. The writer is not safe for concurrent use.
func NewEncoder(w io.Writer, f audio.Format, mode Mode) (audio.Writer, error) {
	f, err := Check(f)
	if err != nil {
		return nil, err
	}
	e, _ := find(f.Codec)
	again, ok := w.(Rewriter)
	// Fail now rather than at Close, when the whole file would be lost.
	if mode == File && !ok {
		return nil, fmt.Errorf("codec: a %T cannot write the head of a file again", w)
	}
	c, err := e.open(f, mode)
	if err != nil {
		return nil, err
	}
	return &writer{w: w, rewriter: again, coder: c, mode: mode}, nil
}

// InputRate returns the rate of the samples that an encoder of f expects, in Hz. It is
// f.SampleRate, or the next higher rate of a codec that has only certain rates. f must have
// passed Check.
func InputRate(f audio.Format) int {
	if e, ok := find(f.Codec); ok && e.rate != nil {
		return e.rate(f.SampleRate)
	}
	return f.SampleRate
}

// Lag returns how much audio must follow a sample, at most, until an encoder of f in Stream
// mode has written the bytes of that sample: its lookahead and the remainder of its frame. f
// must have passed Check.
func Lag(f audio.Format) time.Duration {
	if e, ok := find(f.Codec); ok && e.lag != nil {
		return e.lag(f)
	}
	return 0
}

// duration returns how long samples last at a rate in Hz.
func duration(samples, rate int) time.Duration {
	return time.Duration(samples) * time.Second / time.Duration(rate)
}

// Check fills in what f leaves out and reports whether f can be encoded here. The defaults
// are codec wav; 24,000 Hz, or 8,000 Hz for ulaw and alaw; and the codec's default bit rate.
// A bit rate that the codec does not have at the sample rate becomes the nearest that it has;
// see [Notices]. Errors are *fault.Error of kind Invalid and name the parameter:
// response_format, sample_rate or bitrate_kbps.
func Check(f audio.Format) (audio.Format, error) {
	if f.Codec == "" {
		f.Codec = audio.WAV
	}
	if !f.Codec.Known() {
		return f, fault.BadParameter("response_format", "response_format %q is not one of %s", f.Codec, fault.Listed(audio.Codecs))
	}
	e, ok := find(f.Codec)
	if !ok {
		return f, fault.BadParameter("response_format", "response_format %q is not available here; available: %s", f.Codec, fault.Listed(Available()))
	}
	if f.SampleRate == 0 {
		f.SampleRate = f.Codec.StandardRate()
	}
	if !slices.Contains(audio.SampleRates, f.SampleRate) {
		return f, fault.BadParameter("sample_rate", "sample_rate %d is not one of %s", f.SampleRate, fault.Listed(audio.SampleRates))
	}
	return checkBitrate(f, e)
}

// checkBitrate checks or fills in the bit rate.
func checkBitrate(f audio.Format, e encoder) (audio.Format, error) {
	if e.kbps == nil {
		if f.BitrateKbps != 0 {
			return f, fault.BadParameter("bitrate_kbps", "bitrate_kbps applies to %s only, not to %s", audio.LossyNames, f.Codec)
		}
		return f, nil
	}
	can := e.kbps(f.SampleRate)
	switch {
	case f.BitrateKbps == 0:
		f.BitrateKbps = f.Codec.StandardKbps()
	case f.BitrateKbps < e.requestable.least || f.BitrateKbps > e.requestable.most:
		return f, fault.BadParameter("bitrate_kbps", "bitrate_kbps %d is outside %d to %d, which is what %s can be asked for; at %d Hz it has %d to %d",
			f.BitrateKbps, e.requestable.least, e.requestable.most, f.Codec, f.SampleRate, can.least, can.most)
	}
	f.BitrateKbps = can.nearest(f.BitrateKbps)
	return f, nil
}

// Notices returns a sentence if got, the result of [Check], has another bit rate than asked.
func Notices(asked, got audio.Format) []string {
	if asked.BitrateKbps == 0 || asked.BitrateKbps == got.BitrateKbps {
		return nil
	}
	return []string{fmt.Sprintf("%s has no bit rate of %d kbps at %d Hz: the nearest that it has, %d kbps, is used.",
		got.Codec, asked.BitrateKbps, got.SampleRate, got.BitrateKbps)}
}

// Package codec encodes mono 16-bit PCM into the formats of the service, as a
// stream or as a file.
//
// The codecs are rows of one table; a format that this build or machine does
// not have is missing from the table, from [Available], and refused by name.
package codec

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"vaak/audio"
	"vaak/internal/fault"
)

// Mode says how encoded bytes are written.
type Mode int

// The modes.
const (
	// Stream writes bytes as soon as they are made. A container that declares
	// its length declares it unknown.
	Stream Mode = iota
	// File writes bytes as soon as they are made, as Stream does, and declares
	// exact lengths: Close writes the head of the file again, through the
	// [Rewriter] that the writer must be.
	File
)

// Rewriter is what can write the first bytes of what was written to it again.
type Rewriter interface {
	// Rewrite replaces as many of the first bytes as head has, at most [MaxHead].
	Rewrite(head []byte) error
}

// MaxHead bounds what a [Rewriter] is asked to write again, in bytes.
const MaxHead = 4096

// encoder is one row of the table.
type encoder struct {
	codec audio.Codec
	// rate, if set, is the rate in Hz of the samples that it takes for a format
	// of a sample rate; nil is the same.
	rate func(sampleRate int) int
	// kbps, if set, gives the bit rates that it can make at a sample rate.
	kbps func(sampleRate int) bitrates
	// asked are the bit rates that can be asked for at any sample rate, in kbit/s.
	// Those that cannot be made become the nearest that can.
	asked span
	// open returns a coder of f, which [Check] has passed.
	open func(f audio.Format, mode Mode) (coder, error)
}

// span is a range of bit rates in kbit/s.
type span struct{ least, most int }

// bitrates are those of a lossy codec at a sample rate, in kbit/s.
type bitrates struct {
	span
	usual int
	// steps, if set, lists the only ones that there are, ascending.
	steps []int
}

// nearest returns the bit rate of b that is nearest to kbps; of two, the lower.
func (b bitrates) nearest(kbps int) int {
	kbps = min(max(kbps, b.least), b.most)
	if b.steps == nil {
		return kbps
	}
	return slices.MinFunc(b.steps, func(x, y int) int { return max(x-kbps, kbps-x) - max(y-kbps, kbps-y) })
}

// encoders lists what can be encoded, in the order of audio.Codecs.
var encoders = sync.OnceValue(func() []encoder {
	var all []encoder
	for _, e := range []func() (encoder, bool){mp3Encoder, opusEncoder, aacEncoder, flacEncoder, wavEncoder, pcmEncoder, ulawEncoder, alawEncoder} {
		if e, ok := e(); ok {
			all = append(all, e)
		}
	}
	return all
})

// Absence says why a codec is not [Available].
type Absence struct {
	Codec   audio.Codec
	Package string // of Debian and Ubuntu, that has the library
	Err     error  // what the dynamic linker says
}

// Absent lists the codecs whose library is not there, or is not as it should be.
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

// Available lists the codecs that can be asked for here, in the order of
// [audio.Codecs]. All of them send bytes as they are made.
func Available() []audio.Codec {
	var names []audio.Codec
	for _, e := range encoders() {
		names = append(names, e.codec)
	}
	return names
}

// NewEncoder returns a writer of samples at [InputRate](f) Hz that writes f to w.
// It checks f as [Check] does and returns the same errors.
//
// In Stream mode the first samples leave in one Write together with the header,
// and no Write splits a 16-bit sample. In File mode w must be a [Rewriter]. A wav of
// more than the 4 GiB that its head can declare keeps the lengths of a stream.
// Without any samples Close writes the format's empty file.
//
// Close flushes and does not close w. A second Close repeats the result of the
// first; WritePCM after Close returns an error. An error of w is returned by the
// call that met it and by every later one. Not safe for concurrent use.
func NewEncoder(w io.Writer, f audio.Format, mode Mode) (audio.Writer, error) {
	f, err := Check(f)
	if err != nil {
		return nil, err
	}
	e, _ := find(f.Codec)
	again, ok := w.(Rewriter)
	if mode == File && !ok {
		return nil, fmt.Errorf("codec: a %T cannot write the head of a file again", w)
	}
	c, err := e.open(f, mode)
	if err != nil {
		return nil, err
	}
	return &writer{w: w, again: again, coder: c, mode: mode}, nil
}

// InputRate returns the rate of the samples that an encoder of f takes, in Hz:
// f.SampleRate, unless the codec knows only certain rates and takes the next
// higher of them. Check must have passed f.
func InputRate(f audio.Format) int {
	if e, ok := find(f.Codec); ok && e.rate != nil {
		return e.rate(f.SampleRate)
	}
	return f.SampleRate
}

// Check fills in what f leaves out (codec wav; 24,000 Hz, 8,000 Hz for ulaw and
// alaw; the codec's usual bit rate) and says whether it can be encoded here. A bit
// rate that the codec does not have at the sample rate becomes the nearest that it
// has; see [Notices]. Its errors are *fault.Error of kind Invalid that name the
// parameter: response_format, sample_rate or bitrate_kbps.
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
		f.SampleRate = defaultRate(f.Codec)
	}
	if !slices.Contains(audio.SampleRates, f.SampleRate) {
		return f, fault.BadParameter("sample_rate", "sample_rate %d is not one of %s", f.SampleRate, fault.Listed(audio.SampleRates))
	}
	return checkBitrate(f, e)
}

// checkBitrate fills in the bit rate of a lossy format.
func checkBitrate(f audio.Format, e encoder) (audio.Format, error) {
	if e.kbps == nil {
		if f.BitrateKbps != 0 {
			return f, fault.BadParameter("bitrate_kbps", "bitrate_kbps applies to mp3, opus and aac only, not to %s", f.Codec)
		}
		return f, nil
	}
	can := e.kbps(f.SampleRate)
	switch {
	case f.BitrateKbps == 0:
		f.BitrateKbps = can.usual
	case f.BitrateKbps < e.asked.least || f.BitrateKbps > e.asked.most:
		return f, fault.BadParameter("bitrate_kbps", "bitrate_kbps %d is outside %d to %d, which is what %s can be asked for; at %d Hz it has %d to %d",
			f.BitrateKbps, e.asked.least, e.asked.most, f.Codec, f.SampleRate, can.least, can.most)
	}
	f.BitrateKbps = can.nearest(f.BitrateKbps)
	return f, nil
}

// Notices tells in a sentence that a format has another bit rate than was asked for.
// Got is what [Check] made of asked.
func Notices(asked, got audio.Format) []string {
	if asked.BitrateKbps == 0 || asked.BitrateKbps == got.BitrateKbps {
		return nil
	}
	return []string{fmt.Sprintf("%s has no bit rate of %d kbps at %d Hz: the nearest that it has, %d kbps, is used.",
		got.Codec, asked.BitrateKbps, got.SampleRate, got.BitrateKbps)}
}

func defaultRate(c audio.Codec) int {
	if c == audio.ULaw || c == audio.ALaw {
		return 8000
	}
	return audio.DefaultSampleRate
}

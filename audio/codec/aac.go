package codec

import (
	"time"

	"vaak/audio"
)

const (
	// aacFrame is the length of a frame in samples.
	aacFrame = 1024
	// aacDelay is how many samples after its input a decoder returns the sound, measured:
	// one frame of the transform's overlap and 576 samples of lookahead.
	aacDelay = 1600
	// aacMinFrames is how many frames a file must have for players to recognize it.
	aacMinFrames = 3
)

// aac makes ADTS frames of AAC-LC. The first frame is ready after 1,024 samples. ADTS can
// declare neither the delay nor a length, so a stream and a file are the same: the delay, the
// sound, and silence up to the end of a frame.
type aac struct {
	session voaacSession
	frame   [aacFrame]int16
	filled  int   // samples in frame
	samples int64 // received so far
	frames  int64 // written so far
}

func aacEncoder() (encoder, bool) {
	// An error means that the library is missing; the row is then left out of the table.
	lib, err := loadVOAAC()
	return encoder{codec: audio.AAC, kbps: aacBitrates, requestable: mp3Requestable,
		lag: func(f audio.Format) time.Duration { return duration(aacDelay+aacFrame, f.SampleRate) },
		open: func(f audio.Format, _ Mode) (coder, error) {
			h, err := lib.open(f.SampleRate, f.BitrateKbps)
			if err != nil {
				return nil, err
			}
			return &aac{session: voaacSession{lib: lib, handle: h}}, nil
		}}, err == nil
}

// aacBitrates returns the bit rates that libvo-aacenc 0.1.3 keeps to within 3 % on any
// signal.
//
// Above 6 bits per sample (the most that AAC allows per frame) and above 160 kbit/s the
// library silently falls back to 4/3 bits per sample: for 96 kbit/s at 8,000 Hz it makes 10.7.
//
// With too few bits the library is not safe. It may read far outside a table (pow2_xy, with
// an exponent that it takes for negative), which ends the process, or it may never return.
// Signals made to provoke that, sparse clicks over a low tone, do so about once in 1,000
// frames at 1 bit per sample, in 10,000 at 1.5, in 100,000 at 2 and in 160,000 at 2.5. So
// the lowest bit rate is 3 bits per sample, or the default if that is less.
//
// A request may name any bit rate of mp3, since clients use the numbers of mp3 for aac too,
// such as 64 kbit/s for speech. It then gets the nearest one possible.
func aacBitrates(rate int) bitrates {
	return bitrates{span: span{least: min((3*rate+999)/1000, audio.AAC.StandardKbps()), most: min(6*rate/1000, 160)}}
}

func (a *aac) encode(dst []byte, pcm []int16) ([]byte, error) {
	a.samples += int64(len(pcm))
	for len(pcm) > 0 {
		n := copy(a.frame[a.filled:], pcm)
		a.filled += n
		pcm = pcm[n:]
		if a.filled < aacFrame {
			break
		}
		var err error
		if dst, err = a.flush(dst); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// flush appends the frame made of the samples so far and silence.
func (a *aac) flush(dst []byte) ([]byte, error) {
	clear(a.frame[a.filled:])
	a.filled = 0
	a.frames++
	return a.session.appendFrame(dst, &a.frame)
}

// finish pads with silence until a decoder has returned every sample, and at least to
// aacMinFrames.
func (a *aac) finish(dst []byte) ([]byte, error) {
	for a.frames < aacMinFrames || a.frames*aacFrame < a.samples+aacDelay {
		var err error
		if dst, err = a.flush(dst); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (a *aac) free() { a.session.lib.uninit(a.session.handle) }

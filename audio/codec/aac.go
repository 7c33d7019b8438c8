package codec

import "vaak/audio"

const (
	// aacUsual is the bit rate of aac where none is asked for, in kbit/s.
	aacUsual = 96
	// aacFrame is the length of a frame in samples.
	aacFrame = 1024
	// aacDelay is how many samples later than it was put in a decoder gives out
	// the sound, measured: one frame of the transform's overlap and 576 samples
	// of looking ahead.
	aacDelay = 1600
	// aacFewest is how many frames a file has, by which players know it for one.
	aacFewest = 3
)

// aac makes ADTS frames of AAC-LC. The first leaves after its 1,024 samples. ADTS
// has no place to declare the delay or a length, so streams and whole files are
// the same: the delay, the sound, and silence up to the end of a frame.
type aac struct {
	session voaacSession
	frame   [aacFrame]int16
	filled  int   // samples in frame
	taken   int64 // samples in all
	made    int64 // frames
}

func aacEncoder() (encoder, bool) {
	lib, err := loadVOAAC()
	return encoder{codec: audio.AAC, kbps: aacBitrates, asked: mp3Asked,
		open: func(f audio.Format, _ Mode) (coder, error) {
			h, err := lib.open(f.SampleRate, f.BitrateKbps)
			if err != nil {
				return nil, err
			}
			return &aac{session: voaacSession{lib: lib, handle: h}}, nil
		}}, err == nil
}

// aacBitrates allows what libvo-aacenc 0.1.3 makes as asked, to 3 % on any signal.
//
// Above 6 bit a sample (the most that AAC allows a frame) and above 160 kbit/s the
// library falls back to 4/3 bit a sample without an error: asked for 96 kbit/s at
// 8,000 Hz it makes 10.7.
//
// With too few bits it is not safe: it may read far outside a table (pow2_xy, of
// an exponent that it takes to be negative), which ends the process, or not return.
// Signals made to provoke that, sparse clicks over a low tone, do so once in some
// 1,000 frames at 1 bit a sample, 10,000 at 1.5, 100,000 at 2, and in 160,000 at
// 2.5. Hence at least 3, or the usual bit rate where that is less.
//
// What is asked for beyond them, within the bit rates of mp3, becomes the nearest:
// clients take the numbers of mp3 for those of aac, such as 64 kbit/s for speech.
func aacBitrates(rate int) bitrates {
	return bitrates{span: span{least: min((3*rate+999)/1000, aacUsual), most: min(6*rate/1000, 160)}, usual: aacUsual}
}

func (a *aac) encode(dst []byte, pcm []int16) ([]byte, error) {
	a.taken += int64(len(pcm))
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

// flush appends the frame that the samples so far and silence make.
func (a *aac) flush(dst []byte) ([]byte, error) {
	clear(a.frame[a.filled:])
	a.filled = 0
	a.made++
	return a.session.appendFrame(dst, &a.frame)
}

// finish pads with silence until a decoder has given out every sample; without
// any, to the fewest frames of a file.
func (a *aac) finish(dst []byte) ([]byte, error) {
	for a.made < aacFewest || a.made*aacFrame < a.taken+aacDelay {
		var err error
		if dst, err = a.flush(dst); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (a *aac) free() { a.session.lib.uninit(a.session.handle) }

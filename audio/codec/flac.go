package codec

import (
	mewkiz "github.com/mewkiz/flac"
	"github.com/mewkiz/flac/meta"

	"vaak/audio"
)

// flac writes FLAC (RFC 9639) of one channel and 16 bits in blocks of one size:
// constant blocks as a number, others by linear prediction, what cannot be
// predicted verbatim.
//
// It decides on the predictor and the Rice parameters of a block, and
// github.com/mewkiz/flac writes what was decided. That library's own analysis
// knows fixed predictors and one Rice parameter a block: a second of speech at
// 24,000 Hz takes 4.4 ms with it and 1.5 ms so, and files are 5 to 34 % smaller so.
// About a sixth of the 1.5 ms goes into the decisions and as much into an MD5 that a
// stream does not need, which the library has no way to leave out; most of the
// rest is its writing of bits one number at a time.
type flac struct {
	info  meta.StreamInfo
	block int     // samples of a block
	held  []int16 // of an unfinished block
	out   flacFile
	enc   *mewkiz.Encoder // nil until the first frame; writes to out

	least, most uint32 // bytes of a frame; zero without
}

// flacBlock returns the samples of a block: 46 to 50 ms, so that the first bytes
// of a stream do not wait for more, in whole multiples of 128, which Rice
// partitions halve. Nothing is lost by it: at 24,000 Hz, blocks of 512, 1,024,
// 1,152, 2,048 and 4,096 samples make espeak's speech 48.2, 47.9, 48.0, 48.6 and
// 49.7 % of PCM, and flite's 31.8, 30.0, 30.0, 29.9 and 30.5 %.
func flacBlock(rate int) int { return rate / 20 &^ 127 }

// flacMaxBlock is the block of the highest rate.
const flacMaxBlock = 2304

func flacEncoder() (encoder, bool) {
	return encoder{codec: audio.FLAC,
		open: func(f audio.Format, _ Mode) (coder, error) {
			block := flacBlock(f.SampleRate)
			return &flac{block: block, info: meta.StreamInfo{
				BlockSizeMin: uint16(block), BlockSizeMax: uint16(block), // but of the last block
				SampleRate: uint32(f.SampleRate), NChannels: 1, BitsPerSample: 16,
			}}, nil
		}}, true
}

func (f *flac) encode(dst []byte, pcm []int16) ([]byte, error) {
	f.out.bytes = dst
	err := f.cut(pcm)
	return f.out.take(), err
}

// cut writes the blocks that pcm fills and holds the rest.
func (f *flac) cut(pcm []int16) error {
	if n := len(f.held); n > 0 {
		n = min(f.block-n, len(pcm))
		f.held = append(f.held, pcm[:n]...)
		pcm = pcm[n:]
		if len(f.held) == f.block {
			if err := f.write(f.held); err != nil {
				return err
			}
			f.held = f.held[:0]
		}
	}
	for ; len(pcm) >= f.block; pcm = pcm[f.block:] {
		if err := f.write(pcm[:f.block]); err != nil {
			return err
		}
	}
	if len(pcm) > 0 {
		if f.held == nil {
			f.held = make([]int16, 0, f.block)
		}
		f.held = append(f.held, pcm...)
	}
	return nil
}

func (f *flac) finish(dst []byte) ([]byte, error) {
	f.out.bytes = dst
	err := f.begin()
	if len(f.held) > 0 && err == nil {
		err = f.write(f.held)
		f.held = nil
	}
	return f.out.take(), err
}

func (f *flac) free() {}

// seal writes what the file turned out to be into its head. The library knows the
// number of the samples and their MD5; as the least block it gives the last, and
// it does not measure frames.
func (f *flac) seal(head []byte, _ int64) error {
	f.out.bytes = head
	if err := f.enc.Close(); err != nil {
		return err
	}
	f.info.BlockSizeMin, f.info.BlockSizeMax = uint16(f.block), uint16(f.block)
	f.info.FrameSizeMin, f.info.FrameSizeMax = f.least, f.most
	f.out.bytes = head[:0]
	_, err := mewkiz.NewEncoder(&f.out, &f.info) // writes a head
	return err
}

// begin writes the head, once.
func (f *flac) begin() (err error) {
	if f.enc == nil {
		f.enc, err = mewkiz.NewEncoder(&f.out, &f.info)
		if err == nil {
			f.enc.EnablePredictionAnalysis(false)
		}
	}
	return err
}

// write writes the frame of a block, the first after the head.
func (f *flac) write(pcm []int16) error {
	if err := f.begin(); err != nil {
		return err
	}
	s := flacScratches.Get().(*flacScratch)
	defer flacScratches.Put(s)
	s.analyse(f.info.SampleRate, pcm)
	start := len(f.out.bytes)
	if err := f.enc.WriteFrame(&s.frame); err != nil {
		return err
	}
	size := uint32(len(f.out.bytes) - start)
	if f.least == 0 || size < f.least {
		f.least = size
	}
	f.most = max(f.most, size)
	return nil
}

// flacFile holds what the library writes.
type flacFile struct{ bytes []byte }

func (f *flacFile) Write(p []byte) (int, error) {
	f.bytes = append(f.bytes, p...)
	return len(p), nil
}

// Seek lets a closing encoder write the head again, in the place of the old one.
func (f *flacFile) Seek(offset int64, _ int) (int64, error) {
	f.bytes = f.bytes[:offset]
	return offset, nil
}

// take returns what is held and holds it no longer.
func (f *flacFile) take() []byte {
	b := f.bytes
	f.bytes = nil
	return b
}

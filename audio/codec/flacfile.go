package codec

import (
	"fmt"

	mewkiz "github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
	"github.com/mewkiz/flac/meta"

	"vaak/audio"
)

// FLACFile returns a FLAC file of up to eight channels of equal length. Each channel is coded
// by itself, because channels with one speaker each have nothing in common. rate is in Hz and
// one of [audio.SampleRates]. Responses have one channel and use [NewEncoder]; this is for
// recordings.
func FLACFile(rate int, channels ...[]int16) ([]byte, error) {
	if len(channels) == 0 || len(channels) > 8 {
		return nil, fmt.Errorf("%d channels are outside the 1 to 8 of FLAC", len(channels))
	}
	for _, c := range channels {
		if len(c) != len(channels[0]) {
			return nil, fmt.Errorf("channels of %d and %d samples cannot be one file", len(channels[0]), len(c))
		}
	}
	if _, err := Check(audio.Format{Codec: audio.FLAC, SampleRate: rate}); err != nil {
		return nil, err
	}
	w := newFLACWriter(rate, len(channels))
	if err := w.write(channels); err != nil {
		return nil, fmt.Errorf("write FLAC: %w", err)
	}
	return w.out.bytes, nil
}

// flacWriter writes a file with several channels.
type flacWriter struct {
	out   flacFile
	block int
	info  meta.StreamInfo
	enc   *mewkiz.Encoder
	each  []*flacScratch // one for each channel
	frame frame.Frame
}

func newFLACWriter(rate, channels int) *flacWriter {
	block := flacBlock(rate)
	w := &flacWriter{block: block, info: meta.StreamInfo{
		BlockSizeMin: uint16(block), BlockSizeMax: uint16(block),
		SampleRate: uint32(rate), NChannels: uint8(channels), BitsPerSample: 16,
	}}
	for range channels {
		w.each = append(w.each, flacScratches.Get().(*flacScratch))
	}
	return w
}

func (w *flacWriter) write(channels [][]int16) (err error) {
	defer func() {
		for _, s := range w.each {
			flacScratches.Put(s)
		}
	}()
	if w.enc, err = mewkiz.NewEncoder(&w.out, &w.info); err != nil {
		return err
	}
	w.enc.EnablePredictionAnalysis(false)
	for at := 0; at < len(channels[0]); at += w.block {
		if err := w.writeBlock(channels, at, min(at+w.block, len(channels[0]))); err != nil {
			return err
		}
	}
	return w.seal()
}

// writeBlock writes the frame of samples start to end.
func (w *flacWriter) writeBlock(channels [][]int16, start, end int) error {
	w.frame.Subframes = w.frame.Subframes[:0]
	for i, s := range w.each {
		s.analyse(w.info.SampleRate, channels[i][start:end])
		w.frame.Header = s.frame.Header
		w.frame.Subframes = append(w.frame.Subframes, s.frame.Subframes[0])
	}
	w.frame.Channels = frame.Channels(len(channels) - 1) // channels coded independently
	return w.enc.WriteFrame(&w.frame)
}

// seal writes the number of samples and their MD5 into the header.
func (w *flacWriter) seal() error {
	file := w.out.bytes
	if err := w.enc.Close(); err != nil {
		return err
	}
	w.info.BlockSizeMin, w.info.BlockSizeMax = uint16(w.block), uint16(w.block)
	w.out.bytes = file[:0]
	if _, err := mewkiz.NewEncoder(&w.out, &w.info); err != nil {
		return err
	}
	w.out.bytes = file
	return nil
}

// Package wav reads WAV files (RIFF), and RF64 and BW64, which are WAV with 64-bit sizes.
package wav

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"vaak/audio/decode/pcm"
	"vaak/audio/decode/recording"
)

const (
	maxChunks   = 256            // how many chunks are examined in a file
	chunkHeader = 8              // bytes of a chunk before its body
	noSize      = math.MaxUint32 // of a chunk whose size is unknown or declared elsewhere
	// pipeSize is the size of the samples that sox declares when it writes into a pipe,
	// rounded down to whole samples.
	pipeSize = 0x7FFFF000
)

// file reads the chunks of a file in order, up to the samples.
type file struct {
	src    recording.Source
	size   int64 // bytes of the file
	riff   int64 // declared bytes after the first 8
	rf64   bool  // 32-bit sizes may be placeholders for those in the ds64 chunk
	ds64   *sizes
	format *format
}

// sizes are the sizes in an RF64 file (EBU Tech 3306), in bytes.
type sizes struct{ riff, data int64 }

// chunk is a chunk with its declared size.
type chunk struct {
	id   string
	body int64 // offset of its body
	size int64
}

// Format returns the format. It reads PCM of 1 to 32 bits, floats of 32 and 64, A-law and μ-law.
func Format() recording.Format {
	return recording.Format{Name: "WAV (RIFF, RF64, BW64)", Match: match, Open: open}
}

func match(_ io.ReaderAt, head []byte) (bool, error) {
	if len(head) < 12 || string(head[8:12]) != "WAVE" {
		return false, nil
	}
	return slices.Contains([]string{"RIFF", "RF64", "BW64"}, string(head[:4])), nil
}

// open reads the chunks up to the samples.
func open(src recording.Source, head []byte, limits recording.Limits) (recording.Stream, error) {
	size, err := recording.Size(src)
	if err != nil {
		return nil, err
	}
	w := &file{src: src, size: size,
		riff: int64(binary.LittleEndian.Uint32(head[4:])),
		rf64: string(head[:4]) != "RIFF"}
	data, err := w.find()
	if err != nil {
		return nil, err
	}
	return w.open(data, limits)
}

// find reads the chunks up to the one with the samples, and returns that.
func (w *file) find() (chunk, error) {
	// After "RIFF", the size of the file and "WAVE".
	at := int64(12)
	for range maxChunks {
		if at >= w.size {
			return chunk{}, recording.Broken("the file has no data chunk: it ends at byte %d", w.size)
		}
		c, err := w.chunk(at)
		if err != nil {
			return c, err
		}
		switch c.id {
		case "data":
			if w.format == nil {
				return c, recording.Broken("the data chunk at byte %d comes before any fmt chunk", at)
			}
			return c, nil
		case "fmt ":
			err = w.readFormat(c)
		case "ds64":
			err = w.readSizes(c)
		}
		if err != nil {
			return c, err
		}
		if at, err = w.next(c); err != nil {
			return c, err
		}
	}
	return chunk{}, recording.Broken("the first %d chunks hold no samples", maxChunks)
}

// chunk reads the header of the chunk at an offset.
func (w *file) chunk(at int64) (chunk, error) {
	var b [chunkHeader]byte
	if err := recording.ReadFull(w.src, b[:], at); err != nil {
		return chunk{}, err
	}
	return chunk{string(b[:4]), at + chunkHeader, int64(binary.LittleEndian.Uint32(b[4:]))}, nil
}

// next returns the offset of the chunk after c. A chunk of odd size is followed by a padding
// byte, which some writers leave out. That shows when a known chunk begins in its place.
func (w *file) next(c chunk) (int64, error) {
	at := c.body + c.size
	if at > w.size {
		return 0, recording.Broken("the chunk %q at byte %d claims %d bytes; the file ends after %d of them",
			c.id, c.body-chunkHeader, c.size, w.size-c.body)
	}
	if c.size%2 == 0 || at == w.size {
		return at, nil
	}
	var b [4]byte
	n, _ := w.src.ReadAt(b[:], at) // an error shows when the next chunk is read
	if n == len(b) && slices.Contains([]string{"fmt ", "data", "fact", "LIST"}, string(b[:])) {
		return at, nil
	}
	return at + 1, nil
}

func (w *file) readFormat(c chunk) error {
	if w.format != nil {
		return recording.Broken("the file has a second fmt chunk, at byte %d", c.body-chunkHeader)
	}
	const longest = 40
	b := make([]byte, min(c.size, longest))
	if err := recording.ReadFull(w.src, b, c.body); err != nil {
		return err
	}
	f, err := parseFormat(b)
	w.format = f
	return err
}

func (w *file) readSizes(c chunk) error {
	const least = 28
	if !w.rf64 || w.ds64 != nil || c.size < least {
		return recording.Broken("the ds64 chunk at byte %d has %d bytes and is out of place, one too many or too short",
			c.body-chunkHeader, c.size)
	}
	var b [least]byte
	if err := recording.ReadFull(w.src, b[:], c.body); err != nil {
		return err
	}
	w.ds64 = &sizes{
		riff: int64(binary.LittleEndian.Uint64(b[0:])),
		data: int64(binary.LittleEndian.Uint64(b[8:])),
	}
	return nil
}

// open returns the stream of the samples in a chunk.
func (w *file) open(data chunk, limits recording.Limits) (recording.Stream, error) {
	// claimed is what the header says, held what the file has.
	claimed, known, err := w.claimedSize(data)
	if err != nil {
		return nil, err
	}
	info := w.format.info()
	if w.rf64 {
		info.Container = recording.RF64
	}
	align := int64(w.format.align)
	held := w.size - data.body
	if align%2 == 1 && claimed%2 == 0 && claimed%align == 1 {
		claimed-- // some writers, among them FFmpeg for RF64, count the padding byte
	}
	var last error
	switch {
	case known && claimed > held:
		last = recording.Broken("the data chunk claims %d bytes and the file ends after %d of them: %d bytes, %.3f s, are missing",
			claimed, held, claimed-held, float64(claimed-held)/float64(align)/float64(info.SampleRate))
	case known:
		held = claimed
		if err := w.checkAfterSamples(data.body + claimed + claimed%2); err != nil {
			return nil, err
		}
	}
	info.Frames = held / align // from the real size: a false claim is reported at the end
	if _, err := limits.MaxSamples(info); err != nil {
		return nil, err
	}
	// Only a declared size is reported; without one the length shows at the end.
	info.Frames = -1
	if known {
		info.Frames = claimed / align
	}
	return pcm.New(w.src, info, w.format.coding, data.body, data.body+held, last), nil
}

// claimedSize returns the declared size of the samples in bytes. ok is false if none is
// declared: in a file written into a pipe the field is absent, all ones, or zero. A zero counts
// as declared if the size of the whole file is right.
func (w *file) claimedSize(data chunk) (int64, bool, error) {
	size, riff := data.size, w.riff
	if w.rf64 && size == noSize {
		if w.ds64 == nil {
			return 0, false, recording.Broken("the sizes of the RF64 file are missing: it has no ds64 chunk before its samples")
		}
		if size, riff = w.ds64.data, w.ds64.riff; size < -1 {
			return 0, false, recording.Broken("the ds64 chunk claims %d bytes of samples", uint64(size))
		}
		return size, size != -1 && (size != 0 || riff == w.size-chunkHeader), nil
	}
	// Too large a size is a lie, unless it is one that writers into pipes use.
	if held := w.size - data.body; size > held {
		piped := size > pipeSize-int64(w.format.align) && size <= pipeSize
		return size, size != noSize && !piped, nil
	}
	return size, size != 0 || riff == w.size-chunkHeader, nil
}

// checkAfterSamples examines the chunks after the samples, from an offset on. More samples or a
// second format would be a second recording that nobody hears, so they are an error. Anything
// that is not a chunk is ignored.
func (w *file) checkAfterSamples(at int64) error {
	for range maxChunks {
		if at > w.size-chunkHeader {
			return nil
		}
		c, err := w.chunk(at)
		if err != nil {
			return err
		}
		if c.id == "data" || c.id == "fmt " {
			return recording.Broken("the file has a second chunk %q, at byte %d", c.id, at)
		}
		if at, err = w.next(c); err != nil {
			return nil
		}
	}
	return nil
}

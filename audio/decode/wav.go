package decode

import (
	"encoding/binary"
	"math"
	"slices"
)

const (
	wavChunks = 256            // how many chunks are examined in a file
	wavHeader = 8              // bytes of a chunk before its body
	wavNoSize = math.MaxUint32 // of a chunk whose size is unknown or declared elsewhere
	// wavPipeSize is the size of the samples that sox declares when it writes into a pipe,
	// rounded down to whole samples.
	wavPipeSize = 0x7FFFF000
)

// wavFile reads the chunks of a file in order, up to the samples.
type wavFile struct {
	src    Source
	size   int64 // bytes of the file
	riff   int64 // declared bytes after the first 8
	rf64   bool  // 32-bit sizes may be placeholders for those in the ds64 chunk
	ds64   *wavSizes
	format *wavFormat
}

// wavSizes are the sizes in an RF64 file (EBU Tech 3306), in bytes.
type wavSizes struct{ riff, data int64 }

// wavChunk is a chunk with its declared size.
type wavChunk struct {
	id   string
	body int64 // offset of its body
	size int64
}

// openWAV reads RIFF, RF64 and BW64 files.
func openWAV(src Source, head []byte, limits Limits) (Stream, error) {
	size, err := sizeOf(src)
	if err != nil {
		return nil, err
	}
	w := &wavFile{src: src, size: size,
		riff: int64(binary.LittleEndian.Uint32(head[4:])),
		rf64: string(head[:4]) != "RIFF"}
	data, err := w.find()
	if err != nil {
		return nil, err
	}
	return w.open(data, limits)
}

// find reads the chunks up to the one with the samples, and returns that.
func (w *wavFile) find() (wavChunk, error) {
	at := int64(12)
	for range wavChunks {
		if at >= w.size {
			return wavChunk{}, broken("the file has no data chunk: it ends at byte %d", w.size)
		}
		c, err := w.chunk(at)
		if err != nil {
			return c, err
		}
		switch c.id {
		case "data":
			if w.format == nil {
				return c, broken("the data chunk at byte %d comes before any fmt chunk", at)
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
	return wavChunk{}, broken("the first %d chunks hold no samples", wavChunks)
}

// chunk reads the header of the chunk at an offset.
func (w *wavFile) chunk(at int64) (wavChunk, error) {
	var b [wavHeader]byte
	if err := readFull(w.src, b[:], at); err != nil {
		return wavChunk{}, err
	}
	return wavChunk{string(b[:4]), at + wavHeader, int64(binary.LittleEndian.Uint32(b[4:]))}, nil
}

// next returns the offset of the chunk after c. A chunk of odd size is followed by a padding
// byte, which some writers leave out. That shows when a known chunk begins in its place.
func (w *wavFile) next(c wavChunk) (int64, error) {
	at := c.body + c.size
	if at > w.size {
		return 0, broken("the chunk %q at byte %d claims %d bytes; the file ends after %d of them",
			c.id, c.body-wavHeader, c.size, w.size-c.body)
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

func (w *wavFile) readFormat(c wavChunk) error {
	if w.format != nil {
		return broken("the file has a second fmt chunk, at byte %d", c.body-wavHeader)
	}
	const longest = 40
	b := make([]byte, min(c.size, longest))
	if err := readFull(w.src, b, c.body); err != nil {
		return err
	}
	f, err := parseWAVFormat(b)
	w.format = f
	return err
}

func (w *wavFile) readSizes(c wavChunk) error {
	const least = 28
	if !w.rf64 || w.ds64 != nil || c.size < least {
		return broken("the ds64 chunk at byte %d has %d bytes and is out of place, one too many or too short",
			c.body-wavHeader, c.size)
	}
	var b [least]byte
	if err := readFull(w.src, b[:], c.body); err != nil {
		return err
	}
	w.ds64 = &wavSizes{
		riff: int64(binary.LittleEndian.Uint64(b[0:])),
		data: int64(binary.LittleEndian.Uint64(b[8:])),
	}
	return nil
}

// open returns the stream of the samples in a chunk.
func (w *wavFile) open(data wavChunk, limits Limits) (Stream, error) {
	// claimed is what the header says, held what the file has.
	claimed, known, err := w.claimedSize(data)
	if err != nil {
		return nil, err
	}
	info := w.format.info()
	if w.rf64 {
		info.Container = RF64
	}
	align := int64(w.format.align)
	held := w.size - data.body
	if align%2 == 1 && claimed%2 == 0 && claimed%align == 1 {
		claimed-- // some writers, among them FFmpeg for RF64, count the padding byte
	}
	var last error
	switch {
	case known && claimed > held:
		last = broken("the data chunk claims %d bytes and the file ends after %d of them: %d bytes, %.3f s, are missing",
			claimed, held, claimed-held, float64(claimed-held)/float64(align)/float64(info.SampleRate))
	case known:
		held = claimed
		if err := w.checkAfterSamples(data.body + claimed + claimed%2); err != nil {
			return nil, err
		}
	}
	info.Frames = held / align // from the real size: a false claim is reported at the end
	if _, err := limits.maxSamples(info); err != nil {
		return nil, err
	}
	// Only a declared size is reported; without one the length shows at the end.
	info.Frames = -1
	if known {
		info.Frames = claimed / align
	}
	return newPCM(w.src, info, w.format.coding, data.body, data.body+held, last), nil
}

// claimedSize returns the declared size of the samples in bytes. ok is false if none is
// declared: in a file written into a pipe the field is absent, all ones, or zero. A zero counts
// as declared if the size of the whole file is right.
func (w *wavFile) claimedSize(data wavChunk) (int64, bool, error) {
	size, riff := data.size, w.riff
	if w.rf64 && size == wavNoSize {
		if w.ds64 == nil {
			return 0, false, broken("the sizes of the RF64 file are missing: it has no ds64 chunk before its samples")
		}
		if size, riff = w.ds64.data, w.ds64.riff; size < -1 {
			return 0, false, broken("the ds64 chunk claims %d bytes of samples", uint64(size))
		}
		return size, size != -1 && (size != 0 || riff == w.size-wavHeader), nil
	}
	// Too large a size is a lie, unless it is one that writers into pipes use.
	if held := w.size - data.body; size > held {
		piped := size > wavPipeSize-int64(w.format.align) && size <= wavPipeSize
		return size, size != wavNoSize && !piped, nil
	}
	return size, size != 0 || riff == w.size-wavHeader, nil
}

// checkAfterSamples examines the chunks after the samples, from an offset on. More samples or a
// second format would be a second recording that nobody hears, so they are an error. Anything
// that is not a chunk is ignored.
func (w *wavFile) checkAfterSamples(at int64) error {
	for range wavChunks {
		if at > w.size-wavHeader {
			return nil
		}
		c, err := w.chunk(at)
		if err != nil {
			return err
		}
		if c.id == "data" || c.id == "fmt " {
			return broken("the file has a second chunk %q, at byte %d", c.id, at)
		}
		if at, err = w.next(c); err != nil {
			return nil
		}
	}
	return nil
}

package mp3

import (
	"bytes"
	"encoding/binary"
	"io"

	"vaak/audio/decode/recording"
)

// maxTags is how many bytes of tags, with pictures, may precede the sound.
const maxTags = 32 << 20

// audioBounds returns where the frames begin and end in a file of a size: after ID3v2 tags at its
// start, and before ID3v1, Lyrics3 and APE tags at its end. It does not read the tags.
func audioBounds(src io.ReaderAt, size int64) (start, end int64, err error) {
	for {
		var head [10]byte
		if start+int64(len(head)) > size {
			break
		}
		if err := recording.ReadAt(src, head[:], start); err != nil {
			return 0, 0, err
		}
		length := recording.ID3Length(head[:])
		if length == 0 {
			break
		}
		if start += length; start > maxTags {
			return 0, 0, recording.TooLarge("the ID3 tags of an MP3 may have %d bytes; here they have %d", maxTags, start)
		}
		if start > size {
			return 0, 0, recording.Broken("the ID3 tag of the MP3 ends at byte %d, and the file at byte %d", start, size)
		}
	}
	end, err = audioEnd(src, start, size)
	return start, end, err
}

// audioEnd returns where the tags at the end of a file begin.
func audioEnd(src io.ReaderAt, start, end int64) (int64, error) {
	for range 4 { // at most one of each kind
		length, err := lastTag(src, start, end)
		if err != nil || length == 0 || length > end-start {
			return end, err
		}
		end -= length
	}
	return end, nil
}

// lastTag returns the size of the tag that ends at an offset, or 0 if there is none.
func lastTag(src io.ReaderAt, start, end int64) (int64, error) {
	const id3v1, id3v1Extended, ape, lyrics = 128, 227, 32, 15
	var tail [id3v1 + id3v1Extended]byte
	b := tail[:min(int64(len(tail)), end-start)]
	if err := recording.ReadAt(src, b, end-int64(len(b))); err != nil {
		return 0, err
	}
	last := func(n int) []byte { return b[max(0, len(b)-n):] }
	switch {
	case len(b) == len(tail) && bytes.HasPrefix(b, []byte("TAG+")) && bytes.HasPrefix(last(id3v1), []byte("TAG")):
		return id3v1 + id3v1Extended, nil
	case len(b) >= id3v1 && bytes.HasPrefix(last(id3v1), []byte("TAG")):
		return id3v1, nil
	case len(b) >= ape && bytes.HasPrefix(last(ape), []byte("APETAGEX")):
		footer := last(ape)
		length := int64(binary.LittleEndian.Uint32(footer[12:]))
		// The size in the footer counts the footer, but not the header.
		if footer[23]&0x80 != 0 { // the tag has a header too
			length += ape
		}
		return max(length, ape), nil
	case bytes.HasSuffix(b, []byte("LYRICS200")) && len(b) >= lyrics:
		var length int64
		// Six digits before the end mark. They count neither themselves nor the mark.
		for _, digit := range last(lyrics)[:6] {
			if digit < '0' || digit > '9' {
				return 0, nil
			}
			length = 10*length + int64(digit-'0')
		}
		return length + lyrics, nil
	}
	return 0, nil
}

// infoTag is what a silent first frame declares about the file: the Xing header, LAME's
// extension of it, or the header of Fraunhofer (VBRI).
type infoTag struct {
	frames         int64 // in the file, without this one; 0 if not declared
	delay, padding int   // samples that the encoder added before and after the sound
	lame           bool  // delay and padding are known
}

// decoderDelay is how many samples a Layer III decoder delays the sound, in addition to the
// encoder's delay.
const decoderDelay = 529

// parseInfoTag parses the first frame of a file. ok is false if it is an ordinary frame.
func parseInfoTag(frame []byte, h header) (info infoTag, ok bool) {
	be := binary.BigEndian
	const vbri = headerSize + 32
	if len(frame) >= vbri+18 && string(frame[vbri:vbri+4]) == "VBRI" {
		return infoTag{frames: int64(be.Uint32(frame[vbri+14:]))}, true
	}
	b := frame[min(headerSize+h.side, len(frame)):]
	if len(b) < 8 || string(b[:4]) != "Xing" && string(b[:4]) != "Info" {
		return info, false
	}
	flags := be.Uint32(b[4:])
	b = b[8:]
	for i, size := range [4]int{4, 4, 100, 4} { // frames, bytes, seek table, quality
		if flags>>i&1 == 0 {
			continue
		}
		if len(b) < size {
			return info, true
		}
		if i == 0 {
			info.frames = int64(be.Uint32(b))
		}
		b = b[size:]
	}
	if len(b) < 24 {
		return info, true
	}
	switch string(b[:4]) {
	case "LAME", "Lavf", "Lavc":
		both := int(be.Uint32(b[20:]) & 0xFFFFFF) // the byte before them is the bit rate
		info.delay, info.padding, info.lame = both>>12, both&0xFFF, true
	}
	return info, true
}

// skip returns how many samples precede the sound.
func (i infoTag) skip() int {
	if !i.lame {
		return 0
	}
	return i.delay + decoderDelay
}

// length returns the samples of sound, for frames of so many samples each, or -1 if unknown.
func (i infoTag) length(samples int) int64 {
	if i.frames == 0 {
		return -1
	}
	// The delay of the decoder shifts the sound and does not shorten it, so only the samples of
	// the encoder count.
	return max(0, i.frames*int64(samples)-int64(i.delay+i.padding))
}

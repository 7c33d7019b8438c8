package wav

import (
	"encoding/binary"
	"fmt"

	"vaak/audio/decode/pcm"
	"vaak/audio/decode/recording"
)

// Format codes of a fmt chunk.
const (
	tagPCM        = 0x0001
	tagFloat      = 0x0003
	tagALaw       = 0x0006
	tagMuLaw      = 0x0007
	tagExtensible = 0xFFFE
)

// guidTail follows the format code in a GUID that is derived from a code.
const guidTail = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71"

// format is a parsed and checked fmt chunk.
type format struct {
	tag      uint16
	channels int
	rate     int // Hz
	bits     int // significant bits per sample; sometimes fewer than it has room for
	align    int // bytes of one sample of all channels
	coding   pcm.Coding
}

func (f *format) info() recording.Info {
	i := recording.Info{Container: recording.WAV, Codec: f.coding.Name, SampleRate: f.rate, Channels: f.channels}
	if f.tag == tagPCM || f.tag == tagFloat {
		i.BitsPerSample = f.bits
	}
	return i
}

// parseFormat parses a fmt chunk; b are its first 40 bytes, or all.
func parseFormat(b []byte) (*format, error) {
	const short, extensible = 16, 40
	if len(b) < short {
		return nil, recording.Broken("the fmt chunk has %d bytes; it needs %d", len(b), short)
	}
	f := &format{
		tag:      binary.LittleEndian.Uint16(b),
		channels: int(binary.LittleEndian.Uint16(b[2:])),
		rate:     int(binary.LittleEndian.Uint32(b[4:])),
		align:    int(binary.LittleEndian.Uint16(b[12:])),
		bits:     int(binary.LittleEndian.Uint16(b[14:])),
	}
	// extend replaces bits by the significant ones, and samples are read by their size in the
	// file.
	container := f.bits // bits per sample as stored
	if f.tag == tagExtensible {
		if len(b) < extensible {
			return nil, recording.Broken("the extensible fmt chunk has %d bytes; it needs %d", len(b), extensible)
		}
		if err := f.extend(b[18:extensible]); err != nil {
			return nil, err
		}
	}
	if err := f.code(container); err != nil {
		return nil, err
	}
	return f, f.check(int64(binary.LittleEndian.Uint32(b[8:])))
}

// extend reads the additional fields of an extensible format: the significant bits, a mask of
// loudspeakers, and the GUID of the format.
func (f *format) extend(b []byte) error {
	guid := b[6:22]
	if string(guid[2:]) != guidTail {
		return recording.Unsupported("the WAV format %x is not read; PCM, float, A-law and μ-law are", guid)
	}
	f.tag = binary.LittleEndian.Uint16(guid)
	valid := int(binary.LittleEndian.Uint16(b))
	// The significant bits are the upper ones, so they change how a sample is described, not how
	// it is read.
	if valid > f.bits {
		return recording.Broken("%d bits of a sample are said to count, of %d", valid, f.bits)
	}
	if valid > 0 {
		f.bits = valid
	}
	return nil
}

// code determines how samples of a number of bits are written.
func (f *format) code(bits int) error {
	switch {
	case f.tag == tagPCM && bits >= 1 && bits <= 8:
		f.coding = pcm.Unsigned()
	case f.tag == tagPCM && bits > 8 && bits <= 32:
		f.coding = pcm.Signed((bits+7)/8, false)
	case f.tag == tagFloat && bits == 32:
		f.coding = pcm.Float32()
	case f.tag == tagFloat && bits == 64:
		f.coding = pcm.Float64()
	case f.tag == tagALaw && bits == 8:
		f.coding = pcm.ALaw()
	case f.tag == tagMuLaw && bits == 8:
		f.coding = pcm.MuLaw()
	default:
		return recording.Unsupported("WAV of %s with %d bits is not read; PCM of 1 to 32, float of 32 or 64, A-law and μ-law of 8 are: "+
			"decode the file with the program that made it", formatName(f.tag), bits)
	}
	return nil
}

// formatName returns the names of the most frequent formats, for error messages.
func formatName(tag uint16) string {
	names := map[uint16]string{
		tagPCM: "PCM", tagFloat: "float", tagALaw: "A-law", tagMuLaw: "μ-law",
		0x02: "Microsoft ADPCM", 0x11: "IMA ADPCM", 0x31: "GSM 6.10", 0x50: "MPEG", 0x55: "MP3", 0xFF: "AAC",
	}
	if name, ok := names[tag]; ok {
		return name
	}
	return fmt.Sprintf("format %#04x", tag)
}

// check compares the fields of the chunk that say the same.
func (f *format) check(byteRate int64) error {
	if f.channels == 0 {
		return recording.Broken("the fmt chunk says 0 channels")
	}
	if want := f.channels * f.coding.Bytes; f.align != want {
		return recording.Broken("the fmt chunk says %d bytes for a sample of all channels; %d channels of %d bytes take %d",
			f.align, f.channels, f.coding.Bytes, want)
	}
	if want := int64(f.rate) * int64(f.align); byteRate != want {
		return recording.Broken("the fmt chunk says %d bytes a second; %d samples of %d bytes are %d",
			byteRate, f.rate, f.align, want)
	}
	return nil
}

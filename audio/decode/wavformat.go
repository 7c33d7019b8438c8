package decode

import (
	"encoding/binary"
	"fmt"
)

// Format codes of a fmt chunk.
const (
	wavPCM        = 0x0001
	wavFloat      = 0x0003
	wavALaw       = 0x0006
	wavMuLaw      = 0x0007
	wavExtensible = 0xFFFE
)

// wavGUID follows the format code in a GUID that is derived from a code.
const wavGUID = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71"

// wavFormat is a parsed and checked fmt chunk.
type wavFormat struct {
	tag      uint16
	channels int
	rate     int // Hz
	bits     int // significant bits per sample; sometimes fewer than it has room for
	align    int // bytes of one sample of all channels
	coding   coding
}

func (f *wavFormat) info() Info {
	i := Info{Container: WAV, Codec: f.coding.name, SampleRate: f.rate, Channels: f.channels}
	if f.tag == wavPCM || f.tag == wavFloat {
		i.BitsPerSample = f.bits
	}
	return i
}

// parseWAVFormat parses a fmt chunk; b are its first 40 bytes, or all.
func parseWAVFormat(b []byte) (*wavFormat, error) {
	const short, extensible = 16, 40
	if len(b) < short {
		return nil, broken("the fmt chunk has %d bytes; it needs %d", len(b), short)
	}
	f := &wavFormat{
		tag:      binary.LittleEndian.Uint16(b),
		channels: int(binary.LittleEndian.Uint16(b[2:])),
		rate:     int(binary.LittleEndian.Uint32(b[4:])),
		align:    int(binary.LittleEndian.Uint16(b[12:])),
		bits:     int(binary.LittleEndian.Uint16(b[14:])),
	}
	container := f.bits // bits per sample as stored
	if f.tag == wavExtensible {
		if len(b) < extensible {
			return nil, broken("the extensible fmt chunk has %d bytes; it needs %d", len(b), extensible)
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
func (f *wavFormat) extend(b []byte) error {
	guid := b[6:22]
	if string(guid[2:]) != wavGUID {
		return unsupported("the WAV format %x is not read; PCM, float, A-law and μ-law are", guid)
	}
	f.tag = binary.LittleEndian.Uint16(guid)
	valid := int(binary.LittleEndian.Uint16(b))
	if valid > f.bits {
		return broken("%d bits of a sample are said to count, of %d", valid, f.bits)
	}
	if valid > 0 {
		f.bits = valid
	}
	return nil
}

// code determines how samples of a number of bits are written.
func (f *wavFormat) code(bits int) error {
	switch {
	case f.tag == wavPCM && bits >= 1 && bits <= 8:
		f.coding = coding{"pcm_u8", 1, u8}
	case f.tag == wavPCM && bits > 8 && bits <= 32:
		f.coding = signed((bits+7)/8, false)
	case f.tag == wavFloat && bits == 32:
		f.coding = coding{"pcm_f32", 4, f32}
	case f.tag == wavFloat && bits == 64:
		f.coding = coding{"pcm_f64", 8, f64}
	case f.tag == wavALaw && bits == 8:
		f.coding = coding{"alaw", 1, g711(aLaw)}
	case f.tag == wavMuLaw && bits == 8:
		f.coding = coding{"mulaw", 1, g711(muLaw)}
	default:
		return unsupported("WAV of %s with %d bits is not read; PCM of 1 to 32, float of 32 or 64, A-law and μ-law of 8 are: "+
			"decode the file with the program that made it", wavName(f.tag), bits)
	}
	return nil
}

// wavName returns the names of the most frequent formats, for error messages.
func wavName(tag uint16) string {
	names := map[uint16]string{
		wavPCM: "PCM", wavFloat: "float", wavALaw: "A-law", wavMuLaw: "μ-law",
		0x02: "Microsoft ADPCM", 0x11: "IMA ADPCM", 0x31: "GSM 6.10", 0x50: "MPEG", 0x55: "MP3", 0xFF: "AAC",
	}
	if name, ok := names[tag]; ok {
		return name
	}
	return fmt.Sprintf("format %#04x", tag)
}

// check compares the fields of the chunk that say the same.
func (f *wavFormat) check(byteRate int64) error {
	if f.channels == 0 {
		return broken("the fmt chunk says 0 channels")
	}
	if want := f.channels * f.coding.bytes; f.align != want {
		return broken("the fmt chunk says %d bytes for a sample of all channels; %d channels of %d bytes take %d",
			f.align, f.channels, f.coding.bytes, want)
	}
	if want := int64(f.rate) * int64(f.align); byteRate != want {
		return broken("the fmt chunk says %d bytes a second; %d samples of %d bytes are %d",
			byteRate, f.rate, f.align, want)
	}
	return nil
}

package decode

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// sphereMost is the largest header of a SPHERE file, in bytes; nearly all have 1,024.
const sphereMost = 1 << 16

// openSPHERE reads files in NIST's SPHERE format: lines of text, padded to a size that the
// second line declares, and then the samples.
func openSPHERE(src Source, head []byte, limits Limits) (Stream, error) {
	header, err := sphereHeader(src, head)
	if err != nil {
		return nil, err
	}
	fields, err := parseSPHERE(header)
	if err != nil {
		return nil, err
	}
	info, c, err := fields.info()
	if err != nil {
		return nil, err
	}
	size, err := sizeOf(src)
	if err != nil {
		return nil, err
	}
	start, align := int64(len(header)), int64(c.bytes*info.Channels)
	held := size - start
	known := info
	known.Frames = held / align
	if info.Frames >= 0 {
		known.Frames = min(info.Frames, known.Frames)
	}
	if _, err := limits.maxSamples(known); err != nil {
		return nil, err
	}
	last := sphereDiffers(info, held, align)
	if info.Frames >= 0 && info.Frames < held/align {
		held = info.Frames * align
	}
	return newPCM(src, info, c, start, start+held, last), nil
}

// sphereDiffers returns an error unless the file has as many samples as its header declares, if
// it does.
func sphereDiffers(info Info, held, align int64) error {
	if info.Frames < 0 || held%align == 0 && held/align == info.Frames {
		return nil
	}
	frames := held / align
	if frames >= info.Frames {
		return broken("the header tells of %d samples in a channel, and the file holds %d bytes more than they take",
			info.Frames, held-info.Frames*align)
	}
	return broken("the header tells of %d samples in a channel and the file ends after %d of them: %.3f s are missing",
		info.Frames, frames, seconds(info.Frames-frames, info.SampleRate))
}

// sphereHeader returns the complete header of a file.
func sphereHeader(src Source, head []byte) ([]byte, error) {
	const first = 16 // size of the two lines with which every header begins
	if len(head) < first {
		return nil, broken("the SPHERE header ends after %d bytes", len(head))
	}
	size, err := strconv.Atoi(string(bytes.TrimSpace(head[8:first])))
	if err != nil || size < first || size > sphereMost {
		return nil, broken("the SPHERE header says that it has %q bytes; %d to %d are allowed", head[8:first], first, sphereMost)
	}
	header := make([]byte, size)
	return header, readFull(src, header, 0)
}

// sphereFields are the fields of a header by name.
type sphereFields map[string]string

// parseSPHERE returns the fields of a header: lines with a name, a type and a value, up to the
// line that ends the header.
func parseSPHERE(header []byte) (sphereFields, error) {
	fields := sphereFields{}
	for i, line := range strings.Split(string(header), "\n") {
		line = strings.TrimSpace(line)
		if line == "end_head" {
			return fields, nil
		}
		if i < 2 || line == "" || strings.HasPrefix(line, ";") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		kind, value, ok := strings.Cut(strings.TrimSpace(rest), " ")
		if !ok || !strings.HasPrefix(kind, "-") {
			return nil, broken("line %d of the SPHERE header, %.60q, is not a name, a type and a value", i+1, line)
		}
		if _, twice := fields[name]; twice {
			return nil, broken("the SPHERE header has the field %.60q twice", name)
		}
		fields[name] = strings.TrimSpace(value)
	}
	return nil, broken("the SPHERE header has no line end_head")
}

// number returns the value of a field. If there is no such field it returns absent, or an
// error if absent is -1.
func (f sphereFields) number(name string, absent int64) (int64, error) {
	s, ok := f[name]
	if !ok && absent >= 0 {
		return absent, nil
	}
	n, err := strconv.ParseInt(s, 10, 48)
	if err != nil || n < 0 {
		return 0, broken("the SPHERE header says %s %.60q, which should be a number", name, s)
	}
	return n, nil
}

// numbers are the values of the fields that describe the samples.
func (f sphereFields) numbers() (rate, channels, width, frames int64, err error) {
	for _, field := range []struct {
		to      *int64
		name    string
		without int64
	}{
		{&rate, "sample_rate", -1},
		{&channels, "channel_count", 1},
		{&width, "sample_n_bytes", -1},
	} {
		if *field.to, err = f.number(field.name, field.without); err != nil {
			return 0, 0, 0, 0, err
		}
	}
	if _, told := f["sample_count"]; !told {
		return rate, channels, width, -1, nil
	}
	frames, err = f.number("sample_count", -1)
	return rate, channels, width, frames, err
}

// info describes the recording and how its samples are written.
func (f sphereFields) info() (Info, coding, error) {
	rate, channels, width, frames, err := f.numbers()
	if err != nil {
		return Info{}, coding{}, err
	}
	c, err := f.coding(width)
	if err != nil {
		return Info{}, coding{}, err
	}
	if channels == 0 {
		return Info{}, coding{}, broken("the SPHERE header says 0 channels")
	}
	if mixed := f["channels_interleaved"]; strings.EqualFold(mixed, "FALSE") && channels > 1 {
		return Info{}, coding{}, unsupported("SPHERE with one channel after the other is not read: interleave them first, with w_encode")
	}
	i := Info{Container: SPHERE, Codec: c.name, Frames: frames,
		SampleRate: int(min(rate, 1<<30)), Channels: int(min(channels, 1<<16))}
	if strings.HasPrefix(c.name, "pcm") {
		i.BitsPerSample = int(8 * width)
	}
	return i, c, nil
}

// coding returns how samples of a width in bytes are written.
func (f sphereFields) coding(width int64) (coding, error) {
	name, order := strings.ToLower(f["sample_coding"]), f["sample_byte_format"]
	switch {
	case strings.Contains(name, ","):
		return coding{}, unsupported("SPHERE compressed as %.60q is not read: decompress it first, with sph2pipe or w_decode", name)
	case slices.Contains([]string{"ulaw", "mulaw", "mu-law"}, name) && width == 1:
		return coding{"mulaw", 1, g711(muLaw)}, nil
	case slices.Contains([]string{"alaw", "a-law"}, name) && width == 1:
		return coding{"alaw", 1, g711(aLaw)}, nil
	case name != "" && name != "pcm", width < 1, width > 4:
		return coding{}, unsupported("SPHERE of %.60q with %d bytes is not read; pcm of 1 to 4, ulaw and alaw of 1 are: "+
			"convert it first, with sph2pipe or w_decode", name, width)
	case width == 1 || order == "01234"[:width]:
		return signed(int(width), false), nil
	case order == "3210"[4-width:]:
		return signed(int(width), true), nil
	}
	return coding{}, broken("the SPHERE header says sample_byte_format %.60q; samples of %d bytes have %s or %s",
		order, width, "01234"[:width], "3210"[4-width:])
}

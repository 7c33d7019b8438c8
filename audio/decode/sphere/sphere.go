// Package sphere reads files in the SPHERE format of NIST, as the corpora of the LDC have it.
package sphere

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"vaak/audio/decode/pcm"
	"vaak/audio/decode/recording"
)

// maxHeader is the largest header of a SPHERE file, in bytes; nearly all have 1,024.
const maxHeader = 1 << 16

// Format returns the format. It reads samples that are not compressed: PCM of 1 to 4 bytes, A-law
// and μ-law.
func Format() recording.Format {
	return recording.Format{Name: "SPHERE (NIST_1A)", Match: match, Open: open}
}

func match(_ io.ReaderAt, head []byte) (bool, error) {
	return bytes.HasPrefix(head, []byte("NIST_1A\n")), nil
}

// open reads a header: lines of text, padded to a size that the
// second line declares, and then the samples.
func open(src recording.Source, head []byte, limits recording.Limits) (recording.Stream, error) {
	header, err := readHeader(src, head)
	if err != nil {
		return nil, err
	}
	fields, err := parseFields(header)
	if err != nil {
		return nil, err
	}
	info, c, err := fields.info()
	if err != nil {
		return nil, err
	}
	size, err := recording.Size(src)
	if err != nil {
		return nil, err
	}
	start, align := int64(len(header)), int64(c.Bytes*info.Channels)
	held := size - start
	known := info
	known.Frames = held / align
	if info.Frames >= 0 {
		known.Frames = min(info.Frames, known.Frames)
	}
	if _, err := limits.MaxSamples(known); err != nil {
		return nil, err
	}
	last := checkLength(info, held, align)
	// What follows the declared samples is not read. checkLength reports it at the end.
	if info.Frames >= 0 && info.Frames < held/align {
		held = info.Frames * align
	}
	return pcm.New(src, info, c, start, start+held, last), nil
}

// checkLength returns an error unless the file has as many samples as its header declares, if
// it does.
func checkLength(info recording.Info, held, align int64) error {
	if info.Frames < 0 || held%align == 0 && held/align == info.Frames {
		return nil
	}
	frames := held / align
	if frames >= info.Frames {
		return recording.Broken("the header tells of %d samples in a channel, and the file holds %d bytes more than they take",
			info.Frames, held-info.Frames*align)
	}
	return recording.Broken("the header tells of %d samples in a channel and the file ends after %d of them: %.3f s are missing",
		info.Frames, frames, recording.Seconds(info.Frames-frames, info.SampleRate))
}

// readHeader returns the complete header of a file.
func readHeader(src recording.Source, head []byte) ([]byte, error) {
	const first = 16 // size of the two lines with which every header begins
	if len(head) < first {
		return nil, recording.Broken("the SPHERE header ends after %d bytes", len(head))
	}
	size, err := strconv.Atoi(string(bytes.TrimSpace(head[8:first])))
	if err != nil || size < first || size > maxHeader {
		return nil, recording.Broken("the SPHERE header says that it has %q bytes; %d to %d are allowed", head[8:first], first, maxHeader)
	}
	header := make([]byte, size)
	return header, recording.ReadFull(src, header, 0)
}

// fields are the fields of a header by name.
type fields map[string]string

// parseFields returns the fields of a header: lines with a name, a type and a value, up to the
// line that ends the header.
func parseFields(header []byte) (fields, error) {
	fields := fields{}
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
			return nil, recording.Broken("line %d of the SPHERE header, %.60q, is not a name, a type and a value", i+1, line)
		}
		if _, twice := fields[name]; twice {
			return nil, recording.Broken("the SPHERE header has the field %.60q twice", name)
		}
		fields[name] = strings.TrimSpace(value)
	}
	return nil, recording.Broken("the SPHERE header has no line end_head")
}

// number returns the value of a field. If there is no such field it returns absent, or an
// error if absent is -1.
func (f fields) number(name string, absent int64) (int64, error) {
	s, ok := f[name]
	if !ok && absent >= 0 {
		return absent, nil
	}
	n, err := strconv.ParseInt(s, 10, 48)
	if err != nil || n < 0 {
		return 0, recording.Broken("the SPHERE header says %s %.60q, which should be a number", name, s)
	}
	return n, nil
}

// numbers are the values of the fields that describe the samples.
func (f fields) numbers() (rate, channels, width, frames int64, err error) {
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
func (f fields) info() (recording.Info, pcm.Coding, error) {
	rate, channels, width, frames, err := f.numbers()
	if err != nil {
		return recording.Info{}, pcm.Coding{}, err
	}
	c, err := f.coding(width)
	if err != nil {
		return recording.Info{}, pcm.Coding{}, err
	}
	if channels == 0 {
		return recording.Info{}, pcm.Coding{}, recording.Broken("the SPHERE header says 0 channels")
	}
	if mixed := f["channels_interleaved"]; strings.EqualFold(mixed, "FALSE") && channels > 1 {
		return recording.Info{}, pcm.Coding{}, recording.Unsupported("SPHERE with one channel after the other is not read: interleave them first, with w_encode")
	}
	i := recording.Info{Container: recording.SPHERE, Codec: c.Name, Frames: frames,
		SampleRate: int(min(rate, 1<<30)), Channels: int(min(channels, 1<<16))}
	if strings.HasPrefix(c.Name, "pcm") {
		i.BitsPerSample = int(8 * width)
	}
	return i, c, nil
}

// coding returns how samples of a width in bytes are written.
func (f fields) coding(width int64) (pcm.Coding, error) {
	name, order := strings.ToLower(f["sample_coding"]), f["sample_byte_format"]
	switch {
	case strings.Contains(name, ","):
		return pcm.Coding{}, recording.Unsupported("SPHERE compressed as %.60q is not read: decompress it first, with sph2pipe or w_decode", name)
	case slices.Contains([]string{"ulaw", "mulaw", "mu-law"}, name) && width == 1:
		return pcm.MuLaw(), nil
	case slices.Contains([]string{"alaw", "a-law"}, name) && width == 1:
		return pcm.ALaw(), nil
	case name != "" && name != "pcm", width < 1, width > 4:
		return pcm.Coding{}, recording.Unsupported("SPHERE of %.60q with %d bytes is not read; pcm of 1 to 4, ulaw and alaw of 1 are: "+
			"convert it first, with sph2pipe or w_decode", name, width)
	// The bytes of a sample are numbered from the lowest: "01" is little-endian, "10" big-endian.
	case width == 1 || order == "01234"[:width]:
		return pcm.Signed(int(width), false), nil
	case order == "3210"[4-width:]:
		return pcm.Signed(int(width), true), nil
	}
	return pcm.Coding{}, recording.Broken("the SPHERE header says sample_byte_format %.60q; samples of %d bytes have %s or %s",
		order, width, "01234"[:width], "3210"[4-width:])
}

package exchange

import (
	"encoding/binary"
	"errors"
	"io"
	"net/http"

	"vaak/engine/remote/wire"
)

// wavHeaderBytes bounds what comes before the samples.
const wavHeaderBytes = 1 << 20

// openEnded is the least length of a data chunk that means a stream: servers write 0xFFFFFFFF,
// 0x7FFFFFFF or a little less, as they do not know it.
const openEnded = 0x7fff_0000

// WAV reads the header of a WAV file from r and returns what it says and a reader of the samples'
// bytes. The length may be unknown, as in a stream: 0 or a very large one; then the samples end
// with r. Otherwise fewer bytes are an error of the reader, and what follows the samples is
// not read. 16-bit integers and 32-bit floating point in one or two channels are understood. The
// error is a [*wire.Failure], or that of r.
func WAV(r io.Reader) (Format, io.Reader, error) {
	var f Format
	var h [40]byte
	n, err := io.ReadFull(r, h[:12])
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return f, nil, &wire.Failure{Reason: wire.Empty, Status: http.StatusOK, Detail: "an empty answer instead of WAV"}
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return f, nil, broken("WAV breaks off in its header")
	case err != nil:
		return f, nil, err
	case string(h[:4]) != "RIFF" || string(h[8:12]) != "WAVE":
		return f, nil, broken("no WAV, though its type says so")
	}
	for read := 12; ; {
		if _, err := io.ReadFull(r, h[:8]); err != nil {
			return f, nil, early(err)
		}
		id, size := string(h[:4]), binary.LittleEndian.Uint32(h[4:8])
		if id == "data" {
			if f.Channels == 0 {
				return f, nil, broken("WAV has no format before its samples")
			}
			if size == 0 || size >= openEnded {
				return f, r, nil
			}
			return f, &counted{r, int64(size)}, nil
		}
		// Chunks have an even length.
		padded := int64(size) + int64(size&1)
		if read += 8; int64(read)+padded > wavHeaderBytes {
			return f, nil, broken("the header of WAV is longer than %d bytes", wavHeaderBytes)
		}
		read += int(padded)
		if id == "fmt " {
			if size < 16 {
				return f, nil, broken("the format of WAV has %d bytes", size)
			}
			k := min(int(padded), len(h))
			if _, err := io.ReadFull(r, h[:k]); err != nil {
				return f, nil, early(err)
			}
			var bad error
			if f, bad = wavFormat(h[:min(int(size), k)]); bad != nil {
				return f, nil, bad
			}
			padded -= int64(k)
		}
		if _, err := io.CopyN(io.Discard, r, padded); err != nil {
			return f, nil, early(err)
		}
	}
}

func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return broken("WAV breaks off in its header")
	}
	return err
}

func wavFormat(h []byte) (Format, error) {
	tag := binary.LittleEndian.Uint16(h)
	channels := int(binary.LittleEndian.Uint16(h[2:]))
	rate := binary.LittleEndian.Uint32(h[4:])
	bits := binary.LittleEndian.Uint16(h[14:])
	if tag == 0xfffe && len(h) >= 26 {
		tag = binary.LittleEndian.Uint16(h[24:]) // the first two bytes of the subformat
	}
	f := Format{Rate: int(min(rate, 1<<30)), Channels: channels, Float: tag == 3}
	switch {
	case (tag != 1 || bits != 16) && (tag != 3 || bits != 32):
		return f, broken("WAV of format %d with %d bits is not understood; 16-bit integers and 32-bit floating point are", tag, bits)
	case channels < 1 || channels > 2:
		return f, broken("WAV has %d channels; 1 and 2 are understood", channels)
	case f.Rate < lowestRate || f.Rate > highestRate:
		return f, broken("WAV has a sample rate of %d Hz", f.Rate)
	}
	return f, nil
}

// counted reads exactly n bytes.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	if c.n == 0 {
		return 0, io.EOF
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.n)])
	c.n -= int64(n)
	if errors.Is(err, io.EOF) {
		if c.n > 0 {
			return n, broken("WAV ends %d bytes early", c.n)
		}
	} else if err != nil {
		return n, err
	}
	return n, nil
}

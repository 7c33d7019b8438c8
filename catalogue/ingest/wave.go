package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"

	"vaak/audio/decode"
	"vaak/audio/decode/recording"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/measure"
)

const (
	wavHeader  = 44   // bytes
	blockSize  = 4096 // samples per channel that are decoded at a time
	wavePoints = 2000 // per channel in waveform.json
)

// source is the audio file of the sample. Each public file that is made from it opens and
// streams it anew: nothing is kept in memory or on disk.
type source struct {
	folder   *folder.Folder
	path     string
	measured measure.Recording
}

// file opens the file and the folder that it is in. The caller must close both.
func (s source) file() (tree.File, *os.Root, error) {
	root, err := os.OpenRoot(s.folder.Dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open the folder of the sample: %w", err)
	}
	f, err := s.folder.Open(root, s.path)
	if err != nil {
		_ = root.Close() // err matters more
		return nil, nil, fmt.Errorf("open the sample %s: %w", s.path, err)
	}
	return f, root, nil
}

// original opens the file as it is. If its bytes are not those that were measured, the last
// read fails.
func (s source) original() (io.ReadCloser, error) {
	f, root, err := s.file()
	if err != nil {
		return nil, err
	}
	return &verified{file: f, root: root, sum: sha256.New(), want: s.measured.SHA256}, nil
}

// verified reads a file and compares its digest at the end.
type verified struct {
	file tree.File
	root *os.Root
	sum  hash.Hash
	want string
}

func (v *verified) Read(p []byte) (int, error) {
	n, err := v.file.Read(p)
	v.sum.Write(p[:n])
	// At the end, because only then the digest is complete; the caller must not keep the file.
	if errors.Is(err, io.EOF) && hex.EncodeToString(v.sum.Sum(nil)) != v.want {
		return n, tree.ErrChanged
	}
	return n, err
}

func (v *verified) Close() error { return errors.Join(v.file.Close(), v.root.Close()) }

// decoded is the sample while it is decoded.
type decoded struct {
	file   tree.File
	root   *os.Root
	stream recording.Stream
	planes [][]float32
}

// decode opens the samples of the file.
func (s source) decode() (*decoded, error) {
	f, root, err := s.file()
	if err != nil {
		return nil, err
	}
	d := &decoded{file: f, root: root}
	if d.stream, err = decode.Open(f, recording.Limits{}); err != nil {
		_ = d.Close() // err matters more
		return nil, fmt.Errorf("decode the sample %s: %w", s.path, err)
	}
	// Readers index the planes by channel, so a changed file must be noticed here.
	if d.stream.Info().Channels != s.measured.Channels {
		_ = d.Close()
		return nil, tree.ErrChanged
	}
	d.planes = make([][]float32, s.measured.Channels)
	for c := range d.planes {
		d.planes[c] = make([]float32, blockSize)
	}
	return d, nil
}

// Close closes the stream and its file.
func (d *decoded) Close() error {
	var err error
	if d.stream != nil {
		err = d.stream.Close()
	}
	return errors.Join(err, d.file.Close(), d.root.Close())
}

// wav returns a function that opens the given channels of the sample as 16-bit PCM in WAV.
func (s source) wav(channels []int) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		d, err := s.decode()
		if err != nil {
			return nil, err
		}
		return &wavReader{
			decoded: d, channels: channels, left: s.measured.Frames,
			ready: header(len(channels), s.measured.SampleRateHz, s.measured.Frames),
		}, nil
	}
}

// header returns a WAV header for 16-bit PCM.
func header(channels, rate int, frames int64) []byte {
	size := uint32(frames * int64(channels) * 2) // fits: tooLongToServe has refused the others
	b := make([]byte, 0, wavHeader)
	le := binary.LittleEndian
	// The sizes leave out the 8 bytes of their own chunk's head. Format 1 is PCM, in a
	// chunk of 16 bytes.
	b = le.AppendUint32(append(b, "RIFF"...), size+wavHeader-8)
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = le.AppendUint16(le.AppendUint16(b, 1), uint16(channels))
	b = le.AppendUint32(le.AppendUint32(b, uint32(rate)), uint32(rate*channels*2))
	b = le.AppendUint16(le.AppendUint16(b, uint16(channels*2)), 16)
	return le.AppendUint32(append(b, "data"...), size)
}

// wavReader encodes a WAV file while it is read. The header, which says how long the file is,
// goes out first, so a sample that turns out longer or shorter is an error.
type wavReader struct {
	*decoded
	channels []int
	left     int64 // samples per channel still to come
	ready    []byte
	block    []byte // memory that ready points into
	err      error
}

// Read returns the header, then the samples.
func (w *wavReader) Read(p []byte) (int, error) {
	for len(w.ready) == 0 && w.err == nil {
		w.fill()
	}
	if len(w.ready) == 0 {
		return 0, w.err
	}
	n := copy(p, w.ready)
	w.ready = w.ready[n:]
	return n, nil
}

// fill decodes and encodes one block.
func (w *wavReader) fill() {
	n, err := w.stream.Read(w.planes)
	w.left -= int64(n)
	switch {
	// The header has promised an exact length.
	case w.left < 0 || errors.Is(err, io.EOF) && w.left > 0:
		w.err = tree.ErrChanged
		return
	case err != nil:
		w.err = err
	}
	w.block = w.block[:0]
	for i := range n {
		for _, c := range w.channels {
			w.block = binary.LittleEndian.AppendUint16(w.block, uint16(sample16(w.planes[c][i])))
		}
	}
	w.ready = w.block
}

// sample16 returns the nearest 16-bit sample. Samples that were 16 bits are unchanged.
func sample16(v float32) int16 {
	// The decoder divides 16-bit samples by 32768, so the product is exact for these.
	return int16(min(max(math.RoundToEven(float64(v)*32768), -32768), 32767))
}

// Waveform is the content of sample/waveform.json: what is needed to draw the sample.
type Waveform struct {
	SampleRateHz    int     `json:"sampleRateHz"`
	DurationS       float64 `json:"durationS"`
	Points          int     `json:"points"`          // per channel: 2000, or the number of samples if that is lower
	SecondsPerPoint float64 `json:"secondsPerPoint"` // the same for every point
	// Peaks has the highest magnitude of each part of each channel, from 0 to 1 with three
	// decimals. Part k of n samples is from sample k*n/points to (k+1)*n/points.
	Peaks [][]float64 `json:"peaks"`
}

// waveform opens sample/waveform.json.
func (s source) waveform() (_ io.ReadCloser, err error) {
	d, err := s.decode()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	points := int(min(wavePoints, s.measured.Frames))
	w := Waveform{
		SampleRateHz: s.measured.SampleRateHz, DurationS: s.measured.DurationS, Points: points,
		SecondsPerPoint: s.measured.DurationS / float64(max(points, 1)), Peaks: make([][]float64, len(d.planes)),
	}
	for c := range w.Peaks {
		w.Peaks[c] = make([]float64, points)
	}
	if err := d.peaks(w.Peaks, s.measured.Frames); err != nil {
		return nil, err
	}
	out, err := json.Marshal(w)
	return io.NopCloser(bytes.NewReader(out)), err
}

// peaks sets the highest magnitude of each part. frames is the number of samples per channel.
func (d *decoded) peaks(to [][]float64, frames int64) error {
	at := int64(0)
	for {
		n, err := d.stream.Read(d.planes)
		if at+int64(n) > frames {
			return tree.ErrChanged
		}
		for i := range n {
			// The product fits into 63 bits: 2000 points times the 2^32 samples that a WAV
			// file can hold.
			part := (at + int64(i)) * int64(len(to[0])) / frames
			for c := range to {
				v := math.Round(math.Abs(float64(d.planes[c][i]))*1000) / 1000
				to[c][part] = min(max(to[c][part], v), 1)
			}
		}
		at += int64(n)
		if errors.Is(err, io.EOF) && at == frames {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return tree.ErrChanged
		}
		if err != nil {
			return err
		}
	}
}

package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"vaak/catalogue"
	"vaak/catalogue/measure"
)

// goodCard is a card with what is required.
const goodCard = "title: A title\ndescription: What it is.\nlanguage:\n  tag: hi\n"

// put writes a file of a folder.
func put(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// folderOf makes a folder of a txtar archive. A file whose content is "WAV mono"
// becomes a second of one speaker, "WAV dual" four of two.
func folderOf(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		data := f.Data
		switch string(bytes.TrimSpace(data)) {
		case "WAV mono":
			data = wavOf(1, 8000)
		case "WAV dual":
			data = wavOf(2, dualFrames)
		}
		put(t, dir, f.Name, data)
	}
	return dir
}

// dualFrames is how long two speakers take until it can be told that they are on a
// channel each.
const dualFrames = 32000

// wavOf makes bursts of a tone in soft noise at 8 kHz, which measure as speech; of
// two channels, one sounds while the other does not.
func wavOf(channels, frames int) []byte {
	body := make([]byte, 0, frames*channels*2)
	noise := uint32(1)
	for i := range frames {
		for c := range channels {
			v := (0.3 + 0.6*math.Abs(math.Sin(float64(i)/400))) * math.Sin(2*math.Pi*float64(400+150*c)*float64(i)/8000)
			if channels == 2 && (i*4/frames%2 == 0) != (c == 0) || i*16/frames%4 == 3 {
				v = 0
			}
			noise = noise*1664525 + 1013904223
			v += float64(int32(noise)) / (1 << 31) / 500
			body = binary.LittleEndian.AppendUint16(body, uint16(int16(v*32767)))
		}
	}
	return append(header(channels, 8000, int64(frames)), body...)
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shelf is a catalogue that keeps the drafts it was given.
type shelf struct {
	drafts []catalogue.Draft
	public bool // what is put is published already
}

func (s *shelf) Put(_ context.Context, d catalogue.Draft) (catalogue.Dataset, error) {
	if (d.Publish || s.public) && d.Unseen != nil {
		return catalogue.Dataset{}, d.Unseen
	}
	s.drafts = append(s.drafts, d)
	return d.Dataset, nil
}

// ingested brings a folder in.
func ingested(t testing.TB, dir string) (*shelf, error) {
	t.Helper()
	s := &shelf{}
	_, err := Ingest(t.Context(), dir, Config{Catalogue: s, Measure: measure.Config{Jobs: 1}})
	return s, err
}

// pack puts a file of a folder into gzip.
func pack(t testing.TB, dir, name string) {
	t.Helper()
	at := filepath.Join(dir, name)
	data, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, name+".gz", gzipped(t, data))
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
}

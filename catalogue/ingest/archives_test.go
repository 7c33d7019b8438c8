package ingest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/ingesttest"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/measure"
)

const packedBase = "-- card.yaml --\n" + goodCard + "sample: b\n"

// TestArchivesAreReadInPlace brings a sample in that lies in a zip, beside a copy that somebody
// has unpacked already: nothing is written into the folder, and its public files are the bytes in
// the archive.
func TestArchivesAreReadInPlace(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, packedBase+"-- clips/a.wav --\nWAV mono\n")
	archived("clips.zip", map[string]string{"clips/a.wav": "WAV mono", "clips/b.wav": "WAV mono", "clips/b.srt": "1\n00:00:00,000 --> 00:00:00,500\nhi\n"})(t, dir)
	before := listing(t, dir)
	shared := false
	s := &shelf{}
	_, err := Ingest(t.Context(), dir, Config{Catalogue: s, Measure: measure.Config{Jobs: 1, Cache: kept{}, Share: func(context.Context, []measure.Task) error {
		shared = true
		return nil
	}}})
	if err != nil || shared {
		t.Fatalf("Ingest = %v, shared %v; want files in archives measured here", err, shared)
	}
	d := s.drafts[0]
	if d.Dataset.Recordings != 2 || !d.Dataset.HasSample || d.Dataset.Sample.Transcript == nil {
		t.Errorf("the record has %d recordings and the sample %+v", d.Dataset.Recordings, d.Dataset.Sample)
	}
	for _, f := range d.Files {
		if f.Name != "sample/sample.wav" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := got.ReadFrom(r); err != nil || !bytes.Equal(got.Bytes(), wavOf(1, 8000)) {
			t.Errorf("the sample has %d bytes, %v", got.Len(), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if after := listing(t, dir); after != before {
		t.Errorf("the folder changed from\n%sto\n%s", before, after)
	}
}

// kept is a cache, for one goroutine.
type kept map[string][]byte

func (k kept) Measured(_ context.Context, sum, method string) ([]byte, bool, error) {
	report, ok := k[sum+method]
	return report, ok, nil
}

func (k kept) KeepMeasured(_ context.Context, sum, method string, report []byte) error {
	k[sum+method] = report
	return nil
}

// TestArchiveGoesOn stops while an archive is measured, and takes it up again: what was measured
// is not measured twice.
func TestArchiveGoesOn(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, packedBase)
	files := map[string][]byte{}
	for i, name := range []string{"a.wav", "b.wav", "c.wav"} {
		files[name] = wavOf(1, 8000+i)
	}
	data, err := ingesttest.Zip(files)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "clips.zip", data)
	cache := kept{}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Ingest(ctx, dir, Config{Catalogue: &shelf{}, Measure: measure.Config{Jobs: 1, Cache: cache, Progress: func(p measure.Progress) {
		if p.Done == 2 {
			cancel()
		}
	}}})
	if !errors.Is(err, context.Canceled) || len(cache) != 2 {
		t.Fatalf("Ingest = %v with %d measured, want that it was cancelled after 2", err, len(cache))
	}
	last := measure.Progress{}
	_, err = Ingest(t.Context(), dir, Config{Catalogue: &shelf{}, Measure: measure.Config{Jobs: 1, Cache: cache, Progress: func(p measure.Progress) {
		if p.Compared == 0 {
			last = p
		}
	}}})
	if err != nil || last.Done != 3 || last.Cached != 2 {
		t.Errorf("Ingest again = %v, %+v; want 3 of which 2 were kept", err, last)
	}
}

// listing returns the names, sizes and times of all files.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			b.WriteString(strings.TrimPrefix(path, dir) + " " + info.ModTime().String() + " " + info.Mode().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestArchiveChanged replaces an archive between reading and measuring.
func TestArchiveChanged(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, packedBase)
	archived("clips.tar", map[string]string{"b.wav": "WAV mono"})(t, dir)
	whole, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "clips.tar"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	_, err = Measure(t.Context(), whole, measure.Config{})
	if problems, ok := errors.AsType[report.Problems](err); !ok || len(problems) != 1 || problems[0].File != "b.wav" {
		t.Errorf("Measure = %v, want one problem of b.wav", err)
	}
}

// TestArchiveLimits checks that members count as files of the folder.
func TestArchiveLimits(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, packedBase)
	archived("clips.tar", map[string]string{"b.wav": "WAV mono", "c.txt": "x", "d.txt": "x"})(t, dir)
	_, err := folder.Read(t.Context(), dir, folder.Limits{Files: 4})
	if err == nil || err.Error() != "the folder holds more than 4 files" {
		t.Errorf("Read = %v, want that there are more than 4 files", err)
	}
}

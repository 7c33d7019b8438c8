package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/measure"
)

// TestLimits checks each bound with a folder that is just over it.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, files string
		limits      folder.Limits
		want        string
	}{
		{"files", base, folder.Limits{Files: 2}, "the folder holds more than 2 files"},
		{"depth", base + "-- audio/x/y/b.wav --\nWAV mono\n", folder.Limits{Depth: 2}, "audio/x/y: …more than 2 deep"},
		{"metadata", base + "-- transcripts/a.srt --\n1\n00:00:00,000 --> 00:00:01,000\nhi\n", folder.Limits{MetadataBytes: 70}, "transcripts/a.srt:…together hold more than 70 bytes"},
		{"manifest", base + "-- recordings.jsonl --\n{\"path\": \"audio/a.wav\", \"session\": \"long enough\"}\n", folder.Limits{ManifestBytes: 20}, "recordings.jsonl:1: …holds more than 20 bytes"},
	} {
		_, err := folder.Read(t.Context(), folderOf(t, tt.files), tt.limits)
		problems, _ := errors.AsType[report.Problems](err)
		found := false
		for _, p := range problems {
			found = found || tells(p, tt.want)
		}
		if !found {
			t.Errorf("%s: Read = %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestChangedBeforeMeasuring changes a file between reading and measuring.
func TestChangedBeforeMeasuring(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(path string) error{
		"longer":  func(p string) error { return os.WriteFile(p, wavOf(1, 9000), 0o600) },
		"touched": func(p string) error { return os.Chtimes(p, time.Unix(1, 0), time.Unix(1, 0)) },
		"gone":    os.Remove,
		"another": func(p string) error { // of the same size and time
			info, err := os.Stat(p)
			return errors.Join(err, os.WriteFile(p+".x", wavOf(1, 8000), 0o600),
				os.Chtimes(p+".x", info.ModTime(), info.ModTime()), os.Rename(p+".x", p))
		},
		"link": func(p string) error { return errors.Join(os.Rename(p, p+".x"), os.Symlink("/etc/passwd", p)) },
	} {
		dir := folderOf(t, base)
		whole, err := folder.Read(t.Context(), dir, folder.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if err := change(filepath.Join(dir, "audio/a.wav")); err != nil {
			t.Fatal(err)
		}
		_, err = Measure(t.Context(), whole, measure.Config{})
		if problems, ok := errors.AsType[report.Problems](err); !ok || len(problems) != 1 || problems[0].File != "audio/a.wav" {
			t.Errorf("%s: Measure = %v, want one problem of audio/a.wav", name, err)
		}
	}
}

// TestChangedBeforePublishing changes the sample after it was measured, without
// changing its size or time: its public copy is refused at its end.
func TestChangedBeforePublishing(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, cardWith("sample: a\n"))
	s, err := ingested(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "audio/a.wav")
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	data := wavOf(1, 8000)
	data[5000] ^= 1
	if err := errors.Join(os.WriteFile(at, data, 0o600), os.Chtimes(at, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.drafts[0].Files {
		if f.Name != "sample/sample.wav" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); !errors.Is(err, tree.ErrChanged) {
			t.Errorf("reading the changed sample = %v, want %v", err, tree.ErrChanged)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// refusing is a catalogue that takes nothing.
type refusing struct{ err error }

func (r refusing) Put(context.Context, catalogue.Draft) (catalogue.Dataset, error) {
	return catalogue.Dataset{}, r.err
}

// TestIngestErrors checks the errors that are not the folder's.
func TestIngestErrors(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, base)
	full := errors.New("disk full")
	if _, err := Ingest(t.Context(), dir, Config{Catalogue: refusing{full}}); !errors.Is(err, full) {
		t.Errorf("Ingest into a full catalogue = %v, want %v", err, full)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ingest(ctx, dir, Config{Catalogue: refusing{full}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Ingest, cancelled = %v, want %v", err, context.Canceled)
	}
	_, err := Ingest(t.Context(), filepath.Join(dir, "nowhere"), Config{})
	if _, ok := errors.AsType[report.Problems](err); !ok {
		t.Errorf("Ingest of no folder = %v, want Problems", err)
	}
}

// TestManyFiles reads a folder of many recordings with facts: the work grows with
// their number alone.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "-- card.yaml --\n"+goodCard)
	wav := wavOf(1, 80)
	var b strings.Builder
	b.WriteString("id,split\n")
	for i := range 400 {
		put(t, dir, fmt.Sprintf("audio/%d/x.wav", i), wav)
		fmt.Fprintf(&b, "%d-x,train\n", i)
	}
	put(t, dir, "recordings.csv", []byte(b.String()))
	whole, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Recordings) != 400 {
		t.Errorf("%d recordings, want 400", len(whole.Recordings))
	}
}

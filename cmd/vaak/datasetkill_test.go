package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vaak/app/deployment"
	"vaak/catalogue"
	"vaak/store"
	"vaak/store/files"
)

// TestLengthyIngestIsKilled kills the command that brings a folder in, at any moment: the
// dataset is the old one or the new one, whole, and the next try brings it in.
func TestLengthyIngestIsKilled(t *testing.T) {
	slow(t)
	t.Parallel()
	killIngests(t, func(n int) bool { return n <= 20 })
}

// TestSoakIngestKills does the same for long.
func TestSoakIngestKills(t *testing.T) {
	end := time.Now().Add(soak(t))
	killIngests(t, func(int) bool { return time.Now().Before(end) })
}

func killIngests(t *testing.T, more func(n int) bool) {
	s := elsewhere(t)
	data := corpus{slug: "hindi-calls", calls: 3, seconds: 20, format: "wav", card: "version: 1.0.0\n"}
	folder := data.folder(t)
	began := time.Now()
	s.vaak("dataset", "ingest", folder, "--publish")
	usual := time.Since(began)
	x := openShelf(t, s.dir)
	id := x.version(data.slug).ID
	var old, renewed int
	for n := 1; more(n) && !t.Failed(); n++ {
		before := x.version(data.slug).Version
		data.extra, data.card = n*100, fmt.Sprintf("version: 1.%d.0\n", n)
		if err := data.write(folder); err != nil {
			t.Fatal(err)
		}
		x.killed(s, folder, rand.N(usual*5/4))
		d := x.version(data.slug)
		switch after := strings.TrimSpace(strings.TrimPrefix(data.card, "version: ")); d.Version {
		case before:
			old++
		case after:
			renewed++
		default:
			t.Errorf("after kill %d the version is %s, want %s or %s", n, d.Version, before, after)
		}
		s.vaak("dataset", "ingest", folder)
		if d := x.version(data.slug); d.Version != strings.TrimSpace(data.card[9:]) || d.ID != id || d.Status != catalogue.Published {
			t.Errorf("after another try: %s %s %s, want %s %s published", d.Version, d.ID, d.Status, data.card[9:], id)
		}
	}
	t.Logf("%d were left as they were, %d brought in; it takes %s", old, renewed, usual)
}

// shelf is the catalogue of a data directory and its files, read beside the server.
type shelf struct {
	t     *testing.T
	db    *store.Store
	files files.Store
}

// openShelf opens a shelf until the test ends.
func openShelf(t *testing.T, dir string) *shelf {
	t.Helper()
	place := deployment.Place{DataDir: dir}
	db, err := place.Open(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	kept, err := place.OpenFiles()
	if err != nil {
		t.Fatal(err)
	}
	return &shelf{t, db, kept}
}

// killed begins to bring a folder in and kills that after a while.
func (x *shelf) killed(s *server, folder string, after time.Duration) {
	x.t.Helper()
	cmd := s.command("dataset", "ingest", folder)
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer timer.Stop()
	_ = cmd.Wait() // by whichever end
}

// version returns the record of a dataset, whose files must all be there and be
// those of one version.
func (x *shelf) version(slug string) catalogue.Dataset {
	x.t.Helper()
	stored, ok, err := x.db.Catalogue().Dataset(x.t.Context(), slug)
	if err != nil || !ok {
		x.t.Fatalf("dataset %s: %v, %v", slug, ok, err)
	}
	samples := map[string]int64{} // by file
	for _, f := range stored.Files {
		body, err := x.files.Open(x.t.Context(), f.Key)
		if err != nil {
			x.t.Errorf("%s of version %s: %v", f.Name, stored.Dataset.Version, err)
			continue
		}
		n, err := io.Copy(io.Discard, body)
		if err := errors.Join(err, body.Close()); err != nil || n != f.SizeBytes {
			x.t.Errorf("%s of version %s has %d bytes, %v, want %d", f.Name, stored.Dataset.Version, n, err, f.SizeBytes)
		}
		samples[f.Name] = n
	}
	if sample := stored.Dataset.Sample; sample == nil || samples["sample/sample.wav"] != sample.SizeBytes {
		x.t.Errorf("the sample of version %s has %d bytes, another than the record's", stored.Dataset.Version, samples["sample/sample.wav"])
	}
	return stored.Dataset
}

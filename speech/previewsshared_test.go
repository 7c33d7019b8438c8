package speech_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/blob"
	"vaak/speech"
	"vaak/store/files/bucket"
	"vaak/store/files/bucket/s3test"
)

// shared returns a new service on a directory of its own and shared previews.
func shared(t *testing.T, in blob.Store) *previewer {
	t.Helper()
	p := newPreviewer(t, filepath.Join(t.TempDir(), "previews"), "", nil)
	p.Service = newService(t, speech.Config{
		Engines: engine.Set{enginetest.Tone{Speaks: few, Before: p.count}}, PreviewDir: p.dir, Previews: in, Logger: slog.New(slog.NewTextHandler(&p.log, nil)),
	})
	return p
}

// inStorage starts a server of object storage and returns the previews in it.
func inStorage(t *testing.T) (*s3test.Server, blob.Store) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	server := s3test.Start(t)
	b, err := bucket.Open(bucket.Config{URL: server.URL("x"), Spool: t.TempDir(), Stall: time.Second, Tries: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return server, b.Named("previews", 0)
}

// TestPreviewsAreShared: a second server renders nothing that a first one has, also of a shared
// directory, and serves the same bytes.
func TestPreviewsAreShared(t *testing.T) {
	server, stored := inStorage(t)
	for where, in := range map[string]blob.Store{"storage": stored, "a directory": blob.NewDir(blob.DirConfig{Path: filepath.Join(t.TempDir(), "shared")})} {
		all := fewVoices()
		first, second := shared(t, in), shared(t, in)
		began := time.Now()
		first.render(t, len(all))
		took := time.Since(began)
		began = time.Now()
		before := server.Requests.Load()
		second.render(t, 0)
		t.Logf("%s: %d previews are rendered in %s, the second server needs %s and %d requests", where, len(all), took, time.Since(began), server.Requests.Load()-before)
		if n := server.Requests.Load() - before; n > 2 { // the list, and that of the sweep
			t.Errorf("%s: the second server sends %d requests, want 2", where, n)
		}
		for _, v := range all {
			a, err := first.Preview(t.Context(), v.ID)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				b, err := second.Preview(t.Context(), v.ID)
				if err != nil || !bytes.Equal(a.Data, b.Data) || a.ETag != b.ETag {
					t.Errorf("%s: the second server has %d bytes of %s, %v; want %d", where, len(b.Data), v.ID, err, len(a.Data))
				}
			}
		}
		if n := second.hums.Load(); n != 0 {
			t.Errorf("%s: the second server renders %d", where, n)
		}
		if names := second.files(t); len(names) != len(all) {
			t.Errorf("%s: the second server has copies of %d, want %d", where, len(names), len(all))
		}
	}
}

// TestPreviewsTogether: servers that begin at the same time share the work.
func TestPreviewsTogether(t *testing.T) {
	_, stored := inStorage(t)
	all := fewVoices()
	servers := []*previewer{shared(t, stored), shared(t, stored), shared(t, stored)}
	var at sync.WaitGroup
	for _, p := range servers {
		at.Go(func() {
			if _, err := p.RenderPreviews(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	at.Wait()
	total := int64(0)
	for _, p := range servers {
		total += p.hums.Load()
	}
	t.Logf("three servers render %d previews of %d voices", total, len(all))
	if total < int64(len(all)) || total >= 3*int64(len(all)) {
		t.Errorf("three servers render %d previews of %d voices", total, len(all))
	}
}

// TestPreviewsWithoutStorage: previews are rendered and served while the storage is away, and
// reach it afterwards.
func TestPreviewsWithoutStorage(t *testing.T) {
	server, stored := inStorage(t)
	all := fewVoices()
	first := shared(t, stored)
	server.Break(func(w http.ResponseWriter, _ *http.Request) bool {
		s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		return true
	})
	if n, err := first.RenderPreviews(t.Context()); n != 0 || err == nil {
		t.Errorf("RenderPreviews without the storage = %d, %v, want an error", n, err)
	}
	for _, v := range all[:2] {
		for range 2 { // the second time from the directory
			if p, err := first.Preview(t.Context(), v.ID); err != nil || len(p.Data) == 0 {
				t.Errorf("Preview without the storage = %d bytes, %v", len(p.Data), err)
			}
		}
	}
	if n := first.hums.Load(); n != 2 {
		t.Errorf("two previews are rendered %d times", n)
	}
	server.Break(nil)
	if n, err := first.RenderPreviews(t.Context()); n != len(all)-2 || err != nil {
		t.Errorf("RenderPreviews after that = %d, %v, want all but the two", n, err)
	}
	shared(t, stored).render(t, 0)
	// What another has damaged is rendered again.
	files, err := filepath.Glob(filepath.Join(server.Dir, "x", "previews", string(all[0].ID)+"*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the preview is in %q, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	late := shared(t, stored)
	p, err := late.Preview(t.Context(), all[0].ID)
	whole, werr := first.Preview(t.Context(), all[0].ID)
	if err != nil || werr != nil || !bytes.Equal(p.Data, whole.Data) || late.hums.Load() != 1 {
		t.Errorf("a damaged preview is served as %d bytes, %v", len(p.Data), err)
	}
}

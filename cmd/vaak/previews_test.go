package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/app/deployment"
	"vaak/voice"
)

const renderPreviews = "--render-previews"

// clips returns the previews that a server keeps, by name, and how many files it is
// writing.
func (s *server) clips() (kept map[string]os.FileInfo, drafts int) {
	s.t.Helper()
	files, err := os.ReadDir(filepath.Join(s.dir, deployment.Previews))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	kept = map[string]os.FileInfo{}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "sv_") {
			drafts++
		} else if info, err := f.Info(); err == nil {
			kept[f.Name()] = info
		}
	}
	return kept, drafts
}

// hasClips waits until so many previews are kept.
func (s *server) hasClips(least int) map[string]os.FileInfo {
	s.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		kept, _ := s.clips()
		if len(kept) >= least {
			return kept
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%d previews after two minutes, want %d; log: %s", len(kept), least, s.log)
		}
		select {
		case <-s.done:
			s.t.Fatalf("it ended with %v; log: %s", s.err, s.log)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// preview asks for the preview of a voice.
func (s *server) preview(method string, id voice.ID, header ...string) (*http.Response, []byte) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.public+"/v1/voices/"+string(id)+"/preview", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, body
}

// TestLengthyPreviewsOfAServer kills a server that renders previews, stops the next one in
// the middle of it, and lets the third finish: what was kept is whole and stays.
func TestLengthyPreviewsOfAServer(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t, renderPreviews)
	early := s.hasClips(10)
	_ = s.end(syscall.SIGKILL)

	s.serve(renderPreviews)
	s.hasClips(len(early) + 10)
	began := ran()
	s.stop()
	if took := ran() - began; took > 20*time.Second {
		t.Errorf("a server that renders previews took %v to stop", took)
	}
	if log := s.log.String(); strings.Contains(log, "previews are") {
		t.Errorf("to stop is no failure: %s", log)
	}

	s.serve(renderPreviews)
	all := s.hasClips(len(voice.All()))
	if len(all) != len(voice.All()) {
		t.Errorf("%d files are kept, want one for each of %d voices", len(all), len(voice.All()))
	}
	for name, was := range early {
		if is := all[name]; is == nil || !is.ModTime().Equal(was.ModTime()) || is.Size() != was.Size() {
			t.Errorf("%s was rendered again", name)
		}
		path := filepath.Join(s.dir, deployment.Previews, name)
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		id, _, _ := strings.Cut(name, "-")
		if _, again := s.preview(http.MethodGet, voice.ID(id)); !bytes.Equal(kept, again) {
			t.Errorf("%s had %d bytes after the kill, and has %d when it is made again", name, len(kept), len(again))
		}
	}
	s.answersPreviews()
	all, _ = s.clips()
	s.stop()

	s.serve(renderPreviews) // once more: there is nothing to do
	s.preview(http.MethodGet, voice.DefaultVoice().ID)
	s.stop()
	now, _ := s.clips()
	for name, was := range all {
		if is := now[name]; is == nil || !is.ModTime().Equal(was.ModTime()) {
			t.Errorf("%s was rendered again by a restart", name)
		}
	}
	if strings.Contains(s.log.String(), "previews are rendered") {
		t.Errorf("previews that are kept were rendered: %s", s.log)
	}
}

// answersPreviews asks for a preview that is kept, in all ways.
func (s *server) answersPreviews() {
	s.t.Helper()
	id := voice.DefaultVoice().ID
	whole, body := s.preview(http.MethodGet, id)
	tag := whole.Header.Get("ETag")
	if whole.StatusCode != http.StatusOK || len(body) < 10_000 || len(tag) < 10 || whole.Header.Get("Content-Type") != "audio/mpeg" {
		s.t.Fatalf("GET = %d, %d bytes, %v", whole.StatusCode, len(body), whole.Header)
	}
	head, none := s.preview(http.MethodHead, id)
	if head.StatusCode != http.StatusOK || len(none) != 0 || head.ContentLength != int64(len(body)) || head.Header.Get("ETag") != tag {
		s.t.Errorf("HEAD = %d, %d bytes of %d, %v", head.StatusCode, len(none), head.ContentLength, head.Header)
	}
	same, none := s.preview(http.MethodGet, id, "If-None-Match", tag)
	if same.StatusCode != http.StatusNotModified || len(none) != 0 {
		s.t.Errorf("GET with its tag = %d, %d bytes", same.StatusCode, len(none))
	}
	piece, part := s.preview(http.MethodGet, id, "Range", "bytes=100-199")
	if piece.StatusCode != http.StatusPartialContent || !bytes.Equal(part, body[100:200]) {
		s.t.Errorf("GET of a range = %d, %d bytes", piece.StatusCode, len(part))
	}
}

// TestLengthyPreviewsOnAFullDisk has room for few previews: that is said once, and again only
// after a smaller one has found room; all are served.
func TestLengthyPreviewsOnAFullDisk(t *testing.T) {
	onSmallDisk(t, func(t *testing.T, dir string) {
		s := start(t)
		s.stop()
		const room = 6 << 20
		fillWith(t, filepath.Join(dir, "filler"), room)
		s.serve(renderPreviews)
		const says = "previews are not all rendered"
		deadline := time.Now().Add(2 * time.Minute)
		for !strings.Contains(s.log.String(), says) {
			if time.Now().After(deadline) {
				t.Fatalf("it does not say that %s: %s", says, s.log)
			}
			<-time.After(10 * time.Millisecond)
		}
		before, _ := s.clips()
		for _, v := range voice.All()[300:] {
			if resp, body := s.preview(http.MethodGet, v.ID); resp.StatusCode != http.StatusOK || len(body) < 10_000 {
				t.Errorf("preview of %s = %d, %d bytes", v.ID, resp.StatusCode, len(body))
			}
		}
		kept, drafts := s.clips()
		log := s.log.String()
		if strings.Count(log, says) != 1 || strings.Count(log, "previews are not kept") > len(kept)-len(before) || !strings.Contains(log, "no space left on device") {
			t.Errorf("it is not said once, with the cause: %s", log)
		}
		if len(kept) == 0 || len(kept) == len(voice.All()) || drafts != 0 {
			t.Errorf("%d previews are kept, and %d parts of one", len(kept), drafts)
		}
		s.stop()
	})
}

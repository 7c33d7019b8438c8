package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/app/deployment"
	"vaak/internal/seal"
	"vaak/speech/clip"
)

// beside opens the clips of a server as another server that shares them does.
func (s *server) beside() *clip.Service {
	s.t.Helper()
	secret, err := seal.Open(filepath.Join(s.dir, deployment.Secret))
	if err != nil {
		s.t.Fatal(err)
	}
	clips, err := clip.Open(clip.Config{Dir: filepath.Join(s.dir, deployment.Clips), MaxBytes: 1 << 30, Secret: secret})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = clips.Close() })
	return clips
}

func keepClip(t testing.TB, clips *clip.Service, org, audio string) clip.Clip {
	t.Helper()
	d, err := clips.Begin(org)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(d, audio); err != nil {
		t.Fatal(err)
	}
	c, err := d.Keep(clip.Kind{ContentType: "audio/mpeg", Extension: "mp3"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClips has a server give what another process has kept, over a restart and a
// change of the secret, and no more when links are off.
func TestClips(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := filepath.Join(s.dir, deployment.Secret)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Fatalf("the secret has mode %v, %v; want 0600", info.Mode(), err)
	}
	org, key := s.customer("Mine", "scale")
	_, other := s.customer("Other", "scale")
	clips := s.beside()
	c := keepClip(t, clips, org, "0123456789")
	link := clips.Link("", c)
	gives := func(when string) {
		t.Helper()
		a := s.fetch(http.MethodGet, link, "Range: bytes=2-4")
		if a.status != http.StatusPartialContent || a.body != "234" || a.header.Get("Content-Type") != "audio/mpeg" {
			t.Errorf("%s: %s = %d %q, want 206 and 234", when, a.what, a.status, a.body)
		}
	}
	gives("at first")
	s.ask(http.MethodGet, link, key, nil).expect(t, http.StatusOK, "")
	s.ask(http.MethodGet, link, other, nil).expect(t, http.StatusNotFound, "clip_not_found")
	s.ask(http.MethodGet, link, "sk_live_wrong", nil).expect(t, http.StatusUnauthorized, "invalid_api_key")
	s.ask(http.MethodGet, link+"A", "", nil).expect(t, http.StatusNotFound, "clip_not_found")
	s.stop()
	if strings.Contains(s.log.String(), c.ID) || strings.Contains(s.log.String(), "signature") {
		t.Error("the log holds a link")
	}
	s.serve()
	gives("after a restart")
	s.stop()

	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fresh := strings.Repeat("A", 43) + "\n"
	if err := os.WriteFile(path, append([]byte(fresh), old...), 0o600); err != nil {
		t.Fatal(err)
	}
	s.serve()
	gives("with a new secret before the old")
	s.stop()
	s.serve("--clip-bytes=0")
	s.ask(http.MethodGet, link, "", nil).expect(t, http.StatusNotFound, "not_found")
	s.stop()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	s.serve("--secret", elsewhere)
	s.ask(http.MethodGet, link, "", nil).expect(t, http.StatusNotFound, "clip_not_found")
	s.stop()
	if _, err := os.Stat(elsewhere); err != nil {
		t.Errorf("--secret was not made: %v", err)
	}
}

// TestBadSecret: a server does not start on a secret that others can read, and says
// why; a room that is too small is a wrong use.
func TestBadSecret(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.stop()
	for _, tt := range []struct {
		mode   os.FileMode
		text   string
		flags  []string
		status int
		want   string
	}{
		{0o644, strings.Repeat("A", 43), nil, 1, "chmod 600"},
		{0o600, "short", nil, 1, "line 1"},
		{0o600, strings.Repeat("A", 43), []string{"--clip-bytes=1"}, 2, "--clip-bytes 1 is under"},
		{0o600, strings.Repeat("A", 43), []string{"--clip-bytes=134217727"}, 2, "is under 134217728"},
	} {
		path := filepath.Join(s.dir, deployment.Secret)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		status, said := s.fails(append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, tt.flags...)...)
		if status != tt.status || !strings.Contains(said, tt.want) {
			t.Errorf("serve = %d %q, want %d and %q", status, said, tt.status, tt.want)
		}
	}
}

package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/app/backup"
	"vaak/app/deployment"
	"vaak/store/files/bucket/s3test"
	"vaak/voice"
)

// objectsIn lists the objects directly in a directory of the storage.
func objectsIn(t *testing.T, storage *s3test.Server, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(storage.Dir, filepath.FromSlash(dir), "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// audioURL is a link in the result of a tool.
var audioURL = regexp.MustCompile(`"audio_url":"[^"]*(/v1/audio/clips/[^"]+)"`)

// TestLengthyServersShareStorage has two servers with directories of their own keep clips and
// previews in object storage, which then goes.
func TestLengthyServersShareStorage(t *testing.T) {
	slow(t)
	t.Parallel()
	storage := s3test.Start(t)
	first, second := start(t), start(t)
	for _, s := range []*server{first, second} {
		s.stop()
		s.env = append(withKeys(s.env), "VAAK_OBJECTS="+storage.URL("both"))
	}
	secret := filepath.Join(first.dir, deployment.Secret)
	// From before there was object storage.
	former := filepath.Join(first.dir, deployment.Clips, "clip_"+strings.Repeat("a", 26))
	if err := errors.Join(os.MkdirAll(filepath.Dir(former), 0o700), os.WriteFile(former, []byte("sound"), 0o600), os.Chtimes(former, time.Time{}, time.Now().Add(-2*time.Hour))); err != nil {
		t.Fatal(err)
	}
	first.serve()
	second.serve("--secret", secret)

	spoken := func(s *server) answered {
		return s.callTool("synthesize_speech", object{"text": "Good day.", "delivery": "link"})
	}
	a := spoken(first)
	m := audioURL.FindStringSubmatch(strings.ReplaceAll(a.body, `\u0026`, "&"))
	if m == nil || len(objectsIn(t, storage, "both/clips")) != 1 {
		t.Fatalf("synthesize_speech = %.500s, and the storage has %q", a.body, objectsIn(t, storage, "both/clips"))
	}
	link := m[1]
	if left, err := filepath.Glob(filepath.Join(first.dir, deployment.Clips, "*")); err != nil || slices.ContainsFunc(left, func(path string) bool { return path != former }) {
		t.Errorf("the data directory has %q, %v", left, err)
	}
	whole := first.fetch(http.MethodGet, link)
	part := second.fetch(http.MethodGet, link, "Range: bytes=100-199")
	if whole.status != http.StatusOK || part.status != http.StatusPartialContent || part.body != whole.body[100:200] {
		t.Errorf("the link gives %d with %d bytes, and of the other server %d with %d", whole.status, len(whole.body), part.status, len(part.body))
	}
	second.ask(http.MethodGet, link+"A", "", nil).expect(t, http.StatusNotFound, "clip_not_found")

	id := voice.DefaultVoice().ID
	_, made := first.preview(http.MethodGet, id)
	before := len(objectsIn(t, storage, "both/previews"))
	_, same := second.preview(http.MethodGet, id)
	if kept, _ := second.clips(); string(made) != string(same) || before != 1 || len(objectsIn(t, storage, "both/previews")) != 1 || len(kept) != 1 {
		t.Errorf("the preview has %d bytes, that of the other server %d; the storage has %d", len(made), len(same), before)
	}

	storage.Break(func(w http.ResponseWriter, _ *http.Request) bool {
		s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		return true
	})
	away := second.fetch(http.MethodGet, link)
	if away.status != http.StatusServiceUnavailable || away.header.Get("Retry-After") == "" {
		t.Errorf("without the storage the link gives %d, Retry-After %q", away.status, away.header.Get("Retry-After"))
	}
	if a := spoken(second); !strings.Contains(a.body, `"delivery":"inline"`) {
		t.Errorf("without the storage synthesize_speech = %.500s, want the audio inline", a.body)
	}
	if r, body := second.preview(http.MethodGet, id); r.StatusCode != http.StatusOK || string(body) != string(made) {
		t.Errorf("without the storage a preview that is here = %d", r.StatusCode)
	}
	if r, body := second.preview(http.MethodGet, voice.Default("fr").ID); r.StatusCode != http.StatusOK || len(body) < 1000 {
		t.Errorf("without the storage a preview that is not = %d with %d bytes", r.StatusCode, len(body))
	}
	second.say(second.key, "Hello.").expect(t, http.StatusOK, "")
	second.stop()
	second.serve("--secret", secret, "--object-links") // it starts without the storage
	storage.Break(nil)
	if again := second.fetch(http.MethodGet, link, "Sec-Fetch-Site: same-origin"); again.status != http.StatusOK || again.body != whole.body {
		t.Errorf("after that the link gives %d with %d bytes", again.status, len(again.body))
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, second.public+link, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil || r.StatusCode != http.StatusFound || !strings.Contains(r.Header.Get("Location"), "X-Amz-Signature") {
		t.Errorf("with --object-links the link gives %d to %q, %v", r.StatusCode, r.Header.Get("Location"), err)
	}
	first.stop()
	second.stop()
	if _, err := os.Stat(former); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the clip in the data directory is not swept: %v", err)
	}
}

// TestLengthyRestoreDrill runs the commands of the runbook, on a bucket of the test.
func TestLengthyRestoreDrill(t *testing.T) {
	slow(t)
	t.Parallel()
	storage := s3test.Start(t)
	book, err := os.ReadFile("../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	_, drill, found := strings.Cut(string(book), "\n## Restore drill\n")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(drill, -1)
	if !found || len(blocks) < 2 {
		t.Fatal("the runbook has no restore drill")
	}
	s := elsewhere(t)
	s.env = withKeys(s.env)
	s.vaak("dataset", "ingest", corpus{slug: "hindi-calls", calls: 2, seconds: 10, format: "flac"}.folder(t), "--publish")
	org := s.vaak("org", "create", "Acme")
	place, query, _ := strings.Cut(storage.URL("vaak"), "?")
	lines := ""
	for _, b := range blocks[:2] {
		lines += b[1]
	}
	for old, with := range map[string]string{"s3://backups/vaak": place, "endpoint=https://s3.example.org&region=eu-central-1": query} {
		if !strings.Contains(lines, old) {
			t.Errorf("the drill does not name %s", old)
		}
		lines = strings.ReplaceAll(lines, old, with)
	}
	run := func() string {
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", lines)
		cmd.Env, cmd.Dir = append(s.env, "TMPDIR="+t.TempDir()), t.TempDir()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	out := run()
	if !strings.Contains(out, org) || !strings.Contains(out, "hindi-calls") || !strings.Contains(out, "restored the database") {
		t.Errorf("the drill prints %s", out)
	}
	var list struct {
		Place   string
		Backups []backup.Listed
	}
	if err := json.Unmarshal([]byte(s.vaak("backup", "list", storage.URL("vaak"), "--json")), &list); err != nil || len(list.Backups) != 1 {
		t.Fatalf("backup list = %+v, %v", list, err)
	}
	var done backedUp
	if err := json.Unmarshal([]byte(s.vaak("backup", strings.Replace(list.Backups[0].Address, "vaak-2", "again-2", 1), "--json")), &done); err != nil || done.Files == 0 || len(done.SHA256) != 64 {
		t.Errorf("backup = %+v, %v", done, err)
	}
	to := elsewhere(t)
	to.env = withKeys(to.env)
	var restored backedUp
	if err := json.Unmarshal([]byte(to.vaak("restore", done.Address, "--sha256", done.SHA256, "--json")), &restored); err != nil || restored.Archive != done.Archive || restored.Files != done.Files {
		t.Errorf("restore = %+v, %v, want %+v", restored, err, done)
	}
	if status, said := s.fails("backup", done.Address); status != 1 || !strings.Contains(said, "there already") {
		t.Errorf("a second backup under one name = %d, %s", status, said)
	}
	if status, said := to.fails("restore", done.Address, "--force", "--sha256", "00"); status != 2 || !strings.Contains(said, "64 hexadecimal") {
		t.Errorf("restore with a short digest = %d, %s", status, said)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/app/deployment"
	"vaak/internal/checkup"
	"vaak/store/files"
	"vaak/store/files/bucket/s3test"
)

// withKeys adds the credentials of the storage of tests to an environment.
func withKeys(env []string) []string {
	return append(env, "AWS_ACCESS_KEY_ID="+s3test.AccessKey, "AWS_SECRET_ACCESS_KEY="+s3test.SecretKey)
}

// TestSoakMoveIsKilled moves 10,000 files into object storage and back, and kills each move in
// the middle: at any time each file is at one end at least, and in the end all are where they go.
func TestSoakMoveIsKilled(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("moves thousands of files, which takes minutes: make soak runs it")
	}
	t.Parallel()
	storage := s3test.Start(t)
	s := elsewhere(t)
	s.env = withKeys(s.env)
	const many = 10_000
	dir := filepath.Join(t.TempDir(), "files")
	kept, err := files.New(files.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for i := range many {
		key, _, _, err := kept.Put(t.Context(), strings.NewReader(fmt.Sprint("file ", i)))
		if err != nil {
			t.Fatal(err)
		}
		keys[key] = true
	}
	objects := filepath.Join(storage.Dir, "moved")
	for _, way := range []struct{ from, to, fromDir, toDir string }{
		{dir, storage.URL("moved"), dir, objects},
		{storage.URL("moved"), dir, objects, dir},
	} {
		began := time.Now()
		cmd := s.command("files", "move", "--from", way.from, "--to", way.to)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		soon := time.Now().Add(5 * time.Minute)
		ticks := time.NewTicker(20 * time.Millisecond)
		for len(listKeys(t, way.toDir)) < many/3 && time.Now().Before(soon) {
			<-ticks.C
		}
		ticks.Stop()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		from, to := listKeys(t, way.fromDir), listKeys(t, way.toDir)
		both := 0
		for key := range keys {
			if !from[key] && !to[key] {
				t.Fatalf("%s is lost", key)
			}
			if from[key] && to[key] {
				both++
			}
		}
		t.Logf("after the kill %d are where they were, %d where they go, %d of them at both; %s", len(from), len(to), both, time.Since(began))
		if len(from) == 0 {
			t.Error("the kill came too late")
		}
		var done moved
		if err := json.Unmarshal([]byte(s.vaak("files", "move", "--from", way.from, "--to", way.to, "--json")), &done); err != nil {
			t.Fatal(err)
		}
		if left := listKeys(t, way.fromDir); len(left) > 0 || done.Files > len(from) || done.Files+done.Already < len(from) || done.DamagedFiles > 0 {
			t.Errorf("the second move did %+v and leaves %d, want %d moved", done, len(left), len(from))
		}
		if got := listKeys(t, way.toDir); len(got) != many {
			t.Errorf("%d files are there, want %d", len(got), many)
		}
		t.Logf("all are there after %s", time.Since(began))
	}
	total, err := files.CheckAll(t.Context(), kept, 0, nil)
	if err != nil || total.Files != many || total.DamagedFiles > 0 {
		t.Errorf("CheckAll = %+v, %v, want %d whole files", total, err, many)
	}
}

// listKeys lists the keys below a directory of files, also that of the storage.
func listKeys(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(dir, "sha256"), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went since its directory was read
		}
		if rel, rerr := filepath.Rel(dir, path); rerr == nil && err == nil && !e.IsDir() {
			if key, ok := files.Key(filepath.ToSlash(rel)); ok {
				found[key] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestLengthyServeFromStorage keeps the files of a dataset in object storage: the server sends them
// or sends clients there, backs them up, checks them, and goes on when the storage was away.
func TestLengthyServeFromStorage(t *testing.T) {
	slow(t)
	t.Parallel()
	storage := s3test.Start(t)
	s := elsewhere(t)
	s.env = append(withKeys(s.env), "VAAK_CONSOLE_LISTEN=off", "VAAK_OBJECTS="+storage.URL("a/b"))
	s.vaak("dataset", "ingest", corpus{slug: "hindi-calls", calls: 2, seconds: 10, format: "flac"}.folder(t), "--publish")
	if _, err := os.Stat(filepath.Join(s.dir, deployment.Files)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a directory of files beside the storage: %v", err)
	}
	kept := listKeys(t, filepath.Join(storage.Dir, "a", "b"))
	if len(kept) == 0 {
		t.Fatal("there are no files in the storage")
	}
	s.serve("--services", "catalogue")
	const sample = "/catalogue/datasets/hindi-calls/sample/sample.flac"
	a := s.fetch(http.MethodGet, sample)
	if a.status != http.StatusOK || len(a.body) < 1000 {
		t.Errorf("%s = %d with %d bytes", sample, a.status, len(a.body))
	}
	storage.Break(func(w http.ResponseWriter, _ *http.Request) bool {
		s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		return true
	})
	if away := s.fetch(http.MethodGet, sample); away.status != http.StatusServiceUnavailable {
		t.Errorf("%s without the storage = %d, want 503", sample, away.status)
	}
	storage.Break(nil)
	if again := s.fetch(http.MethodGet, sample); again.body != a.body {
		t.Errorf("%s after that = %d with %d bytes, want %d", sample, again.status, len(again.body), len(a.body))
	}
	s.stop()

	s.serve("--services", "catalogue", "--object-links")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(url string, head ...string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(head); i += 2 {
			req.Header.Set(head[i], head[i+1])
		}
		r, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		if err := errors.Join(err, r.Body.Close()); err != nil {
			t.Fatal(err)
		}
		return r, string(b)
	}
	r, _ := get(s.public + sample)
	link := r.Header.Get("Location")
	if r.StatusCode != http.StatusFound || !strings.Contains(link, "X-Amz-Expires=300") {
		t.Errorf("%s = %d to %q, want a signed link", sample, r.StatusCode, link)
	} else if r, body := get(link); r.StatusCode != http.StatusOK || body != a.body || r.Header.Get("Content-Type") != "audio/flac" {
		t.Errorf("the link gives %d, %d bytes of %s", r.StatusCode, len(body), r.Header.Get("Content-Type"))
	}
	if r, body := get(s.public+sample, "Sec-Fetch-Site", "same-origin"); r.StatusCode != http.StatusOK || body != a.body {
		t.Errorf("a page of the server gets %d", r.StatusCode)
	}
	s.vaak("dataset", "suspend", "hindi-calls")
	soon(t, "hindi-calls is gone", func() bool { r, _ := get(s.public + sample); return r.StatusCode == http.StatusNotFound })
	s.stop()

	archive := filepath.Join(t.TempDir(), "backup.tar.gz")
	s.vaak("backup", archive)
	to := elsewhere(t)
	to.vaak("restore", archive)
	if restored := listKeys(t, filepath.Join(to.dir, deployment.Files)); len(restored) != len(kept) {
		t.Errorf("a backup holds %d files, want %d", len(restored), len(kept))
	}
	var found checked
	if err := json.Unmarshal([]byte(s.vaak("files", "check", "--json")), &found); err != nil || !found.OK || found.Files != len(kept) {
		t.Errorf("files check = %+v, %v", found, err)
	}
	key := slices.Sorted(func(yield func(string) bool) {
		for k := range kept {
			if !yield(k) {
				return
			}
		}
	})[0]
	path, _ := files.Path(key)
	if err := os.WriteFile(filepath.Join(storage.Dir, "a", "b", filepath.FromSlash(path)), []byte("damage"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := s.command("files", "check")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, nil
	if err := cmd.Run(); err == nil || !strings.Contains(out.String(), "damaged\t"+key) {
		t.Errorf("files check of a damaged file = %v: %s", err, &out)
	}
}

// TestLengthyDoctorOfStorage has the doctor look at object storage.
func TestLengthyDoctorOfStorage(t *testing.T) {
	slow(t)
	storage := s3test.Start(t)
	for _, v := range withKeys(nil) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	flags := []string{"--services", "catalogue", "--objects"}
	examine(t, t.TempDir(), append(flags, storage.URL("x"))...).expect("files", checkup.OK, "written, read and deleted")
	examine(t, t.TempDir(), append(flags, storage.URL("x"), "--object-links")...).expect("files", checkup.OK, "written, read and deleted")
	if err := filepath.WalkDir(storage.Dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			t.Errorf("the doctor leaves %s", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	// A storage that clients cannot read from, and one that refuses a part of the prefix.
	storage.Break(func(w http.ResponseWriter, r *http.Request) bool {
		linked := r.URL.Query().Has("X-Amz-Signature")
		if linked {
			s3test.Error(w, http.StatusForbidden, "AccessDenied")
		}
		return linked
	})
	examine(t, t.TempDir(), append(flags, storage.URL("x"), "--object-links")...).expect("files", checkup.Warning, "a link to the storage does not work")
	storage.Break(func(w http.ResponseWriter, r *http.Request) bool {
		clips := strings.Contains(r.URL.Path, "/x/clips/")
		if clips {
			s3test.Error(w, http.StatusForbidden, "AccessDenied")
		}
		return clips
	})
	examine(t, t.TempDir(), append(flags, storage.URL("x"))...).expect("files", checkup.Failure, "below clips")
	storage.Break(nil)
	examine(t, t.TempDir(), append(flags, strings.Replace(storage.URL(""), s3test.Name, "no-such-bucket", 1))...).expect("files", checkup.Failure, "no such bucket")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	examine(t, t.TempDir(), append(flags, storage.URL("x"))...).expect("files", checkup.Failure, "credentials")
}

// TestCommandFilesRefuses calls the commands wrongly.
func TestCommandFilesRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"no such file":  {"files", "move", "--from", filepath.Join(dir, "none"), "--to", "s3://b"},
		"same place":    {"files", "move", "--from", dir, "--to", dir + "/."},
		"--at-once":     {"files", "move", "--from", dir, "--to", "s3://b", "--at-once", "0"},
		"credentials":   {"files", "move", "--from", dir, "--to", "s3://key:hidden@b"},
		"question mark": {"files", "move", "--from", dir, "--to", "s3://b?x=1"},
		"s3://BUCKET":   {"dataset", "list", "--objects", "gs://b", "--data-dir", shelved(t)},
	} {
		var stderr bytes.Buffer
		if status := run(t.Context(), args, nil, io.Discard, &stderr); status != 2 || !strings.Contains(stderr.String(), want) || strings.Contains(stderr.String(), "hidden") {
			t.Errorf("vaak %s: status %d: %s; want %q", strings.Join(args, " "), status, &stderr, want)
		}
	}
}

// shelved returns a data directory with a database.
func shelved(t *testing.T) string {
	dir := t.TempDir()
	db, err := deployment.Place{DataDir: dir}.Open(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

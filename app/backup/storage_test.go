package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/app/deployment"
	"vaak/internal/fault"
	"vaak/store/files/bucket/s3test"
)

// inStorage starts a server of object storage, whose credentials are in the environment.
func inStorage(t *testing.T) *s3test.Server {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	return s3test.Start(t)
}

// in returns the address of a backup.
func in(s *s3test.Server, name string) string { return s.URL("deep/er/" + name) }

// listed returns the names of the backups.
func listed(t *testing.T, s *s3test.Server) (names []string) {
	t.Helper()
	found, err := List(t.Context(), s.URL("deep/er"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range found {
		names = append(names, b.Name)
	}
	return names
}

// heavy is a data directory whose backup has more than a part.
func heavy(t *testing.T) till {
	x := newTill(t)
	b := make([]byte, 17<<20)
	rand.NewChaCha8([32]byte{}).Read(b) // cannot be compressed
	if err := os.WriteFile(filepath.Join(x.place.DataDir, "notes"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return x
}

// leavesNothing checks that no scratch file is left beside the database.
func leavesNothing(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left are %q, %v", left, err)
	}
}

// TestLengthyBackupInStorage backs up into a directory and into object storage: both have the same
// digests, and both are restored.
func TestLengthyBackupInStorage(t *testing.T) {
	slow(t)
	s := inStorage(t)
	x := heavy(t)
	x.with(func(a *account.Service) { x.spend(a, 3) })
	dir := t.TempDir()
	var most int64
	for _, tt := range []struct{ place, address string }{
		{dir, filepath.Join(dir, "one.tar.gz")}, {s.URL("deep/er"), in(s, "one.tar.gz")},
	} {
		m, whole, err := Write(t.Context(), Source{Place: x.place, File: tt.address, Program: "test", Progress: func(n int64) { most = n }, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if whole.Bytes < 17<<20 || most != whole.Bytes || len(m.Members) != 2 {
			t.Errorf("%s: Write = %d members, %+v, with progress to %d", tt.address, len(m.Members), whole, most)
		}
		if err := write(t.Context(), Source{Place: x.place, File: tt.address}); err == nil || !strings.Contains(err.Error(), "there already") {
			t.Errorf("%s: a second Write = %v, want an error that it is there", tt.address, err)
		}
		found, err := List(t.Context(), tt.place)
		if err != nil || len(found) != 1 || found[0].Name != "one.tar.gz" || found[0].Bytes != whole.Bytes {
			t.Fatalf("List = %+v, %v", found, err)
		}
		to := Target{Place: deployment.Place{DataDir: filepath.Join(t.TempDir(), "new")}, File: found[0].Address, MaxBytes: 1 << 30, SHA256: strings.Repeat("0", 64)}
		if err := restore(t.Context(), to); err == nil || !strings.Contains(err.Error(), whole.SHA256) {
			t.Errorf("%s: restore with another digest = %v", tt.address, err)
		}
		if left := filesIn(t, to.Place.DataDir); len(left) > 0 {
			t.Errorf("it leaves %d files", len(left))
		}
		to.SHA256 = whole.SHA256
		got, again, err := Restore(t.Context(), to)
		if err != nil || cmp.Diff(m, got) != "" || again != whole {
			t.Errorf("%s: Restore = %+v, %v, want %+v", tt.address, again, err, whole)
		}
		y := x
		y.place = to.Place
		if diff := cmp.Diff(x.report(), y.report()); diff != "" {
			t.Errorf("%s: restored differs (-there +restored):\n%s", tt.address, diff)
		}
		leavesNothing(t, x.place.DataDir)
	}
	leavesNothing(t, dir)
}

// TestLengthyBackupIsBrokenOff has uploads fail: nothing of them looks like a backup.
func TestLengthyBackupIsBrokenOff(t *testing.T) {
	slow(t)
	s := inStorage(t)
	x := heavy(t)
	second := func(answer func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("partNumber") == "2" {
				answer(w, r)
				return true
			}
			return false
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	for name, tt := range map[string]struct {
		ctx   context.Context
		fault func(http.ResponseWriter, *http.Request) bool
	}{
		"the storage goes": {t.Context(), second(func(w http.ResponseWriter, _ *http.Request) {
			s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		})},
		"half a part": {t.Context(), second(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.CopyN(io.Discard, r.Body, 1000)
			panic(http.ErrAbortHandler)
		})},
		"the operator stops it": {ctx, second(func(w http.ResponseWriter, _ *http.Request) {
			cancel()
			s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		})},
		"no time": {t.Context(), func(w http.ResponseWriter, _ *http.Request) bool {
			s3test.Error(w, http.StatusForbidden, "RequestTimeTooSkewed")
			return true
		}},
	} {
		s.Break(tt.fault)
		err := write(tt.ctx, Source{Place: x.place, File: in(s, "half.tar.gz")})
		s.Break(nil)
		if tt.ctx != ctx && fault.KindOf(err) != fault.Unavailable || tt.ctx == ctx && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Write = %v", name, err)
		}
		if found := listed(t, s); len(found) > 0 {
			t.Errorf("%s: there are %q", name, found)
		}
		leavesNothing(t, x.place.DataDir)
	}
	cancel()
	// Refused now and then, it works, and so does reading what breaks off.
	var n atomic.Int64
	s.Break(func(w http.ResponseWriter, r *http.Request) bool {
		if n.Add(1)%3 == 0 {
			s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		}
		return false
	})
	if err := write(t.Context(), Source{Place: x.place, File: in(s, "whole.tar.gz")}); err != nil {
		t.Fatal(err)
	}
	s.Break(nil)
	var cut atomic.Int64
	s.Change(func(r *http.Response) error {
		if r.Request.Method == http.MethodGet && cut.Add(1) <= 2 {
			r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, 5<<20), cutShort{}))
		}
		return nil
	})
	if _, err := x.restored(in(s, "whole.tar.gz")); err != nil || cut.Load() < 3 {
		t.Errorf("restore from a storage that breaks off: %v after %d requests", err, cut.Load())
	}
	s.Change(nil)
	// The storage goes while it is read: nothing is changed.
	cut.Store(0)
	s.Break(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && cut.Add(1) > 1 {
			s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		}
		return false
	})
	s.Change(func(r *http.Response) error {
		if r.Request.Method == http.MethodGet {
			r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, 5<<20), cutShort{}))
		}
		return nil
	})
	y, err := x.restored(in(s, "whole.tar.gz"))
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("restore from a storage that goes = %v", err)
	}
	if left := filesIn(t, y.place.DataDir); len(left) > 0 {
		t.Errorf("it leaves %d files", len(left))
	}
}

type cutShort struct{}

func (cutShort) Read([]byte) (int, error) { return 0, errors.New("cut") }

// TestDamagedBackupInStorage changes each of some bytes of a backup: it is never restored.
func TestDamagedBackupInStorage(t *testing.T) {
	s := inStorage(t)
	x := newTill(t)
	if err := os.WriteFile(filepath.Join(x.place.DataDir, "notes"), bytes.Repeat([]byte("n"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), Source{Place: x.place, File: in(s, "b.tar.gz")}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir, "deep", "er", "b.tar.gz")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(whole)
	for i := 20; i < len(whole); i += len(whole) / 15 {
		b := bytes.Clone(whole)
		b[i] ^= 1
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		y := x
		y.place.DataDir = filepath.Join(t.TempDir(), "new")
		if err := restore(t.Context(), Target{Place: y.place, File: in(s, "b.tar.gz"), MaxBytes: 1 << 30, SHA256: hex.EncodeToString(sum[:])}); err == nil {
			t.Errorf("with byte %d changed it is restored", i)
		}
		if left := filesIn(t, y.place.DataDir); len(left) > 0 {
			t.Errorf("with byte %d changed it leaves %d files", i, len(left))
		}
	}
}

// TestBackupAddresses refuses addresses that are wrong before anything is sent.
func TestBackupAddresses(t *testing.T) {
	s := inStorage(t)
	x := newTill(t)
	for address, want := range map[string]string{
		"s3://b": "no name", "s3://b/": "no name", in(s, "b.zip"): Suffix, in(s, Suffix): Suffix, "s3://key:hidden@b/x.tar.gz": "credentials", "s3://b/x.tar.gz?a=1": "question mark",
		filepath.Join(t.TempDir(), ".hidden"): "dot",
	} {
		err := write(t.Context(), Source{Place: x.place, File: address})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden@") {
			t.Errorf("Write to %s = %v, want %q", address, err, want)
		}
	}
	if n := s.Requests.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if _, err := x.restored(in(s, "none.tar.gz")); err == nil || !strings.Contains(err.Error(), "no such backup") {
		t.Errorf("restore of none = %v", err)
	}
	if _, err := x.restored(strings.Replace(in(s, "none.tar.gz"), s3test.Name, "other-bucket", 1)); err == nil || !strings.Contains(err.Error(), "no such backup") && !strings.Contains(err.Error(), "no such bucket") {
		t.Errorf("restore from no bucket = %v", err)
	}
	if _, err := List(t.Context(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("List of no directory is no error")
	}
	for place, want := range map[string]string{"/b": "/b/n", "s3://b": "s3://b/n", "s3://b/a?region=eu": "s3://b/a/n?region=eu"} {
		if got := deployment.Below(place, "n"); got != want {
			t.Errorf("Below(%s) = %s, want %s", place, got, want)
		}
		if in, name, err := deployment.SplitBucket(want); deployment.InBucket(place) && (err != nil || name != "n" || strings.TrimSuffix(strings.Replace(in, "/?", "?", 1), "/") != place) {
			t.Errorf("SplitBucket(%s) = %s, %s, %v", want, in, name, err)
		}
	}
}

package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vaak/internal/fault"
	"vaak/store/files"
	"vaak/store/files/bucket/s3test"
	"vaak/store/files/filestest"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": s3test.AccessKey, "AWS_SECRET_ACCESS_KEY": s3test.SecretKey} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// open opens a prefix of a server.
func open(t *testing.T, s *s3test.Server, prefix string) *Bucket {
	t.Helper()
	b, err := Open(Config{URL: s.URL(prefix), Spool: t.TempDir(), Stall: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// at returns the file in which the server keeps the object of a key.
func at(t *testing.T, s *s3test.Server, b *Bucket, key string) string {
	t.Helper()
	name, ok := b.object(key)
	if !ok {
		t.Fatalf("%q is no key", key)
	}
	return filepath.Join(s.Dir, filepath.FromSlash(name))
}

func TestSuite(t *testing.T) {
	server := s3test.Start(t)
	var stores atomic.Int64
	filestest.Run(t, filestest.Harness{
		Open: func(t *testing.T) (files.Store, files.Store) {
			prefix := "suite/" + strconv.FormatInt(stores.Add(1), 10)
			return open(t, server, prefix), open(t, server, prefix)
		},
		Age: func(t *testing.T, s files.Store, key string, by time.Duration) {
			old := time.Now().Add(-by)
			if err := os.Chtimes(at(t, server, s.(*Bucket), key), old, old); err != nil {
				t.Fatal(err)
			}
		},
		Damage: func(t *testing.T, s files.Store, key string) {
			path := at(t, server, s.(*Bucket), key)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Place{
		"s3://b":      {"b", "", "s3.amazonaws.com", true, "us-east-1"},
		"s3://b/a/c/": {"b", "a/c/", "s3.amazonaws.com", true, "us-east-1"},
		"s3://b/a?endpoint=http://127.0.0.1:9&region=eu":  {"b", "a/", "127.0.0.1:9", false, "eu"},
		"s3://b?endpoint=https%3A%2F%2Fs3.example.org%2F": {"b", "", "s3.example.org", true, "us-east-1"},
	} {
		if got, err := Parse(text); got != want || err != nil {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "b", "s3://", "http://b/", "s3://key:secret@b/", "s3://b/../c", "s3://b/a//c", "s3://b?region=eu&x=1", "s3://b?endpoint=127.0.0.1:9",
		"s3://b?endpoint=http://k:s@h", "s3://b?endpoint=http://h/path", "s3://b#f", "s3://b:1/", "s3://b/" + strings.Repeat("a", 600),
	} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", text, got)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
}

const content = "0123456789abcdefghijklmnopqrstuvwxyz"

// put puts a content of many bytes.
func put(t *testing.T, b *Bucket, text string) (key string) {
	t.Helper()
	key, _, _, err := b.Put(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func count(t *testing.T, b *Bucket) (n int) {
	t.Helper()
	if err := b.Each(t.Context(), func(files.Info) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOverloaded(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	b := open(t, s, "overloaded")
	var n atomic.Int64
	s.Break(func(w http.ResponseWriter, _ *http.Request) bool { // every second request
		if n.Add(1)%2 == 1 {
			s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		}
		return false
	})
	key := put(t, b, content)
	if _, err := files.Check(t.Context(), b, key); err != nil {
		t.Errorf("reading from a storage that refuses every second request: %v", err)
	}
	s.Break(func(w http.ResponseWriter, _ *http.Request) bool {
		s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		return true
	})
	_, _, _, err := b.Put(t.Context(), strings.NewReader("more"))
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Put into a storage that refuses all = %v, want Unavailable", err)
	}
	if _, err := b.Open(t.Context(), key); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Open = %v, want Unavailable", err)
	}
	s.Break(nil)
	if n := count(t, b); n != 1 {
		t.Errorf("%d files are there, want 1", n)
	}
}

// TestBrokenUploads cuts uploads in the middle, and changes one on its way: the first attempts
// leave nothing, and the file is whole in the end or not there.
func TestBrokenUploads(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	b := open(t, s, "uploads")
	big := strings.Repeat(content, 20_000)
	var cut atomic.Int64
	s.Break(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || cut.Add(1) > 2 {
			return false
		}
		_, _ = io.CopyN(io.Discard, r.Body, int64(len(big)/2)) // half of it arrives
		panic(http.ErrAbortHandler)
	})
	key := put(t, b, big)
	if _, err := files.Check(t.Context(), b, key); err != nil || cut.Load() != 3 {
		t.Errorf("after two uploads that were cut: %v, %d uploads", err, cut.Load())
	}
	// Half of it arrives at the storage itself.
	s.Break(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, int64(len(big)/2)), broken{}))
		}
		return false
	})
	if _, _, _, err := b.Put(t.Context(), strings.NewReader(big+"x")); err == nil {
		t.Error("Put of which half arrives works")
	}
	// Another content arrives, of the same length.
	s.Break(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			r.Body = &changed{ReadCloser: r.Body}
		}
		return false
	})
	if _, _, _, err := b.Put(t.Context(), strings.NewReader(big+"y")); err == nil {
		t.Error("Put of which another content arrives works")
	}
	s.Break(nil)
	if n := count(t, b); n != 1 {
		t.Errorf("%d files are there, want the first", n)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

// changed changes a letter of what is read, far behind the beginning.
type changed struct {
	io.ReadCloser
	at int
}

func (c *changed) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.at < 300_000 && c.at+n > 300_000 {
		p[300_000-c.at] ^= 1
	}
	c.at += n
	return n, err
}

// TestBrokenDownloads has the storage stall and break off in the middle of files, and send other
// bytes than it keeps.
func TestBrokenDownloads(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	b := open(t, s, "downloads")
	big := strings.Repeat(content, 20_000)
	key := put(t, b, big)
	b.stall = time.Second // of which no more than the two may come
	for name, end := range map[string]io.Reader{"breaks off": broken{}, "stalls": stalled{t.Context()}} {
		var n atomic.Int64
		s.Change(func(r *http.Response) error {
			if r.Request.Method == http.MethodGet && n.Add(1) <= 2 {
				r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, 100_000), end))
			}
			return nil
		})
		if size, err := files.Check(t.Context(), b, key); err != nil || size != int64(len(big)) || n.Load() != 3 {
			t.Errorf("a storage that %s twice: %d bytes, %v, %d requests", name, size, err, n.Load())
		}
	}
	s.Change(func(r *http.Response) error {
		if r.Request.Method == http.MethodGet {
			r.Body = &changed{ReadCloser: r.Body}
		}
		return nil
	})
	if _, err := files.Check(t.Context(), b, key); !errors.Is(err, files.ErrDamaged) {
		t.Errorf("a storage that sends other bytes: %v, want ErrDamaged", err)
	}
	s.Break(func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done() // never answers
		return true
	})
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := b.Open(ctx, key); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
		t.Errorf("Open with a deadline = %v after %s", err, time.Since(began))
	}
}

type stalled struct{ ctx context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// TestClocks has a storage whose clock is days behind and says so: young files are young by its
// clock. One that refuses requests for their time is named as such.
func TestClocks(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	b := open(t, s, "clocks")
	put(t, b, content)
	const behind = 72 * time.Hour
	listed := regexp.MustCompile(`<LastModified>[^<]*</LastModified>`)
	s.Change(func(r *http.Response) error {
		if at, err := http.ParseTime(r.Header.Get("Last-Modified")); err == nil {
			r.Header.Set("Last-Modified", at.Add(-behind).Format(http.TimeFormat))
		}
		if r.Request.Method != http.MethodGet || !strings.Contains(r.Request.URL.RawQuery, "list-type") {
			return nil
		}
		text, err := io.ReadAll(r.Body)
		text = listed.ReplaceAllFunc(text, func([]byte) []byte {
			return fmt.Appendf(nil, "<LastModified>%s</LastModified>", time.Now().Add(-behind).UTC().Format("2006-01-02T15:04:05.000Z"))
		})
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return err
	})
	if n, err := b.Sweep(t.Context(), func(string) bool { return false }, time.Hour); n != 0 || err != nil {
		t.Errorf("Sweep by a clock that is behind = %d, %v, want 0", n, err)
	}
	if ahead, err := b.Try(t.Context()); err != nil || (ahead+behind).Abs() > time.Minute {
		t.Errorf("Try = %v, %v, want %v", ahead, err, -behind)
	}
	s.Break(func(w http.ResponseWriter, _ *http.Request) bool {
		s3test.Error(w, http.StatusForbidden, "RequestTimeTooSkewed")
		return true
	})
	if _, err := b.Try(t.Context()); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "clocks") {
		t.Errorf("Try of a storage that refuses the time = %v", err)
	}
}

func TestWrongPlaces(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	b, err := Open(Config{URL: strings.Replace(s.URL(""), s3test.Name, "other-bucket", 1), Spool: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Try(t.Context()); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "no such bucket") {
		t.Errorf("Try of a bucket that is not there = %v", err)
	}
	if _, _, _, err := b.Put(t.Context(), strings.NewReader("a")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Put = %v, want Unavailable", err)
	}
}

// TestLink follows a signed link without credentials, until it expires.
func TestLink(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	b := open(t, s, "links")
	key := put(t, b, content)
	link, err := b.Link(t.Context(), key, "audio/flac", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	fetch := func(link string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		if err := errors.Join(err, r.Body.Close()); err != nil {
			t.Fatal(err)
		}
		return r, string(text)
	}
	if r, text := fetch(link); r.StatusCode != http.StatusOK || text != content || r.Header.Get("Content-Type") != "audio/flac" {
		t.Errorf("the link gives %d, %q, %s", r.StatusCode, text, r.Header.Get("Content-Type"))
	}
	if r, _ := fetch(strings.Replace(link, "X-Amz-Expires=3600", "X-Amz-Expires=7200", 1)); r.StatusCode != http.StatusForbidden {
		t.Errorf("the link with another expiry gives %d, want 403", r.StatusCode)
	}
}

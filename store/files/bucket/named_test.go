package bucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vaak/internal/blob"
	"vaak/internal/blob/blobtest"
	"vaak/internal/fault"
	"vaak/internal/pause"
	"vaak/store/files"
	"vaak/store/files/bucket/s3test"
)

// smallPart is the smallest part that the protocol allows.
const smallPart = 5 << 20

func named(t *testing.T, s *s3test.Server, prefix string, head int) *Named {
	t.Helper()
	n := open(t, s, prefix).Named("blobs", head)
	n.part = smallPart
	return n
}

func TestBlobSuite(t *testing.T) {
	server := s3test.Start(t)
	var stores atomic.Int64
	blobtest.Run(t, blobtest.Harness{Open: func(t *testing.T, head int) (blob.Store, blob.Store) {
		prefix := "suite/" + strconv.FormatInt(stores.Add(1), 10)
		return named(t, server, prefix, head), named(t, server, prefix, head)
	}})
}

// TestParts sends blobs in parts, around the sizes at which there is one more, and looks that they
// are no files of datasets.
func TestParts(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	n := named(t, s, "parts", 0)
	for size, requests := range map[int]int64{
		smallPart - 1: 1, smallPart: 1,
		smallPart + 1: 5, // begin, two parts, complete, look
		2 * smallPart: 5, 2*smallPart + 1: 6,
	} {
		want := blobtest.Bytes(size)
		before := s.Requests.Load()
		if err := blobtest.Put(t.Context(), n, "blob", want, ""); err != nil {
			t.Fatal(err)
		}
		if sent := s.Requests.Load() - before; sent != requests {
			t.Errorf("%d bytes take %d requests, want %d", size, sent, requests)
		}
		if got, _, err := blobtest.Get(t.Context(), n, "blob"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes are read as %d, %v", size, len(got), err)
		}
	}
	if got := count(t, n.bucket); got != 0 {
		t.Errorf("there are %d files beside the blobs", got)
	}
	// Objects in directories below are no blobs.
	if err := blobtest.Put(t.Context(), n.bucket.Named("blobs/deeper", 0), "other", nil, ""); err != nil {
		t.Fatal(err)
	}
	if all := blobtest.Names(t, n); len(all) != 1 {
		t.Errorf("there are %q, want the blob", all)
	}
}

// TestBlobMemory sends 48 MB in parts and reads them, and looks what is kept of them.
func TestBlobMemory(t *testing.T) {
	s := s3test.Start(t)
	n := named(t, s, "memory", 0)
	const size = 48 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d, err := n.Create(t.Context(), "blob")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Discard()
	most := int64(0)
	piece := blobtest.Bytes(1 << 20)
	for range size / len(piece) {
		if _, err := d.Write(piece); err != nil {
			t.Fatal(err)
		}
		info, err := d.(*draft).file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, info.Size())
	}
	if err := d.Commit(""); err != nil {
		t.Fatal(err)
	}
	r, _, err := n.Open(t.Context(), "blob")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.Copy(io.Discard, r); got != size || err != nil {
		t.Errorf("read %d bytes, %v", got, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > size/2 || most > smallPart {
		t.Errorf("for %d bytes the heap grew by %d and the spool to %d", size, grown, most)
	}
}

// TestBrokenBlobs has uploads break off in every way: nothing of them looks like a blob, and
// nothing replaces what was there.
func TestBrokenBlobs(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	n := named(t, s, "broken", 0)
	n.bucket.tries = 2
	old, young := []byte("old"), blobtest.Bytes(2*smallPart+1)
	if err := blobtest.Put(t.Context(), n, "blob", old, ""); err != nil {
		t.Fatal(err)
	}
	// refuse refuses the requests of a kind, once they have come so often.
	refuse := func(after int64, is func(*http.Request) bool, answer func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		var seen atomic.Int64
		return func(w http.ResponseWriter, r *http.Request) bool {
			return is(r) && seen.Add(1) > after && answer(w, r)
		}
	}
	down := func(w http.ResponseWriter, _ *http.Request) bool {
		s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		return true
	}
	half := func(_ http.ResponseWriter, r *http.Request) bool {
		_, _ = io.CopyN(io.Discard, r.Body, 1000)
		panic(http.ErrAbortHandler)
	}
	spoil := func(_ http.ResponseWriter, r *http.Request) bool {
		b, err := io.ReadAll(r.Body)
		if err != nil || len(b) == 0 {
			return false
		}
		b[len(b)/2] ^= 1
		r.Body = io.NopCloser(bytes.NewReader(b))
		return false
	}
	method := func(method, query string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Method == method && r.URL.Query().Has(query) }
	}
	for name, tt := range map[string]struct {
		fault func(http.ResponseWriter, *http.Request) bool
		kind  fault.Kind
	}{
		"no upload":       {refuse(0, method(http.MethodPost, "uploads"), down), fault.Unavailable},
		"the second part": {refuse(1, method(http.MethodPut, "partNumber"), down), fault.Unavailable},
		"half a part":     {refuse(1, method(http.MethodPut, "partNumber"), half), fault.Unavailable},
		"a spoilt part":   {refuse(1, method(http.MethodPut, "partNumber"), spoil), fault.Internal},
		"no end":          {refuse(0, method(http.MethodPost, "uploadId"), down), fault.Unavailable},
	} {
		s.Break(tt.fault)
		err := blobtest.Put(t.Context(), n, "blob", young, "")
		s.Break(nil)
		if err == nil || fault.KindOf(err) != tt.kind {
			t.Errorf("%s: Put = %v (%v), want %v", name, err, fault.KindOf(err), tt.kind)
		}
		if f, ok := errors.AsType[*fault.Error](err); tt.kind == fault.Unavailable && (!ok || f.RetryAfter == 0) {
			t.Errorf("%s: %v does not say when to try again", name, err)
		}
		if got, _, err := blobtest.Get(t.Context(), n, "blob"); err != nil || !bytes.Equal(got, old) {
			t.Errorf("%s: what was there is %d bytes, %v", name, len(got), err)
		}
		if left, err := n.bucket.core.ListMultipartUploads(t.Context(), s3test.Name, n.prefix, "", "", "", 10); err != nil || len(left.Uploads) > 0 {
			t.Errorf("%s: left are %+v, %v", name, left.Uploads, err)
		}
	}
	// Overloaded now and then, it works.
	var requests atomic.Int64
	s.Break(func(w http.ResponseWriter, r *http.Request) bool { return requests.Add(1)%2 == 1 && down(w, r) })
	n.bucket.tries = 4
	err := blobtest.Put(t.Context(), n, "blob", young, "")
	if got, _, gerr := blobtest.Get(t.Context(), n, "blob"); err != nil || gerr != nil || !bytes.Equal(got, young) {
		t.Errorf("with every second request refused: Put = %v, Open = %d bytes, %v", err, len(got), gerr)
	}
	s.Break(nil)
	// One that is killed leaves parts that no list shows.
	d, err := n.Create(t.Context(), "killed")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Write(young); err != nil {
		t.Fatal(err)
	}
	if all := blobtest.Names(t, n); len(all) != 1 {
		t.Errorf("while it is written there are %q", all)
	}
	d.Discard()
}

// TestCompletedTwice loses the answer that an upload is complete: the next attempt finds out.
func TestCompletedTwice(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	n := named(t, s, "twice", 0)
	var lost atomic.Bool
	s.Change(func(r *http.Response) error {
		if r.Request.Method == http.MethodPost && r.Request.URL.Query().Has("uploadId") && !lost.Swap(true) {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	want := blobtest.Bytes(smallPart + 1)
	if err := blobtest.Put(t.Context(), n, "blob", want, ""); err != nil || !lost.Load() {
		t.Errorf("Put = %v, lost %v", err, lost.Load())
	}
	if got, _, err := blobtest.Get(t.Context(), n, "blob"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Open = %d bytes, %v", len(got), err)
	}
}

// TestDamagedBlob reads blobs that are not what was written.
func TestDamagedBlob(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	n := named(t, s, "damaged", 64)
	if err := blobtest.Put(t.Context(), n, "blob", blobtest.Bytes(10_000), "head"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir, "damaged", "blobs", "blob")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[5000] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _, err := blobtest.Get(t.Context(), n, "blob"); !errors.Is(err, files.ErrDamaged) || len(got) == len(b) {
		t.Errorf("Open = %d bytes, %v, want ErrDamaged", len(got), err)
	}
	// Replaced while it is read, with a request that breaks off.
	n = named(t, s, "replaced", 0)
	if err := blobtest.Put(t.Context(), n, "blob", blobtest.Bytes(2*smallPart), ""); err != nil {
		t.Fatal(err)
	}
	r, _, err := n.Open(t.Context(), "blob")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() // read only
	if _, err := io.CopyN(io.Discard, r, 1000); err != nil {
		t.Fatal(err)
	}
	if err := blobtest.Put(t.Context(), n, "blob", blobtest.Bytes(2*smallPart+1), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Seek(smallPart, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err == nil {
		t.Errorf("of a blob that was replaced %d bytes are read", len(got))
	}
}

// TestBlobsWithoutStorage asks for blobs while the storage is away, hangs or has another time.
func TestBlobsWithoutStorage(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	n := named(t, s, "away", 0)
	if err := blobtest.Put(t.Context(), n, "blob", []byte("x"), ""); err != nil {
		t.Fatal(err)
	}
	usual := n.bucket.stall
	n.bucket.tries, n.bucket.stall = 2, 200*time.Millisecond
	n.bucket.transport.ResponseHeaderTimeout = n.bucket.stall
	over := make(chan struct{})
	defer close(over) // before the server ends, which waits for its handlers
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"overloaded": func(w http.ResponseWriter, _ *http.Request) bool {
			s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		},
		"hangs": func(http.ResponseWriter, *http.Request) bool { <-over; return true },
		"gone":  func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
		"another time": func(w http.ResponseWriter, _ *http.Request) bool {
			s3test.Error(w, http.StatusForbidden, "RequestTimeTooSkewed")
			return true
		},
		"busy with the same object": func(w http.ResponseWriter, _ *http.Request) bool {
			s3test.Error(w, http.StatusConflict, "OperationAborted")
			return true
		},
		"ended session": func(w http.ResponseWriter, _ *http.Request) bool {
			s3test.Error(w, http.StatusBadRequest, "ExpiredToken")
			return true
		},
	} {
		s.Break(answer)
		_, _, oerr := n.Open(t.Context(), "blob")
		_, serr := n.Stat(t.Context(), "blob")
		for what, err := range map[string]error{
			"Open": oerr, "Stat": serr, "Put": blobtest.Put(t.Context(), n, "other", []byte("x"), ""),
			"Delete": n.Delete(t.Context(), "blob"), "Each": n.Each(t.Context(), func(string) error { return nil }),
		} {
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.Unavailable || f.RetryAfter == 0 || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s = %v, want unavailable, with a time to try again", name, what, err)
			}
		}
	}
	s.Break(nil)
	n.bucket.stall = usual
	n.bucket.transport.ResponseHeaderTimeout = usual
	if all := blobtest.Names(t, n); len(all) != 1 || all[0] != "blob" {
		t.Errorf("afterwards there are %q", all)
	}
}

// TestStalledUpload has the storage accept a request and take nothing of its body.
func TestStalledUpload(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	n := named(t, s, "stalled", 64)
	n.bucket.tries, n.bucket.stall = 2, 200*time.Millisecond
	over := make(chan struct{})
	defer close(over) // before the server ends, which waits for its handlers
	s.Break(func(http.ResponseWriter, *http.Request) bool { <-over; return true })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	// More than the buffers of both ends take.
	err := blobtest.Put(ctx, n, "blob", blobtest.Bytes(32<<20), "head")
	if fault.KindOf(err) != fault.Unavailable || ctx.Err() != nil {
		t.Errorf("Put = %v, want Unavailable", err)
	}
}

// TestStalledList has the storage begin to answer a list and send no more.
func TestStalledList(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	n := named(t, s, "lists", 0)
	if err := blobtest.Put(t.Context(), n, "blob", []byte("x"), ""); err != nil {
		t.Fatal(err)
	}
	n.bucket.tries, n.bucket.stall = 2, 200*time.Millisecond
	over := make(chan struct{})
	defer close(over) // before the server ends, which waits for its handlers
	s.Break(func(w http.ResponseWriter, _ *http.Request) bool {
		_, _ = io.WriteString(w, `<?xml version="1.0"?><ListBucketResult>`) // the client may be gone
		_ = http.NewResponseController(w).Flush()
		<-over
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := n.Each(ctx, func(name string) error { t.Errorf("Each gives %q", name); return nil })
	if fault.KindOf(err) != fault.Unavailable || ctx.Err() != nil {
		t.Errorf("Each = %v, want Unavailable", err)
	}
	s.Break(nil)
	// What is done with a name may take longer.
	if err := n.Each(t.Context(), func(string) error { return pause.For(t.Context(), 500*time.Millisecond) }); err != nil {
		t.Errorf("Each that takes long = %v", err)
	}
}

func TestBlobLink(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t)
	n := named(t, s, "links", 64)
	if err := blobtest.Put(t.Context(), n, "clip", []byte("sound"), "secret head"); err != nil {
		t.Fatal(err)
	}
	link, err := n.Link(t.Context(), "clip", map[string]string{"Content-Type": "audio/mpeg", "Content-Disposition": `inline; filename="a.mp3"`, "Cache-Control": "private"}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil || string(b) != "sound" || r.Header.Get("Content-Type") != "audio/mpeg" ||
		!strings.Contains(r.Header.Get("Content-Disposition"), "a.mp3") || r.Header.Get("Cache-Control") != "private" {
		t.Errorf("the link gives %q with %v, %v", b, r.Header, err)
	}
	http.DefaultClient.CloseIdleConnections()
	if _, err := n.Link(t.Context(), "../clip", nil, time.Minute); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Link of no name = %v", err)
	}
}

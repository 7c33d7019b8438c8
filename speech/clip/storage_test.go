package clip

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vaak/internal/fault"
	"vaak/store/files/bucket"
	"vaak/store/files/bucket/s3test"
)

// places runs a test over a directory and over object storage. Each call of place gives a new one;
// services with the same one share the clips.
func places(t *testing.T, test func(t *testing.T, place func() Config)) {
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		test(t, func() Config { return Config{Dir: t.TempDir()} })
	})
	t.Run("storage", func(t *testing.T) {
		t.Parallel()
		server := s3test.Start(t)
		n := 0
		test(t, func() Config { n++; return stored(t, server, strconv.Itoa(n)) })
	})
}

// stored is a place in object storage, whose requests are given up soon.
func stored(t testing.TB, server *s3test.Server, prefix string) Config {
	t.Helper()
	b, err := bucket.Open(bucket.Config{URL: server.URL(prefix), Spool: t.TempDir(), Stall: time.Second, Tries: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return Config{Store: b.Named("clips", HeadBytes)}
}

// TestServers has two servers keep clips in one place: each reads those of the other, the room
// holds for both together once they have looked, and what has expired goes by either.
func TestServers(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, place func() Config) {
		now := newClock()
		cfg := place()
		cfg.Now = now.Now
		both := []*Service{open(t, cfg), open(t, cfg)}
		var all []Clip
		for i := range 24 {
			s, other := both[i%2], both[(i+1)%2]
			c := mustPut(t, s, fmt.Sprint("org_", i%3), sound(60_000))
			all = append(all, c)
			now.pass(time.Second)
			if b, err := listen(other.Owned(t.Context(), c.Org, c.ID)); err != nil || !bytes.Equal(b, sound(60_000)) {
				t.Errorf("the other server reads %d bytes, %v", len(b), err)
			}
			if _, err := other.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
			if n := taken(t, s); n > MinRoom+blocks(60_000+HeadBytes) {
				t.Errorf("with %d clips %d bytes are taken", i, n)
			}
		}
		if _, err := both[0].Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		left := files(t, both[0])
		if n := taken(t, both[0]); n > MinRoom || len(left) < 14 || n != both[0].room.used {
			t.Errorf("%d clips take %d bytes, %d are counted; want as many as fit into %d", len(left), n, both[0].room.used, MinRoom)
		}
		if _, ok := left[all[len(all)-1].ID]; !ok {
			t.Error("the youngest has gone")
		}
		now.pass(DefaultTTL)
		if n, err := both[1].Sweep(t.Context()); n != len(left) || err != nil {
			t.Errorf("Sweep of what has expired = %d, %v, want %d", n, err, len(left))
		}
		if left := files(t, both[0]); len(left) > 0 {
			t.Errorf("left are %v", left)
		}
	})
}

// TestRequests counts what clips cost in requests: a clip that is kept one, a clip that is read
// two. Lists come by the clock, never with a clip.
func TestRequests(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	now := newClock()
	cfg := stored(t, server, "requests")
	cfg.Now, cfg.MaxBytes = now.Now, 64*MinRoom
	s := open(t, cfg)
	var lists, others atomic.Int64
	server.Break(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && r.URL.Query().Has("list-type") {
			lists.Add(1)
		} else {
			others.Add(1)
		}
		return false
	})
	const clips = 100
	for i := range clips {
		c := mustPut(t, s, "org_a", sound(10_000))
		if _, err := listen(s.Owned(t.Context(), "org_a", c.ID)); err != nil {
			t.Fatal(err)
		}
		if i%10 == 9 {
			now.pass(time.Second)
		}
	}
	s.sweeps.Wait()
	t.Logf("%d clips in 10 s: %d requests and %d lists", clips, others.Load(), lists.Load())
	if lists.Load() > 2 || others.Load() > 3*clips {
		t.Errorf("%d clips in 10 s cost %d lists and %d other requests, want at most 2 and %d", clips, lists.Load(), others.Load(), 3*clips)
	}
	// Another server looks at each clip of this one once.
	other := open(t, cfg)
	for _, want := range []int64{clips, 0} {
		lists.Store(0)
		others.Store(0)
		if _, err := other.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if others.Load() != want || lists.Load() != 1 {
			t.Errorf("a look at %d clips takes %d lists and %d other requests, want 1 and %d", clips, lists.Load(), others.Load(), want)
		}
	}
}

// TestStorageTrouble keeps and reads clips while the storage is away: all is refused at once, with
// a time to try again, and works afterwards.
func TestStorageTrouble(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	cfg := stored(t, server, "trouble")
	s := open(t, cfg)
	c := mustPut(t, s, "org_a", sound(1000))
	over := make(chan struct{})
	defer close(over)
	half := func(_ http.ResponseWriter, r *http.Request) bool {
		_, _ = io.CopyN(io.Discard, r.Body, 500)
		panic(http.ErrAbortHandler)
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"overloaded": func(w http.ResponseWriter, _ *http.Request) bool {
			s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		},
		"hangs":          func(http.ResponseWriter, *http.Request) bool { <-over; return true },
		"half an upload": half,
		"another time": func(w http.ResponseWriter, _ *http.Request) bool {
			s3test.Error(w, http.StatusForbidden, "RequestTimeTooSkewed")
			return true
		},
	} {
		server.Break(answer)
		began := time.Now()
		_, perr := put(s, "org_a", sound(2000))
		_, oerr := s.Owned(t.Context(), "org_a", c.ID)
		_, serr := s.Sweep(t.Context())
		for what, err := range map[string]error{"Keep": perr, "Owned": oerr, "Sweep": serr} {
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.Unavailable || f.RetryAfter == 0 {
				t.Errorf("%s: %s = %v, want unavailable with a time to try again", name, what, err)
			}
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: it took %s", name, took)
		}
		server.Break(nil)
		if b, err := listen(s.Owned(t.Context(), "org_a", c.ID)); err != nil || !bytes.Equal(b, sound(1000)) {
			t.Errorf("after %s the clip has %d bytes, %v", name, len(b), err)
		}
		if left := files(t, s); len(left) != 1 || s.room.used != blocks(1000+HeadBytes) {
			t.Errorf("after %s there are %v, and %d bytes are counted", name, left, s.room.used)
		}
	}
	// A service begins without the storage, and knows the clips when it is back.
	server.Break(func(w http.ResponseWriter, _ *http.Request) bool {
		s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		return true
	})
	late := open(t, cfg)
	server.Break(nil)
	if n, err := late.Sweep(t.Context()); n != 0 || err != nil || len(late.room.files) != 1 {
		t.Errorf("Sweep = %d, %v and knows %d clips, want the one", n, err, len(late.room.files))
	}
	// Victims that cannot be removed are counted, and make room later.
	full := stored(t, server, "full")
	full.MaxBytes = MinRoom
	s = open(t, full)
	for range 8 {
		mustPut(t, s, "org_a", sound(100_000))
	}
	server.Break(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodDelete {
			s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		}
		return r.Method == http.MethodDelete
	})
	refused := 0
	for range 4 {
		if _, err := put(s, "org_a", sound(100_000)); fault.KindOf(err) == fault.Unavailable {
			refused++
		}
	}
	server.Break(nil)
	if n := taken(t, s); refused == 0 || n != s.room.used {
		t.Errorf("without a way to remove clips %d are refused, %d bytes are taken and %d counted", refused, n, s.room.used)
	}
	if _, err := put(s, "org_a", sound(100_000)); err != nil {
		t.Errorf("with a way: %v", err)
	}
}

// TestHostileStorage has others write to the bucket: no clip of them is had, and they go in time.
func TestHostileStorage(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	now := newClock()
	cfg := stored(t, server, "hostile")
	cfg.Now = now.Now
	s := open(t, cfg)
	good := mustPut(t, s, "org_a", sound(5000))
	info, err := s.store.Stat(t.Context(), good.ID)
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(info.Head, "org_a", "org_b", 1)
	for what, tt := range map[string]struct {
		size int
		head string
	}{"no head": {5000, ""}, "that of another clip": {5000, info.Head}, "a forged one": {5000, forged}} {
		id := newID()
		d, err := s.store.Create(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Write(sound(tt.size)); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(tt.head); err != nil {
			t.Fatal(err)
		}
		for _, org := range []string{"org_a", "org_b"} {
			if c, err := s.Owned(t.Context(), org, id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("with %s: Owned = %+v, %v, want not found", what, c, err)
			}
		}
	}
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("Sweep = %d, %v, want none while they are young", n, err)
	}
	now.pass(61 * time.Minute) // the clip has expired, too
	if n, err := s.Sweep(t.Context()); n != 4 || err != nil {
		t.Errorf("Sweep = %d, %v, want all 4", n, err)
	}
}

// TestDirect signs links to the storage, which work as long as the clip and no longer than five
// minutes.
func TestDirect(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	now := newClock()
	cfg := stored(t, server, "direct")
	s := open(t, cfg)
	c := mustPut(t, s, "org_a", sound(5000))
	if link, err := s.Direct(t.Context(), c); link != "" || err != nil {
		t.Errorf("Direct without links = %q, %v", link, err)
	}
	cfg.Now, cfg.Direct = now.Now, cfg.Store.(Linker)
	s = open(t, cfg)
	link, err := s.Direct(t.Context(), c)
	if err != nil || !strings.Contains(link, "X-Amz-Expires=300") {
		t.Fatalf("Direct = %q, %v", link, err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for header, want := range map[string]int{"": http.StatusOK, "bytes=10-19": http.StatusPartialContent} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
		if err != nil {
			t.Fatal(err)
		}
		if header != "" {
			req.Header.Set("Range", header)
		}
		r, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		if err := errors.Join(err, r.Body.Close()); err != nil {
			t.Error(err)
		}
		heard := sound(5000)
		if header != "" {
			heard = heard[10:20]
		}
		if r.StatusCode != want || !bytes.Equal(b, heard) || r.Header.Get("Content-Type") != "audio/mpeg" || !strings.Contains(r.Header.Get("Content-Disposition"), path.Base(c.Name)) {
			t.Errorf("%q: the link gives %d, %d bytes, %v", header, r.StatusCode, len(b), r.Header)
		}
	}
	now.pass(DefaultTTL - time.Minute)
	if link, err := s.Direct(t.Context(), c); err != nil || strings.Contains(link, "X-Amz-Expires=300") || !strings.Contains(link, "X-Amz-Expires=") {
		t.Errorf("a minute before the end: Direct = %q, %v", link, err)
	}
	now.pass(time.Minute)
	if link, err := s.Direct(t.Context(), c); link != "" || err != nil {
		t.Errorf("of a clip that has expired: Direct = %q, %v", link, err)
	}
}

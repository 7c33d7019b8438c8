package clip

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/internal/fault"
	"vaak/internal/seal"
	"vaak/store/files/bucket/s3test"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": s3test.AccessKey, "AWS_SECRET_ACCESS_KEY": s3test.SecretKey} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

var mp3 = Kind{ContentType: "audio/mpeg", Extension: "mp3"}

func testSecret() *seal.Secret { return seal.New(bytes.Repeat([]byte{7}, seal.MinBytes)) }

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Now()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// open opens clips in a directory with 1 MiB of room, unless cfg says otherwise.
func open(t testing.TB, cfg Config) *Service {
	t.Helper()
	if cfg.Dir == "" && cfg.Store == nil {
		cfg.Dir = t.TempDir()
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = MinRoom
	}
	if cfg.Secret == nil {
		cfg.Secret = testSecret()
	}
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // a test may have closed it
	dirs.Store(s, cfg.Dir)
	return s
}

var dirs sync.Map // the directories of services

func dirOf(s *Service) string {
	dir, _ := dirs.Load(s)
	return dir.(string)
}

// put keeps a clip, in two writes.
func put(s *Service, org string, audio []byte) (Clip, error) {
	d, err := s.Begin(org)
	if err != nil {
		return Clip{}, err
	}
	defer d.Discard()
	for _, p := range [][]byte{audio[:len(audio)/3], audio[len(audio)/3:]} {
		if _, err := d.Write(p); err != nil {
			return Clip{}, err
		}
	}
	return d.Keep(mp3)
}

func mustPut(t testing.TB, s *Service, org string, audio []byte) Clip {
	t.Helper()
	c, err := put(s, org, audio)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sound is audio whose bytes tell where they are.
func sound(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8)
	}
	return b
}

// listen reads what was opened.
func listen(c Content, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(c.Body)
	if cerr := c.Body.Close(); err == nil {
		err = cerr
	}
	return b, err
}

// follow takes a link apart as a server does.
func follow(t testing.TB, link string) (name, expires, signature string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, Path), u.Query().Get("expires"), u.Query().Get("signature")
}

func TestKeepAndLink(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, place func() Config) {
		for _, size := range []int{0, 1, 3583, 3584, 16<<10 - HeadBytes, 16 << 10, 200_001} {
			now := newClock()
			cfg := place()
			cfg.Now = now.Now
			s := open(t, cfg)
			c := mustPut(t, s, "org_a", sound(size))
			want := Clip{
				ID: c.ID, Org: "org_a", ContentType: "audio/mpeg", Name: c.ID + ".mp3",
				Size: int64(size), Expires: time.Unix(now.Now().Add(DefaultTTL).Unix(), 0),
			}
			if diff := cmp.Diff(want, c); diff != "" || !isID(c.ID) {
				t.Errorf("Keep (-want +got)\n%s", diff)
			}
			link := s.Link("https://x.test/", c)
			name, expires, signature := follow(t, link)
			if name != c.Name || !strings.HasPrefix(link, "https://x.test/v1/audio/clips/clip_") {
				t.Errorf("Link = %q", link)
			}
			linked, err := s.Linked(t.Context(), c.ID, expires, signature)
			if diff := cmp.Diff(want, linked.Clip); err == nil && diff != "" {
				t.Errorf("Linked (-want +got)\n%s", diff)
			}
			if b, err := listen(linked, err); err != nil || !bytes.Equal(b, sound(size)) {
				t.Errorf("Linked = %d bytes, %v; want the %d that were kept", len(b), err, size)
			}
			if b, err := listen(s.Owned(t.Context(), "org_a", c.ID)); err != nil || !bytes.Equal(b, sound(size)) {
				t.Errorf("Owned = %d bytes, %v; want the %d that were kept", len(b), err, size)
			}
		}
	})
}

// TestNotFound: whatever is wrong, the answer is the same.
func TestNotFound(t *testing.T) {
	t.Parallel()
	places(t, notFound)
}

func notFound(t *testing.T, place func() Config) {
	now := newClock()
	cfg := place()
	cfg.Now = now.Now
	s := open(t, cfg)
	c := mustPut(t, s, "org_a", sound(100))
	other := mustPut(t, s, "org_b", sound(100))
	_, expires, signature := follow(t, s.Link("", c))
	_, otherExpires, otherSignature := follow(t, s.Link("", other))
	want := NotFound().Error()
	check := func(what string, c Content, err error) {
		t.Helper()
		if fault.KindOf(err) != fault.NotFound || err.Error() != want {
			t.Errorf("%s = %+v, %v; want %q", what, c, err, want)
		}
	}
	foreign := open(t, Config{Secret: seal.New(bytes.Repeat([]byte{8}, 32))})
	_, _, forged := follow(t, foreign.Link("", c))
	for _, tt := range []struct{ name, id, expires, signature string }{
		{"nothing", "", "", ""},
		{"no signature", c.ID, expires, ""},
		{"no time", c.ID, "", signature},
		{"prolonged", c.ID, expires + "0", signature},
		{"another form of the time", c.ID, "+" + expires, signature},
		{"signature of another clip", c.ID, otherExpires, otherSignature},
		{"another clip", other.ID, expires, signature},
		{"another secret", c.ID, expires, forged},
		{"unknown", newID(), expires, signature},
		{"a path", "../" + c.ID, expires, signature},
		{"upper case", strings.ToUpper(c.ID), expires, signature},
	} {
		got, err := s.Linked(t.Context(), tt.id, tt.expires, tt.signature)
		check(tt.name, got, err)
	}
	for _, id := range []string{"", newID(), "../" + c.ID, c.Name, other.ID, ".", "\x00"} {
		got, err := s.Owned(t.Context(), "org_a", id)
		check(fmt.Sprintf("Owned(%q)", id), got, err)
	}
	unsigned := "99999999999999999999"
	got, err := s.Linked(t.Context(), c.ID, unsigned, s.links.Sign(c.ID, unsigned))
	check("a time that is none", got, err)
	earlier := strconv.FormatInt(now.Now().Unix(), 10)
	got, err = s.Linked(t.Context(), c.ID, earlier, s.links.Sign(c.ID, earlier))
	check("a link that ends before the clip", got, err)

	now.pass(DefaultTTL - time.Second)
	if _, err := listen(s.Linked(t.Context(), c.ID, expires, signature)); err != nil {
		t.Errorf("Linked a second before it expires = %v", err)
	}
	now.pass(time.Second)
	got, err = s.Linked(t.Context(), c.ID, expires, signature)
	check("expired", got, err)
	got, err = s.Owned(t.Context(), "org_a", c.ID)
	check("expired, for its owner", got, err)
	later := strconv.FormatInt(now.Now().Add(time.Hour).Unix(), 10)
	got, err = s.Linked(t.Context(), c.ID, later, s.links.Sign(c.ID, later))
	check("a link that outlives the clip", got, err)
}

func TestGoneAway(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	c := mustPut(t, s, "org_a", sound(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Owned(ctx, "org_a", c.ID); err != context.Canceled {
		t.Errorf("Owned for one who left = %v, want %v", err, context.Canceled)
	}
	if _, err := s.Sweep(ctx); err != context.Canceled {
		t.Errorf("Sweep for one who left = %v, want %v", err, context.Canceled)
	}
}

func TestDraftEnds(t *testing.T) {
	t.Parallel()
	places(t, draftEnds)
}

func draftEnds(t *testing.T, place func() Config) {
	s := open(t, place())
	begin := func() *Draft {
		d, err := s.Begin("org_a")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	wantInternal := func(what string, err error) {
		t.Helper()
		if f, ok := err.(*fault.Error); !ok || f.Kind != fault.Internal {
			t.Errorf("%s = %v, want a fault of kind internal", what, err)
		}
	}
	d := begin()
	d.Discard()
	d.Discard()
	_, err := d.Write([]byte("x"))
	wantInternal("Write after Discard", err)
	_, err = d.Keep(mp3)
	wantInternal("Keep after Discard", err)
	d = begin()
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := d.Finish(); err != nil {
		t.Errorf("the second Finish = %v", err)
	}
	_, err = d.Write([]byte("x"))
	wantInternal("Write after Finish", err)
	d.Discard()
	for _, kind := range []Kind{
		{}, {"audio", "mp3"}, {"text/html", "mp3"}, {"audio/mpeg", ""}, {"audio/mpeg", "m/3"}, {"audio/mpeg", "mp3456789"},
		{"audio/mpeg\n", "mp3"}, {"audio/é", "mp3"}, {"audio/" + strings.Repeat("x", 100), "mp3"},
	} {
		d = begin()
		_, err = d.Keep(kind)
		wantInternal(fmt.Sprintf("Keep(%q)", kind), err)
	}
	d = begin()
	if _, err := d.Keep(mp3); err != nil {
		t.Fatal(err)
	}
	_, err = d.Keep(mp3)
	wantInternal("the second Keep", err)
	d.Discard()
	_, err = s.Begin(strings.Repeat("x", maxOrg+1))
	wantInternal("Begin for a long id", err)
	if names := files(t, s); len(names) != 1 || s.room.used != 4096 {
		t.Errorf("left are %v with %d bytes counted, want the clip that was kept", names, s.room.used)
	}
}

// files lists what is in the store, with the bytes that each takes.
func files(t testing.TB, s *Service) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	if s.aside {
		if err := s.store.Each(context.Background(), func(name string) error {
			info, err := s.store.Stat(context.Background(), name)
			if err == nil {
				out[name] = HeadBytes + info.Size
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	entries, err := os.ReadDir(dirOf(s))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else it has just gone
			out[e.Name()] = info.Size()
		}
	}
	return out
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := Config{Dir: t.TempDir(), MaxBytes: MinRoom, Secret: testSecret()}
	for name, spoil := range map[string]func(*Config){
		"no directory": func(c *Config) { c.Dir = "" },
		"a file":       func(c *Config) { c.Dir = file },
		"no room":      func(c *Config) { c.MaxBytes = MinRoom - 1 },
		"no secret":    func(c *Config) { c.Secret = nil },
		"no time":      func(c *Config) { c.TTL = time.Millisecond },
		"less":         func(c *Config) { c.TTL = -1 },
	} {
		c := good
		spoil(&c)
		if s, err := Open(c); err == nil {
			t.Errorf("Open with %s is no error", name)
			_ = s.Close()
		}
	}
}

// TestStart: the sweep runs by itself, and Close waits for it.
func TestStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(Config{Dir: dir, MaxBytes: MinRoom, Secret: testSecret()})
		if err != nil {
			t.Fatal(err)
		}
		dirs.Store(s, dir)
		c := mustPut(t, s, "org_a", sound(10))
		s.Start(t.Context())
		time.Sleep(DefaultTTL - time.Minute)
		synctest.Wait()
		if names := files(t, s); len(names) != 1 {
			t.Errorf("left are %v before it expires, want the clip", names)
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if names := files(t, s); len(names) != 0 {
			t.Errorf("left are %v after %s has expired, want none", names, c.Name)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

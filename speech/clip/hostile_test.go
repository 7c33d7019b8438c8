package clip

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/internal/fault"
)

// TestHostileDirectory puts in the directory what no service has written there:
// nothing of it can be had, what is not ours stays, and a sweep takes the rest when
// it is old.
func TestHostileDirectory(t *testing.T) {
	t.Parallel()
	now := newClock()
	dir := t.TempDir()
	s := open(t, Config{Dir: dir, Now: now.Now})
	good := mustPut(t, s, "org_a", sound(5000))
	whole, err := os.ReadFile(filepath.Join(dir, good.ID))
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(b []byte) func(string) error {
		return func(name string) error { return os.WriteFile(at(name), b, 0o600) }
	}
	spoilt := func(i int) []byte {
		b := bytes.Clone(whole)
		b[i] ^= 1
		return b
	}
	unsigned, err := json.Marshal(head{ID: good.ID, Org: "org_a", ContentType: "audio/mpeg", Name: good.Name, Expires: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		make  func(name string) error
		swept bool
	}{
		{"empty", write(nil), true},
		{"a cut head", write(whole[:HeadBytes-1]), true},
		{"a head alone", write(whole[:HeadBytes]), true},
		{"cut audio", write(whole[:len(whole)-1]), true},
		{"more audio", write(append(bytes.Clone(whole), 0)), true},
		{"zeros", write(make([]byte, 2000)), true},
		{"a huge line", write(bytes.Repeat([]byte("x"), 1<<20)), true},
		{"a spoilt mark", write(spoilt(0)), true},
		{"a spoilt signature", write(spoilt(len(signatureMark) + 2)), true},
		{"a spoilt owner", write(spoilt(bytes.Index(whole, []byte("org_a")))), true},
		{"unsigned", write(append([]byte(signatureMark+"\n"+string(unsigned)+"\n"), make([]byte, HeadBytes)...)), true},
		{"the file of another clip", write(whole), true},
		{"a link to another clip", func(name string) error { return os.Symlink(good.ID, at(name)) }, false},
		{"a link that leaves", func(name string) error { return os.Symlink(outside, at(name)) }, false},
		{"a link to itself", func(name string) error { return os.Symlink(name, at(name)) }, false},
		{"a directory", func(name string) error { return os.Mkdir(at(name), 0o700) }, false},
		{"a pipe", func(name string) error { return syscall.Mkfifo(at(name), 0o600) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id := newID()
			if err := tt.make(id); err != nil {
				t.Fatal(err)
			}
			if c, err := s.Owned(t.Context(), "org_a", id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("Owned = %+v, %v; want not found", c, err)
			}
			for _, age := range []time.Duration{0, 2 * time.Hour} {
				then := time.Now().Add(-age)
				if info, err := os.Lstat(at(id)); err == nil && info.Mode().IsRegular() {
					if err := os.Chtimes(at(id), then, then); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := s.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				_, err := os.Lstat(at(id))
				if there, want := err == nil, age == 0 || !tt.swept; there != want {
					t.Errorf("there is a file %s old after a sweep: %v, want %v", age, there, want)
				}
			}
		})
	}
	for _, name := range []string{"notes.txt", "clip_", strings.ToUpper(good.ID), good.Name} {
		if err := write([]byte("x"))(name); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(at(name), time.Time{}, time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	before := s.room.used
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil || s.room.used != before {
		t.Errorf("Sweep beside files of others = %d, %v and counts %d bytes, want 0 and %d", n, err, s.room.used, before)
	}
	if b, err := listen(s.Owned(t.Context(), "org_a", good.ID)); err != nil || !bytes.Equal(b, sound(5000)) {
		t.Errorf("the clip beside them = %d bytes, %v", len(b), err)
	}
}

// TestKilled: what another process began and never ended goes in an hour, and not
// while it may be writing.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), newClock()
	killed, s := open(t, Config{Dir: dir, Now: now.Now}), open(t, Config{Dir: dir, Now: now.Now})
	d, err := killed.Begin("org_a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Write(sound(100_000)); err != nil {
		t.Fatal(err)
	}
	now.pass(scanEvery)
	for _, tt := range []struct {
		age  time.Duration
		want int
	}{{0, 0}, {59 * time.Minute, 0}, {61 * time.Minute, 1}} {
		at := now.Now().Add(-tt.age)
		if err := os.Chtimes(filepath.Join(dir, d.id), at, at); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Sweep(t.Context()); n != tt.want || err != nil {
			t.Errorf("Sweep of a draft that was written to %s ago = %d, %v; want %d", tt.age, n, err, tt.want)
		}
	}
	// It was only slow after all.
	if c, err := d.Keep(mp3); fault.KindOf(err) != fault.Internal {
		t.Errorf("Keep of what was swept = %+v, %v; want an internal fault", c, err)
	}
	if n, err := killed.Sweep(t.Context()); n != 0 || err != nil || killed.room.used != 0 {
		t.Errorf("Sweep = %d, %v, and %d bytes are counted; want none", n, err, killed.room.used)
	}
}

// TestCut: a clip whose file has another length than when it was kept is not found.
func TestCut(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	for _, change := range []int64{-1, 1, -5000, -5000 - HeadBytes} {
		c := mustPut(t, s, "org_a", sound(5000))
		if err := os.Truncate(filepath.Join(dirOf(s), c.ID), HeadBytes+5000+change); err != nil {
			t.Fatal(err)
		}
		if c, err := s.Owned(t.Context(), "org_a", c.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a clip with %+d bytes = %+v, %v; want not found", change, c, err)
		}
	}
}

// TestReadOn: who is reading a clip reads it to its end, though it goes.
func TestReadOn(t *testing.T) {
	t.Parallel()
	now := newClock()
	s := open(t, Config{Now: now.Now})
	c := mustPut(t, s, "org_a", sound(100_000))
	content, err := s.Owned(t.Context(), "org_a", c.ID)
	if err != nil {
		t.Fatal(err)
	}
	now.pass(time.Hour)
	if n, err := s.Sweep(t.Context()); n != 1 || err != nil {
		t.Fatalf("Sweep = %d, %v; want 1", n, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := listen(content, nil); err != nil || !bytes.Equal(b, sound(100_000)) {
		t.Errorf("read %d bytes, %v; want all", len(b), err)
	}
}

// FuzzHead: bytes that are no head give none, and a clip that is read is one that
// can be written.
func FuzzHead(f *testing.F) {
	key := testSecret().For("fuzz")
	c := Clip{ID: newID(), Org: "org_a", ContentType: "audio/pcm;rate=24000", Name: "x", Size: 7, Expires: time.Unix(1e9, 0)}
	c.Name = c.ID + ".pcm"
	whole, err := encode(c, key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(bytes.Repeat([]byte{0}, HeadBytes))
	_, text, _ := bytes.Cut(whole, []byte("\n"))
	text, _, _ = bytes.Cut(text, []byte("\n"))
	f.Add(text)
	f.Add([]byte(`{"id":"clip_","size":-1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, ok := decode(b, key); ok && !bytes.Equal(b, whole) {
			again, err := encode(got, key)
			if err != nil || !bytes.Equal(bytes.TrimRight(again, "\x00"), bytes.TrimRight(b, "\x00")) {
				t.Errorf("decode(%q) = %+v, which was never signed", b, got)
			}
		}
		got, ok := parse(b) // as if it were signed
		if !ok {
			return
		}
		again, err := encode(got, key)
		if err != nil {
			t.Skip("as it stands it takes more than a head")
		}
		if back, ok := decode(again, key); !ok || back != got {
			t.Errorf("%+v is read back as %+v, %v", got, back, ok)
		}
	})
}

// FuzzLinked: no parameters but those of a link open its clip, and none fail
// otherwise than by not being found.
func FuzzLinked(f *testing.F) {
	s := open(f, Config{})
	c := mustPut(f, s, "org_a", sound(10))
	_, expires, signature := follow(f, s.Link("", c))
	f.Add(c.ID, expires, signature)
	f.Add(c.Name, expires, signature)
	f.Add(c.ID, "-1", s.links.Sign(c.ID, "-1"))
	f.Add("../"+c.ID, "", "\x00")
	f.Fuzz(func(t *testing.T, id, until, sig string) {
		content, err := s.Linked(t.Context(), id, until, sig)
		if err == nil {
			_ = content.Body.Close()
			if id != c.ID || until != expires || sig != signature {
				t.Errorf("Linked(%q, %q, %q) opens %q", id, until, sig, content.ID)
			}
		} else if fault.KindOf(err) != fault.NotFound {
			t.Errorf("Linked(%q, %q, %q) = %v, want not found", id, until, sig, err)
		}
		content, err = s.Owned(t.Context(), "org_a", id)
		if err == nil {
			_ = content.Body.Close()
		} else if fault.KindOf(err) != fault.NotFound {
			t.Errorf("Owned(%q) = %v, want not found", id, err)
		}
	})
}

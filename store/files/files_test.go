package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"vaak/catalogue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ catalogue.Files = (*Dir)(nil)

func newDir(t *testing.T) *Dir {
	t.Helper()
	d, err := New(Config{Dir: filepath.Join(t.TempDir(), "a", "files")})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func put(t *testing.T, d *Dir, content string) string {
	t.Helper()
	key, size, digest, err := d.Put(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	if want := hex.EncodeToString(sum[:]); key != "sha256/"+want || digest != want || size != int64(len(content)) {
		t.Errorf("Put = %q, %d, %q, want %d bytes of %q", key, size, digest, len(content), want)
	}
	return key
}

func get(t *testing.T, d *Dir, key string) (string, error) {
	t.Helper()
	f, err := d.Open(t.Context(), key)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return string(b), nil
}

// left returns the regular files of a directory but for the lock.
func left(t *testing.T, d *Dir) (names []string) {
	t.Helper()
	err := filepath.WalkDir(d.path, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[e.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		if !e.IsDir() && e.Name() != lockName {
			rel, _ := filepath.Rel(d.path, path) // it is below
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPutAndOpen(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	for _, content := range []string{"", "a", "\x00", strings.Repeat("x", bufferBytes), strings.Repeat("y", 3*bufferBytes+1)} {
		key := put(t, d, content)
		if again := put(t, d, content); again != key {
			t.Errorf("Put again = %q, want %q", again, key)
		}
		if got, err := get(t, d, key); got != content || err != nil {
			t.Errorf("Open(%q) = %d bytes, %v, want %d", key, len(got), err, len(content))
		}
	}
	if names := left(t, d); len(names) != 5 {
		t.Errorf("%d files are there, want 5: %q", len(names), names)
	}
	again, err := New(Config{Dir: d.path})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := get(t, again, put(t, d, "a")); got != "a" || err != nil {
		t.Errorf("Open by another = %q, %v, want a", got, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	key := put(t, d, "secret")
	digits := strings.TrimPrefix(key, "sha256/")
	if err := os.WriteFile(filepath.Join(d.path, digits), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"", "sha256/", digits, "/" + key, "./" + key, key + "/", "md5/" + digits, "sha256/../" + digits, "sha256//" + digits,
		"sha256/" + strings.ToUpper(digits), "sha256/" + digits[:63], "sha256/" + digits + "0", key + "\x00", "sha256/" + digits[:2] + "/" + digits,
		"sha256/" + strings.Repeat("../", 21) + "0", "lock", "parts", `sha256\` + digits, "sha256/" + strings.Repeat("0", 64),
	} {
		if _, err := d.Open(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q) = %v, want fs.ErrNotExist", key, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Open(ctx, key); !errors.Is(err, context.Canceled) {
		t.Errorf("Open of one who went away = %v, want Canceled", err)
	}
}

func TestKeysAndPaths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := "sha256/" + rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "digits")
		path, ok := Path(key)
		if got, back := Key(path); !ok || !back || got != key || !filepath.IsLocal(path) {
			t.Errorf("Key(Path(%q)) = %q, %v, %v", key, got, ok, back)
		}
	})
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"", "sha256/", "sha256/../x", "sha256/" + strings.Repeat("0", 64)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if path, ok := Path(s); ok {
			if key, back := Key(path); !back || key != s || !filepath.IsLocal(path) || len(path) != 74 {
				t.Errorf("Path(%q) = %q, whose key is %q", s, path, key)
			}
		}
		if key, ok := Key(s); ok {
			if path, back := Path(key); !back || path != s {
				t.Errorf("Key(%q) = %q, whose path is %q", s, key, path)
			}
		}
	})
}

func TestPutLeavesNothing(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		ctx  context.Context
		r    io.Reader
		want error
	}{
		{"a reader that fails", t.Context(), io.MultiReader(bytes.NewReader(make([]byte, 3*bufferBytes)), iotest.ErrReader(broken)), broken},
		{"a reader that fails with its last bytes", t.Context(), iotest.DataErrReader(io.MultiReader(strings.NewReader("a"), iotest.ErrReader(broken))), broken},
		{"a reader that is cut short", t.Context(), io.MultiReader(strings.NewReader("a"), iotest.ErrReader(io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF},
		{"one who went away", gone, bytes.NewReader(make([]byte, 3*bufferBytes)), context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDir(t)
			key, size, digest, err := d.Put(tt.ctx, tt.r)
			if !errors.Is(err, tt.want) || key != "" || size != 0 || digest != "" {
				t.Errorf("Put = %q, %d, %q, %v, want %v", key, size, digest, err, tt.want)
			}
			if names := left(t, d); len(names) > 0 {
				t.Errorf("it leaves %q", names)
			}
		})
	}
	t.Run("a reader that panics", func(t *testing.T) {
		t.Parallel()
		d := newDir(t)
		func() {
			defer func() { _ = recover() }() // it is ours
			_, _, _, _ = d.Put(t.Context(), panicking{})
		}()
		if names := left(t, d); len(names) > 0 {
			t.Errorf("it leaves %q", names)
		}
	})
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("a reader") }

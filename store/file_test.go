package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dsn, want string
		err       error
	}{
		{"sqlite:/var/x.db", "/var/x.db", nil},
		{"sqlite:///var/x.db", "/var/x.db", nil},
		{"sqlite::memory:", "", ErrNoFile},
		{"postgres://me:secret@host/db", "", ErrNoFile},
	} {
		if got, err := File(tt.dsn); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("File(%q) = %q, %v, want %q, %v", tt.dsn, got, err, tt.want, tt.err)
		}
	}
	if _, err := File("mysql:x"); err == nil {
		t.Error("File of an unknown sort of database: no error")
	}
}

func TestCopyToChecksAndSeizes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, twin := filepath.Join(dir, "va ak%?.db"), filepath.Join(dir, "copy")
	s := openAt(t, path)
	ctx := t.Context()
	if _, err := Seize(ctx, path); !errors.Is(err, ErrInUse) {
		t.Errorf("Seize of an open database = %v, want %v", err, ErrInUse)
	}
	if err := s.CopyTo(ctx, twin); err != nil {
		t.Fatal(err)
	}
	want, err := s.Version(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := CheckFile(ctx, twin); err != nil || got != want {
		t.Errorf("CheckFile of a copy = %d, %v, want %d", got, err, want)
	}
	if err := s.CopyTo(ctx, twin); err == nil {
		t.Error("CopyTo over a database: no error")
	}
	if err := openAt(t, ":memory:").CopyTo(ctx, twin+"2"); !errors.Is(err, ErrNoFile) {
		t.Errorf("CopyTo of a database in memory = %v, want %v", err, ErrNoFile)
	}
	release, err := Seize(ctx, twin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Seize(ctx, twin); !errors.Is(err, ErrInUse) {
		t.Errorf("Seize of a seized database = %v, want %v", err, ErrInUse)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(twin + "-*"); len(left) > 0 {
		t.Errorf("beside the database are %v", left)
	}
}

func TestCheckFileRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "copy")
	if err := openAt(t, filepath.Join(dir, "vaak.db")).CopyTo(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte{}, good...)
	for i := 8192; i < 8192+2048; i++ {
		damaged[i] ^= 0xff
	}
	newer := openAt(t, filepath.Join(dir, "newer.db"))
	if _, err := newer.db.Write.ExecContext(t.Context(), "INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'x', 0)"); err != nil {
		t.Fatal(err)
	}
	if err := newer.CopyTo(t.Context(), filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	ahead, err := os.ReadFile(filepath.Join(dir, "new"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"nothing":       {nil, "not one of this program"},
		"no database":   {[]byte(strings.Repeat("no database ", 1000)), "not a database"},
		"half of it":    {good[:len(good)/2], "database"},
		"damaged pages": {damaged, "database"},
		"a newer one":   {ahead, "newer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, tt.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if v, err := CheckFile(t.Context(), path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("CheckFile = %d, %v, want an error with %q", v, err, tt.want)
			}
		})
	}
}

package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const failSize = 100_000

// TestDiskFull has real writes fail in the middle of a draft: at a limit on the
// size of files, which every process may set, and on a full file system, for which
// it must be permitted to mount one, be it in a name space of its own.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	t.Run("file size limit", func(t *testing.T) {
		t.Parallel()
		if err := child("file size", t.TempDir()).Run(); err != nil {
			t.Error(err)
		}
	})
	t.Run("full file system", func(t *testing.T) {
		t.Parallel()
		var denied error
		for _, attr := range []*syscall.SysProcAttr{
			{Cloneflags: syscall.CLONE_NEWNS},
			{
				Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			},
		} {
			cmd := child("full disk", t.TempDir())
			cmd.SysProcAttr = attr
			err := cmd.Run()
			if err == nil {
				return
			}
			e, exited := errors.AsType[*exec.ExitError](err)
			if exited && e.ExitCode() != cannot {
				t.Fatal(err)
			}
			denied = err
		}
		t.Skipf("no file system can be mounted here (%v); the limit on file sizes was tested", denied)
	})
}

func fileSizeChild(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	low := limit
	low.Cur = failSize / 2
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		return err
	}
	return failAndRecover(dir, syscall.EFBIG, func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) })
}

func fullDiskChild(dir string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("%w: %w", errCannot, err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		return fmt.Errorf("%w: %w", errCannot, err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 700_000), 0o600); err != nil {
		return err
	}
	return failAndRecover(dir, syscall.ENOSPC, func() error { return os.Remove(filler) })
}

// failAndRecover keeps answers until a write fails, and one more when relieve has
// made that possible.
func failAndRecover(dir string, want error, relieve func() error) error {
	var log bytes.Buffer
	c, err := Open(Config{Dir: dir, MaxBytes: 64 << 20, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		return err
	}
	defer c.Close()
	n := 0
	for ; c.Stats().Dropped == 0 && n < 100; n++ {
		if err := put(c, key(n), body(key(n), failSize), 12_345); err != nil {
			return err
		}
	}
	if s := c.Stats(); s.Dropped != 1 || s.Kept != int64(n-1) {
		return fmt.Errorf("Stats = %+v, want one of %d answers dropped", s, n)
	}
	for i := range n - 1 {
		if ok, err := check(c, key(i), body(key(i), failSize)); !ok || err != nil {
			return fmt.Errorf("Get of answer %d, kept before the failure = %v, %w", i, ok, err)
		}
	}
	if err := put(c, key(n), nil, 1); err != nil || c.Stats().Kept != int64(n-1) {
		return fmt.Errorf("an answer was kept right after the failure (%w)", err)
	}
	if lines := log.String(); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, want.Error()) || strings.Contains(lines, entryName(key(n-1))) {
		return fmt.Errorf("the log is %q, want one line with %q and no key", lines, want)
	}
	if err := relieve(); err != nil {
		return err
	}
	c.mu.Lock()
	c.suspendedUntil = time.Time{}
	c.mu.Unlock()
	if err := put(c, key(n), body(key(n), failSize), 12_345); err != nil {
		return err
	}
	ok, err := check(c, key(n), body(key(n), failSize))
	if !ok || err != nil {
		return fmt.Errorf("Get of an answer kept after the failure = %v, %w", ok, err)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return tidy(c)
}

// TestDirectoryLost takes the directory away from under a cache that is in use,
// and gives it back.
func TestDirectoryLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		replace func(dir string) error // puts something where the directory was
	}{
		{"moved away", func(string) error { return nil }},
		{"a file in its place", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { loseDirectory(t, tt.replace) })
		})
	}
}

func loseDirectory(t *testing.T, replace func(string) error) {
	dir := filepath.Join(t.TempDir(), "cache")
	away := dir + ".away"
	var log bytes.Buffer
	c := open(t, Config{Dir: dir, MaxBytes: 1 << 20, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	k, lost, back := key(1), key(2), key(3)
	want := body(k, 50_000)
	if err := put(c, k, want, 10_000); err != nil {
		t.Fatal(err)
	}
	d := c.Begin(lost)
	_, _ = d.Write(want) // never fails
	if err := errors.Join(os.Rename(dir, away), replace(dir)); err != nil {
		t.Fatal(err)
	}
	d.Commit(nil)
	if _, ok := c.Get(lost); ok {
		t.Error("an answer was kept in no directory")
	}
	if _, ok := c.Get(k); ok {
		t.Error("an answer was read from no directory")
	}
	for range 10 {
		if err := put(c, back, want, 10_000); err != nil {
			t.Error(err)
		}
	}
	if s := c.Stats(); s.Kept != 1 || s.Dropped != 1 || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("Stats = %+v, log %q; want one kept, one dropped, one line", s, log.String())
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(away, dir)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(suspendFor)
	if err := put(c, back, want, 10_000); err != nil {
		t.Fatal(err)
	}
	if ok, err := check(c, back, want); !ok || err != nil {
		t.Errorf("Get after the directory was back = %v, %v", ok, err)
	}
}

// actAsNobody gives dir to somebody without rights, and has the rest of the test
// use files with theirs.
func actAsNobody(t *testing.T, dir string) {
	t.Helper()
	const nobody = 65534
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chown(dir, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	actAs := func(uid uintptr) { syscall.RawSyscall(syscall.SYS_SETFSUID, uid, 0, 0) } // tells no failure
	t.Cleanup(func() {
		actAs(0)
		runtime.UnlockOSThread()
	})
	actAs(nobody)
}

// TestPermissionLost takes the right to change the directory away, which a
// superuser does by acting as somebody else on files.
func TestPermissionLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if os.Getuid() == 0 {
		actAsNobody(t, dir)
	}
	c := open(t, Config{Dir: dir, MaxBytes: 20 * blockSize, MaxEntry: 20 * blockSize})
	k := key(1)
	want := body(k, 10*blockSize-1000)
	if err := put(c, k, want, 10_000); err != nil {
		t.Fatal(err)
	}
	stray := c.Begin(key(2))
	_, _ = stray.Write(make([]byte, 5*blockSize)) // never fails
	full := c.Begin(key(3))
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	stray.Discard()                              // its file stays
	_, _ = full.Write(make([]byte, 5*blockSize)) // no file can be made
	if ok, err := check(c, k, want); !ok || err != nil {
		t.Errorf("Get of what can still be read = %v, %v", ok, err)
	}
	if s := c.Stats(); s.Bytes != 15*blockSize || s.Dropped != 1 {
		t.Errorf("Stats = %+v, want the room of the entry and of the file that stayed", s)
	}
	if _, err := Open(Config{Dir: dir, MaxBytes: 1 << 20}); !errors.Is(err, ErrInUse) {
		t.Errorf("Open = %v, want ErrInUse", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	c.suspendedUntil = time.Time{}
	c.mu.Unlock()
	if err := put(c, key(4), body(key(4), 9*blockSize), 10_000); err != nil {
		t.Fatal(err)
	}
	if s := c.Stats(); s.Entries != 2 || s.Evictions != 0 {
		t.Errorf("Stats = %+v, want the file that stayed removed first", s)
	}
	if err := tidy(c); err != nil {
		t.Error(err)
	}
	if err := errors.Join(c.Close(), os.Chmod(dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Dir: dir, MaxBytes: 1 << 20}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open of a directory that cannot be written = %v, want ErrPermission", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// oddFile is a draft's file that is slow to write or fails to close.
type oddFile struct {
	draftFile
	takes  time.Duration
	closes error
}

func (f oddFile) Write(p []byte) (int, error) {
	time.Sleep(f.takes)
	return f.draftFile.Write(p)
}

func (f oddFile) Close() error { return errors.Join(f.draftFile.Close(), f.closes) }

func TestOddFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		file oddFile
		kept bool
	}{
		{"fast enough", oddFile{takes: slowWrite}, true},
		{"too slow", oddFile{takes: slowWrite + 1}, false},
		{"fails to close", oddFile{closes: syscall.EDQUOT}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
				c.create = func(path string) (draftFile, error) {
					f, err := createDraft(path)
					tt.file.draftFile = f
					return tt.file, err
				}
				if err := put(c, key(1), body(key(1), 30_000), 10_000); err != nil {
					t.Fatal(err)
				}
				if _, ok := c.Get(key(1)); ok != tt.kept {
					t.Errorf("kept = %v, want %v", ok, tt.kept)
				}
				if err := tidy(c); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

package files

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vaak/internal/fault"
)

// diskEnv names the directory that a process of its own mounts a small disk on.
const diskEnv = "VAAK_TEST_DISK"

// cannotMount is how the output of such a process says that it may not mount.
const cannotMount = "cannot mount: "

// TestFullDisk fills a disk of 1 MB: a file for which there is no room leaves
// nothing, what is there can be read, and there is room again when that went.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(diskEnv); dir != "" {
		fullDisk(t, dir)
		return
	}
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, attr := range []*syscall.SysProcAttr{
		{Cloneflags: syscall.CLONE_NEWNS}, // as root
		{
			Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		},
	} {
		cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestFullDisk$", "-test.v", "-test.timeout=10m")
		cmd.Env = append(os.Environ(), diskEnv+"="+t.TempDir())
		cmd.SysProcAttr = attr
		if out, err = cmd.CombinedOutput(); err == nil {
			return
		}
		if _, exited := errors.AsType[*exec.ExitError](err); exited && !strings.Contains(string(out), cannotMount) {
			t.Fatalf("%v: %s", err, out)
		}
	}
	t.Skipf("no file system can be mounted here: %v", err)
}

func fullDisk(t *testing.T, dir string) {
	err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	if err == nil {
		err = syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m")
	}
	if err != nil {
		t.Fatalf("%s%v", cannotMount, err)
	}
	d, err := New(Config{Dir: filepath.Join(dir, "files")})
	if err != nil {
		t.Fatal(err)
	}
	key := put(t, d, "small")
	for range 3 {
		_, _, _, err := d.Put(t.Context(), io.LimitReader(zeroes{}, 2<<20))
		if fault.KindOf(err) != fault.Unavailable || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Put of 2 MB = %v, want Unavailable for want of space", err)
		}
		if names := left(t, d); len(names) != 1 {
			t.Errorf("left are %q, want the small file", names)
		}
	}
	if got, err := get(t, d, key); got != "small" || err != nil {
		t.Errorf("Open of the small file = %q, %v", got, err)
	}
	put(t, d, strings.Repeat("x", 900<<10))
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

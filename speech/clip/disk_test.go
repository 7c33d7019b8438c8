package clip_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// diskEnv names the directory that a process of its own mounts a small disk on.
const diskEnv = "VAAK_TEST_DISK"

// cannotMount is how the output of such a process says that it may not mount.
const cannotMount = "cannot mount: "

// TestFullDisk runs [fullDisk] in a process of its own that has mounted a disk.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(diskEnv); dir != "" {
		err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
		if err == nil {
			err = syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m")
		}
		if err != nil {
			t.Fatalf("%s%v", cannotMount, err)
		}
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

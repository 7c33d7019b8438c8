package cache

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// children are what the test binary does instead of testing when [asChild] names
// it: things that end a process or change the whole of it. Each gets a directory.
var children = map[string]func(dir string) error{
	"crash":     crashChild,
	"full disk": fullDiskChild,
	"file size": fileSizeChild,
}

const (
	asChild  = "VAAK_CACHE_TEST_CHILD"
	childDir = "VAAK_CACHE_TEST_DIR"
)

// A child that may not do what the test is about exits with cannot.
const cannot = 77

var errCannot = errors.New("not permitted here")

func TestMain(m *testing.M) {
	run := children[os.Getenv(asChild)]
	if run == nil {
		os.Exit(m.Run())
	}
	switch err := run(os.Getenv(childDir)); {
	case errors.Is(err, errCannot):
		os.Exit(cannot)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(name, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asChild+"="+name, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

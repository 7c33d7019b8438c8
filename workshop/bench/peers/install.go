package peers

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scripts are the servers that are written here, and what all of them need.
//
//go:embed *.py requirements.txt
var scripts embed.FS

// requirements is what is installed.
func requirements() string {
	b, err := scripts.ReadFile("requirements.txt")
	if err != nil {
		panic(err) // it is built in
	}
	return string(b)
}

// version returns the version of a package that is installed.
func version(name string) string {
	for line := range strings.Lines(requirements()) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"=="); ok {
			return v
		}
	}
	panic("requirements.txt has no " + name)
}

// install returns the directory of the programs of a virtual environment with the peers, which it
// makes in the user's cache unless it is there. As in conformance/run, wheels alone are installed,
// but for what requirements.txt excepts, and by uv.
func install(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	home := filepath.Join(cache, "vaak", "bench-peers")
	bin, done := filepath.Join(home, "bin"), filepath.Join(home, "installed")
	want := []byte(requirements())
	if have, err := os.ReadFile(done); err == nil && bytes.Equal(have, want) {
		return bin, nil
	}
	if err := errors.Join(os.RemoveAll(home), os.MkdirAll(filepath.Dir(home), 0o755)); err != nil {
		return "", err
	}
	list := filepath.Join(home, "requirements.txt")
	_, installer, _ := strings.Cut(string(want), "# installer: ")
	installer, _, _ = strings.Cut(installer, "\n")
	for _, step := range []func() error{
		func() error { return run(ctx, "python3", "-m", "venv", home) },
		func() error { return os.WriteFile(list, want, 0o644) },
		func() error {
			return run(ctx, filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check", "--retries", "2", "--no-deps", "--only-binary", ":all:", installer)
		},
		func() error {
			return run(ctx, filepath.Join(bin, "uv"), "pip", "install", "--quiet", "--python", filepath.Join(bin, "python"), "--no-deps", "--only-binary", ":all:", "-r", list)
		},
		func() error { return os.WriteFile(done, want, 0o644) },
	} {
		if err := step(); err != nil {
			return "", err
		}
	}
	return bin, nil
}

func run(ctx context.Context, program string, args ...string) error {
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, bytes.TrimSpace(out))
	}
	return nil
}

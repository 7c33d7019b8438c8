package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vaak/internal/checkup"
)

// writeFiles makes files below a directory, of text by path.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGroupLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"groups":                                "9:name=systemd:/a\n8:cpu,pids:/old\n4:memory:/a\n0::/a/b\nnoise\n",
		"sys/fs/cgroup/a/b/pids.max":            "max\n",
		"sys/fs/cgroup/a/b/pids.current":        "7\n",
		"sys/fs/cgroup/a/pids.max":              "100\n",
		"sys/fs/cgroup/a/pids.current":          "60\n",
		"sys/fs/cgroup/pids/old/pids.max":       "50\n",
		"sys/fs/cgroup/pids/old/pids.current":   "20\n",
		"sys/fs/cgroup/pids/other/pids.max":     "1\n",
		"sys/fs/cgroup/pids/other/pids.current": "1\n",
	})
	got := groupLimits(dir, filepath.Join(dir, "groups"))
	want := []processLimit{{"the control group", 50, 20}, {"the control group", 100, 60}}
	if !slices.Equal(got, want) {
		t.Errorf("groupLimits = %+v, want %+v", got, want)
	}
	if l, ok := tightest(got); !ok || l != want[0] {
		t.Errorf("tightest = %+v, %v, want %+v", l, ok, want[0])
	}
	if got := groupLimits(dir, filepath.Join(dir, "nowhere")); got != nil {
		t.Errorf("groupLimits without groups = %+v, want none", got)
	}
}

func TestBounded(t *testing.T) {
	t.Parallel()
	const machine, container = "         0          0 4294967295\n", "0 100000 65536\n"
	for _, tt := range []struct {
		name, users, uid, rights string
		want                     bool
	}{
		{"root", machine, "0", "000001ffffffffff", false},
		{"root without rights", machine, "0", "0", false},
		{"somebody", machine, "1000", "0", true},
		{"somebody with other rights", machine, "1000", "0000000000000002", true},
		{"somebody who may raise limits", machine, "1000", "0000000001000000", false},
		{"root of a container", container, "0", "000001ffffffffff", true},
	} {
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{
			"uid_map": tt.users,
			"status":  "Name:\tvaak\nUid:\t" + tt.uid + "\t0\t0\t0\nCapEff:\t" + tt.rights + "\n",
		})
		if got := bounded(dir); got != tt.want {
			t.Errorf("%s: bounded = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestThreadsOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"1/status": "Uid:\t0\t7\t7\t7\nThreads:\t100\n", "2/status": "Uid:\t7\t0\t0\t0\nThreads:\t5\n",
		"33/status": "Uid:\t7\t7\t7\t7\nThreads:\t1\n", "44/cmdline": "", "self/status": "Uid:\t7\t7\t7\t7\nThreads:\t9\n",
	})
	if got := threadsOf(dir, 7); got != 6 {
		t.Errorf("threadsOf = %d, want 6", got)
	}
}

func TestThreadsToKeep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		room   int // -1: there is no limit
		speaks bool
		want   int // 0: refused
	}{
		{-1, true, keptThreads}, {1000, true, keptThreads}, {96, true, keptThreads}, {95, true, 63}, {56, true, 24},
		{55, true, 0}, {55, false, 43}, {36, false, 24}, {35, false, 0}, {0, true, 0},
	} {
		var limits []processLimit
		if tt.room >= 0 {
			limits = []processLimit{{"the user", 5000, 0}, {"the control group", 200 + tt.room, 200}}
		}
		n, err := threadsToKeep(limits, tt.speaks)
		if n != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("room for %d, speaks %v: %d, %v, want %d", tt.room, tt.speaks, n, err, tt.want)
		}
		if err != nil && (!strings.Contains(err.Error(), "the control group may have") || !strings.Contains(err.Error(), "--pids-limit")) {
			t.Errorf("room for %d: %q names neither limit nor mend", tt.room, err)
		}
	}
}

func TestProcessesFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		most, used int
		speaks     bool
		want       checkup.State
	}{
		{55, 0, true, checkup.Failure}, {56, 0, true, checkup.Warning}, {1095, 0, true, checkup.Warning}, {1096, 0, true, checkup.OK},
		{1096, 1, true, checkup.Warning}, {35, 0, false, checkup.Failure}, {75, 0, false, checkup.Warning}, {76, 0, false, checkup.OK},
		{1000, 1000, true, checkup.Warning},
	} {
		f := processesFor([]processLimit{{"the user", tt.most, tt.used}}, 2, tt.speaks)
		if f.State != tt.want || (f.Remedy == "") != (tt.want == checkup.OK) {
			t.Errorf("%d of %d: %+v, want %s", tt.used, tt.most, f, tt.want)
		}
	}
	if f := processesFor(nil, 2, true); f.State != checkup.OK {
		t.Errorf("without a limit: %+v", f)
	}
}

// TestMakeThreads makes threads that stay.
func TestMakeThreads(t *testing.T) {
	makeThreads(40)
	if got := threads(t, os.Getpid()); got < 40 {
		t.Errorf("%d threads, want 40 at least", got)
	}
}

// TestServeWithoutRoom starts a server where it could not go on.
func TestServeWithoutRoom(t *testing.T) {
	t.Parallel()
	as := asStranger(t)
	cmd := exec.Command("vaak")
	as(cmd)
	cmd.Args = []string{"prlimit", "--nproc=30:", cmd.Path, "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data-dir", t.TempDir()}
	cmd.Path, cmd.Err = exec.LookPath("prlimit")
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 ||
		!strings.HasPrefix(string(out), "vaak: the user may have 30 processes and threads") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("serve with 30 processes = %v, %q; want 1 and one line that names the limit", err, out)
	}
}

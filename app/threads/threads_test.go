package threads

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	want := []Limit{{"the control group", 50, 20}, {"the control group", 100, 60}}
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
		var limits []Limit
		if tt.room >= 0 {
			limits = []Limit{{"the user", 5000, 0}, {"the control group", 200 + tt.room, 200}}
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

// TestMakeThreads makes threads that stay.
func TestMakeThreads(t *testing.T) {
	makeThreads(40)
	if got := len(tasks(t)); got < 40 {
		t.Errorf("%d threads, want 40 at least", got)
	}
}

// tasks lists the threads of this process.
func tasks(t *testing.T) []os.DirEntry {
	t.Helper()
	all, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

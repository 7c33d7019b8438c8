package server

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " S 17 10 10 0 -1 4194560 1 2 3 4 150 50 7 3 20 0 8 0 100 1000 10 18446744073709551615"
	for _, tt := range []struct {
		name, line string
		want       stat
		wantErr    bool
	}{
		{name: "plain", line: "42 (vaak)" + rest,
			want: stat{comm: "vaak", parent: 17, Own: 2 * time.Second, reaped: 100 * time.Millisecond}},
		{name: "a name with spaces and parentheses", line: "42 (a) b (c)" + rest,
			want: stat{comm: "a) b (c", parent: 17, Own: 2 * time.Second, reaped: 100 * time.Millisecond}},
		{name: "short", line: "42 (vaak) S 17 10", wantErr: true},
		{name: "no name", line: "42 vaak S 17", wantErr: true},
		{name: "not a number", line: "42 (vaak) S 17 10 10 0 -1 4194560 1 2 3 4 x 50 7 3 20", wantErr: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseStat(tt.line)
			if (err != nil) != tt.wantErr {
				t.Fatalf("parseStat(%q) error = %v, want one: %v", tt.line, err, tt.wantErr)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(stat{})); diff != "" {
				t.Errorf("parseStat(%q) (-want +got):\n%s", tt.line, diff)
			}
		})
	}
}

func TestParseKiB(t *testing.T) {
	t.Parallel()
	const rollup = "55d0-7ffd ---p 00000000 00:00 0 [rollup]\nRss:                7420 kB\nPss:                1024 kB\nPss_Anon:            512 kB\n"
	for name, want := range map[string]int64{"Rss": 7420, "Pss": 1024, "Pss_Anon": 512} {
		if got, err := ParseKiB([]byte(rollup), name); err != nil || got != want {
			t.Errorf("parseKiB(%q) = %d, %v; want %d", name, got, err, want)
		}
	}
	if _, err := ParseKiB([]byte(rollup), "Swap"); err == nil {
		t.Error("parseKiB found a line that is not there")
	}
}

func TestParseSchedstat(t *testing.T) {
	t.Parallel()
	if got, err := parseSchedstat("123456789 42 7\n"); err != nil || got != 123456789 {
		t.Errorf("parseSchedstat = %d, %v; want 123456789", got, err)
	}
	if _, err := parseSchedstat(""); err == nil {
		t.Error("parseSchedstat of nothing gives no error")
	}
}

// TestProcess looks at a real child of this process.
func TestProcess(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	for name, list := range map[string]func(int) ([]int, error){"children": children, "childrenByScan": childrenByScan} {
		if pids, err := list(os.Getpid()); err != nil || !slices.Contains(pids, cmd.Process.Pid) {
			t.Errorf("%s = %v, %v; want %d among them", name, pids, err, cmd.Process.Pid)
		}
	}
	if s, err := ReadStat(cmd.Process.Pid); err != nil || s.parent != os.Getpid() {
		t.Errorf("readStat = %+v, %v; want parent %d", s, err, os.Getpid())
	}
	if m, err := readMemory(os.Getpid()); err != nil || m.rss < 1000 || m.pss > m.rss {
		t.Errorf("readMemory of the test = %+v, %v", m, err)
	}
	if d, err := runTime(os.Getpid()); err != nil || d <= 0 {
		t.Errorf("runTime of the test = %v, %v", d, err)
	}
}

func TestParseTicks(t *testing.T) {
	t.Parallel()
	got := parseTicks("cpu  1 2 3 4 5 6 7 8 9 10")
	if want := (Ticks{idle: 9, stolen: 8, total: 36}); got != want {
		t.Errorf("parseTicks = %+v, want %+v", got, want)
	}
	if later := got.Since(Ticks{idle: 9, stolen: 3, total: 26}); later.Busy() != 1 || later.Stolen() != 0.5 {
		t.Errorf("of the time since then %v was busy and %v stolen, want all and a half", later.Busy(), later.Stolen())
	}
}

package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vaak/engine/enginetest"
)

// plansOf returns the sections of the runbook about capacity, upgrade and roll back.
func plansOf(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	_, plans, _ := strings.Cut(string(text), "\n## Planning capacity\n")
	plans, _, ok := strings.Cut(plans, "\n## VaakDown\n")
	if !ok {
		t.Fatal("docs/runbook.md has no plans before its alerts")
	}
	return plans
}

// TestCommandRunbookPlans runs every line of the plans that calls vaak, in their order, on a
// deployment: each must succeed.
func TestCommandRunbookPlans(t *testing.T) {
	t.Parallel()
	dir, _ := deployed(t, newest(t))
	backups := t.TempDir()
	lines := regexp.MustCompile(`(?m)^ *(vaak .*)$`).FindAllStringSubmatch(plansOf(t), -1)
	if len(lines) < 7 {
		t.Fatalf("the plans have %d commands, want more", len(lines))
	}
	for _, m := range lines {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(m[1], "/backup", backups))
		cmd.Env = append(os.Environ(), "VAAK_DATA_DIR="+dir, "VAAK_ESPEAK_WORKER="+enginetest.Worker(t),
			"VAAK_LISTEN=127.0.0.1:0", "VAAK_ADMIN_LISTEN=127.0.0.1:0", "VAAK_CONSOLE_LISTEN=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", m[1], err, out)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.before-restore-*")); err != nil || len(left) == 0 {
		t.Errorf("the last command has restored nothing: %q, %v", left, err)
	}
}

// TestCommandRunbookFigures: the costs of the plans are those of docs/performance.md, up to a
// quarter, and the example follows from its formulas.
func TestCommandRunbookFigures(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	performance, plans := string(text), plansOf(t)
	number := func(where, pattern string) float64 {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(where)
		if m == nil {
			t.Fatalf("no %s", pattern)
		}
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	near := func(what string, got, want, share float64) {
		t.Helper()
		if math.Abs(got-want) > share*math.Abs(want) {
			t.Errorf("%s: the runbook has %v, want about %.3g", what, got, want)
		}
	}
	for _, format := range []string{"mp3", "opus", "aac", "flac"} {
		row := `(?m)^\| ` + format + ` \|`
		near("the cost of "+format, number(plans, row+` ([\d.]+) \|`), number(performance, row+`(?: [^|]+\|){6} (\d+) \|`)/1000, 0.25)
	}
	cores := number(performance, `\| Cores \| (\d+)`)
	for plan, found := range map[string]string{"pcm, wav, ulaw, alaw": "pcm", "mp3": "mp3", "opus": "opus"} {
		near("listeners of "+found, number(plans, `(?m)^\| `+plan+` \|[^|]+\| (\d+) \|`), number(performance, `(?m)^\| `+found+` \| \d+ \| (\d+) \| 0\.`)/cores, 0.25)
	}
	// The example.
	const listeners, cost, servers = 1000 * 0.4, 1.4, 2
	near("cores", number(plans, `÷ 0\.6 = ([\d.]+)\. So two servers`), listeners*cost/1000/0.6, 0.03)
	near("memory", number(plans, `Memory: 400 \+ 0\.7 × 400 = (\d+) MiB`), 400+0.7*listeners/(servers-1), 0.01)
	requests := 1000 / 12.5 * 12 * 3600 / 1000 // thousands a day
	near("requests", number(plans, `and ([\d,]+)\s+thousand a day`), requests, 0.001)
	books := requests * 0.17 * 365 / 1000
	records := requests * 0.50 / 1000
	rest := requests * 0.29 * 8 / 1000
	near("disk", number(plans, `MB = (\d+) GB after a year`), 30*records+rest+books, 0.02)
	near("books", number(plans, `of which (\d+) GB`), books, 0.02)
	near("disk on an unlimited plan", number(plans, `unlimited plan it is (\d+) GB`), 30*records+rest, 0.03)
	near("disk with records of a week", number(plans, `168h. it is (\d+) GB`), 7*records+rest, 0.03)
}

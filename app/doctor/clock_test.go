package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/internal/checkup"
)

func TestClockFinding(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		at     time.Time
		adrift bool
		host   string
		want   checkup.State
		found  string
	}{
		{day, false, "", checkup.OK, "2026-06-01T00:00:00Z"},
		{day, false, "a host", checkup.OK, "2026-06-01T00:00:00Z"},
		{day, true, "", checkup.Warning, "nothing keeps it right"},
		{day, true, "a host", checkup.OK, "left to the host: a host"},
		{time.Unix(0, 0), false, "", checkup.Failure, "before this program"},
		{time.Unix(0, 0), true, "a host", checkup.Failure, "before this program"},
	} {
		f := clockFinding(tt.at, tt.adrift, tt.host)
		if f.State != tt.want || !strings.Contains(f.Found, tt.found) || (f.Remedy == "") != (tt.want == checkup.OK) {
			t.Errorf("at %v, adrift %v, host %q: %+v, want %s with %q", tt.at, tt.adrift, tt.host, f, tt.want, tt.found)
		}
	}
}

func TestHostKeepsTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		files []string
		want  string
	}{
		{[]string{"run/systemd/system/x"}, ""},
		{nil, "no systemd"},
		{[]string{".dockerenv"}, "container"},
		{[]string{"run/.containerenv", "run/systemd/system/x"}, "container"},
		{[]string{"run/systemd/container", "run/systemd/system/x"}, "container"},
	} {
		root := t.TempDir()
		for _, f := range tt.files {
			path := filepath.Join(root, f)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := hostKeepsTime(root); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("with %q: %q, want %q", tt.files, got, tt.want)
		}
	}
}

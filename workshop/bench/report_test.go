package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	t.Parallel()
	tab := &table{header: []string{"a", "b", "c"}}
	tab.add("1", "2", "3")
	const want = "| a | b | c |\n|---|---:|---:|\n| 1 | 2 | 3 |\n"
	if diff := cmp.Diff(want, tab.markdown()); diff != "" {
		t.Errorf("markdown (-want +got):\n%s", diff)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	var r report
	atMost(&r, "fast", 2*time.Millisecond, 2500*time.Microsecond, millis)
	atMost(&r, "cheap", 1.5, 1.4, ratio)
	atLeast(&r, "busy", 0.95, 0.93, ratio)
	got := r.markdown()
	for _, want := range []string{
		"| fast | ≤ 2.50 ms | 2.00 ms | yes |",
		"| cheap | ≤ 1.40 | 1.50 | **no** |",
		"| busy | ≥ 0.93 | 0.95 | yes |",
		"2 of 3 targets reached.",
		"http.HandleFunc(\"POST /speech\"", // the naive server's source
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
}

func TestParseSpoken(t *testing.T) {
	t.Parallel()
	const lines = `{"version":"1.51","sample_rate":22050,"init_ns":1000,"voice_ns":500}
{"first_ns":100,"wall_ns":3000,"cpu_ns":2000,"samples":22050}
{"first_ns":200,"wall_ns":5000,"cpu_ns":4000,"samples":44100}
{"max_rss_kib":7600}
`
	s, err := parseSpoken([]byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	want := spoken{version: "1.51", rate: 22050, init: 1000, maxRSS: 7600,
		repetitions: []repetition{{100, 3000, 2000, 22050}, {200, 5000, 4000, 44100}}}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(spoken{}, repetition{})); diff != "" {
		t.Errorf("parseSpoken (-want +got):\n%s", diff)
	}
	if got := s.cost(); got != (cost{cpu: 2000, wall: 8000 / 3}) {
		t.Errorf("cost = %+v, want the time of 3 s of audio divided by 3", got)
	}
	for _, bad := range []string{"", "no JSON\n", strings.Replace(lines, `"first_ns":100`, `"first_ns":-1`, 1)} {
		if _, err := parseSpoken([]byte(bad)); err == nil {
			t.Errorf("parseSpoken(%q) gives no error", bad)
		}
	}
}

func TestResampleCost(t *testing.T) {
	t.Parallel()
	got, err := resampleCost(make([]int16, 5*22050+7), 22050, vaakRate)
	if err != nil || got <= 0 || got > 100*time.Millisecond {
		t.Errorf("resampleCost = %v a second of audio, %v", got, err)
	}
}

func TestParseTicks(t *testing.T) {
	t.Parallel()
	if stolen, total := parseTicks("cpu  1 2 3 4 5 6 7 8 9 10"); stolen != 8 || total != 36 {
		t.Errorf("parseTicks = %d of %d, want 8 of 36", stolen, total)
	}
}

func TestParseOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		out  string
		bad  bool
	}{
		{args: "", out: "docs/performance.md"},
		{args: "--quick", out: ""},
		{args: "--only cancel", out: ""},
		{args: "--only cancel --out x.md", out: "x.md"},
		{args: "--only speed", bad: true},
		{args: "extra", bad: true},
	} {
		o, err := parseOptions(strings.Fields(tt.args), io.Discard)
		if (err != nil) != tt.bad || err == nil && o.out != tt.out {
			t.Errorf("parseOptions(%q) = %+v, %v; want out %q, an error: %v", tt.args, o, err, tt.out, tt.bad)
		}
	}
}

func TestCharacters(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{20: "20", 500: "500", 1081: "1,081", 5000: "5,000"} {
		if got := characters(n); got != want {
			t.Errorf("characters(%d) = %q, want %q", n, got, want)
		}
	}
}

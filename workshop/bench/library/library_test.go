package library

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
	want := spoken{Version: "1.51", rate: 22050, init: 1000, MaxRSS: 7600,
		Repetitions: []repetition{{100, 3000, 2000, 22050}, {200, 5000, 4000, 44100}}}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(spoken{}, repetition{})); diff != "" {
		t.Errorf("parseSpoken (-want +got):\n%s", diff)
	}
	if got := s.Cost(); got != (cost{CPU: 2000, Wall: 8000 / 3}) {
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
	got, err := ResampleCost(make([]int16, 5*22050+7), 22050, 24000)
	if err != nil || got <= 0 || got > 100*time.Millisecond {
		t.Errorf("resampleCost = %v a second of audio, %v", got, err)
	}
}

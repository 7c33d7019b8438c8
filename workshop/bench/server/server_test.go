package server

import "testing"

func TestParseReady(t *testing.T) {
	t.Parallel()
	const line = "ready public=http://127.0.0.1:4000 admin=http://127.0.0.1:4001\n"
	if got, err := parseReady(line); err != nil || got != "127.0.0.1:4000" {
		t.Errorf("parseReady(%q) = %q, %v", line, got, err)
	}
	for _, bad := range []string{"", "ready\n", "listening on public=http://127.0.0.1:4000\n"} {
		if got, err := parseReady(bad); err == nil {
			t.Errorf("parseReady(%q) = %q, want an error", bad, got)
		}
	}
}

func TestParseMetric(t *testing.T) {
	t.Parallel()
	text := []byte("# HELP go_goroutines Number\n# TYPE go_goroutines gauge\ngo_goroutines 17\nheap 1.5e+06\nheap_max 3\n")
	for name, want := range map[string]float64{"go_goroutines": 17, "heap": 1.5e6, "heap_max": 3} {
		if got, err := parseMetric(text, name); err != nil || got != want {
			t.Errorf("parseMetric(%s) = %g, %v; want %g", name, got, err, want)
		}
	}
	if _, err := parseMetric(text, "go"); err == nil {
		t.Error("parseMetric(go) gives no error")
	}
}

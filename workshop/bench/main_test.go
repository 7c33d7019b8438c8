package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

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

// TestSections checks that sections can be named and that those that kill workers come last.
func TestSections(t *testing.T) {
	t.Parallel()
	names := sectionNames()
	for _, want := range []string{"live-latency", "live-crowd", "live-cancel", "live-memory", "telephony", "growth", "peers"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no section %q", want)
		}
	}
	if last := names[len(names)-1]; last != "recovery" {
		t.Errorf("the last section is %q", last)
	}
}

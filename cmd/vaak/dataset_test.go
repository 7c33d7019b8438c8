package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestDatasetHelp asks each command for help: it tells what it takes, and exits
// with 0.
func TestDatasetHelp(t *testing.T) {
	t.Parallel()
	for command, wants := range map[string][]string{
		"":        {"measure", "ingest", "publish", "suspend", "retire", "list", "show", "diff"},
		"measure": {"<dir>", "--json", "--jobs", "--share", "--patience", "VAAK_DATA_DIR"},
		"ingest":  {"<dir>", "--publish", "--jobs", "--share", "--patience", "VAAK_DATABASE"},
		"publish": {"<slug>", "--data-dir"},
		"suspend": {"<slug>", "--data-dir"},
		"retire":  {"<slug>", "--data-dir"},
		"list":    {"--data-dir"},
		"show":    {"<slug>", "--public-url"},
		"diff":    {"<a> <b>", "--data-dir"},
	} {
		var out, stderr bytes.Buffer
		args := append(strings.Fields("dataset "+command), "--help")
		if status := run(context.Background(), args, nil, &out, &stderr); status != 0 || stderr.Len() > 0 {
			t.Errorf("vaak %s = %d, %q, want 0 and nothing", args, status, &stderr)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("vaak %s does not tell of %q: %s", args, want, &out)
			}
		}
	}
}

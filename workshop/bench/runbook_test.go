package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const measuredFigures = `
| Cores | 2 |
| mp3 | 24000 | 128 | 670 | 117 | 1432 | 2219 | 2750 | 1.24 |
| flac | 24000 | — | 675 | 116 | 1101 | 1892 | 2509 | 1.32 |
| pcm | 24000 | — | 674 | 116 | 6 | 796 | 1054 | 1.32 |
| pcm | 2306 | 1100 | 0.48 | 1845 refused, 1100 good |
| mp3 | 853 | 300 | 0.35 | 300 good |
`

func TestStaleRows(t *testing.T) {
	t.Parallel()
	const runbook = `
| pcm, wav, ulaw, alaw | 2.0 to 2.6 | 278 | 0.4 |
| mp3 | 5.6 | 146 | 0.3 |
| opus | 6.8 | 84 | 0.2 |
| flac | 2.6 | | |
`
	want := []string{"| pcm, wav, ulaw, alaw | 2.0 to 2.6 | 550 | 0.4 |", "| mp3 | 2.8 | 146 | 0.3 |"}
	if diff := cmp.Diff(want, staleRows(measuredFigures, runbook)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRunbookAdvice asks about the true runbook, whose rows must be found, and about none.
func TestRunbookAdvice(t *testing.T) {
	t.Parallel()
	const unlike = "| Cores | 2 |\n"
	var document strings.Builder
	document.WriteString(unlike)
	for _, row := range runbookRows {
		document.WriteString("| " + row.format + " | 1 | 1 | 1 | 1 | 1 | 1 | 99999 | 1 |\n| " + row.format + " | 1 | 99999 | 0.5 |\n")
	}
	advice := runbookAdvice("../../docs/performance.md", document.String())
	if got := strings.Count(advice, "\n| "); got != len(runbookRows) || strings.Count(advice, " 100.0 ") != 4 || strings.Count(advice, " 50000 ") != 3 {
		t.Errorf("%d rows, want %d, 4 costs and 3 numbers of listeners:\n%s", got, len(runbookRows), advice)
	}
	if advice := runbookAdvice("../../docs/performance.md", unlike); advice != "" {
		t.Errorf("with nothing measured: %s", advice)
	}
	if advice := runbookAdvice(filepath.Join(t.TempDir(), "performance.md"), document.String()); advice != "" {
		t.Errorf("without a runbook: %s", advice)
	}
}

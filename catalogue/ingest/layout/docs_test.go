package layout

import (
	"os"
	"strings"
	"testing"
)

// TestDocsNameColumnsAndExtensions checks that docs/datasets.md names each layout, each column
// of facts and of an AudioFolder, and each extension of audio files.
func TestDocsNameColumnsAndExtensions(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/datasets.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range factColumns() {
		if !strings.Contains(string(page), "| `"+column+"` |") {
			t.Errorf("docs/datasets.md has no row of the column %s", column)
		}
	}
	for _, l := range layouts() {
		if !strings.Contains(string(page), l.tool) {
			t.Errorf("docs/datasets.md does not name %s", l.tool)
		}
	}
	for _, column := range audioFolderColumns() {
		if !strings.Contains(string(page), "`"+column+"`") {
			t.Errorf("docs/datasets.md does not name the column %s", column)
		}
	}
	for ext := range AudioExtensions {
		if !strings.Contains(string(page), "`"+ext+"`") {
			t.Errorf("docs/datasets.md does not name %s", ext)
		}
	}
}

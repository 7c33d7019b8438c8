package rig

import (
	"fmt"
	"os"
	"strings"
)

// WritePart puts text between the markers of a part of a Markdown file, which it makes
// with only these if it is not there.
func WritePart(path, part, text string) error {
	begin, end := "<!-- "+part+":begin -->", "<!-- "+part+":end -->"
	b, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err):
		b = []byte(begin + "\n" + end + "\n")
	case err != nil:
		return err
	}
	before, rest, opened := strings.Cut(string(b), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return fmt.Errorf("%s has no %s and %s behind it", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+end+after), 0o644)
}

const DocsPath = "docs/voices.md"

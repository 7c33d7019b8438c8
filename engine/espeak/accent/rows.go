package accent

import (
	"iter"
	"strings"
)

// rows iterates over the lines of a table, split into columns. It skips empty lines and those
// that begin with #.
func rows(tsv string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(tsv) {
			line = strings.TrimRight(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if !yield(strings.Split(line, "\t")) {
				return
			}
		}
	}
}

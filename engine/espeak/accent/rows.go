package accent

import (
	"iter"
	"strings"
)

// rows returns the columns of each line of a table; lines that begin with # are
// remarks.
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

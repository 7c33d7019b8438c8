package transcript

import (
	"errors"
	"fmt"
	"strings"
)

// mostCells of a row.
const mostCells = 1000

// rows reads the rows of a table (RFC 4180). It goes on behind a row that is wrong,
// and holds no more than one row.
type rows struct {
	rest      string
	line      int // of the row that comes
	separator byte
}

func newRows(text string) *rows {
	line, _, _ := strings.Cut(text, "\n")
	return &rows{rest: text, line: 1, separator: separator(line)}
}

// separator returns what the header has most of: commas, tabs or semicolons.
func separator(header string) byte {
	best := byte(',')
	for _, c := range []byte{'\t', ';'} {
		if strings.Count(header, string(c)) > strings.Count(header, string(best)) {
			best = c
		}
	}
	return best
}

// splitHeader returns the cells of a header line.
func splitHeader(line string) []string {
	header, _, err := newRows(line).next()
	if err != nil {
		return nil
	}
	return header
}

func (t *rows) more() bool { return t.rest != "" }

// next returns the next row and its line. After an error it is behind the row.
func (t *rows) next() (row []string, line int, err error) {
	line = t.line
	for {
		cell, last, err := t.cell()
		if err != nil {
			t.skip()
			return nil, line, err
		}
		if row = append(row, cell); last {
			return row, line, nil
		}
		if len(row) == mostCells {
			t.skip()
			return nil, line, fmt.Errorf("the row has more than %d cells", mostCells)
		}
	}
}

// cell reads one cell and what separates it from the next; last says that it ends
// its row.
func (t *rows) cell() (cell string, last bool, err error) {
	if strings.HasPrefix(t.rest, `"`) {
		if cell, err = t.quoted(); err != nil {
			return "", false, err
		}
	} else {
		cell = t.rest
		if end := strings.IndexAny(t.rest, string(t.separator)+"\n"); end >= 0 {
			cell = t.rest[:end]
		}
		if strings.Contains(cell, `"`) && t.separator != '\t' {
			return "", false, fmt.Errorf("there is a quote within the cell %s, which is not quoted as a whole", quote(cell))
		}
		t.rest = t.rest[len(cell):]
	}
	switch {
	case t.rest == "":
		return cell, true, nil
	case t.rest[0] == '\n':
		t.line++
		t.rest = t.rest[1:]
		return cell, true, nil
	case t.rest[0] == t.separator:
		t.rest = t.rest[1:]
		return cell, false, nil
	}
	return "", false, fmt.Errorf("there is %s behind the closing quote of a cell", quote(t.rest[:1+lineEnd(t.rest[1:])]))
}

// quoted reads a quoted cell, in which a quote is doubled.
func (t *rows) quoted() (string, error) {
	var cell strings.Builder
	rest := t.rest[1:]
	for {
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			t.rest = ""
			return "", errors.New("a quoted cell of the row has no closing quote")
		}
		cell.WriteString(rest[:end])
		if rest = rest[end+1:]; !strings.HasPrefix(rest, `"`) {
			t.rest = rest
			t.line += strings.Count(cell.String(), "\n")
			return cell.String(), nil
		}
		cell.WriteByte('"')
		rest = rest[1:]
	}
}

// skip passes over the rest of a row that is wrong.
func (t *rows) skip() {
	end := lineEnd(t.rest)
	if end < len(t.rest) {
		end++
		t.line++
	}
	t.rest = t.rest[end:]
}

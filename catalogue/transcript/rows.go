package transcript

import (
	"errors"
	"fmt"
	"strings"
)

// mostCells bounds the cells of one row.
const mostCells = 1000

// rows reads a table row by row (RFC 4180). It goes on after a row that is wrong, and keeps
// one row in memory.
type rows struct {
	input     string // not yet read
	line      int    // number of the line at which the next row begins
	separator byte
}

func newRows(text string) *rows {
	line, _, _ := strings.Cut(text, "\n")
	return &rows{input: text, line: 1, separator: separator(line)}
}

// separator returns the separator that the header has most of: comma, tab or semicolon.
func separator(header string) byte {
	// The comma wins a tie, as RFC 4180 names it. The header alone decides, since texts
	// have commas of their own.
	best := byte(',')
	for _, c := range []byte{'\t', ';'} {
		if strings.Count(header, string(c)) > strings.Count(header, string(best)) {
			best = c
		}
	}
	return best
}

// splitHeader returns the cells of a header line, or nil if it is not one.
func splitHeader(line string) []string {
	header, _, err := newRows(line).next()
	if err != nil {
		return nil
	}
	return header
}

func (t *rows) more() bool { return t.input != "" }

// next returns the next row and the line that it begins on. After an error the next call
// reads the row after the one that is wrong.
func (t *rows) next() (row []string, line int, err error) {
	line = t.line
	for {
		cell, last, err := t.cell() // moves t.line past line breaks in quoted cells
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

// cell reads one cell and the separator after it; last reports that the row ends there.
func (t *rows) cell() (cell string, last bool, err error) {
	// A quote opens a quoted cell only as its first character (RFC 4180, section 2, rule
	// 5).
	if strings.HasPrefix(t.input, `"`) {
		if cell, err = t.quoted(); err != nil {
			return "", false, err
		}
	} else {
		cell = t.input
		if end := strings.IndexAny(t.input, string(t.separator)+"\n"); end >= 0 {
			cell = t.input[:end]
		}
		// Tables with tabs come from tools that do not quote at all, so a quote is a character.
		if strings.Contains(cell, `"`) && t.separator != '\t' {
			return "", false, fmt.Errorf("there is a quote within the cell %s, which is not quoted as a whole", quote(cell))
		}
		t.input = t.input[len(cell):]
	}
	switch {
	case t.input == "":
		return cell, true, nil
	case t.input[0] == '\n':
		t.line++
		t.input = t.input[1:]
		return cell, true, nil
	case t.input[0] == t.separator:
		t.input = t.input[1:]
		return cell, false, nil
	}
	return "", false, fmt.Errorf("there is %s behind the closing quote of a cell", quote(t.input[:1+lineEnd(t.input[1:])]))
}

// quoted reads a cell in quotes, in which two quotes stand for one.
func (t *rows) quoted() (string, error) {
	var cell strings.Builder
	after := t.input[1:]
	for {
		end := strings.IndexByte(after, '"')
		// No later row can be told from the text of this cell, so nothing more is read.
		if end < 0 {
			t.input = ""
			return "", errors.New("a quoted cell of the row has no closing quote")
		}
		cell.WriteString(after[:end])
		if after = after[end+1:]; !strings.HasPrefix(after, `"`) {
			t.input = after
			t.line += strings.Count(cell.String(), "\n")
			return cell.String(), nil
		}
		cell.WriteByte('"')
		after = after[1:]
	}
}

// skip moves to the end of the line, after a row that is wrong.
func (t *rows) skip() {
	// The row goes on to the next line break. If that break lies within a quoted cell, the
	// remainder of the cell is read as a row, and may be reported once more.
	end := lineEnd(t.input)
	if end < len(t.input) {
		end++
		t.line++
	}
	t.input = t.input[end:]
}

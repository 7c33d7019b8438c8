package transcript

import (
	"fmt"
	"math"
	"strings"

	"vaak/lang"
)

// columnNames maps the names of columns that are read to the name that this file uses.
var columnNames = map[string]string{
	"start": "start", "start_s": "start", "start_time": "start",
	"end": "end", "end_s": "end", "end_time": "end",
	"duration": "duration", "duration_s": "duration", "dur": "duration",
	"channel": "channel", "speaker": "speaker", "role": "role",
	"text": "text", "transcript": "text",
	"recording": "recording", "file": "recording",
	"lang": "lang", "language": "lang",
}

// columns knows where each column is in a row.
type columns struct {
	at       map[string]int
	names    []string // as the header writes them
	repeated []string // columns that occur twice or mean the same as another
}

// newColumns finds the columns in a header. Of two with one meaning the first is used.
func newColumns(header []string) columns {
	c := columns{at: map[string]int{}, names: header}
	seen := map[string]bool{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		// For an unknown name meaning is "", under which at never has an entry.
		meaning, known := columnNames[name]
		_, again := c.at[meaning]
		if known && again || seen[name] && name != "" {
			c.repeated = append(c.repeated, header[i])
		} else if known {
			c.at[meaning] = i
		}
		seen[name] = true
	}
	return c
}

func (c columns) has(name string) bool { _, ok := c.at[name]; return ok }

// cell returns a cell of a row, or "" if the table has no such column.
func (c columns) cell(row []string, name string) string {
	if i, ok := c.at[name]; ok && i < len(row) {
		return row[i]
	}
	return ""
}

// readTable reads CSV or TSV. The separator is the comma, semicolon or tab, whichever the
// header has most of. Cells may be quoted and then contain line breaks. The header is
// required; columns without a meaning here are ignored.
func readTable(p *reader, text string) {
	t := newRows(text)
	header, line, err := t.next()
	if err != nil {
		p.problem(line, "%v", err)
		return
	}
	c := newColumns(header)
	if !c.has("recording") { // a table without rows is then a transcript in which nobody speaks
		p.file.Recordings[""] = []Segment{}
	}
	for _, name := range c.repeated {
		p.problem(line, "the column %s is there twice", quote(name))
	}
	if !c.has("start") || !c.has("end") && !c.has("duration") {
		p.problem(line, "the header has no start_s, or neither end_s nor duration_s: %s", quote(strings.Join(header, ", ")))
	}
	if len(p.problems) > 0 {
		return // with a wrong header every row would be reported
	}
	for !p.done() && t.more() {
		row, line, err := t.next()
		switch {
		case err != nil:
			p.problem(line, "%v", err)
		case len(row) == 1 && strings.TrimSpace(row[0]) == "":
			// an empty line
		// A row that is too short or too long comes from a separator that is not quoted, so
		// its cells may be shifted by one.
		case len(row) != len(header):
			p.problem(line, "the row has %d cells, the header %d", len(row), len(header))
		default:
			p.row(c, row, line)
		}
	}
}

// row adds the segment of a row. A channel or language that is wrong does not hide the other
// faults of the row.
func (p *reader) row(c columns, row []string, line int) {
	// Only these three columns are written by people and made inert by Write. The others
	// are numbers and codes.
	text := func(name string) string { return uninert(c.cell(row, name)) }
	s := Segment{Text: text("text"), Speaker: text("speaker"), Role: text("role"), Line: line}
	var err error
	if text := strings.TrimSpace(c.cell(row, "channel")); text != "" {
		if s.Channel, err = channel(text); err != nil {
			p.problem(line, "%v", err)
		}
	}
	if hint := strings.TrimSpace(c.cell(row, "lang")); hint != "" {
		if tag, err := lang.Resolve(hint); err == nil { // other languages are left unknown
			s.Lang = tag.Code
		}
	}
	if s.Start, s.End, err = c.times(row); err != nil {
		p.problem(line, "%v", err)
		return
	}
	p.add(c.cell(row, "recording"), s)
}

// times returns the start and end of a row. If the row has both an end and a duration, they
// must agree within 10 ms, which allows for rounding.
func (c columns) times(row []string) (start, end float64, err error) {
	cell := func(name string) string { return strings.TrimSpace(c.cell(row, name)) }
	if !c.has("end") {
		return span(cell("start"), cell("duration"), true)
	}
	if start, end, err = span(cell("start"), cell("end"), false); err != nil {
		return 0, 0, err
	}
	if duration := cell("duration"); duration != "" {
		d, err := seconds(duration)
		if err == nil && math.Abs(start+d-end) > 0.01 {
			err = fmt.Errorf("the duration is %s, from %v to %v", quote(duration), start, end)
		}
		return start, end, err
	}
	return start, end, nil
}

package transcript

import (
	"fmt"
	"math"
	"strings"

	"vaak/lang"
)

// columnNames are the names of columns that mean something here, each with the one
// that it goes by in this file.
var columnNames = map[string]string{
	"start": "start", "start_s": "start", "start_time": "start",
	"end": "end", "end_s": "end", "end_time": "end",
	"duration": "duration", "duration_s": "duration", "dur": "duration",
	"channel": "channel", "speaker": "speaker", "role": "role",
	"text": "text", "transcript": "text",
	"recording": "recording", "file": "recording",
	"lang": "lang", "language": "lang",
}

// columns says where each column stands.
type columns struct {
	at       map[string]int
	names    []string // as the header has them
	repeated []string // names of columns that are there already
}

func newColumns(header []string) columns {
	c := columns{at: map[string]int{}, names: header}
	seen := map[string]bool{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
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

// cell returns a cell of a row, "" when the table has no such column.
func (c columns) cell(row []string, name string) string {
	if i, ok := c.at[name]; ok && i < len(row) {
		return row[i]
	}
	return ""
}

// table reads rows of cells between commas, semicolons or tabs, whichever is in
// the header most. Cells may be quoted, and then hold line breaks. The header is
// required; columns without a meaning here are left out.
func (p *reader) table(text string) {
	t := newRows(text)
	header, line, err := t.next()
	if err != nil {
		p.problem(line, "%v", err)
		return
	}
	c := newColumns(header)
	if !c.has("recording") {
		p.file.Recordings[""] = []Segment{}
	}
	for _, name := range c.repeated {
		p.problem(line, "the column %s is there twice", quote(name))
	}
	if !c.has("start") || !c.has("end") && !c.has("duration") {
		p.problem(line, "the header has no start_s, or neither end_s nor duration_s: %s", quote(strings.Join(header, ", ")))
	}
	if len(p.problems) > 0 {
		return
	}
	for !p.done() && t.more() {
		row, line, err := t.next()
		switch {
		case err != nil:
			p.problem(line, "%v", err)
		case len(row) == 1 && strings.TrimSpace(row[0]) == "":
			// an empty line
		case len(row) != len(header):
			p.problem(line, "the row has %d cells, the header %d", len(row), len(header))
		default:
			p.row(c, row, line)
		}
	}
}

func (p *reader) row(c columns, row []string, line int) {
	text := func(name string) string { return reckoned(c.cell(row, name)) }
	s := Segment{Text: text("text"), Speaker: text("speaker"), Role: text("role"), Line: line}
	var err error
	if text := strings.TrimSpace(c.cell(row, "channel")); text != "" {
		if s.Channel, err = channel(text); err != nil {
			p.problem(line, "%v", err)
		}
	}
	if hint := strings.TrimSpace(c.cell(row, "lang")); hint != "" {
		if tag, err := lang.Resolve(hint); err == nil { // of another language it says nothing
			s.Lang = tag.Code
		}
	}
	if s.Start, s.End, err = c.times(row); err != nil {
		p.problem(line, "%v", err)
		return
	}
	p.add(c.cell(row, "recording"), s)
}

// times reads the times of a row. Where both an end and a duration are told, they
// must agree to 10 ms.
func (c columns) times(row []string) (start, end float64, err error) {
	cell := func(name string) string { return strings.TrimSpace(c.cell(row, name)) }
	if !c.has("end") {
		return span(cell("start"), cell("duration"), true)
	}
	if start, end, err = span(cell("start"), cell("end"), false); err != nil {
		return 0, 0, err
	}
	if told := cell("duration"); told != "" {
		d, err := seconds(told)
		if err == nil && math.Abs(start+d-end) > 0.01 {
			err = fmt.Errorf("the duration is %s, from %v to %v", quote(told), start, end)
		}
		return start, end, err
	}
	return start, end, nil
}

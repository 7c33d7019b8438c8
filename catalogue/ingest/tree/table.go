package tree

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"vaak/catalogue/ingest/report"
)

// Row is a row of a CSV file: its cells by the names of their columns.
type Row map[string]string

// CSVRows calls each with every row of a CSV file. The first row names the columns; check
// is called with each of the names before the first call of each.
func (t *Tree) CSVRows(p string, check func(line int, column string), each func(line int, r Row)) {
	r, err := t.OpenMetadata(p, min(t.limits.ManifestBytes, maxTable))
	if err != nil {
		t.Stop(p, 0, "%s", report.Reason(err))
		return
	}
	defer r.Close()
	in := bufio.NewReader(r)
	head, _ := in.Peek(4) // an error comes back with the first read
	if why := OtherEncoding(head); why != "" {
		t.Stop(p, 0, "%s", why)
		return
	}
	if bytes.HasPrefix(head, []byte("\uFEFF")) {
		_, _ = in.Discard(3) // they were peeked
	}
	c := csv.NewReader(in)
	columns := t.csvHead(p, c, check)
	for columns != nil {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil && !t.csvFault(p, err) {
			return
		}
		if err == nil {
			t.csvRow(p, c, columns, cells, each)
		}
	}
}

// csvHead reads the row of column names. It returns nil if the file cannot be read on.
func (t *Tree) csvHead(p string, c *csv.Reader, check func(line int, column string)) []string {
	columns, err := c.Read()
	if errors.Is(err, io.EOF) {
		t.Stop(p, 0, "is empty; its first row names the columns")
		return nil
	}
	if err != nil {
		t.csvFault(p, err)
		return nil
	}
	seen := map[string]bool{}
	for i, name := range columns {
		line, _ := c.FieldPos(i)
		if seen[name] {
			t.Report.Add(p, line, "the column %s is there twice", report.Quote(name))
			continue
		}
		seen[name] = true
		check(line, name)
	}
	return columns
}

// csvFault adds the problem for an error of the CSV reader, and reports whether reading can
// go on after it.
func (t *Tree) csvFault(p string, err error) bool {
	pe, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		t.Stop(p, 0, "%s", report.Reason(err))
	case errors.Is(pe.Err, csv.ErrFieldCount):
		t.Report.Add(p, pe.StartLine, "has more or fewer cells than there are columns")
		return true
	default:
		t.Stop(p, pe.StartLine, "is not CSV: %v", pe.Err)
	}
	return false
}

// csvRow checks the cells of one row and calls each.
func (t *Tree) csvRow(p string, c *csv.Reader, columns, cells []string, each func(int, Row)) {
	line, _ := c.FieldPos(0)
	r := make(Row, len(cells))
	for i, cell := range cells {
		if len(cell) > MaxLine || !utf8.ValidString(cell) || strings.Contains(cell, "\x00") {
			t.Report.Add(p, line, "the cell of %s is not UTF-8 text of up to %d bytes", report.Quote(columns[i]), MaxLine)
			return
		}
		r[columns[i]] = cell
	}
	each(line, r)
}

// TSVRows calls each with every row of a table that has tabs between its cells and no quotes, as
// Common Voice writes them: a quotation mark is part of the text. The first row names the columns.
func (t *Tree) TSVRows(p string, each func(line int, r Row)) {
	var columns []string
	t.Lines(p, func(line int, text string) {
		cells := strings.Split(text, "\t")
		switch {
		case columns == nil:
			columns = cells
		case len(cells) != len(columns):
			t.Report.Add(p, line, "has %d cells; there are %d columns", len(cells), len(columns))
		default:
			r := make(Row, len(cells))
			for i, cell := range cells {
				r[columns[i]] = cell
			}
			each(line, r)
		}
	})
}

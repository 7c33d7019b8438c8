package ingest

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// row is a row of a CSV file, by its columns.
type row map[string]string

// csvRows calls each for every row of a CSV file whose first row names columns.
// Check is asked about the names, each once; it tells what is wrong with one.
func (t *tree) csvRows(p string, check func(line int, column string), each func(line int, r row)) {
	r, err := t.openMeta(p, min(t.limits.ManifestBytes, maxTable))
	if err != nil {
		t.stop(p, 0, "%s", reason(err))
		return
	}
	defer r.Close()
	in := bufio.NewReader(r)
	head, _ := in.Peek(4) // an error comes again with the first read
	if why := otherEncoding(head); why != "" {
		t.stop(p, 0, "%s", why)
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

// csvHead reads the row of names; nil is none that can be used.
func (t *tree) csvHead(p string, c *csv.Reader, check func(line int, column string)) []string {
	columns, err := c.Read()
	if errors.Is(err, io.EOF) {
		t.stop(p, 0, "is empty; its first row names the columns")
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
			t.report.add(p, line, "the column %s is there twice", shown(name))
			continue
		}
		seen[name] = true
		check(line, name)
	}
	return columns
}

// csvFault tells an error of a CSV file and says whether reading can go on.
func (t *tree) csvFault(p string, err error) bool {
	pe, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		t.stop(p, 0, "%s", reason(err))
	case errors.Is(pe.Err, csv.ErrFieldCount):
		t.report.add(p, pe.StartLine, "has more or fewer cells than there are columns")
		return true
	default:
		t.stop(p, pe.StartLine, "is not CSV: %v", pe.Err)
	}
	return false
}

func (t *tree) csvRow(p string, c *csv.Reader, columns, cells []string, each func(int, row)) {
	line, _ := c.FieldPos(0)
	r := make(row, len(cells))
	for i, cell := range cells {
		if len(cell) > maxLine || !utf8.ValidString(cell) || strings.Contains(cell, "\x00") {
			t.report.add(p, line, "the cell of %s is not UTF-8 text of up to %d bytes", shown(columns[i]), maxLine)
			return
		}
		r[columns[i]] = cell
	}
	each(line, r)
}

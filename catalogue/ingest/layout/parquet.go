package layout

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"vaak/catalogue/ingest/parquet"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
)

// RowName returns the name, without extension, of the recording in a row of a Parquet file. Rows
// count from 0, and names from 1 as faults do. The folder is called like the file.
func RowName(row int64) string { return fmt.Sprintf("row-%06d", row+1) }

// cellBytes is what a cell takes in memory beside its text, in bytes.
const cellBytes = 16

// maxPackedTable bounds a Parquet file in an archive, in bytes. It is read as a whole, because reading
// here and there in what is compressed takes too long.
const maxPackedTable = 64 << 20

// withTable opens a Parquet file, and closes it when do returns.
func withTable(t *tree.Tree, p string, do func(*parquet.Table) error) error {
	f, err := t.Peek(p)
	if err != nil {
		return fmt.Errorf("cannot be read: %s", report.Reason(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("cannot be read: %s", report.Reason(err))
	}
	at := io.ReaderAt(f)
	if t.Files()[p].In() != "" {
		if info.Size() > maxPackedTable {
			return fmt.Errorf("has %d bytes in an archive; allowed are %d: unpack it", info.Size(), maxPackedTable)
		}
		data, err := io.ReadAll(io.LimitReader(f, info.Size()))
		if err == nil {
			err = t.Spend(int64(len(data)))
		}
		if err != nil {
			return fmt.Errorf("cannot be read: %s", report.Reason(err))
		}
		at = bytes.NewReader(data)
	}
	table, err := parquet.Open(at, info.Size())
	if err != nil {
		return err
	}
	return do(table)
}

// isParquet reports whether a file is a table with embedded audio.
func isParquet(t *tree.Tree, p string) bool {
	if strings.ToLower(path.Ext(p)) != ".parquet" || t.Files()[p].In() != "" {
		return false
	}
	found := false
	_ = withTable(t, p, func(table *parquet.Table) error { // its fault is reported where it is unfolded
		found = table.Audio() != nil
		return nil
	})
	return found
}

// hasColumn reports whether a Parquet file has a column.
func hasColumn(t *tree.Tree, p, name string) bool {
	found := false
	_ = withTable(t, p, func(table *parquet.Table) error { // a file that cannot be read has none
		found = table.Column(name) != nil
		return nil
	})
	return found
}

// parquetColumn is a column that is in memory. A cell that is not there is nil.
type parquetColumn struct {
	name  string
	cells []*string
}

// parquetRows calls each for every row of a Parquet file, with its number from 1 and the cells of
// the columns that an AudioFolder has.
func (s *Set) parquetRows(p string, each func(line int, cells tree.Row)) {
	err := withTable(s.Tree, p, func(table *parquet.Table) error {
		// Each row is a file, or names one.
		if table.Rows() > int64(s.limits.Files) {
			return fmt.Errorf("has %d rows; allowed are %d", table.Rows(), s.limits.Files)
		}
		// A table of one kilobyte may have a million empty cells, so a column counts before it is read.
		var columns []parquetColumn
		for _, name := range audioFolderColumns() {
			c := table.Column(name)
			if c == nil || !c.Reads() {
				continue // such as a class that is a number of another kind
			}
			if err := s.Spend(cellBytes * table.Rows()); err != nil {
				return err
			}
			column := parquetColumn{name, make([]*string, table.Rows())}
			err := table.Values(c, func(v parquet.Value) error {
				switch {
				case v.Bytes == nil:
					return nil
				case len(v.Bytes) > tree.MaxLine || !utf8.Valid(v.Bytes):
					s.Report.Add(p, int(v.Row)+1, "the cell of %s is not UTF-8 text of up to %d bytes", report.Quote(name), tree.MaxLine)
					return nil
				}
				text := string(v.Bytes)
				column.cells[v.Row] = &text
				return s.Spend(int64(len(text)) + cellBytes)
			})
			if err != nil {
				return err
			}
			columns = append(columns, column)
		}
		for i := range int(table.Rows()) {
			cells := tree.Row{}
			for _, c := range columns {
				if c.cells[i] != nil {
					cells[c.name] = *c.cells[i]
				}
			}
			each(i+1, cells)
		}
		return nil
	})
	if err != nil {
		s.Stop(p, 0, "%v", err)
	}
	s.Use(p)
}

// readParquet reads tables with embedded audio, as datasets of Hugging Face come: a recording in
// each row, with its text and speaker in the columns that an AudioFolder has. Faults name the row
// in place of a line.
func readParquet(s *Set, manifests []string) {
	for _, p := range manifests {
		dir := strings.TrimSuffix(p, path.Ext(p))
		s.parquetRows(p, func(line int, cells tree.Row) {
			at := Place{p, line}
			file := s.sound(dir, RowName(int64(line-1)))
			if file == "" {
				return // reported where the table was unfolded
			}
			row := audioFolderOf(cells)
			rec := s.recording(at, s.defaultID(file), file)
			if rec == nil {
				return
			}
			if rec.Split = usualSplit(row.Split); rec.Split == "" {
				rec.Split, rec.guessed = splitOfPath(p), true
			}
			s.text(rec, at, "parquet", row.Speaker, row.Text)
			s.Told.language(row.Language)
			if len(rec.Speakers) == 1 {
				s.Told.gender(rec.Speakers[0], row.Gender)
			}
		})
	}
}

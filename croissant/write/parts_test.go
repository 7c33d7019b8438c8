package write_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/catalogue/ingest"
	"vaak/catalogue/measure"
	"vaak/croissant"
	"vaak/croissant/write"
)

// part is an element of distribution, recordSet or field, as the tests read it.
type part struct {
	ID   string `json:"@id"`
	Type string `json:"@type"`
	Name string

	ContentURL, ContentSize, EncodingFormat, SHA256 string
	ContainedIn                                     *part
	Includes                                        any

	Key        *part
	Field      []part
	Data       []map[string]any
	Annotation []part

	DataType   any
	Source     *part
	References *part
	FileObject *part
	FileSet    *part
	Extract    struct{ Column, FileProperty string }
	Rate       int `json:"samplingRate"`
}

// parts returns the distribution and the record sets of a document.
func parts(t testing.TB, body []byte) (files, sets []part) {
	t.Helper()
	var doc struct{ Distribution, RecordSet []part }
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(&struct {
		Distribution, RecordSet *[]part
	}{&doc.Distribution, &doc.RecordSet}); err != nil {
		t.Fatal(err)
	}
	return doc.Distribution, doc.RecordSet
}

// TestWriteHolds checks that ids are used once, and that all that is referred to is
// there.
func TestWriteHolds(t *testing.T) {
	t.Parallel()
	for name, s := range records(t) {
		for _, v := range versions {
			files, sets := parts(t, written(t, s, v))
			ids := map[string]string{}
			add := func(p part) {
				if _, twice := ids[p.ID]; twice || p.ID == "" || strings.ContainsAny(p.ID, " \t\n") {
					t.Errorf("%s in %s: the id %q is empty, has white space, or is there twice", name, v, p.ID)
				}
				ids[p.ID] = p.Type
			}
			for _, f := range files {
				add(f)
				checkFile(t, name, f)
			}
			for _, set := range sets {
				add(set)
				for _, f := range slices.Concat(set.Field, set.Annotation) {
					add(f)
				}
			}
			for _, set := range sets {
				checkSet(t, name, set, ids)
			}
			for _, f := range files {
				if f.ContainedIn != nil && ids[f.ContainedIn.ID] != "cr:FileObject" {
					t.Errorf("%s: %s is in %q, which is no file", name, f.ID, f.ContainedIn.ID)
				}
			}
		}
	}
}

// checkFile checks that a public file can be fetched and checked, and that a
// licensed one promises neither.
func checkFile(t *testing.T, name string, f part) {
	t.Helper()
	public := f.Type == "cr:FileObject"
	if public != (f.ContentURL != "") || public != (len(f.SHA256) == 64) || public != strings.HasSuffix(f.ContentSize, " B") {
		t.Errorf("%s: the file %+v is half public", name, f)
	}
	if public == (f.Includes != nil) || f.EncodingFormat == "" || f.Name == "" {
		t.Errorf("%s: the file %+v lacks a name, a media type or patterns", name, f)
	}
}

// checkSet checks what a record set refers to.
func checkSet(t *testing.T, name string, set part, ids map[string]string) {
	t.Helper()
	if set.Key != nil && ids[set.Key.ID] != "cr:Field" {
		t.Errorf("%s: the key %q of %s is no field", name, set.Key.ID, set.ID)
	}
	for _, f := range set.Field {
		switch {
		case f.Source == nil && set.Data == nil:
			t.Errorf("%s: %s has no source", name, f.ID)
		case f.Source == nil:
		case f.Source.FileObject != nil && ids[f.Source.FileObject.ID] != "cr:FileObject",
			f.Source.FileSet != nil && ids[f.Source.FileSet.ID] != "cr:FileSet",
			(f.Source.FileObject == nil) == (f.Source.FileSet == nil),
			(f.Source.Extract.Column == "") == (f.Source.Extract.FileProperty == ""):
			t.Errorf("%s: the source of %s is not one file that is there, with one thing of it: %+v", name, f.ID, *f.Source)
		}
		if r := f.References; r != nil && (len(r.Field) != 1 || ids[r.Field[0].ID] != "cr:Field") {
			t.Errorf("%s: %s refers to %+v, which is no field", name, f.ID, *r)
		}
		if !slices.ContainsFunc(texts(f.DataType), func(s string) bool {
			return slices.Contains([]string{"sc:Text", "sc:URL", "sc:Integer", "cr:Float64", "sc:AudioObject"}, s)
		}) {
			t.Errorf("%s: %s has the data type %v", name, f.ID, f.DataType)
		}
	}
	for _, row := range set.Data {
		for _, f := range set.Field {
			if _, there := row[f.ID]; !there || len(row) != len(set.Field) {
				t.Errorf("%s: the row %v of %s does not have each field once", name, row, set.ID)
			}
		}
	}
}

// UnmarshalJSON takes references to one field, which stand without brackets.
func (p *part) UnmarshalJSON(text []byte) error {
	type bare part
	var one struct {
		*bare
		Field json.RawMessage
	}
	one.bare = (*bare)(p)
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	switch {
	case len(one.Field) == 0:
		return nil
	case one.Field[0] == '[':
		return json.Unmarshal(one.Field, &p.Field)
	}
	p.Field = make([]part, 1)
	return json.Unmarshal(one.Field, &p.Field[0])
}

// TestWriteOfAFolder brings the example of docs/datasets.md in, and compares the
// document with the public files that came of it.
func TestWriteOfAFolder(t *testing.T) {
	t.Parallel()
	m := &cataloguetest.Memory{}
	s := example(t, m)
	files, sets := parts(t, written(t, s, croissant.V10))
	tables := map[string][][]string{}
	for _, f := range files {
		if f.EncodingFormat == "text/csv" && f.ContentURL != "" {
			tables[f.ID] = table(t, m, s, f)
		}
	}
	for _, set := range sets {
		if set.ID == "splits" || set.ID == "sample" {
			continue
		}
		rows := tables[set.Field[0].Source.FileObject.ID]
		var columns []string
		for _, f := range set.Field {
			columns = append(columns, f.Source.Extract.Column)
		}
		if len(rows) < 2 || !slices.Equal(columns, rows[0]) {
			t.Errorf("the columns of %s are %q, and in its file %q", set.ID, columns, rows)
		}
	}
	for _, row := range tables["recordings.csv"][1:] {
		if at := row[len(row)-1]; kindOf(files, at) != "audio/wav" {
			t.Errorf("the licensed file %s is in none of %+v", at, files)
		}
	}
	if len(tables) != 2 || len(sets) != 4 {
		t.Errorf("there are %d tables and %d record sets, want 2 and 4", len(tables), len(sets))
	}
}

// table returns the rows of a file, which must have the size that is said.
func table(t *testing.T, m *cataloguetest.Memory, s *catalogue.Stored, p part) [][]string {
	t.Helper()
	i := slices.IndexFunc(s.Files, func(f catalogue.File) bool { return f.URL == p.ContentURL && f.SHA256 == p.SHA256 })
	if i < 0 {
		t.Fatalf("no file is at %s with the digest %s", p.ContentURL, p.SHA256)
	}
	body, err := m.Open(t.Context(), s.Files[i].Key)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// example returns the record of the example of docs/datasets.md, with audio to it,
// of which one file has its extension in capitals.
func example(t *testing.T, m *cataloguetest.Memory) *catalogue.Stored {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/examples/dataset")); err != nil {
		t.Fatal(err)
	}
	sheet := filepath.Join(dir, "recordings.csv")
	rows, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sheet, bytes.Replace(rows, []byte("call-0002.wav"), []byte("call-0002.WAV"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"call-0001.wav", "call-0002.WAV"} {
		if err := os.MkdirAll(filepath.Join(dir, "audio"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "audio", name), tone(40_000), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: publicURL})
	if err != nil {
		t.Fatal(err)
	}
	d, err := ingest.Ingest(t.Context(), dir, ingest.Config{Catalogue: c, Measure: measure.Config{Jobs: 1}, Publish: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Filed(t.Context(), d.Slug)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tone returns a WAV of two channels at 8 kHz that sound in turn.
func tone(frames int) []byte {
	data := make([]byte, 0, frames*4)
	for i := range frames {
		v := int16(9000 * math.Sin(float64(i)/3) * math.Abs(math.Sin(float64(i)/500)))
		pair := [2]int16{v, 0}
		if i/8000%2 == 1 {
			pair = [2]int16{0, v}
		}
		data, _ = binary.Append(data, binary.LittleEndian, pair) // of a fixed size
	}
	head := []any{
		[]byte("RIFF"), uint32(36 + len(data)), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(2), uint32(8000),
		uint32(32000), uint16(4), uint16(16), []byte("data"), uint32(len(data)),
	}
	var out []byte
	for _, v := range head {
		out, _ = binary.Append(out, binary.LittleEndian, v)
	}
	return append(out, data...)
}

// FuzzWrite writes records with texts of others: the document is JSON that can
// stand in a page, and none of its addresses is of a card that has another kind.
func FuzzWrite(f *testing.F) {
	f.Add("</script>", "a\x00b\u202e", "javascript:x", "IN")
	f.Add("\xff", "{}\\", "https://x.test/?a=b&c", "<>")
	f.Fuzz(func(t *testing.T, title, about, address, region string) {
		d := hindi()
		d.Title, d.Description, d.Domains = title, about, []string{title, about}
		d.Licence.URL, d.Provenance.Creator.URL, d.Participants.Regions = &address, address, []string{region}
		d.Sample.Recording, d.Splits[0].Name, d.Provenance.Creator.Name = title, title, about
		d.URL, d.Record = publicURL+"/catalogue/datasets/x", publicURL+"/api/catalogue/datasets/x"
		body, err := write.Document(&catalogue.Stored{Dataset: d}, publicURL, croissant.V11, croissant.Whole)
		if err != nil || !json.Valid(body) || bytes.ContainsAny(body, "<>&\n\r") {
			t.Fatalf("Write of %q, %q, %q = %.300s, %v", title, about, address, body, err)
		}
		at, _ := at(plain(t, body), "license.url").(string)
		if at != "" && !strings.HasPrefix(strings.ToLower(at), "http") {
			t.Errorf("the address %q became %q", address, at)
		}
	})
}

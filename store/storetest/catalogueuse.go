package storetest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// fieldOf returns the parameter at fault of an error.
func fieldOf(err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Field
	}
	return ""
}

// testDatasetText checks that text in JSON is stored unchanged, also U+0000.
func testDatasetText(t *testing.T, o OpenedCatalogue) {
	for i, text := range []string{
		`'; DROP TABLE datasets; --`, `a?b`, `"quoted" \ 'it''s'`, "भारत 🎙 ÄÖ", `\'; --`, "line\r\nline\t\x01\x7f",
		"\u2028\ufeff\ufffd\U0010ffff", "e\u0301", "a\x00b", "\x00", `\u0000`, "$1 :name @x", `?!(bun: string contains a NUL byte (0x00))`,
	} {
		s := dataset(i + 1)
		s.Dataset.Title, s.Dataset.Domains, s.Dataset.Language.NativeName = text, []string{text}, &text
		s.Files[0].Name = text
		s = putDataset(t, o.Catalogue, s)
		wantDataset(t, o.Catalogue, s.Dataset.Slug, s)
		entries, err := o.Catalogue.Entries(t.Context(), s.Revision-1, 2)
		check(t, "Entries", err)
		want := catalogue.EntryOf(&s.Dataset)
		want.Revision = s.Revision
		same(t, "Entries", entries, []catalogue.Entry{want})
	}
	strange := dataset(100)
	strange.Dataset.Slug = "it's-a-?-भारत"
	strange = putDataset(t, o.Catalogue, strange)
	wantDataset(t, o.Catalogue, strange.Dataset.Slug, strange)
}

// testDatasetLarge stores a record of 2 MB.
func testDatasetLarge(t *testing.T, o OpenedCatalogue) {
	s := dataset(1)
	s.Dataset.Description = strings.Repeat("भाषा 🎙 it's \\ \"large\"\n", 80_000)
	if n := len(s.Dataset.Description); n < 2<<20 {
		t.Fatalf("the description has %d bytes, want 2 MB", n)
	}
	s = putDataset(t, o.Catalogue, s)
	wantDataset(t, o.Catalogue, s.Dataset.ID, s)
	s.Dataset.Description = "short"
	s = putDataset(t, o.Catalogue, s)
	wantDataset(t, o.Catalogue, s.Dataset.ID, s)
}

// testFiles lists the files of all records.
func testFiles(t *testing.T, o OpenedCatalogue) {
	var want []catalogue.File
	var slugs []string
	for i := range 5 {
		s := dataset(i + 1)
		if i == 2 {
			s.Files = nil
		}
		s = putDataset(t, o.Catalogue, s)
		s.Dataset.Status = catalogue.Suspended
		for _, f := range putDataset(t, o.Catalogue, s).Files {
			want, slugs = append(want, f), append(slugs, s.Dataset.Slug)
		}
	}
	var got []catalogue.File
	check(t, "EachFile", o.Catalogue.EachFile(t.Context(), func(slug string, f catalogue.File) error {
		if i := len(got); i < len(want) && slug != slugs[i] {
			t.Errorf("EachFile tells of %q, want %q", slug, slugs[i])
		}
		got = append(got, f)
		return nil
	}))
	same(t, "EachFile", got, want)
	enough := errors.New("enough")
	if err := o.Catalogue.EachFile(t.Context(), func(string, catalogue.File) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("EachFile = %v, want the error of its function", err)
	}
}

func testMeasurements(t *testing.T, o OpenedCatalogue) {
	ctx, c := t.Context(), o.Catalogue
	want := map[[2]string][]byte{
		{"a", "m/1"}: []byte(`{"method":"m/1"}`),
		{"a", "m/2"}: []byte("\x00\xff'?\\"),
		{"b", "m/1"}: bytes.Repeat([]byte(`{"s":1.5,"e":2}`), 200_000),
		{"c", "m/1"}: []byte("{}"),
	}
	for range 2 { // the second call replaces the first
		for key, report := range want {
			check(t, "KeepMeasured", c.KeepMeasured(ctx, key[0], key[1], []byte("old")))
			check(t, "KeepMeasured", c.KeepMeasured(ctx, key[0], key[1], report))
		}
	}
	for key, report := range want {
		got, ok, err := c.Measured(ctx, key[0], key[1])
		if !ok || err != nil || !bytes.Equal(got, report) {
			t.Errorf("Measured(%q) = %d bytes, %v, %v, want %d", key, len(got), ok, err, len(report))
		}
	}
	for _, key := range [][2]string{{"a", "m/3"}, {"d", "m/1"}, {"", ""}, {"A", "m/1"}} {
		if got, ok, err := c.Measured(ctx, key[0], key[1]); ok || err != nil || got != nil {
			t.Errorf("Measured(%q) = %q, %v, %v, want none", key, got, ok, err)
		}
	}
	wantKind(t, "KeepMeasured with U+0000", c.KeepMeasured(ctx, "a\x00", "m/1", nil), fault.Invalid)
}

func testCatalogueReopened(t *testing.T, o OpenedCatalogue) {
	if o.Again == nil {
		t.Skip("only one may open this store")
	}
	s := putDataset(t, o.Catalogue, dataset(1))
	check(t, "KeepMeasured", o.Catalogue.KeepMeasured(t.Context(), "a", "m", []byte("r")))
	check(t, "Close", o.Close())
	again := o.Again(t)
	wantDataset(t, again, s.Dataset.Slug, s)
	if got, ok, err := again.Measured(t.Context(), "a", "m"); !ok || err != nil || string(got) != "r" {
		t.Errorf("Measured = %q, %v, %v, want r", got, ok, err)
	}
	if next := putDataset(t, again, dataset(2)); next.Revision <= s.Revision {
		t.Errorf("the first revision of another process is %d, after %d", next.Revision, s.Revision)
	}
}

func testCatalogueCancelled(t *testing.T, o OpenedCatalogue) {
	c := o.Catalogue
	s := putDataset(t, c, dataset(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := c.Dataset(ctx, s.Dataset.ID)
	wantKind(t, "Dataset", err, fault.Cancelled)
	_, err = c.Entries(ctx, 0, 10)
	wantKind(t, "Entries", err, fault.Cancelled)
	_, err = c.PutDataset(ctx, s)
	wantKind(t, "PutDataset", err, fault.Cancelled)
	_, _, err = c.Measured(ctx, "a", "m")
	wantKind(t, "Measured", err, fault.Cancelled)
	if err := c.Watch(ctx, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch = %v, want the end of its context", err)
	}
	putDataset(t, c, s)
}

func testCatalogueClosed(t *testing.T, o OpenedCatalogue) {
	ctx, c := t.Context(), o.Catalogue
	s := putDataset(t, c, dataset(1))
	wantDataset(t, c, s.Dataset.ID, s)
	check(t, "Close", o.Close())
	_, _, err := c.Dataset(ctx, s.Dataset.ID)
	wantKind(t, "Dataset", err, fault.Unavailable)
	_, err = c.Entries(ctx, 0, 10)
	wantKind(t, "Entries", err, fault.Unavailable)
	_, err = c.PutDataset(ctx, s)
	wantKind(t, "PutDataset", err, fault.Unavailable)
	_, _, err = c.Measured(ctx, "a", "m")
	wantKind(t, "Measured", err, fault.Unavailable)
	wantKind(t, "KeepMeasured", c.KeepMeasured(ctx, "a", "m", nil), fault.Unavailable)
}

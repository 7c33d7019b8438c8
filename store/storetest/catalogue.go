package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// OpenedCatalogue is the catalogue of one store under test, empty and migrated.
type OpenedCatalogue struct {
	Catalogue Catalogue
	// Again opens the same data a second time, as another process would. The cleanup of the
	// test closes it. Nil for a store that only one process may open.
	Again func(t *testing.T) Catalogue
	// Close closes the store of Catalogue, but no store that Again returned.
	Close func() error
}

// Catalogue is the part of a store that keeps datasets.
type Catalogue interface {
	catalogue.Store
	// Measured and KeepMeasured are the methods of a cache of measurements.
	Measured(ctx context.Context, sha256, method string) ([]byte, bool, error)
	KeepMeasured(ctx context.Context, sha256, method string, report []byte) error
	// EachFile calls each for every file that a record names.
	EachFile(ctx context.Context, each func(slug string, f catalogue.File) error) error
}

// RunCatalogue runs the suite of catalogues. Each test calls open once for a store
// of its own.
func RunCatalogue(t *testing.T, open func(t *testing.T) OpenedCatalogue) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, o OpenedCatalogue)
	}{
		{"Datasets", testDatasets},
		{"DatasetNames", testDatasetNames},
		{"DatasetConflicts", testDatasetConflicts},
		{"DatasetText", testDatasetText},
		{"DatasetLarge", testDatasetLarge},
		{"Entries", testEntries},
		{"EntriesWhileOthersWrite", testEntriesConcurrent},
		{"OneOfManyWriters", testOneWriter},
		{"WatchCatalogue", testWatchCatalogue},
		{"WatchCatalogueOfOthers", testWatchCatalogueOthers},
		{"SlowWatcher", testSlowWatcher},
		{"FilesOfDatasets", testFiles},
		{"Measurements", testMeasurements},
		{"CatalogueReopened", testCatalogueReopened},
		{"CatalogueCancelled", testCatalogueCancelled},
		{"CatalogueClosed", testCatalogueClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, open(t))
		})
	}
}

// dataset returns a record with every kind of value, numbered from 1.
func dataset(n int) catalogue.Stored {
	digest := fmt.Sprintf("%064x", n)
	return catalogue.Stored{
		Dataset: catalogue.Dataset{
			ID: id("ds_", n), Slug: fmt.Sprint("dataset-", n), Title: fmt.Sprintf("हिन्दी %d <b>&amp;", n), Status: catalogue.Drafted,
			Language: catalogue.Language{Name: "Hindi", NativeName: new("हिन्दी"), ISO6393: "hin", ISO6391: new("hi"), BCP47: "hi-IN", Varieties: []string{}},
			BCP47:    "hi-IN", OtherLanguages: []string{"en-IN"}, Hours: 12.25, Recordings: n, Channels: new(catalogue.Dual),
			Collection: new(catalogue.CallCentre), Domain: new("banking"), Domains: []string{"banking", "insurance"}, HasSample: true, EnglishShare: new(0.125),
			Sample: &catalogue.Sample{
				DurationS: 30.5, Waveform: catalogue.Waveform{Points: 2, Peaks: [][]float64{{0, 1}, {0.1, 0.30000000000000004}}},
				Transcript: &catalogue.SampleTranscript{Segments: []catalogue.Segment{{StartS: 1, EndS: 2.5, Channel: 1, Text: "नमस्ते 🎙"}}},
			},
			Participants: &catalogue.Participants{Count: new(2), Gender: map[string]int{"female": 1, "male": 1}},
			DateModified: created, Gaps: []string{"citation", "contact"},
		},
		Files: []catalogue.File{{
			Name: "sample/sample.wav", Key: "sha256/" + digest, ContentType: "audio/wav", SizeBytes: 1 << 40, SHA256: digest, Modified: created,
		}},
	}
}

// putDataset puts a record and returns it with its revision.
func putDataset(t *testing.T, c Catalogue, s catalogue.Stored) catalogue.Stored {
	t.Helper()
	revision, err := c.PutDataset(t.Context(), s)
	check(t, "PutDataset", err)
	if revision <= s.Revision {
		t.Errorf("PutDataset over revision %d = %d, want a higher one", s.Revision, revision)
	}
	s.Revision = revision
	return s
}

// wantDataset checks the dataset with a slug or an id.
func wantDataset(t *testing.T, c Catalogue, name string, want catalogue.Stored) {
	t.Helper()
	got, ok, err := c.Dataset(t.Context(), name)
	check(t, "Dataset "+name, err)
	if !ok {
		t.Fatalf("Dataset(%q) = none, want one", name)
	}
	same(t, "Dataset "+name, got, want)
	text, ok, err := c.Text(t.Context(), name)
	check(t, "Text "+name, err)
	if !ok {
		t.Fatalf("Text(%q) = none, want one", name)
	}
	stored, err := text.Stored()
	check(t, "decode "+name, err)
	same(t, "Text "+name, stored, want)
}

func testDatasets(t *testing.T, o OpenedCatalogue) {
	c := o.Catalogue
	bare := catalogue.Stored{Dataset: catalogue.Dataset{ID: "ds_bare", Slug: "bare", Status: catalogue.Drafted}}
	one, bare, two := putDataset(t, c, dataset(1)), putDataset(t, c, bare), putDataset(t, c, dataset(2))
	for _, want := range []catalogue.Stored{one, bare, two} {
		wantDataset(t, c, want.Dataset.Slug, want)
		wantDataset(t, c, want.Dataset.ID, want)
	}
	if one.Revision >= bare.Revision || bare.Revision >= two.Revision {
		t.Errorf("revisions = %d, %d, %d, want them to grow", one.Revision, bare.Revision, two.Revision)
	}
	for _, status := range []catalogue.Status{catalogue.Published, catalogue.Retired, catalogue.Published} {
		before := one.Revision
		one.Dataset.Status, one.Files = status, nil
		one = putDataset(t, c, one)
		if before > one.Revision || one.Revision <= two.Revision {
			t.Errorf("a new revision = %d, want one above all", one.Revision)
		}
		wantDataset(t, c, one.Dataset.Slug, one)
	}
	wantDataset(t, c, two.Dataset.ID, two)
}

// testDatasetNames checks that texts which are no names of datasets find none.
func testDatasetNames(t *testing.T, o OpenedCatalogue) {
	c := o.Catalogue
	s := putDataset(t, c, dataset(1))
	for _, name := range []string{
		"", " ", "ds_", "dataset", "dataset-1 ", "Dataset-1", "dataset-1\x00", "\x00", "ds_\x00", "dataset_1", "%", "?", "'", "\xff", "ds_\xff",
		strings.ToUpper(s.Dataset.ID), s.Dataset.ID[:10], s.Dataset.ID[3:], strings.Repeat("x", 1<<16),
	} {
		if got, ok, err := c.Dataset(t.Context(), name); ok || err != nil || got.Revision != 0 {
			t.Errorf("Dataset(%.20q) = %v, %v, want none", name, ok, err)
		}
	}
	for name, change := range map[string]func(d *catalogue.Dataset){
		"no id":           func(d *catalogue.Dataset) { d.ID = "" },
		"an id like none": func(d *catalogue.Dataset) { d.ID = "dataset" },
		"U+0000 in an id": func(d *catalogue.Dataset) { d.ID = "ds_\x00" },
		"no slug":         func(d *catalogue.Dataset) { d.Slug = "" },
		"a slug as an id": func(d *catalogue.Dataset) { d.Slug = "ds_x" },
		"U+0000":          func(d *catalogue.Dataset) { d.Slug = "a\x00b" },
		"not UTF-8":       func(d *catalogue.Dataset) { d.Slug = "a\xff" },
		"no status":       func(d *catalogue.Dataset) { d.Status = "" },
	} {
		s := dataset(2)
		change(&s.Dataset)
		_, err := c.PutDataset(t.Context(), s)
		wantKind(t, name, err, fault.Invalid)
	}
	putDataset(t, c, dataset(2))
}

// testDatasetConflicts checks that a record cannot replace a revision other than the one it
// was read from.
func testDatasetConflicts(t *testing.T, o OpenedCatalogue) {
	c := o.Catalogue
	old := putDataset(t, c, dataset(1))
	now, other := putDataset(t, c, old), putDataset(t, c, dataset(2))
	for _, tt := range []struct {
		name, field string
		id, slug    string
		revision    int64
	}{
		{"as if new", "revision", now.Dataset.ID, now.Dataset.Slug, 0},
		{"over an old revision", "revision", now.Dataset.ID, now.Dataset.Slug, old.Revision},
		{"over one to come", "revision", now.Dataset.ID, now.Dataset.Slug, other.Revision + 1},
		{"over another's revision", "revision", now.Dataset.ID, now.Dataset.Slug, other.Revision},
		{"over what is not there", "revision", "ds_new", "new", other.Revision},
		{"another id", "id", "ds_new", now.Dataset.Slug, now.Revision},
		{"another id as if new", "id", "ds_new", now.Dataset.Slug, 0},
		{"another slug", "slug", now.Dataset.ID, "new", now.Revision},
		{"another slug as if new", "slug", now.Dataset.ID, "new", 0},
		{"the id of one and the slug of another", "", now.Dataset.ID, other.Dataset.Slug, now.Revision},
	} {
		s := dataset(3)
		s.Dataset.ID, s.Dataset.Slug, s.Revision = tt.id, tt.slug, tt.revision
		_, err := c.PutDataset(t.Context(), s)
		wantKind(t, tt.name, err, fault.Conflict)
		if got := fieldOf(err); tt.field != "" && got != tt.field {
			t.Errorf("%s: field = %q, want %q; error: %v", tt.name, got, tt.field, err)
		}
	}
	wantDataset(t, c, now.Dataset.ID, now)
	wantDataset(t, c, other.Dataset.ID, other)
	putDataset(t, c, now)
	putDataset(t, c, dataset(3))
}

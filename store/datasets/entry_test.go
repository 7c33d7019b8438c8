package datasets

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/store/database"
	"vaak/store/database/databasetest"
)

// An entry that an older program has written is completed from the record and written anew, and
// one of this program is read alone.
func TestEntriesOfOlderPrograms(t *testing.T) {
	t.Parallel()
	s := New(databasetest.Open(t, "sqlite:"+filepath.Join(t.TempDir(), "vaak.db"), nil))
	d := benchDataset(1)
	d.Dataset.Licence = &catalogue.Licence{Name: "CC BY 4.0"}
	d.Dataset.Speakers = new(7)
	d.Dataset.Specification = &catalogue.Specification{SampleRateHz: map[string]int{"8000": 1}, SNRDB: &catalogue.Spread{Median: 30}}
	d.Dataset.DateModified = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := s.PutDataset(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	want := catalogue.EntryOf(&d.Dataset)
	want.Revision = 1
	for _, entry := range []string{
		"", // as it was written
		`{"brief":{"id":"ds_1","slug":"old","title":"Old","language":"Hindi","bcp47":"hi-IN","hours":1},"names":["hin"]}`,
		`{"form":1,"brief":{}}`,
	} {
		if entry != "" {
			if err := s.db.Transact(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.NewUpdate().Model((*row)(nil)).Set("entry = ?", entry).Where("revision = 1").Exec(ctx)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Entries(t.Context(), 0, 10)
		if err != nil || len(got) != 1 {
			t.Fatalf("%d entries, %v; want 1", len(got), err)
		}
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("entry %q (-want +got):\n%s", entry, diff)
		}
		var now row
		err = s.db.Transact(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			return tx.NewSelect().Model(&now).Scan(ctx)
		})
		if err != nil || !strings.HasPrefix(now.Entry, entryBegins) || now.Revision != 1 {
			t.Errorf("entry %q is %.40q of revision %d after it was read, %v; want one of this program, of revision 1", entry, now.Entry, now.Revision, err)
		}
	}
}

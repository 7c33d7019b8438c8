package store

import (
	"path/filepath"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/catalogue"
	measuring "vaak/catalogue/measure"
	"vaak/store/datasets"
)

var _ measuring.Cache = (*datasets.Datasets)(nil)

func testDataset(n int) catalogue.Stored {
	id := testOrganisation(n).ID[len("org_"):]
	return catalogue.Stored{Dataset: catalogue.Dataset{ID: "ds_" + id, Slug: "dataset-" + id, Status: catalogue.Published}}
}

// TestTopicsApart checks that who watches accounts hears nothing of datasets and
// dictionaries: keys that are kept in memory would go at every change of one.
func TestTopicsApart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vaak.db")
	s, other := openAt(t, path), openAt(t, path)
	seen := make(chan account.Change, 1000)
	ctx, done := t.Context(), make(chan error, 1)
	d := testDictionary(t, s)
	go func() { done <- s.Watch(ctx, func(c account.Change) { seen <- c }) }()
	t.Cleanup(func() { <-done })
	plan := ledger.Plan{ID: "p", Name: "p", RequestsPerMinute: 1, MaxStreams: 1}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	plans, deadline := 0, time.After(time.Minute)
	for n := 0; plans < 3; n++ {
		for _, s := range []*Store{s, other} {
			n++
			if _, err := s.Catalogue().PutDataset(ctx, testDataset(n)); err != nil {
				t.Fatal(err)
			}
			editDictionary(t, s, &d, testRules)
			if err := s.SetPlan(ctx, plan); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case c := <-seen:
			if c.Topic != account.TopicPlan {
				t.Fatalf("seen %v, want a plan", c)
			}
			plans++
		case <-tick.C:
		case <-deadline:
			t.Fatal("no change was seen within 20 s")
		}
	}
}

// TestEachFileOf reads the files that a copy of a database names, while the
// database goes on; and those of a file from before the catalogue.
func TestEachFileOf(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	s := openAt(t, filepath.Join(dir, "vaak.db"))
	names := func(path string) (all []string) {
		t.Helper()
		if err := datasets.EachFileOf(ctx, path, func(slug string, f catalogue.File) error {
			all = append(all, slug+" "+f.Name)
			return nil
		}); err != nil {
			t.Fatalf("EachFileOf: %v", err)
		}
		return all
	}
	d := testDataset(1)
	d.Files = []catalogue.File{{Name: "a"}, {Name: "b"}}
	if _, err := s.Catalogue().PutDataset(ctx, d); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "copy.db")
	if err := s.CopyTo(ctx, copied); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Catalogue().PutDataset(ctx, testDataset(2)); err != nil {
		t.Fatal(err)
	}
	if got := names(copied); len(got) != 2 || got[0] != d.Dataset.Slug+" a" || got[1] != d.Dataset.Slug+" b" {
		t.Errorf("EachFileOf a copy tells of %q, want a and b", got)
	}
	old := openEmpty(t, "sqlite:"+filepath.Join(dir, "old.db"))
	steps, err := old.db.Steps()
	if err == nil {
		err = old.db.MigrateTo(ctx, steps[:3])
	}
	if err == nil {
		err = old.CopyTo(ctx, filepath.Join(dir, "oldcopy.db"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := names(filepath.Join(dir, "oldcopy.db")); got != nil {
		t.Errorf("EachFileOf an old file tells of %q, want none", got)
	}
}

package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// allEntries reads entries after a revision in pages, and checks their order.
func allEntries(t *testing.T, c Catalogue, after int64, page int) (all []catalogue.Entry) {
	t.Helper()
	for {
		got, err := c.Entries(t.Context(), after, page)
		if err != nil || len(got) > page {
			t.Errorf("Entries(%d, %d) = %d entries, %v", after, page, len(got), err)
			return all
		}
		for _, e := range got {
			if e.Revision <= after {
				t.Errorf("an entry of revision %d comes after %d", e.Revision, after)
			}
			after = e.Revision
		}
		all = append(all, got...)
		if len(got) < page {
			return all
		}
	}
}

func testEntries(t *testing.T, o OpenedCatalogue) {
	const count = 25
	c, want := o.Catalogue, map[int64]catalogue.Entry{}
	for i := range count {
		s := dataset(i + 1)
		s.Dataset.Status = []catalogue.Status{catalogue.Drafted, catalogue.Published, catalogue.Suspended, catalogue.Retired}[i%4]
		s = putDataset(t, c, s)
		if i%3 == 0 { // a new revision moves it to the end
			s.Dataset.Title = "changed"
			s = putDataset(t, c, s)
		}
		e := catalogue.EntryOf(&s.Dataset)
		e.Revision = s.Revision
		want[e.Revision] = e
	}
	for _, page := range []int{1, 4, count - 1, count, 1000} {
		got := map[int64]catalogue.Entry{}
		for _, e := range allEntries(t, c, 0, page) {
			got[e.Revision] = e
		}
		same(t, fmt.Sprint("Entries in pages of ", page), got, want)
	}
	for _, tt := range []struct {
		after int64
		limit int
	}{{0, 0}, {0, -1}, {1 << 62, 10}} {
		if got, err := c.Entries(t.Context(), tt.after, tt.limit); len(got) != 0 || err != nil {
			t.Errorf("Entries(%d, %d) = %d entries, %v, want none", tt.after, tt.limit, len(got), err)
		}
	}
	if got, err := c.Entries(t.Context(), -5, 1); len(got) != 1 || err != nil {
		t.Errorf("Entries(-5, 1) = %d entries, %v, want the first", len(got), err)
	}
}

// testEntriesConcurrent checks that a reader that only reads on from the last revision sees
// every revision: none is committed with a number below one that was read. Meanwhile writers
// of two processes put datasets of their own, and one that all of them share.
func testEntriesConcurrent(t *testing.T, o OpenedCatalogue) {
	const writers, puts, shared = 6, 15, 1
	stores := []Catalogue{o.Catalogue, o.Catalogue}
	if o.Again != nil {
		stores[1] = o.Again(t)
	}
	putDataset(t, o.Catalogue, dataset(shared))
	ctx, cancel := context.WithCancel(t.Context())
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range puts {
				c := stores[w%2]
				putOwn(t, c, dataset(1000*(w+1)+i))
				putShared(t, c, dataset(shared).Dataset.Slug)
			}
		})
	}
	seen, last := map[int64]string{}, int64(0)
	follow := func() {
		for _, e := range allEntries(t, stores[1], last, 7) {
			seen[e.Revision], last = e.Brief.Slug, e.Revision
		}
	}
	reading.Go(func() {
		for ctx.Err() == nil {
			follow()
		}
	})
	writing.Wait()
	cancel()
	reading.Wait()
	follow()
	all := allEntries(t, o.Catalogue, 0, 1000)
	for _, e := range all {
		if seen[e.Revision] != e.Brief.Slug {
			t.Errorf("revision %d of %s was missed", e.Revision, e.Brief.Slug)
		}
	}
	if want := writers*puts + 1; len(all) != want {
		t.Errorf("%d datasets are there, want %d", len(all), want)
	}
}

// busyTries is how often a call is tried while a store is Unavailable. On a busy disk a
// commit may take longer than the store waits.
const busyTries = 10

// putOwn puts a new dataset that no other writer puts. When the outcome is unknown, it puts
// the dataset again, unless it is there.
func putOwn(t *testing.T, c Catalogue, s catalogue.Stored) {
	t.Helper()
	for try := 1; ; try++ {
		_, err := c.PutDataset(t.Context(), s)
		if err == nil {
			return
		}
		if fault.KindOf(err) != fault.Unavailable || try == busyTries {
			t.Errorf("PutDataset: %v", err)
			return
		}
		if _, there, err := c.Dataset(t.Context(), s.Dataset.Slug); err == nil && there {
			return
		}
	}
}

// putShared changes a dataset that others change as well, until no other change comes first.
func putShared(t *testing.T, c Catalogue, slug string) {
	t.Helper()
	for busy := 0; ; {
		s, ok, err := c.Dataset(t.Context(), slug)
		if err != nil || !ok {
			t.Errorf("Dataset(%q) = %v, %v", slug, ok, err)
			return
		}
		s.Dataset.Recordings++
		_, err = c.PutDataset(t.Context(), s)
		if fault.KindOf(err) == fault.Unavailable && busy < busyTries {
			busy++
			continue
		}
		if fault.KindOf(err) != fault.Conflict {
			if err != nil {
				t.Errorf("PutDataset: %v", err)
			}
			return
		}
	}
}

// testOneWriter checks that of many writers one replaces a revision.
func testOneWriter(t *testing.T, o OpenedCatalogue) {
	const writers = 8
	s := putDataset(t, o.Catalogue, dataset(1))
	for range 5 {
		errs := make([]error, writers)
		revisions := make([]int64, writers)
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				mine := s
				mine.Dataset.Recordings = w
				revisions[w], errs[w] = o.Catalogue.PutDataset(t.Context(), mine)
			})
		}
		wg.Wait()
		won := 0
		for w, err := range errs {
			if err == nil {
				won++
				s.Revision, s.Dataset.Recordings = revisions[w], w
			} else {
				wantKind(t, "PutDataset of one who was late", err, fault.Conflict)
			}
		}
		if won != 1 {
			t.Fatalf("%d of %d replaced revision %d, want 1", won, writers, s.Revision)
		}
		wantDataset(t, o.Catalogue, s.Dataset.Slug, s)
	}
}

// watchCatalogue watches a catalogue, reads the new entries at each call as a process does,
// and returns the slugs of those entries. It ends with the test.
func watchCatalogue(t *testing.T, c Catalogue) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	seen, done := make(chan string, 1000), make(chan struct{})
	last := int64(0)
	go func() {
		defer close(done)
		_ = c.Watch(ctx, func() { // the end of ctx
			entries, err := c.Entries(ctx, last, 1000)
			if err != nil && ctx.Err() == nil {
				t.Errorf("Entries: %v", err)
			}
			for _, e := range entries {
				last = e.Revision
				seen <- e.Brief.Slug
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return seen
}

// awaitSlug waits until a slug is seen.
func awaitSlug(t *testing.T, seen <-chan string, slug string) {
	t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case got := <-seen:
			if got == slug {
				return
			}
		case <-deadline:
			t.Fatalf("dataset %s was not seen within %v", slug, patience)
		}
	}
}

// testWatchCatalogue checks that no dataset is missed that is put while the watch begins, nor
// any that is put later.
func testWatchCatalogue(t *testing.T, o OpenedCatalogue) {
	seen := watchCatalogue(t, o.Catalogue)
	for i := range 6 {
		s := putDataset(t, o.Catalogue, dataset(i+1))
		if i > 0 {
			awaitSlug(t, seen, s.Dataset.Slug)
		}
	}
}

func testWatchCatalogueOthers(t *testing.T, o OpenedCatalogue) {
	if o.Again == nil {
		t.Skip("only one may open this store")
	}
	seen, other := watchCatalogue(t, o.Catalogue), o.Again(t)
	for i := range 6 {
		s := putDataset(t, other, dataset(i+1))
		if i > 0 {
			awaitSlug(t, seen, s.Dataset.Slug)
		}
	}
}

// testSlowWatcher checks that a watcher whose call has not returned does not block writers,
// and is called again for the changes that came meanwhile.
func testSlowWatcher(t *testing.T, o OpenedCatalogue) {
	ctx, cancel := context.WithCancel(t.Context())
	called, more, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- o.Catalogue.Watch(ctx, func() {
			select {
			case called <- struct{}{}:
			case <-ctx.Done():
			}
			select {
			case <-more:
			case <-ctx.Done():
			}
		})
	}()
	wait := func(what string) {
		t.Helper()
		select {
		case <-called:
		case <-time.After(patience):
			t.Fatalf("%s: not told within %v", what, patience)
		}
	}
	wait("as it begins")
	for i := range 3 {
		putDataset(t, o.Catalogue, dataset(i+1))
	}
	more <- struct{}{}
	wait("of what came meanwhile")
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("Watch = %v, want the end of its context", err)
	}
}

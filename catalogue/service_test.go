package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, m *cataloguetest.Memory) *catalogue.Service {
	t.Helper()
	s, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: "https://x.test"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *catalogue.Service, d catalogue.Dataset, files ...catalogue.DraftFile) catalogue.Dataset {
	t.Helper()
	got, err := s.Put(t.Context(), catalogue.Draft{Dataset: d, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func move(t *testing.T, s *catalogue.Service, slug string, to catalogue.Status) catalogue.Dataset {
	t.Helper()
	d, err := s.Move(t.Context(), slug, to)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// seen says how a dataset is seen: listed, by its record, or not.
func seen(t *testing.T, s *catalogue.Service, slug string) string {
	t.Helper()
	page, err := s.List(catalogue.Query{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Dataset(t.Context(), slug)
	listed := slices.ContainsFunc(page.Datasets, func(b catalogue.Brief) bool { return b.Slug == slug })
	switch {
	case fault.KindOf(err) == fault.NotFound && !listed:
		return "not"
	case err == nil && listed:
		return "listed " + string(d.Status)
	case err == nil:
		return "record " + string(d.Status)
	}
	return "broken: " + err.Error()
}

func TestLife(t *testing.T) {
	t.Parallel()
	s := open(t, &cataloguetest.Memory{})
	first := put(t, s, cataloguetest.Dataset("a"))
	steps := []struct {
		to   catalogue.Status
		kind fault.Kind
		seen string
	}{
		{catalogue.Retired, fault.Conflict, "not"},
		{catalogue.Published, "", "listed published"},
		{catalogue.Published, "", "listed published"},
		{catalogue.Drafted, fault.Conflict, "listed published"},
		{catalogue.Suspended, "", "not"},
		{catalogue.Published, "", "listed published"},
		{catalogue.Retired, "", "record retired"},
		{catalogue.Published, fault.Conflict, "record retired"},
	}
	if got := seen(t, s, "a"); got != "not" {
		t.Errorf("a draft is seen: %s", got)
	}
	for _, step := range steps {
		_, err := s.Move(t.Context(), first.ID, step.to)
		if got := fault.KindOf(err); err != nil && got != step.kind || err == nil && step.kind != "" {
			t.Errorf("Move to %s: %v, want kind %q", step.to, err, step.kind)
		}
		if got := seen(t, s, "a"); got != step.seen {
			t.Errorf("after %s it is seen as %q, want %q", step.to, got, step.seen)
		}
	}
	if _, err := s.Put(t.Context(), catalogue.Draft{Dataset: cataloguetest.Dataset("a")}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Put over a retired dataset: %v, want a conflict", err)
	}
}

func TestPutAgainKeepsWhatIsStable(t *testing.T) {
	t.Parallel()
	s := open(t, &cataloguetest.Memory{})
	first := put(t, s, cataloguetest.Dataset("a"), cataloguetest.File("recordings.csv", "text/csv", "x"))
	published := move(t, s, "a", catalogue.Published)
	next := cataloguetest.Dataset("a")
	next.Title, next.Version = "Another", "1.1.0"
	again := put(t, s, next, cataloguetest.File("recordings.csv", "text/csv", "y"))
	if !catalogue.IsID(first.ID) || again.ID != first.ID || again.Status != catalogue.Published {
		t.Errorf("id %s and status %s, want %s and published", again.ID, again.Status, first.ID)
	}
	if diff := cmp.Diff(published.DatePublished, again.DatePublished); diff != "" || again.DatePublished == nil {
		t.Errorf("date of publication (-first +again):\n%s", diff)
	}
	d, err := s.Dataset(t.Context(), first.ID)
	if err != nil || d.Title != "Another" || d.Manifest == first.Manifest {
		t.Errorf("the record is %v, %+v; want the new one", err, d)
	}
	if d.URL != "https://x.test/catalogue/datasets/a" || d.Record != "https://x.test/api/catalogue/datasets/a" {
		t.Errorf("addresses %s, %s", d.URL, d.Record)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	s := open(t, &cataloguetest.Memory{})
	put(t, s, cataloguetest.Dataset("a"), cataloguetest.File("sample/sample.wav", "audio/wav", "RIFF"))
	if _, err := s.Content(t.Context(), "a", "sample/sample.wav"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the file of a draft: %v, want not found", err)
	}
	move(t, s, "a", catalogue.Published)
	c, err := s.Content(t.Context(), "a", "sample/sample.wav")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Body.Close()
	if text, err := io.ReadAll(c.Body); string(text) != "RIFF" || err != nil || c.SizeBytes != 4 || c.ContentType != "audio/wav" {
		t.Errorf("the file is %q, %v, %+v", text, err, c.File)
	}
	for _, name := range []string{"", "sample", "sample/../recordings.csv", "card.yaml"} {
		if _, err := s.Content(t.Context(), "a", name); fault.KindOf(err) != fault.NotFound {
			t.Errorf("Content(%q): %v, want not found", name, err)
		}
	}
}

// A file that cannot be kept leaves everything as it was.
func TestPutIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := open(t, &cataloguetest.Memory{})
	put(t, s, cataloguetest.Dataset("a"))
	move(t, s, "a", catalogue.Published)
	broken := errors.New("the disk is full")
	next := cataloguetest.Dataset("a")
	next.Title = "Another"
	_, err := s.Put(t.Context(), catalogue.Draft{Dataset: next, Files: []catalogue.DraftFile{
		cataloguetest.File("recordings.csv", "text/csv", "x"),
		{Name: "sample/sample.wav", Open: func() (io.ReadCloser, error) { return nil, broken }},
	}})
	if !errors.Is(err, broken) {
		t.Errorf("Put: %v, want %v", err, broken)
	}
	if d, err := s.Dataset(t.Context(), "a"); err != nil || d.Title != "Title of a" {
		t.Errorf("after a failed Put the record is %+v, %v", d, err)
	}
}

// What one process writes, another that was started serves soon.
func TestReplicasFollow(t *testing.T) {
	t.Parallel()
	m := &cataloguetest.Memory{}
	reader, writer := open(t, m), open(t, m)
	reader.Start(t.Context())
	defer reader.Close()
	put(t, writer, cataloguetest.Dataset("a"))
	move(t, writer, "a", catalogue.Published)
	await(t, func() bool { return seen(t, reader, "a") == "listed published" })
	move(t, writer, "a", catalogue.Suspended)
	await(t, func() bool { return seen(t, reader, "a") == "not" })
}

// slowStore is a store in memory whose first read of a record returns what it found only when it is
// released.
type slowStore struct {
	*cataloguetest.Memory
	first          sync.Once
	found, release chan struct{}
}

func (s *slowStore) Dataset(ctx context.Context, slugOrID string) (catalogue.Stored, bool, error) {
	stored, ok, err := s.Memory.Dataset(ctx, slugOrID)
	s.wait()
	return stored, ok, err
}

func (s *slowStore) Text(ctx context.Context, slugOrID string) (catalogue.Text, bool, error) {
	text, ok, err := s.Memory.Text(ctx, slugOrID)
	s.wait()
	return text, ok, err
}

func (s *slowStore) wait() {
	first := false
	s.first.Do(func() { first = true })
	if first {
		close(s.found)
		<-s.release
	}
}

// Who has seen a record that another process wrote does not see the one before again, even if
// somebody who began to read before that is done only now.
func TestReadersNeverGoBack(t *testing.T) {
	t.Parallel()
	for name, title := range map[string]func(context.Context, *catalogue.Service) (string, error){
		"record": func(ctx context.Context, c *catalogue.Service) (string, error) {
			d, err := c.Dataset(ctx, "a")
			if err != nil {
				return "", err
			}
			return d.Title, nil
		},
		"answer": func(ctx context.Context, c *catalogue.Service) (string, error) {
			a, err := c.Answer(ctx, "a")
			if err != nil {
				return "", err
			}
			var d catalogue.Dataset
			err = json.Unmarshal(a.JSON, &d)
			return d.Title, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testReadersNeverGoBack(t, title)
		})
	}
}

func testReadersNeverGoBack(t *testing.T, title func(context.Context, *catalogue.Service) (string, error)) {
	m := &cataloguetest.Memory{}
	writer := open(t, m)
	d := cataloguetest.Dataset("a")
	d.Title = "one"
	put(t, writer, d)
	move(t, writer, "a", catalogue.Published)
	slow := &slowStore{Memory: m, found: make(chan struct{}), release: make(chan struct{})}
	reader, err := catalogue.New(t.Context(), catalogue.Config{Store: slow, Files: m, PublicURL: "https://x.test"})
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		title, err := title(t.Context(), reader)
		if err != nil {
			t.Error(err)
		}
		return title
	}
	first := make(chan string)
	go func() { first <- read() }()
	<-slow.found
	d.Title = "two"
	put(t, writer, d)
	if title := read(); title != "two" {
		t.Errorf("the record is %q, want what was written", title)
	}
	close(slow.release)
	if title := <-first; title != "two" {
		t.Errorf("who began to read before got %q after another got the newer one", title)
	}
	if title := read(); title != "two" {
		t.Errorf("the record went back to %q", title)
	}
}

// await waits for what must come true.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it did not come true within 30 s")
		}
	}
}

// Readers never see a half-made state while records change.
func TestReadersWhileRecordsChange(t *testing.T) {
	t.Parallel()
	m := &cataloguetest.Memory{}
	s := open(t, m)
	s.Start(t.Context())
	defer s.Close()
	put(t, s, cataloguetest.Dataset("a"))
	move(t, s, "a", catalogue.Published)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				page, err := s.List(catalogue.Query{Q: "title", Facets: true})
				if err != nil || page.Count != len(page.Datasets) || page.Count < 1 {
					t.Errorf("List = %d of %d, %v", len(page.Datasets), page.Count, err)
					return
				}
				if _, err := s.Dataset(t.Context(), "a"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for _, slug := range []string{"b", "c", "d", "e", "f", "g"} {
		put(t, s, cataloguetest.Dataset(slug))
		move(t, s, slug, catalogue.Published)
		put(t, s, cataloguetest.Dataset("a"))
	}
	close(stop)
	readers.Wait()
}

func TestSimilar(t *testing.T) {
	t.Parallel()
	s := open(t, &cataloguetest.Memory{})
	for _, slug := range []string{"hi-in-call-centre-banking-dual", "ta-in-general-mono", "hi-in-general-dual"} {
		put(t, s, cataloguetest.Dataset(slug))
		move(t, s, slug, catalogue.Published)
	}
	for name, want := range map[string][]string{
		"hi-in-callcentre-banking-dual": {"hi-in-call-centre-banking-dual", "hi-in-general-dual", "ta-in-general-mono"},
		"xyzzy":                         {},
		"\xff\xfe":                      {},
	} {
		if diff := cmp.Diff(want, s.Similar(name)); diff != "" {
			t.Errorf("Similar(%q) (-want +got):\n%s", name, diff)
		}
	}
	put(t, s, cataloguetest.Dataset("bn-in-draft"))
	if got := s.Similar("bn-draft"); len(got) > 0 {
		t.Errorf("Similar tells the draft %q", got)
	}
	if got := s.SimilarOfAny("bn-draft"); !slices.Equal(got, []string{"bn-in-draft"}) {
		t.Errorf("SimilarOfAny = %q, want the draft", got)
	}
}

// brittle is a shelf whose second page cannot be read once.
type brittle struct {
	shelf
	broken bool
}

func (b *brittle) Entries(ctx context.Context, after int64, limit int) ([]catalogue.Entry, error) {
	if after > 0 && !b.broken {
		b.broken = true
		return nil, errors.New("the disk is away")
	}
	return b.shelf.Entries(ctx, after, limit)
}

// TestRefreshAfterAnError: what was read before an error of the store is listed by the next look.
func TestRefreshAfterAnError(t *testing.T) {
	t.Parallel()
	b := &brittle{}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: b, Files: b})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 { // a whole page, so that another is asked for
		d := catalogue.Dataset{ID: fmt.Sprint("ds_", i), Slug: fmt.Sprint("s-", i), Title: "T", Status: catalogue.Published}
		b.entries = append(b.entries, catalogue.Stored{Revision: int64(i + 1), Dataset: d}.Entry())
	}
	if err := c.Refresh(t.Context()); err == nil {
		t.Fatal("Refresh says nothing about the disk")
	}
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page, err := c.List(catalogue.Query{Limit: 1}); err != nil || page.Count != 5000 {
		t.Errorf("%d datasets are listed, %v; want 5000", page.Count, err)
	}
}

// TestRefreshAfterARestoreThatFailed: a store that was emptied, and could not be read at first, is
// empty for readers too.
func TestRefreshAfterARestoreThatFailed(t *testing.T) {
	t.Parallel()
	r := &restored{}
	r.entries = []catalogue.Entry{{Revision: 1, Status: catalogue.Published, Brief: catalogue.Brief{ID: "ds_1", Slug: "one", Title: "T"}}}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: r, Files: r})
	if err != nil {
		t.Fatal(err)
	}
	// Of the reads of the next refresh the first tells that the revision is gone.
	r.entries, r.fails = nil, 2
	if err := c.Refresh(t.Context()); err == nil {
		t.Fatal("Refresh says nothing about the disk")
	}
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page, err := c.List(catalogue.Query{}); err != nil || page.Count != 0 {
		t.Errorf("%d datasets are listed, %v; want none", page.Count, err)
	}
}

// restored is a shelf of which one read fails, counted from 1; 0 is none.
type restored struct {
	shelf
	fails int
}

func (r *restored) Entries(ctx context.Context, after int64, limit int) ([]catalogue.Entry, error) {
	if r.fails--; r.fails == 0 {
		return nil, errors.New("the disk is away")
	}
	return r.shelf.Entries(ctx, after, limit)
}

package catalogue

import (
	"context"
	"fmt"
	"io"
	"time"

	"vaak/internal/fault"
)

// ManifestFile is the name of the file with a row for each recording.
const ManifestFile = "recordings.csv"

// Draft is a dataset that is to be written, as it comes out of a folder.
type Draft struct {
	// Dataset is without id, status, dates and gaps, which the service fills. Where
	// it has the address of a file, it is the file's name.
	Dataset Dataset
	// SlugMade says that the slug was made of other facts, so that another dataset may
	// have the same.
	SlugMade bool
	// Files are its public files.
	Files []DraftFile
	// Publish says that it is put on the list as well.
	Publish bool
}

// DraftFile is a public file that is to be kept.
type DraftFile struct {
	Name, ContentType string
	Open              func() (io.ReadCloser, error)
}

// Put writes a dataset: a new one as a draft, one whose slug is known in place of
// what there was, with its id, status and date of publication. With Publish it is
// published in the same step. The files are kept before the record names them, so
// that one that fails changes nothing.
func (s *Service) Put(ctx context.Context, d Draft) (Dataset, error) {
	if !IsSlug(d.Dataset.Slug) {
		return Dataset{}, fault.BadParameter("slug", "slug %.90q is not words of a-z and 0-9 joined by single hyphens, at most %d bytes", d.Dataset.Slug, MaxSlug)
	}
	old, known, err := s.store.Dataset(ctx, d.Dataset.Slug)
	if err != nil {
		return Dataset{}, fmt.Errorf("look for dataset %s: %w", d.Dataset.Slug, err)
	}
	if known && old.Dataset.Status == Retired {
		return Dataset{}, fault.New(fault.Conflict, "dataset_retired", "slug", "dataset %s is retired, which is final; take another slug", d.Dataset.Slug)
	}
	if known && d.SlugMade && old.Dataset.Title != d.Dataset.Title {
		return Dataset{}, fault.New(fault.Conflict, "slug_taken", "slug",
			"slug %s was made of the card and is that of %.90q; give the card a slug", d.Dataset.Slug, old.Dataset.Title)
	}
	next := Stored{Revision: old.Revision, Dataset: d.Dataset}
	next.Dataset.ID, next.Dataset.Status, next.Dataset.DatePublished = newID(), Drafted, nil
	if known {
		next.Dataset.ID, next.Dataset.Status, next.Dataset.DatePublished = old.Dataset.ID, old.Dataset.Status, old.Dataset.DatePublished
	}
	s.stamp(&next.Dataset)
	if d.Publish && next.Dataset.Status != Published {
		if err := s.move(&next.Dataset, Published); err != nil {
			return Dataset{}, err
		}
	}
	if next.Files, err = s.keep(ctx, d.Files, old.Files); err != nil {
		return Dataset{}, err
	}
	return s.write(ctx, next)
}

// stamp says when the figures of a record were measured, where that is not said.
func (s *Service) stamp(d *Dataset) {
	now := s.now().UTC().Truncate(time.Second)
	var methods []*Method
	if d.Specification != nil {
		methods = append(methods, &d.Specification.Method)
	}
	if d.Measurements != nil {
		methods = append(methods, &d.Measurements.Method)
	}
	if d.Sample != nil {
		methods = append(methods, &d.Sample.Metrics.Method)
	}
	for _, m := range methods {
		if m.MeasuredAt == nil {
			m.MeasuredAt = &now
		}
	}
}

// keep keeps files and returns what is served of them. One that is what it was
// keeps its time.
func (s *Service) keep(ctx context.Context, drafts []DraftFile, old []File) ([]File, error) {
	was := map[string]File{}
	for _, f := range old {
		was[f.Name] = f
	}
	files := make([]File, len(drafts))
	for i, d := range drafts {
		f, err := s.keepOne(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("keep %s: %w", d.Name, err)
		}
		if o, ok := was[f.Name]; ok && o.SHA256 == f.SHA256 {
			f.Modified = o.Modified
		}
		files[i] = f
	}
	return files, nil
}

func (s *Service) keepOne(ctx context.Context, d DraftFile) (File, error) {
	body, err := d.Open()
	if err != nil {
		return File{}, err
	}
	defer body.Close() // it was read to its end, or Put has failed
	key, size, sum, err := s.files.Put(ctx, body)
	return File{
		Name: d.Name, Key: key, ContentType: d.ContentType,
		SizeBytes: size, SHA256: sum, Modified: s.now().UTC().Truncate(time.Second),
	}, err
}

// write writes a record and returns it as readers see it. One that will be on the
// list is written if it may be.
func (s *Service) write(ctx context.Context, next Stored) (Dataset, error) {
	next.Dataset.DateModified = s.now().UTC().Truncate(time.Second)
	seen := next
	s.fill(&seen)
	if err := s.mayBe(&seen); err != nil {
		return Dataset{}, err
	}
	next.Dataset.Gaps = nil // they follow from the rest
	revision, err := s.store.PutDataset(ctx, next)
	if err != nil {
		return Dataset{}, fmt.Errorf("write dataset %s: %w", next.Dataset.Slug, err)
	}
	next.Revision = revision
	if err := s.Refresh(ctx); err != nil {
		s.log.Warn("the catalogue could not be looked at after a change", "error", err) // the change is made
	}
	s.fill(&next)
	return next.Dataset, nil
}

// mayBe says what keeps a record, as readers would see it, from the list that it is
// to be on.
func (s *Service) mayBe(seen *Stored) error {
	if seen.Dataset.Status != Published {
		return nil
	}
	return s.publishing(seen)
}

// moves are the changes of status that there are.
var moves = map[Status][]Status{
	Drafted:   {Published},
	Published: {Suspended, Retired},
	Suspended: {Published, Retired},
}

// Move changes the status of a dataset. One that has it already is left as it is,
// and told of when it could not be put on the list now.
func (s *Service) Move(ctx context.Context, slugOrID string, to Status) (Dataset, error) {
	stored, err := s.Find(ctx, slugOrID)
	if err != nil {
		return Dataset{}, err
	}
	d := &stored.Dataset
	if d.Status == to {
		s.fill(&stored)
		return *d, s.mayBe(&stored)
	}
	if err := s.move(d, to); err != nil {
		return Dataset{}, err
	}
	return s.write(ctx, stored)
}

// move changes the status of a record.
func (s *Service) move(d *Dataset, to Status) error {
	if err := mayMove(d, to); err != nil {
		return err
	}
	d.Status = to
	if to == Published && d.DatePublished == nil {
		today := s.now().UTC().Format(time.DateOnly)
		d.DatePublished = &today
	}
	return nil
}

func mayMove(d *Dataset, to Status) error {
	switch {
	case d.Status.MayBecome(to):
		return nil
	case len(moves[d.Status]) == 0:
		return fault.New(fault.Conflict, "status_conflict", "status", "dataset %s is %s, which is final", d.Slug, d.Status)
	}
	return fault.New(fault.Conflict, "status_conflict", "status", "dataset %s is %s and can become %s; %s was asked", d.Slug, d.Status, fault.Listed(moves[d.Status]), to)
}

// Find returns a record whatever its status, as it is kept.
func (s *Service) Find(ctx context.Context, slugOrID string) (Stored, error) {
	stored, ok, err := s.store.Dataset(ctx, slugOrID)
	if err != nil {
		return Stored{}, fmt.Errorf("look for dataset %.90q: %w", slugOrID, err)
	}
	if !ok {
		return Stored{}, notFound(slugOrID)
	}
	return stored, nil
}

// Show returns the record with a slug or an id whatever its status, as readers
// would see it.
func (s *Service) Show(ctx context.Context, slugOrID string) (Dataset, error) {
	stored, err := s.ShowFiled(ctx, slugOrID)
	return stored.Dataset, err
}

// ShowFiled returns what Show does, with its revision and the files that are, or
// would be, served of it.
func (s *Service) ShowFiled(ctx context.Context, slugOrID string) (Stored, error) {
	stored, err := s.Find(ctx, slugOrID)
	if err != nil {
		return Stored{}, err
	}
	s.fill(&stored)
	return stored, nil
}

// All calls yield for every dataset, whatever its status, in no order.
func (s *Service) All(yield func(Entry) bool) {
	s.mu.Lock()
	all := make([]Entry, 0, len(s.entries))
	for _, e := range s.entries {
		all = append(all, e)
	}
	s.mu.Unlock()
	for _, e := range all {
		if !yield(e) {
			return
		}
	}
}

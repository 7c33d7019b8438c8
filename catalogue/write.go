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

// SegmentsFile is the name of the file with the transcript of the sample.
const SegmentsFile = "sample/segments.csv"

// Draft is a dataset to be written, for example from a folder.
type Draft struct {
	// Dataset is without id, status, dates and gaps, which the service sets. In place of the
	// address of a file it has the name of the file.
	Dataset Dataset
	// SlugMade says that the slug was made from other facts, so another dataset may have it
	// by chance.
	SlugMade bool
	// Files are the public files.
	Files []DraftFile
	// Publish publishes the dataset too.
	Publish bool
	// Unseen, if not nil, is why somebody must look at the dataset before it is published. Put returns it
	// if the dataset is published already or by d.Publish.
	Unseen error
}

// DraftFile is a public file to be stored.
type DraftFile struct {
	Name, ContentType string
	Open              func() (io.ReadCloser, error)
}

// Put writes a dataset. A new slug becomes a draft. A known slug replaces the record and keeps its
// id, status and date of publication. If d.Publish is set, the record is published in the same
// step. Files are stored before the record that names them, so that a failure changes nothing
// that readers see.
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
	if next.Dataset.Status == Published && d.Unseen != nil {
		return Dataset{}, d.Unseen
	}
	if next.Files, err = s.storeFiles(ctx, d.Files, old.Files); err != nil {
		return Dataset{}, err
	}
	return s.write(ctx, next)
}

// stamp sets when the figures of a record were measured, if that is not set.
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

// storeFiles stores files and returns them as they are served. A file with the same content as
// before keeps its modification time.
func (s *Service) storeFiles(ctx context.Context, drafts []DraftFile, old []File) ([]File, error) {
	was := map[string]File{}
	for _, f := range old {
		was[f.Name] = f
	}
	files := make([]File, len(drafts))
	for i, d := range drafts {
		f, err := s.storeFile(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("keep %s: %w", d.Name, err)
		}
		// Clients would download an unchanged file again if its time changed.
		if o, ok := was[f.Name]; ok && o.SHA256 == f.SHA256 {
			f.Modified = o.Modified
		}
		files[i] = f
	}
	return files, nil
}

func (s *Service) storeFile(ctx context.Context, d DraftFile) (File, error) {
	body, err := d.Open()
	if err != nil {
		return File{}, err
	}
	defer body.Close() // read to its end; if not, Put has failed
	key, size, sum, err := s.files.Put(ctx, body)
	return File{
		Name: d.Name, Key: key, ContentType: d.ContentType,
		SizeBytes: size, SHA256: sum, Modified: s.now().UTC().Truncate(time.Second),
	}, err
}

// write writes a record and returns it as readers see it. A published record must pass the
// publication check.
func (s *Service) write(ctx context.Context, next Stored) (Dataset, error) {
	next.Dataset.DateModified = s.now().UTC().Truncate(time.Second)
	// The check needs the record as readers would see it; the store must not get the addresses.
	seen := next
	s.fill(&seen)
	if err := s.checkPublished(&seen); err != nil {
		return Dataset{}, err
	}
	next.Dataset.Gaps = nil // not stored, because they follow from the record
	revision, err := s.store.PutDataset(ctx, next)
	if err != nil {
		return Dataset{}, fmt.Errorf("write dataset %s: %w", next.Dataset.Slug, err)
	}
	next.Revision = revision
	if err := s.Refresh(ctx); err != nil {
		s.log.Warn("the catalogue could not be looked at after a change", "error", err) // the change itself is stored
	}
	s.fill(&next)
	return next.Dataset, nil
}

// checkPublished returns why a record that is or becomes published must not be. seen is the record
// as readers would see it.
func (s *Service) checkPublished(seen *Stored) error {
	if seen.Dataset.Status != Published {
		return nil
	}
	return s.publishing(seen)
}

// moves lists the allowed changes of status.
var moves = map[Status][]Status{
	Drafted:   {Published},
	Published: {Suspended, Retired},
	Suspended: {Published, Retired},
}

// Move changes the status of a dataset. If it has that status already nothing changes, but the
// error says if it could not be published now. It does not publish what somebody must look at
// first: see [Config.Unseen] and [Service.MoveSeen].
func (s *Service) Move(ctx context.Context, slugOrID string, to Status) (Dataset, error) {
	return s.moveTo(ctx, slugOrID, to, s.unseen)
}

// MoveSeen does what Move does, for somebody who has looked at what the dataset publishes.
func (s *Service) MoveSeen(ctx context.Context, slugOrID string, to Status) (Dataset, error) {
	return s.moveTo(ctx, slugOrID, to, nil)
}

// moveTo changes the status. What unseen, if it is not nil, has looked at is what is published: the
// store refuses the record if another one was written meanwhile.
func (s *Service) moveTo(ctx context.Context, slugOrID string, to Status, unseen unseenFunc) (Dataset, error) {
	stored, err := s.Find(ctx, slugOrID)
	if err != nil {
		return Dataset{}, err
	}
	d := &stored.Dataset
	if to == Published && unseen != nil && (d.Status == to || d.Status.MayBecome(to)) {
		open := func(f File) (io.ReadSeekCloser, error) { return s.files.Open(ctx, f.Key) }
		if err := unseen(ctx, &stored, open); err != nil {
			return Dataset{}, err
		}
	}
	if d.Status == to {
		s.fill(&stored)
		return *d, s.checkPublished(&stored)
	}
	if err := s.move(d, to); err != nil {
		return Dataset{}, err
	}
	return s.write(ctx, stored)
}

// move changes the status in a record.
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

// Find returns a record of any status, as it is stored.
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

// Show returns the record with a slug or an id, of any status, as readers would see it.
func (s *Service) Show(ctx context.Context, slugOrID string) (Dataset, error) {
	stored, err := s.ShowFiled(ctx, slugOrID)
	return stored.Dataset, err
}

// ShowFiled returns the same as Show, with the revision and with the files as they are or would be
// served.
func (s *Service) ShowFiled(ctx context.Context, slugOrID string) (Stored, error) {
	stored, err := s.Find(ctx, slugOrID)
	if err != nil {
		return Stored{}, err
	}
	s.fill(&stored)
	return stored, nil
}

// All calls yield with every dataset of any status, in no particular order. The entries have no
// descriptions.
func (s *Service) All(yield func(Entry) bool) {
	s.mu.Lock()
	all := make([]Entry, 0, len(s.library.entries))
	for _, k := range s.library.entries {
		all = append(all, k.entry())
	}
	s.mu.Unlock()
	for _, e := range all {
		if !yield(e) {
			return
		}
	}
}

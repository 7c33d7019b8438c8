package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Content is an open file of a dataset.
type Content struct {
	File
	Body io.ReadSeekCloser
}

// Reader is what transports need of a catalogue. In the product it is [*Service].
type Reader interface {
	List(q Query) (Page, error)
	Dataset(ctx context.Context, slugOrID string) (*Dataset, error)
	Filed(ctx context.Context, slugOrID string) (*Stored, error)
	Content(ctx context.Context, slugOrID, name string) (Content, error)
	Similar(s string) []string
}

// Dataset returns the record with a slug or an id if it is visible, that is published or retired.
// Otherwise the error is of kind fault.NotFound; [Service.Similar] has slugs that the caller
// may have meant. The record is shared and must not be changed.
func (s *Service) Dataset(ctx context.Context, slugOrID string) (*Dataset, error) {
	stored, err := s.Filed(ctx, slugOrID)
	if err != nil {
		return nil, err
	}
	return &stored.Dataset, nil
}

// Content opens a file of a visible dataset by its name. The caller must close it.
func (s *Service) Content(ctx context.Context, slugOrID, name string) (Content, error) {
	stored, err := s.Filed(ctx, slugOrID)
	if err != nil {
		return Content{}, err
	}
	for _, f := range stored.Files {
		if f.Name != name {
			continue
		}
		body, err := s.files.Open(ctx, f.Key)
		if errors.Is(err, fs.ErrNotExist) {
			return Content{}, fmt.Errorf("file %s of dataset %s is named by its record and not there: %w", name, stored.Dataset.Slug, err)
		}
		if err != nil {
			return Content{}, fmt.Errorf("open file %s of dataset %s: %w", name, stored.Dataset.Slug, err)
		}
		return Content{File: f, Body: body}, nil
	}
	return Content{}, noFile(stored, name)
}

// Filed returns the record with its revision and its public files; see [Service.Dataset].
func (s *Service) Filed(ctx context.Context, slugOrID string) (*Stored, error) {
	known, ok := s.current.Load().known[slugOrID]
	if !ok {
		return nil, notFound(slugOrID)
	}
	// The index knows the newest revision, so a cached record of another one is stale.
	if stored, ok := s.records.Get(known.slug); ok && stored.Revision == known.revision {
		return stored, nil
	}
	stored, ok, err := s.store.Dataset(ctx, known.slug)
	if err != nil {
		return nil, fmt.Errorf("read dataset %s: %w", known.slug, err)
	}
	if !ok || !stored.Dataset.Status.Visible() {
		return nil, notFound(slugOrID) // hidden since the index was built
	}
	s.fill(&stored)
	s.records.Put(stored.Dataset.Slug, &stored)
	return &stored, nil
}

// fill sets the parts of a record that are not stored: addresses and gaps.
func (s *Service) fill(stored *Stored) {
	s.at.fill(stored)
	stored.Dataset.Gaps = Gaps(&stored.Dataset)
}

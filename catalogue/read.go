package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"vaak/internal/recent"
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
	Answer(ctx context.Context, slugOrID string) (*Answer, error)
	Filed(ctx context.Context, slugOrID string) (*Stored, error)
	Content(ctx context.Context, slugOrID, name string) (Content, error)
	Similar(s string) []string
	Changes() *Changes
	Tag() string
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

// Link returns a URL under which a client can read a file of a visible dataset for [LinkLasts], from
// where it is kept. It is "" if there is no such file, or if clients cannot reach the store;
// [Service.Content] has what is to be sent then, or the error.
func (s *Service) Link(ctx context.Context, slugOrID, name string) (string, error) {
	if s.links == nil {
		return "", nil
	}
	stored, err := s.Filed(ctx, slugOrID)
	if err != nil {
		return "", err
	}
	for _, f := range stored.Files {
		if f.Name == name {
			link, err := s.links.Link(ctx, f.Key, f.ContentType, LinkLasts)
			if err != nil {
				return "", fmt.Errorf("sign a link to file %s of dataset %s: %w", name, stored.Dataset.Slug, err)
			}
			return link, nil
		}
	}
	return "", nil
}

func (s *Stored) rev() int64 { return s.Revision }

// newest returns what a memory has of a dataset, or what read finds in the store; nil if there is
// nothing.
func newest[V any](memory *recent.Memory[string, *V], known *kept, revision func(*V) int64, read func() (v *V, ok bool, err error)) (*V, error) {
	v, ok := memory.Get(known.slug())
	// The store may be ahead of the index, and then the memory is too. What it has from before the
	// index is stale.
	if ok && revision(v) >= known.revision {
		return v, nil
	}
	v, ok, err := read()
	if err != nil {
		return nil, fmt.Errorf("read dataset %s: %w", known.slug(), err)
	}
	if !ok {
		return nil, nil
	}
	// Others read the same dataset at about this time. Nobody who saw a newer state of theirs may
	// see this one after it, so the newest stays.
	return memory.Offer(known.slug(), v, func(there *V) bool { return revision(there) > revision(v) }), nil
}

// Filed returns the record with its revision and its public files; see [Service.Dataset].
func (s *Service) Filed(ctx context.Context, slugOrID string) (*Stored, error) {
	x := s.current.Load()
	known := x.named(slugOrID)
	if known == nil {
		return nil, notFound(slugOrID)
	}
	stored, err := newest(x.records, known, (*Stored).rev, func() (*Stored, bool, error) {
		read, ok, err := s.store.Dataset(ctx, known.slug())
		if err != nil || !ok {
			return nil, false, err
		}
		s.fill(&read)
		return &read, true, nil
	})
	if err != nil {
		return nil, err
	}
	if stored == nil || !stored.Dataset.Status.Visible() {
		return nil, notFound(slugOrID) // gone or hidden since the index was built
	}
	return stored, nil
}

// fill sets the parts of a record that are not stored: addresses and gaps.
func (s *Service) fill(stored *Stored) {
	s.at.fill(stored)
	stored.Dataset.Gaps = Gaps(&stored.Dataset)
}

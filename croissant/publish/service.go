package publish

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"sync/atomic"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/croissant/check"
	"vaak/croissant/write"
	"vaak/internal/recent"
)

// Source gives the records of datasets. In the product it is [*catalogue.Service].
type Source interface {
	// Filed returns the record of a visible dataset with its public files, or an error of
	// kind fault.NotFound.
	Filed(ctx context.Context, slugOrID string) (*catalogue.Stored, error)
}

// Document is the Croissant metadata of a dataset, or a part of it. It is shared between
// callers, so they must not change it.
type Document struct {
	Slug    string
	Version croissant.Version
	Body    []byte
	Gzip    []byte // Body, compressed
	ETag    string // strong, quoted; changes with every byte of Body
	Record  string // address of the catalogue's record of the dataset
	Page    string // address of the dataset's page for people

	report  func() check.Report
	checked atomic.Bool // report has returned
}

// Report returns what a check finds in a document. The document is checked when the first caller
// asks, in turn with those of [Service.Validate], whose errors it has.
func (s *Service) Report(ctx context.Context, d *Document) (check.Report, error) {
	if !d.checked.Load() {
		leave, err := s.checks.enter(ctx)
		if err != nil {
			return check.Report{}, err
		}
		defer leave()
	}
	report := d.report()
	d.checked.Store(true)
	return report, nil
}

// maxMemory bounds the documents in memory, in bytes of bodies, plain and compressed. A
// document takes about 20 KiB, so those of a thousand datasets fit.
const maxMemory = 32 << 20

// documentKey identifies a document.
type documentKey struct {
	slug    string
	version croissant.Version
	part    croissant.Part
}

// cached is a document with the revision of the record that it was made from.
type cached struct {
	revision int64
	document *Document
}

func documentSize(_ documentKey, c cached) int { return len(c.document.Body) + len(c.document.Gzip) }

// Service makes the documents of datasets, and checks documents of strangers. It makes a
// document once for each revision of its record and keeps it in memory while it is among
// those asked for most recently. Safe for concurrent use.
type Service struct {
	source    Source
	publicURL string
	documents *recent.Memory[documentKey, cached]
	checks    *turns
}

// New returns a service. publicURL is the address at which clients reach the server,
// without a slash at its end.
func New(source Source, publicURL string) *Service {
	return &Service{source: source, publicURL: publicURL, documents: recent.New(maxMemory, documentSize), checks: newTurns()}
}

// Document returns the whole document of a visible dataset. For any other the error is that
// of the catalogue, of kind fault.NotFound.
func (s *Service) Document(ctx context.Context, slugOrID string, v croissant.Version) (*Document, error) {
	return s.Part(ctx, slugOrID, v, croissant.Whole)
}

// Part returns one part of the document of a visible dataset; see [Service.Document].
func (s *Service) Part(ctx context.Context, slugOrID string, v croissant.Version, part croissant.Part) (*Document, error) {
	// The record is read for every request, even when the document is in memory: only the
	// catalogue knows whether the dataset is still visible, and its revision tells whether
	// the document is still right.
	stored, err := s.source.Filed(ctx, slugOrID)
	if err != nil {
		return nil, err
	}
	// The key takes the slug from the record, so that requests by slug and by id share a
	// document.
	key := documentKey{stored.Dataset.Slug, v, part}
	if c, ok := s.documents.Get(key); ok && c.revision == stored.Revision {
		return c.document, nil
	}
	d, err := s.write(stored, v, part)
	if err != nil {
		return nil, fmt.Errorf("write the Croissant metadata of dataset %s: %w", stored.Dataset.Slug, err)
	}
	// Two requests may make the same document at once. Both are equal, and the last one
	// stays.
	s.documents.Put(key, cached{stored.Revision, d})
	return d, nil
}

func (s *Service) write(stored *catalogue.Stored, v croissant.Version, part croissant.Part) (*Document, error) {
	body, err := write.Document(stored, s.publicURL, v, part)
	if err != nil {
		return nil, err
	}
	// Ninety-six bits of the hash are enough: the tag must differ between versions of one
	// document, not resist an attack.
	sum := sha256.Sum256(body)
	return &Document{
		Slug: stored.Dataset.Slug, Version: v, Body: body, Gzip: zipped(body),
		ETag:   `"` + hex.EncodeToString(sum[:12]) + `"`,
		Record: stored.Dataset.Record, Page: stored.Dataset.URL,
		report: sync.OnceValue(func() check.Report { return check.Validate(body) }),
	}, nil
}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // writing to a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

package croissant

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"vaak/catalogue"
	"vaak/internal/recent"
)

// Source has the records of datasets; [*catalogue.Service] is the one of the
// product.
type Source interface {
	Filed(ctx context.Context, slugOrID string) (*catalogue.Stored, error)
}

// Document is the Croissant metadata of a dataset, or a part of it. It is shared and must not be
// changed.
type Document struct {
	Slug    string
	Version Version
	Body    []byte
	Gzip    []byte // Body, compressed
	ETag    string // strong, quoted; changes with every byte of Body
	Record  string // address of the record that it describes
}

// maxMemory bounds the documents in memory, in bytes of their bodies as they are
// and compressed. One takes some 20 KiB, so that a thousand datasets find room.
const maxMemory = 32 << 20

// place is which document is meant.
type place struct {
	slug    string
	version Version
	part    Part
}

// kept is a document of a revision of its record.
type kept struct {
	revision int64
	document *Document
}

func documentSize(_ place, k kept) int { return len(k.document.Body) + len(k.document.Gzip) }

// Service has the documents of datasets. One is made once for each revision of its
// record, and kept while others are not asked for more. Its methods may be called
// from many goroutines.
type Service struct {
	source    Source
	publicURL string
	documents *recent.Memory[place, kept]
	checks    *turns
}

// New returns a service. publicURL is where clients reach the server, without a
// slash at its end.
func New(source Source, publicURL string) *Service {
	return &Service{source: source, publicURL: publicURL, documents: recent.New(maxMemory, documentSize), checks: newTurns()}
}

// Document returns the document of a visible dataset. The error of any other is
// that of the catalogue: a fault.NotFound.
func (s *Service) Document(ctx context.Context, slugOrID string, v Version) (*Document, error) {
	return s.Part(ctx, slugOrID, v, Whole)
}

// Part is [Service.Document] of a part of the document.
func (s *Service) Part(ctx context.Context, slugOrID string, v Version, part Part) (*Document, error) {
	stored, err := s.source.Filed(ctx, slugOrID)
	if err != nil {
		return nil, err
	}
	at := place{stored.Dataset.Slug, v, part}
	if k, ok := s.documents.Get(at); ok && k.revision == stored.Revision {
		return k.document, nil
	}
	d, err := s.write(stored, v, part)
	if err != nil {
		return nil, fmt.Errorf("write the Croissant metadata of dataset %s: %w", stored.Dataset.Slug, err)
	}
	s.documents.Put(at, kept{stored.Revision, d})
	return d, nil
}

func (s *Service) write(stored *catalogue.Stored, v Version, part Part) (*Document, error) {
	body, err := WritePart(stored, s.publicURL, v, part)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	return &Document{
		Slug: stored.Dataset.Slug, Version: v, Body: body, Gzip: zipped(body),
		ETag:   `"` + hex.EncodeToString(sum[:12]) + `"`,
		Record: stored.Dataset.Record,
	}, nil
}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // writing to a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

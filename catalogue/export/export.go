// Package export hands out the records of datasets in the formats of others: DCAT-AP for data
// portals, RO-Crate for research data. The packages below write them; the feed and the sitemaps
// are pages of the web transport.
package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/export/dcat"
	"vaak/catalogue/export/rocrate"
	"vaak/internal/fault"
	"vaak/internal/flight"
	"vaak/internal/recent"
)

// Format is a format of one dataset.
type Format string

// The formats.
const (
	DCAT    Format = "dcat"
	ROCrate Format = "ro-crate"
)

// FileName returns the last part of the address at which the format is served.
func (f Format) FileName() string {
	if f == ROCrate {
		return rocrate.FileName
	}
	return "dcat.jsonld"
}

// MediaType returns the content type.
func (f Format) MediaType() string {
	if f == ROCrate {
		return rocrate.MediaType
	}
	return dcat.MediaType
}

// Profile returns the address of the profile that documents in the format follow.
func (f Format) Profile() string {
	if f == ROCrate {
		return rocrate.Profile
	}
	return dcat.Profile
}

// CataloguePath is where the catalogue is in DCAT-AP.
const CataloguePath = "/catalogue/dcat.jsonld"

// Source gives the records. In the product it is [*catalogue.Service].
type Source interface {
	// Filed returns the record of a visible dataset with its public files, or an error of
	// kind fault.NotFound.
	Filed(ctx context.Context, slugOrID string) (*catalogue.Stored, error)
	Changes() *catalogue.Changes
}

// Document is a document in memory. It is shared between callers, so they must not change it.
type Document struct {
	Slug      string // of the dataset; "" for the catalogue
	MediaType string
	Body      []byte
	Gzip      []byte // Body, compressed
	ETag      string // strong, quoted; changes with every byte of Body
	Page      string // address of the page for people; "" for the catalogue
	Next      string // of the catalogue: address of the next page; "" on the last
	Modified  time.Time
}

// maxMemory bounds the documents of datasets in memory, in bytes of bodies, plain and compressed.
const maxMemory = 16 << 20

type documentKey struct {
	slug   string
	format Format
}

// cached is a document with the revision of the record that it was made from.
type cached struct {
	revision int64
	document *Document
}

// pageKey names a page of the catalogue: the state of it, and the slug before the page.
type pageKey struct{ tag, after string }

// firstPage is the first page of the catalogue in a state of it.
type firstPage struct {
	tag      string
	document *Document
}

// Pages of the catalogue that are made at once, and that wait. Each looks at a hundred records.
const (
	pagesAtOnce  = 2
	pagesWaiting = 64
)

// Service makes documents once for each revision of their record, and keeps those asked for most
// recently. Safe for concurrent use.
type Service struct {
	source    Source
	publicURL string
	documents *recent.Memory[documentKey, cached]
	// Of the pages of the catalogue the first is kept: there are as many others as somebody
	// thinks up slugs, and a harvester reads each of them once.
	first atomic.Pointer[firstPage]
	pages *flight.Bounded[pageKey, *Document]
}

// New returns a service. publicURL is the address at which clients reach the server, without a
// slash at its end.
func New(source Source, publicURL string) *Service {
	size := func(_ documentKey, c cached) int { return len(c.document.Body) + len(c.document.Gzip) }
	return &Service{
		source: source, publicURL: publicURL, documents: recent.New(maxMemory, size), pages: flight.NewBounded[pageKey, *Document](pagesAtOnce, pagesWaiting),
	}
}

// Dataset returns a visible dataset in a format. For any other the error is that of the catalogue,
// of kind fault.NotFound.
func (s *Service) Dataset(ctx context.Context, slugOrID string, f Format) (*Document, error) {
	// Only the catalogue knows whether the dataset is still visible, so it is asked each time.
	stored, err := s.source.Filed(ctx, slugOrID)
	if err != nil {
		return nil, err
	}
	d := &stored.Dataset
	key := documentKey{d.Slug, f}
	if c, ok := s.documents.Get(key); ok && c.revision == stored.Revision {
		return c.document, nil
	}
	var body []byte
	if f == ROCrate {
		body, err = rocrate.Document(stored)
	} else {
		body, err = dcat.Dataset(stored, s.publicURL)
	}
	if err != nil {
		return nil, err
	}
	out := finish(&Document{Slug: d.Slug, MediaType: f.MediaType(), Body: body, Page: d.URL, Modified: d.DateModified})
	// Two requests may make the same document at once. Both are equal, and the last one stays.
	s.documents.Put(key, cached{stored.Revision, out})
	return out, nil
}

// perPage is how many datasets a page of the catalogue has.
const perPage = 100

// Catalogue returns a part of the catalogue in DCAT-AP: the datasets whose slugs come after one in
// the order of the alphabet; "" is the first part. The error is of kind fault.Invalid if after is no
// slug, fault.Unavailable if too many parts wait to be made, and fault.Cancelled if ctx ends first.
func (s *Service) Catalogue(ctx context.Context, after string) (*Document, error) {
	if after != "" && !catalogue.IsSlug(after) {
		return nil, fault.BadParameter("after", "after is the slug of the last dataset of the page before; %.90q was sent", after)
	}
	changes := s.source.Changes()
	kept := func() *Document {
		if p := s.first.Load(); after == "" && p != nil && p.tag == changes.Tag() {
			return p.document
		}
		return nil
	}
	if d := kept(); d != nil {
		return d, nil
	}
	d, err := s.pages.Do(ctx, pageKey{changes.Tag(), after}, func(ctx context.Context) (*Document, error) {
		if d := kept(); d != nil { // it was made since
			return d, nil
		}
		d, err := s.page(ctx, changes, after)
		if err == nil && after == "" {
			s.first.Store(&firstPage{changes.Tag(), d})
		}
		return d, err
	})
	switch {
	case errors.Is(err, flight.ErrBusy):
		return nil, fault.Down(fault.CodeOverloaded, time.Second, nil, "%d pages of the catalogue wait to be made; try again in 1 s", pagesWaiting)
	case err != nil && ctx.Err() != nil:
		return nil, &fault.Error{Kind: fault.Cancelled, Code: "cancelled", Msg: "the caller went away before its page was made", Err: err}
	}
	return d, err
}

// page makes a page of the catalogue.
func (s *Service) page(ctx context.Context, changes *catalogue.Changes, after string) (*Document, error) {
	first := s.publicURL + CataloguePath
	p := dcat.Page{Base: s.publicURL, Self: first, First: first, Count: changes.Len(), Modified: changes.Modified()}
	if after != "" {
		p.Self = first + "?after=" + after
	}
	// One more tells whether there is a next page.
	some := changes.AfterSlug(after, perPage+1)
	if len(some) > perPage {
		some = some[:perPage]
		p.Next = first + "?after=" + some[perPage-1].Slug
	}
	for _, c := range some {
		stored, err := s.source.Filed(ctx, c.Slug)
		if fault.KindOf(err) == fault.NotFound {
			continue // gone since
		}
		if err != nil {
			return nil, fmt.Errorf("read dataset %s for the catalogue in DCAT: %w", c.Slug, err)
		}
		p.Sets = append(p.Sets, stored)
	}
	body, err := dcat.Catalogue(p)
	if err != nil {
		return nil, err
	}
	return finish(&Document{MediaType: dcat.MediaType, Body: body, Next: p.Next, Modified: p.Modified}), nil
}

// finish sets what follows from the body.
func finish(d *Document) *Document {
	sum := sha256.Sum256(d.Body)
	d.ETag, d.Gzip = `"`+hex.EncodeToString(sum[:12])+`"`, zipped(d.Body)
	return d
}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // writing to a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

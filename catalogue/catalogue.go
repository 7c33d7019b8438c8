// Package catalogue holds the records of datasets that can be licensed, finds
// them, and says what is known of each and what is not.
//
// A record has three kinds of facts: declared ones, which people wrote on the
// dataset's card; measured ones, which vaak computed from the files; and gaps,
// the names of fields that nobody has filled. None stands in for another.
//
// The list is answered from an index in memory, which is replaced as a whole
// when a record changes; records and files come from a [Store] and [Files].
package catalogue

import (
	"context"
	"io"
	"time"
)

// Store keeps records. Its methods may be called from many goroutines.
type Store interface {
	// Dataset returns the record with a slug or an id, whatever its status; false
	// when there is none.
	Dataset(ctx context.Context, slugOrID string) (Stored, bool, error)
	// Entries returns up to limit entries whose revision is above after, in order
	// of revision, those of every status.
	Entries(ctx context.Context, after int64, limit int) ([]Entry, error)
	// PutDataset writes a record and returns the revision that it got, which is
	// above every revision before. A new slug is a new dataset; a known one keeps
	// its id, which must be the same. It is refused (fault.Conflict) when
	// s.Revision is not that of the record there; 0 says that there must be none.
	PutDataset(ctx context.Context, s Stored) (revision int64, err error)
	// Watch calls changed once it watches, soon after any process changed a record,
	// and maybe more often, until ctx ends; it returns ctx's error.
	Watch(ctx context.Context, changed func()) error
}

// Stored is a record as it is kept.
type Stored struct {
	Revision int64
	Dataset  Dataset // its addresses (url and the like) are empty as it is kept
	Files    []File  // what is served of it, by name
}

// Entry is what the index needs of a record.
type Entry struct {
	Revision int64
	Status   Status
	Brief    Brief    // its addresses are empty
	Domains  []string // every domain, Brief.Domain among them
	Names    []string // more names of its language: native, ISO 639 codes
	Others   []string // tags and names of the other languages in it
}

// File is a file that is served of a dataset, such as "sample/sample.wav".
type File struct {
	Name        string    `json:"name"` // path below the dataset's address
	Key         string    `json:"key"`  // in [Files]
	ContentType string    `json:"contentType"`
	SizeBytes   int64     `json:"sizeBytes"`
	SHA256      string    `json:"sha256"` // hex
	Modified    time.Time `json:"modified"`
	URL         string    `json:"-"` // where it is served; empty as it is kept
}

// Files keeps the bytes of files by their keys: "sha256/<hex>". A file never
// changes. Its methods may be called from many goroutines.
type Files interface {
	// Put keeps what r holds and returns its key, size and digest. Nothing is
	// there under the key before all of it is.
	Put(ctx context.Context, r io.Reader) (key string, size int64, sha256 string, err error)
	// Open opens a file; fs.ErrNotExist when there is none.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
}

// Package catalogue keeps the records of datasets that can be licensed, finds them, and says
// what is known about each and what is not.
//
// A record has three kinds of facts: declared facts, which people wrote on the card of the
// dataset; measured facts, which Vaak computed from its files; and gaps, the names of fields
// that nobody has filled. No kind replaces another: nothing that is measured can be declared.
//
// The list is answered from an index in memory, which is replaced as a whole when a record
// changes. Records and files come from a [Store] and from [Files].
package catalogue

import (
	"context"
	"io"
	"time"
)

// Store keeps records. Safe for concurrent use.
type Store interface {
	// Dataset returns the record with a slug or an id, whatever its status, and false if
	// there is none.
	Dataset(ctx context.Context, slugOrID string) (Stored, bool, error)
	// Text returns the same as it is stored.
	Text(ctx context.Context, slugOrID string) (Text, bool, error)
	// Entries returns up to limit entries with a revision above after, in the order of
	// revisions, of every status.
	Entries(ctx context.Context, after int64, limit int) ([]Entry, error)
	// PutDataset writes a record and returns its new revision, which is higher than any
	// before. A new slug is a new dataset; a record with a known slug must have the same
	// id. It fails with fault.Conflict if s.Revision is not the revision of the stored
	// record, or if s.Revision is 0 and there is one.
	PutDataset(ctx context.Context, s Stored) (revision int64, err error)
	// Watch calls changed once when it begins to watch, and soon after any process has
	// changed a record; it may also call it more often. It returns when ctx ends.
	Watch(ctx context.Context, changed func()) error
}

// Stored is a record as it is stored, with its files.
type Stored struct {
	Revision int64
	Dataset  Dataset // stored without its addresses (url and others)
	Files    []File  // public files, sorted by name
}

// Entry is what the index needs of a record.
type Entry struct {
	Revision    int64
	Status      Status
	Brief       Brief    // without addresses
	Domains     []string // all domains, including Brief.Domain
	Names       []string // other names of its language: native name, ISO 639 codes
	Others      []string // tags and names of the other languages in the dataset
	Script      string   // ISO 15924, of the transcripts; "" is not known
	Description string   // searched for words; the index does not keep it
	Licence     *Terms   // nil is not known
	Speakers    *int     // nil is not known
	SampleRates []int    // that files have, in Hz, ascending
	Modified    time.Time
	Traits      Traits
}

// File is a public file of a dataset, such as "sample/sample.wav".
type File struct {
	Name        string    `json:"name"` // path relative to the dataset's address
	Key         string    `json:"key"`  // in [Files]
	ContentType string    `json:"contentType"`
	SizeBytes   int64     `json:"sizeBytes"`
	SHA256      string    `json:"sha256"` // hex
	Modified    time.Time `json:"modified"`
	URL         string    `json:"-"` // where it is served; not stored
}

// Links signs links to files.
type Links interface {
	// Link returns a URL under which anybody can read the file with a key for a time. The
	// answer has the content type.
	Link(ctx context.Context, key, contentType string, lasts time.Duration) (string, error)
}

// LinkLasts is how long a link of [Service.Link] works.
const LinkLasts = 5 * time.Minute

// Files keeps the bytes of files under keys such as "sha256/<hex>". A file never changes. Safe
// for concurrent use.
type Files interface {
	// Put stores what r contains and returns its key, size and digest. The file appears
	// under the key only when all of it is stored.
	Put(ctx context.Context, r io.Reader) (key string, size int64, sha256 string, err error)
	// Open opens a file. The error is fs.ErrNotExist if there is none.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
}

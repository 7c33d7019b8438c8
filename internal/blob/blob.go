// Package blob keeps blobs, which are bytes of any number, under names: clips, previews, backups.
// [Store] is the contract. [Dir] keeps blobs in a directory, and the package store/files/bucket
// in object storage. What is to be kept under the digest of its content belongs into store/files.
package blob

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"
)

// Store keeps blobs. A Store may be used by many goroutines, processes and machines at once. The
// suite of the package blobtest says what all of them do.
//
// A store is opened with or without heads. A head is a short text that belongs to a blob and is
// written last, so it may tell the size of the content.
//
// Errors wrap [io/fs.ErrNotExist] for a name without a blob, and for one that is no [Valid] name.
// They are a *fault.Error of kind Unavailable when object storage is away or refuses the request.
type Store interface {
	// Create begins a blob. Until it is committed, no other process can open it, and a blob of
	// that name that is there already stays as it is. With heads, the name must be new.
	Create(ctx context.Context, name string) (Draft, error)
	// Open opens a blob, which the caller closes. It reads what Info describes to its end, or
	// fails, even if the blob is replaced meanwhile.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, Info, error)
	// Stat describes a blob without reading its content.
	Stat(ctx context.Context, name string) (Info, error)
	// Delete removes a blob. It is no error if there is none.
	Delete(ctx context.Context, name string) error
	// Each calls do for the name of each blob, in any order, until do returns an error, which
	// Each returns. Blobs that come or go meanwhile may be left out. A name may be of something
	// that Stat does not find.
	Each(ctx context.Context, do func(name string) error) error
}

// Draft is a blob that is being written, by one goroutine. Exactly one of Commit and Discard
// takes effect, the one that is called first.
type Draft interface {
	io.Writer
	// Sync brings what was written to where it stays, so far as the store can before the blob is
	// whole. In a directory, Commit needs no more room after it.
	Sync() error
	// Commit makes the blob durable and lets everybody see it, whole. The head must be "" in a
	// store without heads. After an error, nothing is left of the draft.
	Commit(head string) error
	// Discard gives the draft up.
	Discard()
}

// Info describes a blob.
type Info struct {
	Name     string
	Size     int64     // bytes of the content, without the head
	Modified time.Time // by the clock of the store
	Head     string    // "" where there is none
}

// maxName bounds names, in bytes, as file systems do.
const maxName = 255

// Valid reports whether a text may be the name of a blob: at most 255 bytes of UTF-8 without a
// slash or a control character, that do not begin with a dot.
func Valid(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && name[0] != '.' &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' || r == '\\' })
}

// NotValid returns the error for a name that is not valid. It wraps [fs.ErrNotExist].
func NotValid(name string) error {
	return fmt.Errorf("%.100q cannot be the name of a blob: %w", name, fs.ErrNotExist)
}

// Package dictionary keeps the pronunciation dictionaries of organisations. A dictionary is a
// list of respelling rules with versions. A request may use up to [MaxPerRequest] of them.
//
// A version never changes. An edit makes the next version, and every process uses it as soon as
// it hears of the edit. Speech that has begun goes on with the version that it began with.
package dictionary

import (
	"context"
	"time"

	"vaak/text/respell"
)

// Limits.
const (
	MaxPerOrganisation = 100
	MaxPerRequest      = 3 // how many dictionaries one request may use
	MaxName            = 200
	MaxDescription     = 1000
	// KeptVersions is how many versions of a dictionary are kept, with the latest. KeptBytes
	// bounds the size of the rules of all versions before the latest.
	KeptVersions = 100
	KeptBytes    = 8 << 20
)

// Everyone stands for every organisation, in what operators ask for.
const Everyone = "*"

// Stable codes.
const (
	CodeNotFound = "pronunciation_dictionary_not_found"
	CodeTooMany  = "dictionary_limit_exceeded"
	CodeConflict = "edited_meanwhile"
)

// Dictionary is a dictionary without its rules.
type Dictionary struct {
	ID          string // a UUID
	Org         string // id of the organisation that it belongs to
	Name        string
	Description string
	CreatedBy   string // id of the key that made it, or account.ConsoleKey
	CreatedAt   time.Time
	Latest      Version
}

// Version is one state of a dictionary's rules.
type Version struct {
	ID        string // a UUID
	Number    int    // 1 is the first
	Rules     int    // how many there are
	CreatedAt time.Time
}

// Store keeps dictionaries. Errors are internal or of kind Unavailable.
type Store interface {
	// Create stores a dictionary whose Latest is its first version. It stores nothing and ok
	// is false when the organisation already has most dictionaries.
	Create(ctx context.Context, d Dictionary, rules []respell.Rule, most int) (ok bool, err error)
	// List returns the dictionaries of an organisation or of [Everyone], oldest first.
	List(ctx context.Context, org string) ([]Dictionary, error)
	// Get returns a dictionary of any organisation; ok is false when there is none.
	Get(ctx context.Context, id string) (d Dictionary, ok bool, err error)
	// Rules returns a version of a dictionary; ok is false when there is none.
	Rules(ctx context.Context, id, version string) (v Version, rules []respell.Rule, ok bool, err error)
	// Versions returns the versions that are kept, latest first. It returns none for a
	// dictionary that does not exist.
	Versions(ctx context.Context, id string) ([]Version, error)
	// Put makes rules the latest version of a dictionary, if its latest version is still
	// after. Otherwise, or where the dictionary does not exist, it stores nothing and ok is
	// false. It deletes versions beyond KeptVersions and KeptBytes, oldest first.
	Put(ctx context.Context, id, after string, v Version, rules []respell.Rule) (ok bool, err error)
	// Delete removes a dictionary with its versions; ok is false when there is none.
	Delete(ctx context.Context, id string) (ok bool, err error)
	// Watch calls changed with "" once it watches. From then on it calls changed with the id
	// of every dictionary that any process changes or deletes, soon after, or with "" when it
	// may have missed some. Changed must not block. Watch returns only when ctx ends, with
	// its error.
	Watch(ctx context.Context, changed func(id string)) error
}

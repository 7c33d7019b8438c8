// Package dictionary keeps the pronunciation dictionaries of organisations: lists
// of respelling rules with versions, of which a request may use a few.
//
// A version never changes. An edit makes the next one, which every process uses
// from the moment it hears of it; who has begun to speak goes on with the version
// that was there.
package dictionary

import (
	"context"
	"time"

	"vaak/text/respell"
)

// Limits.
const (
	MaxPerOrganisation = 100
	MaxPerRequest      = 3 // that one request may use
	MaxName            = 200
	MaxDescription     = 1000
	// KeptVersions is how many versions of a dictionary are kept at most, the latest
	// among them; KeptBytes bounds the rules of those before it.
	KeptVersions = 100
	KeptBytes    = 8 << 20
)

// Everyone stands for every organisation, where operators ask.
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
	Org         string // whose it is
	Name        string
	Description string
	CreatedBy   string // id of a key, or account.ConsoleKey
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
	// Create keeps a dictionary, whose Latest is its first version; ok is false when
	// its organisation has so many already.
	Create(ctx context.Context, d Dictionary, rules []respell.Rule, most int) (ok bool, err error)
	// List returns the dictionaries of an organisation, or of [Everyone], the oldest
	// first.
	List(ctx context.Context, org string) ([]Dictionary, error)
	// Get returns a dictionary of any organisation; ok is false when there is none.
	Get(ctx context.Context, id string) (d Dictionary, ok bool, err error)
	// Rules returns a version of a dictionary; ok is false when there is none.
	Rules(ctx context.Context, id, version string) (v Version, rules []respell.Rule, ok bool, err error)
	// Versions returns the versions that are kept, the latest first; none of a
	// dictionary that is not there.
	Versions(ctx context.Context, id string) ([]Version, error)
	// Put makes rules the latest version of a dictionary whose latest version is after;
	// ok is false when it is another, or there is no such dictionary. Versions beyond
	// KeptVersions and KeptBytes go, the oldest first.
	Put(ctx context.Context, id, after string, v Version, rules []respell.Rule) (ok bool, err error)
	// Delete removes a dictionary with its versions; ok is false when there is none.
	Delete(ctx context.Context, id string) (ok bool, err error)
	// Watch calls changed with "" once it watches, and then with the id of every
	// dictionary that any process changes or deletes, soon after; "" stands for any.
	// Changed must not wait. Watch returns the error of ctx when that ends, and no
	// other.
	Watch(ctx context.Context, changed func(id string)) error
}

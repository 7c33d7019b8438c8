package account

import (
	"context"
	"time"
)

// Store keeps organisations, keys and usage.
//
// Its errors are *fault.Error of kind NotFound where no row fits, Conflict
// where a unique one is there already, Unavailable while the store cannot be
// read or written (full disk, lock, closed), Cancelled when ctx was cancelled;
// every other error is a defect. Times are kept to the microsecond, in UTC.
// All methods may be called from many goroutines, and several stores, in other
// processes too, may stand on the same data: what one has written, the others
// see with their next call.
type Store interface {
	OrganisationStore
	KeyStore
	UsageStore
}

// OrganisationStore keeps organisations.
type OrganisationStore interface {
	// CreateOrganisation adds one; its id and its name must be new.
	CreateOrganisation(ctx context.Context, o Organisation) error
	// Organisation returns the one with an id.
	Organisation(ctx context.Context, id string) (Organisation, error)
	// Organisations returns all, oldest first.
	Organisations(ctx context.Context) ([]Organisation, error)
}

// KeyStore keeps keys. It neither keeps nor fills Key.Display.
type KeyStore interface {
	// CreateKey adds one; its organisation must be there, its id and hash must be new.
	CreateKey(ctx context.Context, k Key) error
	// Keys returns the keys of an organisation, revoked ones too, oldest first.
	Keys(ctx context.Context, orgID string) ([]Key, error)
	// RevokeKey marks a key as revoked at a time; one that is revoked already
	// keeps its first time.
	RevokeKey(ctx context.Context, id string, at time.Time) error
	// Credential returns what the key with this hash stands for, as it is now:
	// a revocation by any process is seen. It runs on every request.
	Credential(ctx context.Context, hash []byte) (Credential, error)
}

// UsageStore keeps what was used.
type UsageStore interface {
	// AddUsage adds every record to the sum of its key and month, all of them or none.
	// It returns when they are safe from a crash.
	AddUsage(ctx context.Context, records []KeyUsage) error
	// Usage returns the sums of the keys of an organisation that were used in a
	// month, by key id.
	Usage(ctx context.Context, orgID string, p Period) ([]KeyUsage, error)
	// Ping writes, and so tells whether AddUsage can work.
	Ping(ctx context.Context) error
}

// Credential is what a key stands for.
type Credential struct {
	Caller  Caller
	Hash    []byte // SHA-256 of the secret
	Revoked bool
}

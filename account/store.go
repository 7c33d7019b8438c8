package account

import (
	"context"
	"time"

	"vaak/account/ledger"
	"vaak/internal/ratelimit"
)

// Store keeps organisations, keys, books and usage.
//
// Its errors are *fault.Error of kind NotFound when no row fits, Conflict when a
// row that must be unique exists, Unavailable while the store cannot be read or
// written (full disk, lock, closed), and Cancelled when ctx was cancelled. Every
// other error is a defect. Times are stored to the microsecond, in UTC.
//
// All methods may be called from many goroutines. Several stores, also in other
// processes, may share the same data: what one has written, the others see with
// their next call, except where a method says otherwise.
type Store interface {
	PlanStore
	OrganisationStore
	KeyStore
	LedgerStore
	UsageStore
	ChangeStore
	ProbeStore
}

// PlanStore keeps plans.
type PlanStore interface {
	// SetPlan adds a plan or replaces the one with its id.
	SetPlan(ctx context.Context, p ledger.Plan) error
	// Plans returns all, the smallest first.
	Plans(ctx context.Context) ([]ledger.Plan, error)
}

// OrganisationStore keeps organisations.
type OrganisationStore interface {
	// CreateOrganisation adds one; its id and its name must be new.
	CreateOrganisation(ctx context.Context, o Organisation) error
	// Organisation returns the one with an id.
	Organisation(ctx context.Context, id string) (Organisation, error)
	// Organisations returns all, oldest first.
	Organisations(ctx context.Context) ([]Organisation, error)
	// RenameOrganisation gives one another name, which must be new.
	RenameOrganisation(ctx context.Context, id, name string) error
	// SetCeilings sets the limits of an organisation over all its keys.
	SetCeilings(ctx context.Context, id string, c Ceilings) error
}

// KeyStore keeps keys. It neither keeps nor fills Key.Display.
type KeyStore interface {
	// CreateKey adds one; its organisation must exist, its id and hash must be new.
	CreateKey(ctx context.Context, k Key) error
	// Key returns the one with an id.
	Key(ctx context.Context, id string) (Key, error)
	// Keys returns the keys of an organisation, revoked ones too, oldest first.
	Keys(ctx context.Context, orgID string) ([]Key, error)
	// ValidKeys counts the keys of organisations that are valid at a time, without those
	// whose id is in except. An organisation without valid keys is left out.
	ValidKeys(ctx context.Context, orgIDs []string, at time.Time, except []string) (map[string]int, error)
	// RevokeKey marks a key as revoked at a time; one that is revoked already
	// keeps its first time.
	RevokeKey(ctx context.Context, id string, at time.Time) error
	// Credential returns the key with this hash, with the terms and plans of its
	// organisation. It runs on every request. A revocation by another process may be
	// seen late, by as long as [ChangeStore] says.
	Credential(ctx context.Context, hash []byte) (Credential, error)
	// TouchKeys sets when keys were last used, by key id.
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}

// LedgerStore keeps the books of organisations. It has the clock by which leases are
// measured: one for all processes that share the data.
type LedgerStore interface {
	// Post opens books, calls turn with them while no other posting can change them,
	// and writes their changes and the posting that turn returned. It writes all of that
	// or, on an error, nothing, and returns when it is safe from a crash. Turn may run
	// more than once. An organisation that does not exist has no book.
	Post(ctx context.Context, o Opening, turn func(now time.Time, books map[string]*ledger.Book) (Posting, error)) error
	// Book returns the book of an organisation as it is now, with its spent lots and the
	// advances of all processes, which every posting reads, too. Changes of the returned
	// book are not stored.
	Book(ctx context.Context, orgID string) (*ledger.Book, time.Time, error)
	// Books is Book for several organisations; those that do not exist are left out.
	Books(ctx context.Context, orgIDs []string) (map[string]*ledger.Book, time.Time, error)
	// Overdue returns up to limit organisations whose books have something to
	// roll forward: a lapsed hold, an expired lot, a window that ended.
	Overdue(ctx context.Context, limit int) ([]string, error)
	// PruneHolds forgets holds that ended before a time and returns how many.
	PruneHolds(ctx context.Context, before time.Time) (int, error)
	// Audit adds the books up.
	Audit(ctx context.Context) (ledger.Audit, error)
}

// Opening says what a posting needs to see.
type Opening struct {
	Orgs  []string // whose books; no id twice
	Holds []string // that are to be raised, settled or released
	Keys  []string // that spend and have a cap; others may be named, too
}

// Posting is what is written with the changes of the books.
type Posting struct {
	Uses []Use // of organisations whose books are open
	// Jobs are queued with the data; see [Job].
	Jobs []Job
	// Changed is reported to every process; see [ChangeStore].
	Changed []Change
}

// Job asks for work later, outside the transaction.
type Job struct {
	Kind string    // of a handler
	Args any       // goes as JSON
	At   time.Time // zero: at once
}

// UsageStore keeps what was used.
type UsageStore interface {
	// Usage returns the sums of the keys of an organisation that were used in a
	// month, by key id.
	Usage(ctx context.Context, orgID string, p ledger.Period) ([]KeyUsage, error)
	// Characters returns how many characters the keys of each organisation used in a
	// month. An organisation without use is left out.
	Characters(ctx context.Context, orgIDs []string, p ledger.Period) (map[string]int64, error)
	// Daily returns sums of an organisation's use by day, from and to included,
	// ordered by day and then by group.
	Daily(ctx context.Context, orgID string, q DailyQuery) ([]DailyUsage, error)
	// AddRequests keeps request records, each with a Seq above those of earlier ones.
	AddRequests(ctx context.Context, records []RequestRecord) error
	// Requests returns request records of an organisation, the latest first, and of
	// those of one instant the one that was added last. It may look at no more than
	// [RequestScan] where [Service.Requests] says so.
	Requests(ctx context.Context, orgID string, q RequestQuery) ([]RequestRecord, error)
	// Outcomes returns how the latest requests of an organisation went, the latest
	// first: up to limit of them, not from before since.
	Outcomes(ctx context.Context, orgID string, since time.Time, limit int) ([]Outcome, error)
	// PruneRequests forgets request records from before a time and returns how many.
	PruneRequests(ctx context.Context, before time.Time) (int, error)
}

// ProbeStore tells whether the store works.
type ProbeStore interface {
	// Ping writes a row. An error means that Post would fail, too.
	Ping(ctx context.Context) error
	// Answers reads a row. It works while the store is only slow to write.
	Answers(ctx context.Context) error
}

// ChangeStore reports changes, of this process and of others.
type ChangeStore interface {
	// Watch calls seen for each change that any process makes after Watch was called,
	// until ctx ends. A change is reported within a second as a rule, and within five
	// in any case. Seen must not block.
	Watch(ctx context.Context, seen func(Change)) error
}

// Change says that something is not what it was.
type Change struct {
	Topic Topic
	ID    string // "" when anything of the topic may have changed
}

// Topic is a sort of thing that processes keep in memory.
type Topic string

// The topics.
const (
	TopicKey          Topic = "key"
	TopicOrganisation Topic = "organisation"
	TopicPlan         Topic = "plan"
	TopicAdvance      Topic = "advance" // an organisation needs what processes have taken ahead of it
)

// LimitStore counts requests and streams for all processes on the same data.
// Its errors are as those of [Store].
type LimitStore interface {
	// TakeRequest counts a request at every scope when all have room, else at none. It
	// returns how each scope stands, with the number of its streams.
	TakeRequest(ctx context.Context, scopes []Scope) ([]Standing, error)
	// TakeSlot takes a slot at every scope when all have one free, else none, for a
	// holder with a lease. Taken is how many are in use at each scope after it; full is
	// the index of the first scope without a free one, or -1.
	TakeSlot(ctx context.Context, holder string, scopes []Scope, lease time.Duration) (taken []int, full int, err error)
	// Running returns how many slots are taken at each scope.
	Running(ctx context.Context, scopes []string) ([]int, error)
	// FreeSlot frees the slots of a holder.
	FreeSlot(ctx context.Context, holder string) error
	// RenewSlots extends the leases of holders.
	RenewSlots(ctx context.Context, holders []string, lease time.Duration) error
	// Replicas returns how many processes share the limits; at least 1.
	Replicas(ctx context.Context) (int, error)
}

// Scope is what a limit applies to: a key or an organisation.
type Scope struct {
	ID    string
	Limit int // of requests a minute, or of streams; a negative one is counted and never reached
}

// Standing is how much of a limit a scope has used.
type Standing struct {
	Requests ratelimit.Decision
	Streams  int // that run
}

// Credential is a key with the terms and plans of its organisation.
type Credential struct {
	KeyID, OrgID string
	Hash         []byte // SHA-256 of the secret
	Revoked      bool
	Expires      time.Time // zero: never
	Capped       bool      // has a cap of characters a month
	Terms        ledger.Terms
	Plans        map[string]ledger.Plan // those that the terms may come to
	Ceilings     Ceilings
}

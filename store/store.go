// Package store keeps everything that outlives a process, in SQLite or PostgreSQL. A
// [Store] is an open database with one part for each aggregate, and each part is a package
// beside this one: keys, books, people and so on. They implement the store interfaces of
// the domain packages over the one connection of package database.
//
// This package puts the parts together. It also looks at databases that are not open, and
// copies files of SQLite, for backups and checks.
package store

import (
	"context"
	"log/slog"
	"time"

	"vaak/account"
	"vaak/store/books"
	"vaak/store/database"
	"vaak/store/datasets"
	"vaak/store/dictionaries"
	"vaak/store/enquiries"
	"vaak/store/jobs"
	"vaak/store/keys"
	"vaak/store/organisations"
	"vaak/store/people"
	"vaak/store/replicas"
	"vaak/store/tokens"
	"vaak/store/usage"
)

// Config says where the data is.
type Config struct {
	// DSN is "sqlite:" and the path of a file, which is created, with its directory, when
	// it does not exist. "sqlite::memory:" is a database that is gone when the Store is
	// closed. "postgres://user:password@host/database" is a database of PostgreSQL, which
	// must exist and be encoded in UTF8; its parameters are those of pgx, and
	// pool_max_conns (16). Required.
	DSN string
	// Logger gets a line for each migration; nil logs nothing.
	Logger *slog.Logger
	// Now is the clock by which leases are measured. Nil is the clock of the database
	// on PostgreSQL, so that all processes share one, and time.Now on SQLite.
	Now func() time.Time
}

// Store is an open database. Its methods may be called from many goroutines. Their errors
// are as [account.Store] says.
type Store struct {
	account.PlanStore
	account.OrganisationStore
	account.KeyStore
	account.LedgerStore
	account.UsageStore
	account.ChangeStore
	*replicas.Roster

	db           *database.DB
	catalogue    *datasets.Datasets
	dictionaries *dictionaries.Dictionaries
	people       *people.People
	enquiries    *enquiries.Enquiries
	tokens       *tokens.Tokens
	limits       *replicas.Limits // nil on SQLite
}

var _ account.Store = (*Store)(nil)

// Open opens the database, and creates a missing file of SQLite with mode 0600 in
// directories of mode 0700. It changes no table: see [Store.Migrate]. Its errors never
// hold a password of the DSN.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	db, err := database.Open(ctx, database.Config(cfg))
	if err != nil {
		return nil, err
	}
	orgs, k := organisations.New(db), keys.New(db)
	s := &Store{
		PlanStore: orgs, OrganisationStore: orgs, KeyStore: k, ChangeStore: k,
		LedgerStore: books.New(db), UsageStore: usage.New(db), Roster: replicas.NewRoster(db),
		db: db, catalogue: datasets.New(db), dictionaries: dictionaries.New(db), people: people.New(db), enquiries: enquiries.New(db), tokens: tokens.New(db),
	}
	if db.Postgres() {
		s.limits = replicas.NewLimits(db, s.Roster)
	}
	return s, nil
}

// Catalogue returns the part that keeps datasets.
func (s *Store) Catalogue() *datasets.Datasets { return s.catalogue }

// Dictionaries returns the part that keeps pronunciation dictionaries.
func (s *Store) Dictionaries() *dictionaries.Dictionaries { return s.dictionaries }

// Identity returns the part that keeps people, their invitations and sessions, and what
// they have done.
func (s *Store) Identity() *people.People { return s.people }

// Enquiries returns the part that keeps enquiries.
func (s *Store) Enquiries() *enquiries.Enquiries { return s.enquiries }

// Tokens returns the single-use tokens.
func (s *Store) Tokens() *tokens.Tokens { return s.tokens }

// Limits counts requests and streams for all processes on the same data. It is nil with
// SQLite, where one process counts in memory.
func (s *Store) Limits() account.LimitStore {
	if s.limits == nil {
		return nil // and not an interface that holds a nil pointer
	}
	return s.limits
}

// Queue returns the jobs, for an engine that works them.
func (s *Store) Queue() *jobs.Queue { return s.db.Queue() }

// Enqueue writes jobs that belong to no other change, see [database.DB.Enqueue].
func (s *Store) Enqueue(ctx context.Context, all ...jobs.Job) error { return s.db.Enqueue(ctx, all...) }

// Migrate brings the schema to the version of this program, see [database.DB.Migrate].
func (s *Store) Migrate(ctx context.Context) error { return s.db.Migrate(ctx) }

// Version returns the schema version of the database; 0 is an empty one.
func (s *Store) Version(ctx context.Context) (int, error) { return s.db.Version(ctx) }

// Known returns the schema version of this program.
func (s *Store) Known() (int, error) {
	steps, err := s.db.Steps()
	return len(steps), err
}

// Ping implements [account.ProbeStore].
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Answers implements [account.ProbeStore].
func (s *Store) Answers(ctx context.Context) error { return s.db.Answers(ctx) }

// Ahead measures how far the clock of the database is ahead of this machine's.
func (s *Store) Ahead(ctx context.Context) (time.Duration, error) { return s.db.Ahead(ctx) }

// Lanes returns how many postings at once the database can make good use of.
func (s *Store) Lanes() int { return s.db.Lanes() }

// Shared reports whether several processes may serve from the database at the same time.
// SQLite has one server.
func (s *Store) Shared() bool { return s.db.Postgres() }

// Close closes the database. Calls that come later fail as Unavailable. Close may be
// called more than once.
func (s *Store) Close() error { return s.db.Close() }

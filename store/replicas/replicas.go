// Package replicas keeps what the processes share that serve from one database: which of
// them serve, and how much of each limit is used.
package replicas

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"vaak/store/database"
)

// Replica is a process that serves from the database.
type Replica struct {
	ID      string // unique among those that run
	Address string // that it listens on, as it was configured
	Program string // its version; "" of a program from before schema version 12
	Knows   int    // the schema version that its program knows; 0 of one from before 12
}

// Beat is how often a process that serves has to call [Roster.Beat].
const Beat = 5 * time.Second

// lifetime is how long a process counts as serving after its last beat: three beats.
const lifetime = database.ServingFor

// Roster is the list of the processes that serve from a database.
type Roster struct{ db *database.DB }

// NewRoster returns the roster of a database.
func NewRoster(db *database.DB) *Roster { return &Roster{db} }

// row is a row of replicas.
type row struct {
	bun.BaseModel `bun:"table:replicas,alias:r"`

	ID        string `bun:",pk"`
	Address   string
	StartedAt int64
	SeenAt    int64
	Program   string
	Knows     int
}

// Register adds a process to those that serve, and deletes those that died more than an
// hour ago. It waits for other writers for up to a minute.
func (s *Roster) Register(ctx context.Context, r Replica) error {
	return database.WhileBusy(ctx, func() error {
		_, err := s.db.Execute(ctx, "forget dead replicas", func(tx *database.Tx) database.Statement {
			return tx.NewDelete().Model((*row)(nil)).Where("seen_at < ? - ?", s.db.Clock(), time.Hour.Microseconds())
		})
		if err != nil {
			return err
		}
		return s.Beat(ctx, r)
	})
}

// Beat says that a process still serves. It adds one that was deleted, as it may be after
// an outage.
func (s *Roster) Beat(ctx context.Context, r Replica) error {
	of := row{ID: r.ID, Address: r.Address, Program: r.Program, Knows: r.Knows}
	_, err := s.db.Execute(ctx, "register replica "+r.ID, func(tx *database.Tx) database.Statement {
		return tx.NewInsert().Model(&of).Value("started_at", "?", s.db.Clock()).Value("seen_at", "?", s.db.Clock()).
			On("CONFLICT (id) DO UPDATE").Set("seen_at = excluded.seen_at").Returning("NULL")
	})
	return err
}

// Unregister removes a process from those that serve.
func (s *Roster) Unregister(ctx context.Context, id string) error {
	_, err := s.db.Execute(ctx, "remove replica "+id, func(tx *database.Tx) database.Statement {
		return tx.NewDelete().Model((*row)(nil)).Where("id = ?", id)
	})
	return err
}

// Replicas returns how many processes serve from the database, by their beats of the last
// 15 s; at least 1.
func (s *Roster) Replicas(ctx context.Context) (int, error) {
	n, err := s.db.Read.NewSelect().Model((*row)(nil)).Where("r.seen_at >= ? - ?", s.db.Clock(), lifetime.Microseconds()).Count(ctx)
	return max(int(n), 1), s.db.Fail(ctx, err, "count replicas")
}

// Serving returns those processes, the one that has served longest first.
func (s *Roster) Serving(ctx context.Context) ([]Replica, error) {
	var rows []row
	err := s.db.Read.NewSelect().Model(&rows).Where("r.seen_at >= ? - ?", s.db.Clock(), lifetime.Microseconds()).
		Order("r.started_at", "r.id").Scan(ctx)
	var out []Replica
	for _, r := range rows {
		out = append(out, Replica{ID: r.ID, Address: r.Address, Program: r.Program, Knows: r.Knows})
	}
	return out, s.db.Fail(ctx, err, "read replicas")
}

// ServingAt returns the processes that serve from a database that is not open, with tables of some
// version, at a time of its clock. Before version 2 of the tables nobody registers, and before 12
// programs do not tell who they are. The one that has served longest comes first.
func ServingAt(ctx context.Context, db *sql.DB, version int, now time.Time) (out []Replica, err error) {
	program := "program, knows"
	switch {
	case version < 2:
		return nil, nil
	case version < 12:
		program = "'', 0"
	}
	// The time is a number of ours; SQLite and PostgreSQL have no common form of parameters.
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT id, address, %s FROM replicas WHERE seen_at >= %d ORDER BY started_at, id",
		program, now.Add(-lifetime).UnixMicro()))
	if err != nil {
		return nil, fmt.Errorf("read which servers run: %w", err)
	}
	err = database.ScanAll(rows, func(rows *sql.Rows) error {
		var r Replica
		err := rows.Scan(&r.ID, &r.Address, &r.Program, &r.Knows)
		out = append(out, r)
		return err
	})
	return out, err
}

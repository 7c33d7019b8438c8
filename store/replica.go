package store

import (
	"context"
	"time"
)

// Replica is a process that serves from the database.
type Replica struct {
	ID      string // unique among those that run
	Address string // that it was told to listen on
}

// replicaLife is how long a process that says nothing is believed to serve:
// three beats of [ReplicaBeat].
const replicaLife = 3 * ReplicaBeat

// ReplicaBeat is how often a process that serves has to call [Store.Beat].
const ReplicaBeat = 5 * time.Second

// Register adds a process to those that serve, and forgets those that died long
// ago. It waits for those who write, for up to a minute.
func (s *Store) Register(ctx context.Context, r Replica) error {
	return whileBusy(ctx, func() error {
		_, err := s.exec(ctx, "forget dead replicas", "DELETE FROM replicas WHERE seen_at < ? - ?", s.clock(), time.Hour.Microseconds())
		if err != nil {
			return err
		}
		return s.Beat(ctx, r)
	})
}

// Beat says that a process still serves. One that was forgotten, as after an
// outage, is added again.
func (s *Store) Beat(ctx context.Context, r Replica) error {
	_, err := s.exec(ctx, "register replica "+r.ID, `INSERT INTO replicas (id, address, started_at, seen_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, r.ID, r.Address, s.clock(), s.clock())
	return err
}

// Unregister removes a process from those that serve.
func (s *Store) Unregister(ctx context.Context, id string) error {
	_, err := s.exec(ctx, "remove replica "+id, "DELETE FROM replicas WHERE id = ?", id)
	return err
}

// Replicas returns how many processes serve from the database, as far as they
// were heard of within 15 s; at least 1.
func (s *Store) Replicas(ctx context.Context) (int, error) {
	var n int
	err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM replicas WHERE seen_at >= ? - ?", s.clock(), replicaLife.Microseconds()).Scan(&n)
	return max(n, 1), s.fail(ctx, err, "count replicas")
}

// Serving returns the processes that serve from the database, likewise.
func (s *Store) Serving(ctx context.Context) ([]Replica, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id, address FROM replicas WHERE seen_at >= ? - ? ORDER BY started_at, id",
		s.clock(), replicaLife.Microseconds())
	if err != nil {
		return nil, s.fail(ctx, err, "read replicas")
	}
	defer rows.Close()
	var out []Replica
	for rows.Next() {
		var r Replica
		if err := rows.Scan(&r.ID, &r.Address); err != nil {
			return nil, s.fail(ctx, err, "read a replica")
		}
		out = append(out, r)
	}
	return out, s.fail(ctx, rows.Err(), "read replicas")
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"vaak/store"
	"vaak/store/database"
	"vaak/store/replicas"
)

// presence tells the other processes on a database that this one serves.
type presence struct {
	store *store.Store
	self  replicas.Replica
	log   *slog.Logger
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// appear registers a server and keeps it registered until leave.
func appear(ctx context.Context, db *store.Store, address string, log *slog.Logger) (*presence, error) {
	p := &presence{store: db, self: replicas.Replica{ID: "replica_" + rand.Text(), Address: address}, log: log}
	if err := db.Register(ctx, p.self); err != nil {
		return nil, err
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx)) // it is seen while it drains, too
	p.done.Go(func() { p.beat(ctx) })
	return p, nil
}

func (p *presence) beat(ctx context.Context) {
	tick := time.NewTicker(replicas.Beat)
	defer tick.Stop()
	for said, apart := false, false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		one, cancel := context.WithTimeout(ctx, replicas.Beat)
		err := p.store.Beat(one, p.self)
		if err != nil && ctx.Err() == nil && !said {
			p.log.Warn("other processes do not hear of this one", "error", err)
		}
		said = err != nil
		if ahead, err := p.store.Ahead(one); err == nil {
			if ahead > database.MostAhead && !apart {
				p.log.Error("the clock of the database is far ahead of this machine's; accounts follow it no further than an hour: set both with a time service", "ahead_s", int(ahead.Seconds()))
			}
			apart = ahead > database.MostAhead
		}
		cancel()
	}
}

// leave ends what appear began. A store that is away forgets this process by
// itself.
func (p *presence) leave() {
	p.stop()
	p.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), replicas.Beat)
	defer cancel()
	if err := p.store.Unregister(ctx, p.self.ID); err != nil && !errors.Is(err, context.Canceled) {
		p.log.Warn("other processes hear late that this one ended", "error", err)
	}
}

// alone reports whether no other process serves at the same address.
func (p *presence) alone(ctx context.Context) bool {
	serving, err := p.store.Serving(ctx)
	if err != nil {
		return false // to be on the safe side
	}
	for _, r := range serving {
		if r.Address == p.self.Address && r.ID != p.self.ID {
			return false
		}
	}
	return true
}

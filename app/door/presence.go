package door

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

// Presence tells the other processes of a database that this one serves.
type Presence struct {
	store *store.Store
	self  replicas.Replica
	log   *slog.Logger
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// Appear registers a server in the database and keeps it registered until [Presence.Leave].
// The address is that of the public listener, by which its successor finds it. Program is the
// version of the program.
func Appear(ctx context.Context, db *store.Store, address, program string, log *slog.Logger) (*Presence, error) {
	knows, err := db.Known()
	if err != nil {
		return nil, err
	}
	p := &Presence{store: db, self: replicas.Replica{ID: "replica_" + rand.Text(), Address: address, Program: program, Knows: knows}, log: log}
	if err := db.Register(ctx, p.self); err != nil {
		return nil, err
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx)) // it stays registered while it drains
	p.done.Go(func() { p.beat(ctx) })
	return p, nil
}

// ID returns the id under which the server is registered.
func (p *Presence) ID() string { return p.self.ID }

// beat renews the registration, which the store forgets otherwise, and watches the clock
// of the database. Each trouble is logged once until it is over.
func (p *Presence) beat(ctx context.Context) {
	tick := time.NewTicker(replicas.Beat)
	defer tick.Stop()
	for logged, apart := false, false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// One beat may take as long as the interval and no longer: a store that hangs must
		// not let later beats pile up.
		one, cancel := context.WithTimeout(ctx, replicas.Beat)
		err := p.store.Beat(one, p.self)
		if err != nil && ctx.Err() == nil && !logged {
			p.log.Warn("other processes do not hear of this one", "error", err)
		}
		logged = err != nil
		if ahead, err := p.store.Ahead(one); err == nil {
			if ahead > database.MostAhead && !apart {
				p.log.Error("the clock of the database is far ahead of this machine's; accounts follow it no further than an hour: set both with a time service", "ahead_s", int(ahead.Seconds()))
			}
			apart = ahead > database.MostAhead
		}
		cancel()
	}
}

// Leave takes the server off the register. When the store cannot be reached, it forgets the
// server by itself after some missed beats.
func (p *Presence) Leave() {
	p.stop()
	p.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), replicas.Beat)
	defer cancel()
	if err := p.store.Unregister(ctx, p.self.ID); err != nil && !errors.Is(err, context.Canceled) {
		p.log.Warn("other processes hear late that this one ended", "error", err)
	}
}

// Alone reports whether no other process serves at the same address. It says false when the
// store cannot tell, since giving way to nobody does no harm.
func (p *Presence) Alone(ctx context.Context) bool {
	serving, err := p.store.Serving(ctx)
	if err != nil {
		return false
	}
	for _, r := range serving {
		if r.Address == p.self.Address && r.ID != p.self.ID {
			return false
		}
	}
	return true
}

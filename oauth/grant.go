package oauth

import (
	"context"
	"fmt"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
	"vaak/internal/ids"
)

// Grants returns what is connected to an organisation, the newest first.
func (s *Service) Grants(ctx context.Context, orgID string) ([]Grant, error) {
	return s.cfg.Store.Grants(ctx, orgID)
}

// Disconnect ends a grant of an organisation, for a person who may enter it, and returns it as it
// was. Its tokens, and whatever runs with them, end at once.
func (s *Service) Disconnect(ctx context.Context, from identity.Client, p identity.Person, orgID, grantID string) (Grant, error) {
	if !ids.Is(grantPrefix, grantBytes, grantID) {
		return Grant{}, errNoGrant
	}
	g, err := s.cfg.Store.Grant(ctx, grantID)
	if fault.KindOf(err) == fault.NotFound || err == nil && g.OrgID != orgID {
		return Grant{}, errNoGrant
	}
	if err == nil {
		err = s.end(ctx, g)
	}
	s.cfg.People.Note(ctx, from, identity.Event{Actor: p.ID, OrgID: orgID, Action: "application.disconnect", Target: grantID}, err)
	return g, err
}

var errNoGrant = fault.New(fault.NotFound, CodeNoSuchGrant, "", "There is no such application.")

// end ends a grant: first its key, which ends what runs, then its tokens. In this order a failure
// between the two leaves a grant that is still listed and can be ended again.
func end(ctx context.Context, store Store, accounts Accounts, g Grant, now time.Time) error {
	ctx = context.WithoutCancel(ctx) // half of it is of no use to a client that left
	if err := accounts.RevokeKey(ctx, g.KeyID); err != nil {
		return fmt.Errorf("revoke the key of a grant: %w", err)
	}
	if _, err := store.EndGrant(ctx, g.ID, now); err != nil {
		return fmt.Errorf("end a grant: %w", err)
	}
	return nil
}

func (s *Service) end(ctx context.Context, g Grant) error {
	return end(ctx, s.cfg.Store, s.cfg.Accounts, g, s.now())
}

// sweepBatch is how many grants a sweep reads at a time.
const sweepBatch = 100

// Sweep ends the grants that have expired, and forgets tokens, codes and clients that are over. A
// job calls it from time to time; nothing depends on when.
func Sweep(ctx context.Context, store Store, accounts Accounts, now time.Time) error {
	for {
		lapsed, err := store.Lapsed(ctx, now, sweepBatch)
		if err != nil {
			return fmt.Errorf("find grants that have expired: %w", err)
		}
		for _, g := range lapsed {
			if err := end(ctx, store, accounts, g, now); err != nil {
				return err
			}
		}
		if len(lapsed) < sweepBatch {
			break
		}
	}
	// An hour later than they expire, so that a code that comes a second time is known as such.
	_, err := store.Prune(ctx, now.Add(-time.Hour), now.Add(-unusedLife), now.Add(-idleLife))
	return err
}

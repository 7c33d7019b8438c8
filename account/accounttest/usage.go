package accounttest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// addUses needs the lock; it adds all or none.
func (s *Store) addUses(uses []account.Use) error {
	for _, u := range uses {
		if s.keys[u.KeyID] == nil {
			return errUnknownKey
		}
	}
	for _, u := range uses {
		k := use{u.KeyID, u.Day, u.Voice, u.Language}
		t := s.uses[k]
		s.uses[k] = sum{t.requests + u.Requests, t.characters + u.Characters, t.audio + u.Audio}
	}
	return nil
}

// Usage implements [account.UsageStore].
func (s *Store) Usage(ctx context.Context, orgID string, p ledger.Period) ([]account.KeyUsage, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sums := map[string]account.KeyUsage{}
	for u, t := range s.uses {
		if s.keys[u.key].OrgID != orgID || (account.Use{Day: u.day}).Period() != p {
			continue
		}
		k := sums[u.key]
		sums[u.key] = account.KeyUsage{
			KeyID: u.key, Period: p, Requests: k.Requests + t.requests,
			Characters: k.Characters + t.characters, Audio: k.Audio + t.audio,
		}
	}
	var out []account.KeyUsage
	for _, k := range sums {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b account.KeyUsage) int { return cmp.Compare(a.KeyID, b.KeyID) })
	return out, nil
}

// Daily implements [account.UsageStore].
func (s *Store) Daily(ctx context.Context, orgID string, q account.DailyQuery) ([]account.DailyUsage, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	type place struct{ day, group string }
	sums := map[place]sum{}
	for u, t := range s.uses {
		if s.keys[u.key].OrgID != orgID || u.day < q.From || u.day > q.To {
			continue
		}
		group := map[account.Grouping]string{account.ByKey: u.key, account.ByVoice: u.voice, account.ByLanguage: u.language}[q.By]
		at := place{u.day, group}
		sums[at] = sum{sums[at].requests + t.requests, sums[at].characters + t.characters, sums[at].audio + t.audio}
	}
	var out []account.DailyUsage
	for at, t := range sums {
		out = append(out, account.DailyUsage{Day: at.day, Group: at.group, Requests: t.requests, Characters: t.characters, Audio: t.audio})
	}
	slices.SortFunc(out, func(a, b account.DailyUsage) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Group, b.Group))
	})
	return out, nil
}

// AddRequests implements [account.UsageStore].
func (s *Store) AddRequests(ctx context.Context, records []account.RequestRecord) error {
	if err := s.faults.meet(ctx, Records); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, records...)
	return nil
}

// Requests returns the request records that are kept, in the order of their
// writing.
func (s *Store) Requests() []account.RequestRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// PruneRequests implements [account.UsageStore].
func (s *Store) PruneRequests(ctx context.Context, before time.Time) (int, error) {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	s.requests = slices.DeleteFunc(s.requests, func(r account.RequestRecord) bool { return r.At.Before(before) })
	return n - len(s.requests), nil
}

// Ping implements [account.UsageStore].
func (s *Store) Ping(ctx context.Context) error { return s.faults.meet(ctx, Pings) }

package accounttest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// usage is the part of a [Store] that keeps what was used, and request records.
type usage struct{ db *database }

var _ account.UsageStore = (*usage)(nil)

// Usage implements [account.UsageStore].
func (s *usage) Usage(ctx context.Context, orgID string, p ledger.Period) ([]account.KeyUsage, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	sums := map[string]account.KeyUsage{}
	for u, t := range s.db.uses {
		if s.db.keys[u.key].OrgID != orgID || (account.Use{Day: u.day}).Period() != p {
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

// Characters implements [account.UsageStore].
func (s *usage) Characters(ctx context.Context, orgIDs []string, p ledger.Period) (map[string]int64, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	sums := map[string]int64{}
	for u, t := range s.db.uses {
		if org := s.db.keys[u.key].OrgID; slices.Contains(orgIDs, org) && (account.Use{Day: u.day}).Period() == p {
			sums[org] += t.characters
		}
	}
	return sums, nil
}

// Daily implements [account.UsageStore].
func (s *usage) Daily(ctx context.Context, orgID string, q account.DailyQuery) ([]account.DailyUsage, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	type line struct{ day, group string }
	sums := map[line]sum{}
	for u, t := range s.db.uses {
		if s.db.keys[u.key].OrgID != orgID || u.day < q.From || u.day > q.To {
			continue
		}
		at := line{u.day, account.Use{KeyID: u.key, Voice: u.voice, Language: u.language}.Part(q.By)}
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
func (s *usage) AddRequests(ctx context.Context, records []account.RequestRecord) error {
	if err := s.db.faults.meet(ctx, Records); err != nil {
		return err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	for _, r := range records {
		s.db.recorded++
		r.Seq, r.At = s.db.recorded, r.At.UTC().Truncate(time.Microsecond)
		s.db.requests = append(s.db.requests, r)
	}
	return nil
}

// Requests implements [account.UsageStore]. It reads all records, whatever the query.
func (s *usage) Requests(ctx context.Context, orgID string, q account.RequestQuery) ([]account.RequestRecord, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	found := s.latest(func(r account.RequestRecord) bool {
		behind := q.Before == account.RequestMark{} || r.At.Before(q.Before.At) || r.At.Equal(q.Before.At) && r.Seq < q.Before.Seq
		return behind && r.OrgID == orgID && (q.ID == "" || r.ID == q.ID) && (q.Key == "" || r.KeyID == q.Key) &&
			(q.Code == "" || r.Code == q.Code) && (!q.Failed || r.Code != "")
	})
	return found[:min(len(found), q.Limit)], nil
}

// Outcomes implements [account.UsageStore].
func (s *usage) Outcomes(ctx context.Context, orgID string, since time.Time, limit int) ([]account.Outcome, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	var out []account.Outcome
	for _, r := range s.latest(func(r account.RequestRecord) bool { return r.OrgID == orgID && !r.At.Before(since) }) {
		if len(out) < limit {
			out = append(out, account.Outcome{At: r.At, FirstAudio: r.FirstAudio, Code: r.Code})
		}
	}
	return out, nil
}

// latest returns the request records for which wanted is true, the latest first.
func (s *usage) latest(wanted func(account.RequestRecord) bool) (found []account.RequestRecord) {
	for _, r := range s.Recorded() {
		if wanted(r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b account.RequestRecord) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Seq, a.Seq)) })
	return found
}

// Recorded returns the stored request records, in the order in which they were added.
func (s *usage) Recorded() []account.RequestRecord {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	return slices.Clone(s.db.requests)
}

// PruneRequests implements [account.UsageStore].
func (s *usage) PruneRequests(ctx context.Context, before time.Time) (int, error) {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return 0, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	n := len(s.db.requests)
	s.db.requests = slices.DeleteFunc(s.db.requests, func(r account.RequestRecord) bool { return r.At.Before(before) })
	return n - len(s.db.requests), nil
}

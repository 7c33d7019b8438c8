package keys

// The queries of this file are hand-written, since they run on every request and
// database.DB.Each keeps them compiled.

import (
	"context"
	"database/sql"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/database"
	"vaak/store/organisations"
)

// credentialQuery runs on every request: three index look-ups.
const credentialQuery = `SELECT k.id, k.org_id, k.hash, k.revoked_at IS NOT NULL, k.monthly_cap >= 0, coalesce(k.expires_at, 0),
		o.mode, o.plan, coalesce(o.sub_plan, ''), coalesce(o.sub_expires_at, 0), coalesce(o.sub_anchor_day, 0), o.sub_auto_renew,
		coalesce(o.sub_renewal_plan, ''), coalesce(o.sub_falls_back_to, ''), o.request_ceiling, o.stream_ceiling,
		coalesce(p.id, ''), coalesce(p.name, ''), coalesce(p.monthly_characters, 0),
		coalesce(p.requests_per_minute, 0), coalesce(p.max_streams, 0)
	FROM api_keys AS k JOIN organisations AS o ON o.id = k.org_id LEFT JOIN plans AS p ON p.id = o.plan
	WHERE k.hash = ?`

// subscriptionQuery reads the plans that a subscription may come to. It runs only when
// there is a subscription: joined above, it would cost every request half as much again.
const subscriptionQuery = `SELECT id, name, monthly_characters, requests_per_minute, max_streams
	FROM plans WHERE id IN (?, ?, ?)`

// Credential implements [account.KeyStore]. The answer is cached for some seconds, see
// [keyring]; it is shared and must not be changed.
func (k *Keys) Credential(ctx context.Context, hash []byte) (account.Credential, error) {
	news, ok := k.db.News()
	if !ok || k.db.Closed() {
		return k.lookup(ctx, hash)
	}
	return k.ring.credential(ctx, hash, news)
}

// lookup reads a credential from the database.
func (k *Keys) lookup(ctx context.Context, hash []byte) (account.Credential, error) {
	c, err := k.read(k.db.Uncancelled(ctx), hash)
	return c, k.db.Fail(ctx, err, "select key by hash")
}

func (k *Keys) read(ctx context.Context, hash []byte) (c account.Credential, err error) {
	err = k.db.Each(ctx, credentialQuery, func(rows *sql.Rows) error { return scanCredential(rows, &c) }, hash)
	if err == nil && c.KeyID == "" { // Each calls scan for no row, and returns no error then
		err = sql.ErrNoRows
	}
	if sub := c.Terms.Subscription; err == nil && sub != nil {
		err = k.db.Each(ctx, subscriptionQuery, func(rows *sql.Rows) error {
			var p ledger.Plan
			err := rows.Scan(&p.ID, &p.Name, &p.MonthlyCharacters, &p.RequestsPerMinute, &p.MaxStreams)
			c.Plans[p.ID] = p
			return err
		}, sub.Plan, sub.RenewalPlan, sub.FallsBackTo)
	}
	if err != nil {
		return account.Credential{}, err
	}
	return c, nil
}

// scanCredential scans the row of credentialQuery.
func scanCredential(rows *sql.Rows, c *account.Credential) error {
	var (
		t       organisations.TermsRow
		p       ledger.Plan
		expires int64
	)
	err := rows.Scan(&c.KeyID, &c.OrgID, &c.Hash, &c.Revoked, &c.Capped, &expires,
		&t.Mode, &t.Plan, &t.SubPlan, &t.SubExpiresAt, &t.SubAnchorDay, &t.SubAutoRenew,
		&t.SubRenewalPlan, &t.SubFallsBackTo, &c.Ceilings.RequestsPerMinute, &c.Ceilings.MaxStreams,
		&p.ID, &p.Name, &p.MonthlyCharacters, &p.RequestsPerMinute, &p.MaxStreams)
	c.Expires, c.Terms, c.Plans = database.Instant(expires), t.Terms(), make(map[string]ledger.Plan, 1)
	if p.ID != "" {
		c.Plans[p.ID] = p
	}
	return err
}

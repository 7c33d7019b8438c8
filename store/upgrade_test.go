package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/storetest/pgtest"
)

// version1 is what a database of version 1 holds.
const version1 = `
INSERT INTO organisations (id, name, plan, created_at) VALUES
	('org_a', 'Example', 'unlimited', 1000000), ('org_b', 'Another', 'growth', 2000000);
INSERT INTO api_keys (id, org_id, label, hash, last_four, created_at, revoked_at) VALUES
	('key_a', 'org_a', 'one', ?, 'abcd', 3000000, NULL), ('key_b', 'org_a', 'two', ?, 'efgh', 4000000, 5000000);
INSERT INTO key_months (key_id, period, requests, characters, audio_ms) VALUES
	('key_a', '2026-01', 1, 20, 300), ('key_a', '2026-02', 2, 30, 400), ('key_b', '2026-02', 3, 0, 500);`

// TestUpgrade brings a database of version 1 with rows to the last version: the
// rows are there still, and the books add up.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     sqliteDSN,
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openEmpty(t, dsn(t))
			first, second := make([]byte, 32), make([]byte, 32)
			second[0] = 1
			steps, err := s.db.Steps()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.db.MigrateTo(t.Context(), steps[:1]); err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Write.ExecContext(t.Context(), version1, first, second); err != nil {
				t.Fatal(err)
			}
			if err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantVersion1(t, s, first, second)
		})
	}
}

func wantVersion1(t *testing.T, s *Store, first, second []byte) {
	t.Helper()
	ctx, at := t.Context(), func(s int64) time.Time { return time.Unix(s, 0).UTC() }
	orgs, err := s.Organisations(ctx)
	if d := cmp.Diff([]account.Organisation{
		{ID: "org_a", Name: "Example", Terms: ledger.Terms{Mode: ledger.Lots, Plan: "unlimited"}, Ceilings: account.NoCeilings, Created: at(1)},
		{ID: "org_b", Name: "Another", Terms: ledger.Terms{Mode: ledger.Lots, Plan: "growth"}, Ceilings: account.NoCeilings, Created: at(2)},
	}, orgs); d != "" || err != nil {
		t.Errorf("Organisations: %v, -want +got\n%s", err, d)
	}
	keys, err := s.Keys(ctx, "org_a")
	if d := cmp.Diff([]account.Key{
		{ID: "key_a", OrgID: "org_a", Label: "one", Hash: first, LastFour: "abcd", MonthlyCap: ledger.Unlimited, Created: at(3)},
		{ID: "key_b", OrgID: "org_a", Label: "two", Hash: second, LastFour: "efgh", MonthlyCap: ledger.Unlimited, Created: at(4), Revoked: at(5)},
	}, keys); d != "" || err != nil {
		t.Errorf("Keys: %v, -want +got\n%s", err, d)
	}
	used, err := s.Usage(ctx, "org_a", "2026-02")
	if d := cmp.Diff([]account.KeyUsage{
		{KeyID: "key_a", Period: "2026-02", Requests: 2, Characters: 30, Audio: 400 * time.Millisecond},
		{KeyID: "key_b", Period: "2026-02", Requests: 3, Audio: 500 * time.Millisecond},
	}, used); d != "" || err != nil {
		t.Errorf("Usage: %v, -want +got\n%s", err, d)
	}
	if a, err := s.Audit(ctx); err != nil || !a.Sound() {
		t.Errorf("Audit = %+v, %v, want a sound one", a, err)
	}
	b, _, err := s.Book(ctx, "org_b")
	if err != nil || b.Balance().Remaining != 2_000_000 {
		t.Errorf("Book of org_b = %+v, %v, want the plan's characters", b, err)
	}
}

// version7 is a link as version 7 wrote it, which the agent was given.
const version7 = `INSERT INTO enquiry_links (digest, put_at, expires_at, asked_at, client, content, source, sent, form)
	VALUES ('old', 1000000, 4000000000000000, 1000000, 'client', 'content', '{}', NULL, '{"name":"A","email":"a@b.example","intent":"quote"}')`

// TestUpgradeLinks: a link of an older version is known as one that was mailed to nobody.
func TestUpgradeLinks(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     sqliteDSN,
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openEmpty(t, dsn(t))
			steps, err := s.db.Steps()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.db.MigrateTo(t.Context(), steps[:7]); err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Write.ExecContext(t.Context(), version7); err != nil {
				t.Fatal(err)
			}
			if err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			p, ok, err := s.Enquiries().Pending(t.Context(), "old")
			if err != nil || !ok || p.Recipient != "" || p.Whole != "" || p.Form.Email != "a@b.example" {
				t.Errorf("Pending = %+v, %v, %v, want one without a recipient", p, ok, err)
			}
		})
	}
}

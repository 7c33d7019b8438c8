package store

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/store/database/databasetest"
	"vaak/store/storetest"
	"vaak/store/storetest/pgtest"
)

func TestLimitsPostgres(t *testing.T) {
	t.Parallel()
	storetest.RunLimits(t, func(t *testing.T) storetest.OpenedLimits {
		c := storetest.NewClock()
		return storetest.OpenedLimits{Limits: openBy(t, databasetest.Postgres(t), c.Now).Limits(), Clock: c}
	})
}

// version6Days is use of a database of version 6, of two organisations, which summed no
// days by key, voice and language.
const version6Days = `
INSERT INTO organisations (id, name, plan, created_at) VALUES ('org_a', 'Example', 'unlimited', 1000000), ('org_b', 'Another', 'unlimited', 1000000);
INSERT INTO api_keys (id, org_id, label, hash, last_four, created_at) VALUES
	('key_a', 'org_a', 'one', ?, 'abcd', 3000000), ('key_b', 'org_a', 'two', ?, 'efgh', 4000000), ('key_c', 'org_b', 'three', ?, 'ijkl', 4000000);
INSERT INTO usage_days (key_id, day, voice, language, requests, characters, audio_ms) VALUES
	('key_a', '2026-02-01', 'sv_a', 'en', 1, 20, 300), ('key_a', '2026-02-01', 'sv_a', 'hi', 2, 30, 400),
	('key_a', '2026-02-01', 'sv_b', 'hi', 4, 1, 5), ('key_a', '2026-02-02', 'sv_a', 'en', 8, 2, 7),
	('key_b', '2026-02-01', 'sv_a', 'en', 16, 3, 9), ('key_c', '2026-02-01', 'sv_a', 'en', 32, 100, 1000);`

// TestUpgradeDays: days by key, voice and language are there from before they were kept.
func TestUpgradeDays(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     sqliteDSN,
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, s := t.Context(), openEmpty(t, dsn(t))
			steps, err := s.db.Steps()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.db.MigrateTo(ctx, steps[:6]); err != nil {
				t.Fatal(err)
			}
			hashes := []any{bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32), bytes.Repeat([]byte{3}, 32)}
			if _, err := s.db.Write.ExecContext(ctx, version6Days, hashes...); err != nil {
				t.Fatal(err)
			}
			if err := s.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
			wantVersion6Days(t, s)
			wantDaysAudited(t, s)
		})
	}
}

// wantDaysAudited: an audit finds days that do not come to the same, and no others.
func wantDaysAudited(t *testing.T, s *Store) {
	t.Helper()
	for _, tt := range []struct {
		change string
		faults int
	}{
		{"UPDATE organisation_days SET part = part", 0},
		{"UPDATE organisation_days SET audio_ms = audio_ms + 1 WHERE org_id = 'org_b' AND kind = 'voice'", 1},
		{"DELETE FROM organisation_days WHERE org_id = 'org_a' AND kind = 'language'", 2},
	} {
		if _, err := s.db.Write.ExecContext(t.Context(), tt.change); err != nil {
			t.Fatal(err)
		}
		if a, err := s.Audit(t.Context()); len(a.Faults) != tt.faults || err != nil {
			t.Errorf("Audit after %s = %+v, %v, want %d faults", tt.change, a, err, tt.faults)
		}
	}
}

func wantVersion6Days(t *testing.T, s *Store) {
	t.Helper()
	day := func(day, group string, requests, characters, audio int64) account.DailyUsage {
		return account.DailyUsage{Day: day, Group: group, Requests: requests, Characters: characters, Audio: time.Duration(audio) * time.Millisecond}
	}
	first, second := "2026-02-01", "2026-02-02"
	for _, tt := range []struct {
		orgID string
		by    account.Grouping
		want  []account.DailyUsage
	}{
		{"org_a", account.ByKey, []account.DailyUsage{day(first, "key_a", 7, 51, 705), day(first, "key_b", 16, 3, 9), day(second, "key_a", 8, 2, 7)}},
		{"org_a", account.ByVoice, []account.DailyUsage{day(first, "sv_a", 19, 53, 709), day(first, "sv_b", 4, 1, 5), day(second, "sv_a", 8, 2, 7)}},
		{"org_a", account.ByLanguage, []account.DailyUsage{day(first, "en", 17, 23, 309), day(first, "hi", 6, 31, 405), day(second, "en", 8, 2, 7)}},
		{"org_b", account.ByKey, []account.DailyUsage{day(first, "key_c", 32, 100, 1000)}},
		{"org_b", account.ByVoice, []account.DailyUsage{day(first, "sv_a", 32, 100, 1000)}},
		{"org_b", account.ByLanguage, []account.DailyUsage{day(first, "en", 32, 100, 1000)}},
	} {
		got, err := s.Daily(t.Context(), tt.orgID, account.DailyQuery{From: first, To: "2026-02-28", By: tt.by})
		if d := cmp.Diff(tt.want, got); d != "" || err != nil {
			t.Errorf("Daily of %s by %s: %v, -want +got\n%s", tt.orgID, tt.by, err, d)
		}
	}
}

package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"vaak/account"
	"vaak/store/database/databasetest"
)

// BenchmarkConsole measures what the console reads of an organisation that has a million
// rows of use in the last 30 days, and a million request records.
func BenchmarkConsole(b *testing.B) {
	if testing.Short() {
		b.Skip("fills two million rows")
	}
	for name, dsn := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "vaak.db") },
		"PostgreSQL": databasetest.Postgres,
	} {
		b.Run(name, func(b *testing.B) {
			s := openDSN(b, dsn(b))
			last := time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC)
			fillMany(b, s, last)
			measureUse(b, s, last)
			measureRequests(b, s, last)
		})
	}
}

// measureRows runs a benchmark of what returns so many rows.
func measureRows(b *testing.B, name string, rows int, read func(context.Context) (int, error)) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			if n, err := read(b.Context()); n != rows || err != nil {
				b.Fatalf("%d rows, %v, want %d", n, err, rows)
			}
		}
	})
}

func measureUse(b *testing.B, s *Store, last time.Time) {
	org := testOrganisation(1).ID
	q := account.DailyQuery{From: last.AddDate(0, 0, -29).Format(time.DateOnly), To: last.Format(time.DateOnly)}
	for by, rows := range map[account.Grouping]int{account.ByKey: 30 * manyKeys, account.ByVoice: 30 * manyVoices, account.ByLanguage: 30 * manyLanguages} {
		q.By = by
		measureRows(b, "Daily/"+string(by), rows, func(ctx context.Context) (int, error) {
			days, err := s.Daily(ctx, org, q)
			return len(days), err
		})
	}
	measureRows(b, "DailyOfUsage", 30*manyLanguages, func(ctx context.Context) (int, error) {
		var days []string
		err := s.db.Read.NewRaw("SELECT day FROM ("+dailyOfUsage+") AS days", org, q.From, q.To).Scan(ctx, &days)
		return len(days), err
	})
}

func measureRequests(b *testing.B, s *Store, last time.Time) {
	org := testOrganisation(1).ID
	measureRows(b, "Outcomes", 5000, func(ctx context.Context) (int, error) {
		outcomes, err := s.Outcomes(ctx, org, last.Add(-24*time.Hour), 5000)
		return len(outcomes), err
	})
	middle := account.RequestMark{At: last.Add(-500_000 * time.Millisecond)}
	for _, tt := range []struct {
		name string
		q    account.RequestQuery
		rows int
	}{
		{"latest", account.RequestQuery{}, 200}, {"middle", account.RequestQuery{Before: middle}, 200},
		{"key", account.RequestQuery{Key: "key_7"}, 200}, {"key without", account.RequestQuery{Key: "key_none"}, 0},
		{"failed", account.RequestQuery{Failed: true}, 200}, {"rare code", account.RequestQuery{Code: "rare"}, 23},
		{"no code", account.RequestQuery{Code: "none"}, 0}, {"failed of key", account.RequestQuery{Key: "key_10", Failed: true}, 200},
		{"failed of no key, middle", account.RequestQuery{Key: "key_none", Failed: true, Before: middle}, 0},
	} {
		tt.q.Limit = account.MaxRequests
		measureRows(b, "Requests/"+tt.name, tt.rows, func(ctx context.Context) (int, error) {
			records, err := s.Requests(ctx, org, tt.q)
			return len(records), err
		})
	}
}

const manyKeys, manyVoices, manyLanguages = 20, 100, 17

// fillMany writes a million rows of use in 30 days up to last, and a million requests,
// a millisecond apart, of which one in ten failed.
func fillMany(t testing.TB, s *Store, last time.Time) {
	t.Helper()
	ctx, org := t.Context(), testOrganisation(1)
	if err := s.CreateOrganisation(ctx, org); err != nil {
		t.Fatal(err)
	}
	for n := range manyKeys {
		hash := make([]byte, 32)
		hash[0] = byte(n)
		err := s.CreateKey(ctx, account.Key{ID: fmt.Sprint("key_", n), OrgID: org.ID, Label: "many", Hash: hash, LastFour: "abcd", MonthlyCap: -1})
		if err != nil {
			t.Fatal(err)
		}
	}
	numbers, date := "WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 999999) ", "date(?, '-' || (n / 20 % 30) || ' days')"
	if s.db.Postgres() {
		numbers, date = "WITH c (n) AS (SELECT generate_series(0, 999999)) ", "to_char(?::date - (n / 20 % 30), 'YYYY-MM-DD')"
	}
	for _, step := range []struct {
		query string
		args  []any
	}{
		{numbers + `INSERT INTO usage_days (key_id, day, voice, language, requests, characters, audio_ms)
			SELECT 'key_' || (n % 20), ` + date + `, 'sv_' || (n / 600 % 100), 'l' || (n / 60000), 1, 2, 3 FROM c`, []any{last.Format(time.DateOnly)}},
		{fmt.Sprintf(partsOfUsage, "key", "key_id"), nil}, {fmt.Sprintf(partsOfUsage, "voice", "voice"), nil}, {fmt.Sprintf(partsOfUsage, "language", "language"), nil},
		{numbers + `INSERT INTO requests (id, at, org_id, key_id, route, voice, language, characters, first_audio_us, audio_ms, status, code)
			SELECT 'request', ? - n * 1000, ?, 'key_' || (n % 20), '/v1/audio/speech', 'sv_test', 'en', 90, 40000 + n % 1000, 5000, 200,
				CASE WHEN n % 10 > 0 THEN '' WHEN n % 9000 = 0 THEN 'rare' ELSE 'rate_limited' END FROM c`, []any{last.UnixMicro(), org.ID}},
	} {
		query := s.db.Write.QueryGen().FormatQuery(step.query, step.args...)
		if _, err := s.db.Patient.ExecContext(ctx, query); err != nil {
			t.Fatal(err)
		}
	}
	if s.db.Postgres() {
		if _, err := s.db.Patient.ExecContext(ctx, "ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
}

// partsOfUsage sums days by one thing, as migration 0007 does.
const partsOfUsage = `INSERT INTO organisation_days (org_id, kind, day, part, requests, characters, audio_ms)
	SELECT k.org_id, '%[1]s', d.day, d.%[2]s, sum(d.requests), sum(d.characters), sum(d.audio_ms)
	FROM usage_days AS d JOIN api_keys AS k ON k.id = d.key_id GROUP BY k.org_id, d.day, d.%[2]s`

// dailyOfUsage is what sums by language cost without organisation_days.
const dailyOfUsage = `SELECT d.day, d.language, sum(d.requests), sum(d.characters), sum(d.audio_ms)
	FROM usage_days AS d JOIN api_keys AS k ON k.id = d.key_id
	WHERE k.org_id = ? AND d.day BETWEEN ? AND ? GROUP BY 1, 2 ORDER BY 1, 2`

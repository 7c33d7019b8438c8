package store

import (
	"testing"

	"vaak/store/database/databasetest"
	"vaak/store/storetest"
	"vaak/token"
)

func runTokens(t *testing.T, dsn func(t *testing.T) string) {
	storetest.RunTokens(t, func(t *testing.T) storetest.OpenedTokens {
		dsn := dsn(t)
		s := openDSN(t, dsn)
		return storetest.OpenedTokens{
			Tokens: s.Tokens(), Organisations: s, Close: s.Close,
			Again: func(t *testing.T) token.Store { return openDSN(t, dsn).Tokens() },
		}
	})
}

func TestTokensSQLite(t *testing.T) {
	t.Parallel()
	runTokens(t, sqliteDSN)
}

func TestTokensPostgres(t *testing.T) {
	t.Parallel()
	runTokens(t, func(t *testing.T) string { return databasetest.Postgres(t) })
}

package store

import (
	"fmt"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"vaak/account"
	"vaak/store/database"
	"vaak/store/storetest/pgtest"
)

// benchmarkBoth runs f on a fresh database of each kind with one organisation
// and 16 keys.
func benchmarkBoth(b *testing.B, f func(b *testing.B, s *Store, keys []account.Key)) {
	for name, dsn := range map[string]func(b *testing.B) string{
		"SQLite":     func(b *testing.B) string { return "sqlite:" + filepath.Join(b.TempDir(), "vaak.db") },
		"PostgreSQL": func(b *testing.B) string { return pgtest.DSN(b) },
	} {
		b.Run(name, func(b *testing.B) {
			s, o := openDSN(b, dsn(b)), testOrganisation(1)
			if err := s.CreateOrganisation(b.Context(), o); err != nil {
				b.Fatal(err)
			}
			keys := make([]account.Key, 16)
			for i := range keys {
				keys[i] = account.Key{
					ID: fmt.Sprint("key_", i), OrgID: o.ID, Label: "l", LastFour: "wxyz",
					Hash: fmt.Appendf(nil, "%032d", i),
				}
				if err := s.CreateKey(b.Context(), keys[i]); err != nil {
					b.Fatal(err)
				}
			}
			b.SetParallelism(max(1, 16/runtime.GOMAXPROCS(0)))
			b.ResetTimer()
			f(b, s, keys)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// BenchmarkCommit commits one row at a time from 16 goroutines, each with a row
// of its own.
func BenchmarkCommit(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store, keys []account.Key) {
		var next atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			k := keys[int(next.Add(1))%len(keys)]
			for n := 0; pb.Next(); n++ {
				_, err := s.db.Execute(b.Context(), "label a key", func(tx *database.Tx) database.Statement {
					return tx.NewUpdate().Table("api_keys").Set("label = ?", fmt.Sprint("label ", n)).Where("id = ?", k.ID)
				})
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

// BenchmarkCredential looks a key up from 16 goroutines.
func BenchmarkCredential(b *testing.B) {
	benchmarkBoth(b, func(b *testing.B, s *Store, keys []account.Key) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := s.Credential(b.Context(), keys[3].Hash); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

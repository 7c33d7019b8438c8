package keys

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/store/database/databasetest"
)

// BenchmarkCredentialOf compares where a credential comes from: memory or
// the database, with 16 clients.
func BenchmarkCredentialOf(b *testing.B) {
	post := openProcess(b, databasetest.Postgres(b))
	lite := openProcess(b, "sqlite:"+filepath.Join(b.TempDir(), "vaak.db"))
	keysIn(b, lite, 100)
	_, hashes := keysIn(b, post, 100)
	for _, bb := range []struct {
		name string
		call func(i int) error
	}{
		{"PostgreSQL kept", func(i int) error {
			_, err := post.Credential(b.Context(), hashes[i%100])
			return err
		}},
		{"PostgreSQL asked", func(i int) error {
			_, err := post.lookup(b.Context(), hashes[i%100])
			return err
		}},
		{"SQLite kept", func(i int) error {
			_, err := lite.Credential(b.Context(), hashes[i%100])
			return err
		}},
		{"SQLite asked", func(i int) error {
			_, err := lite.lookup(b.Context(), hashes[i%100])
			return err
		}},
	} {
		b.Run(bb.name, func(b *testing.B) { measure(b, bb.call) })
	}
}

// measure runs op from 16 clients and reports how long it takes.
func measure(b *testing.B, op func(i int) error) {
	b.Helper()
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range 16 {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
				begun := time.Now()
				if err := op(i); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(begun)
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
	b.ReportMetric(float64(took[b.N/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds()), "p99-µs")
}

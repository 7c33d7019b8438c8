package replicas

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/account"
)

func BenchmarkLimits(b *testing.B) {
	s := processes(b, 1)[0]
	ctx := b.Context()
	for _, bb := range []struct {
		name string
		keys int
		call func(i int, scopes []account.Scope) error
	}{
		{"take_request", 100, func(_ int, scopes []account.Scope) error {
			_, err := s.TakeRequest(ctx, scopes)
			return err
		}},
		{"take_request_one_key", 1, func(_ int, scopes []account.Scope) error {
			_, err := s.TakeRequest(ctx, scopes)
			return err
		}},
		{"take_and_free_slot", 100, func(i int, scopes []account.Scope) error {
			holder := fmt.Sprint("slot_", i)
			_, _, err := s.TakeSlot(ctx, holder, scopes, time.Minute)
			return errors.Join(err, s.FreeSlot(ctx, holder))
		}},
		{"take_and_free_slot_one_key", 1, func(i int, scopes []account.Scope) error {
			holder := fmt.Sprint("slot_", i)
			_, _, err := s.TakeSlot(ctx, holder, scopes, time.Minute)
			return errors.Join(err, s.FreeSlot(ctx, holder))
		}},
	} {
		for _, scopes := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/scopes=%d", bb.name, scopes), func(b *testing.B) {
				measure(b, func(i int) error {
					all := []account.Scope{{ID: fmt.Sprintf("key_%016d", i%bb.keys), Limit: 1000}, {ID: fmt.Sprintf("org_%016d", i%bb.keys/4), Limit: 1000}}
					return bb.call(i, all[:scopes])
				})
			})
		}
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

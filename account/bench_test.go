package account_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
)

func BenchmarkAuthenticate(b *testing.B) {
	svc := newService(b, account.Config{Store: accounttest.New(nil)})
	secret, _, _ := newKey(b, svc, "scale")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := svc.Authenticate(b.Context(), secret); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReserveCommit(b *testing.B) {
	for _, workers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			svc := newService(b, account.Config{Store: openSQLite(b, tempPath(b), nil)})
			_, _, c := newKey(b, svc, "scale")
			work := make(chan struct{}, workers)
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					for range work {
						if err := speak(b.Context(), svc, c, 1, time.Second); err != nil {
							b.Error(err)
						}
					}
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				work <- struct{}{}
			}
			close(work)
			wg.Wait()
		})
	}
}

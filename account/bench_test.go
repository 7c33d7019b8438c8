package account_test

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func BenchmarkAuthenticate(b *testing.B) {
	svc := newService(b, openStore(b, tempPath(b)))
	secret, _, _ := newKey(b, svc)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := svc.Authenticate(b.Context(), secret); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAuthenticateMalformed(b *testing.B) {
	svc := newService(b, openStore(b, tempPath(b)))
	secret, _, _ := newKey(b, svc)
	secret = secret[:len(secret)-1] + "-"
	for b.Loop() {
		if _, err := svc.Authenticate(b.Context(), secret); err == nil {
			b.Fatal("no error")
		}
	}
}

func BenchmarkReserveCommit(b *testing.B) {
	for _, workers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			svc := newService(b, openStore(b, tempPath(b)))
			_, _, c := newKey(b, svc)
			work := make(chan struct{}, workers)
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					for range work {
						if err := speak(b.Context(), svc, c, 20, time.Second); err != nil {
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

package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// ran returns for how long this process has run since it was first asked. A stop of the machine
// counts as little, so what a test promises of time holds while one happens.
func ran() time.Duration { return time.Duration(runClock().Load()) }

var runClock = sync.OnceValue(func() *atomic.Int64 {
	const step, most = 10 * time.Millisecond, 50 * time.Millisecond
	total := &atomic.Int64{}
	go func() {
		for last := time.Now(); ; {
			<-time.After(step)
			now := time.Now()
			total.Add(int64(min(now.Sub(last), most)))
			last = now
		}
	}()
	return total
})

package riva

import (
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/wire"
)

func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStreams reads 50 streams of 24 kHz at once, ten times as fast as they are heard, in
// chunks of 100 ms, and tells how much of this process's processor a second of audio takes, the
// connection and the kernel included.
func BenchmarkStreams(b *testing.B) {
	ask := wire.Ask{Text: strings.TrimSpace(strings.Repeat("Bright yellow canaries sing softly. ", 8)), Language: "en"}
	server := start(b, remotetest.Options{Speed: 10})
	settings := target(server)
	settings.Rate = 24000
	s := reach(b, settings)
	speak := func() {
		a, err := s.Speak(b.Context(), ask)
		if err != nil {
			b.Error(err)
			return
		}
		defer a.Close()
		for pcm := make([]int16, 2400); err == nil; {
			_, err = a.Read(pcm)
		}
		if !errors.Is(err, io.EOF) {
			b.Error(err)
		}
	}
	const streams = 50
	for b.Loop() {
		begin := processor(b)
		var wg sync.WaitGroup
		for range streams {
			wg.Go(speak)
		}
		wg.Wait()
		used := processor(b) - begin
		b.ReportMetric(used.Seconds()*1000/(streams*remotetest.Duration(ask.Text).Seconds()), "cpu-ms/audio-s")
	}
}

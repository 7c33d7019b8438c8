package openai_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaak/engine/remote/openai"
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

// BenchmarkStreams reads 50 streams at once, ten times as fast as they are heard, in chunks of
// 100 ms as servers send them, and tells how much of this process's processor a second of audio
// takes, the connection and the kernel included.
func BenchmarkStreams(b *testing.B) {
	text := strings.TrimSpace(strings.Repeat("Bright yellow canaries sing softly. Eleven pelicans glided homeward, unhurried! ", 4))
	for _, kind := range openai.Kinds {
		b.Run(kind.Name, func(b *testing.B) {
			server := remotetest.Start(b, remotetest.Options{Kind: kind.Name, Speed: 10})
			client, err := kind.Dial(wire.Target{URL: server.URL, Model: "m"})
			if err != nil {
				b.Fatal(err)
			}
			defer client.Close()
			speak := func() {
				answer, err := client.Speak(b.Context(), wire.Ask{Text: text, Voice: "v"})
				if err != nil {
					b.Error(err)
					return
				}
				defer answer.Close()
				pcm := make([]int16, 2400)
				for err == nil {
					_, err = answer.Read(pcm)
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
				b.ReportMetric(used.Seconds()*1000/(streams*remotetest.Duration(text).Seconds()), "cpu-ms/audio-s")
			}
		})
	}
}

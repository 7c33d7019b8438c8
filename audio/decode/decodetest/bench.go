package decodetest

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"vaak/audio/decode/recording"
)

// Benchmark decodes a file over and over.
func Benchmark(b *testing.B, open Opener, file []byte) {
	b.Helper()
	planes := [][]float32{make([]float32, 4096), make([]float32, 4096)}
	total := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := open(bytes.NewReader(file), recording.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		for {
			n, err := s.Read(planes)
			total += n * len(planes)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds()/1e6, "Msamples/s")
	b.ReportMetric(float64(total)/16000/b.Elapsed().Seconds(), "hours/core-hour")
}

// BenchmarkLossy decodes a file over and over and reports samples of all channels.
func BenchmarkLossy(b *testing.B, open Opener, file []byte) {
	samples := 0
	planes := make([][]float32, 2)
	for c := range planes {
		planes[c] = make([]float32, 4096)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := open(bytes.NewReader(file), recording.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		use := planes[:s.Info().Channels]
		for {
			n, err := s.Read(use)
			if err != nil {
				break
			}
			samples += n * len(use)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(samples)/b.Elapsed().Seconds(), "samples/s")
}

package flac

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	mewkiz "github.com/mewkiz/flac"

	"vaak/audio/decode/decodetest"
)

func BenchmarkDecode(b *testing.B) {
	const frames = 8000 * 60
	for _, k := range flacKinds {
		b.Run(k.name, func(b *testing.B) { decodetest.Benchmark(b, only, decodetest.Made(b, 8000, 2, frames, k.out...)) })
	}
	b.Run("other library", func(b *testing.B) { benchmarkOther(b, decodetest.Made(b, 8000, 2, frames, flacKinds[0].out...)) })
}

// benchmarkOther decodes a file by github.com/mewkiz/flac.
func benchmarkOther(b *testing.B, file []byte) {
	b.Helper()
	total := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := mewkiz.New(bufio.NewReaderSize(bytes.NewReader(file), bufferSize))
		if err != nil {
			b.Fatal(err)
		}
		for {
			f, err := s.ParseNext()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			total += len(f.Subframes) * int(f.BlockSize)
		}
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds()/1e6, "Msamples/s")
}

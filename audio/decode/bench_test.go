package decode

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	mewkiz "github.com/mewkiz/flac"
)

// benchmark decodes a file over and over.
func benchmark(b *testing.B, file []byte) {
	b.Helper()
	planes := [][]float32{make([]float32, 4096), make([]float32, 4096)}
	total := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := Open(bytes.NewReader(file), Limits{})
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

func BenchmarkDecode(b *testing.B) {
	const frames = 8000 * 60
	for _, k := range wavKinds {
		b.Run("wav/"+k.codec, func(b *testing.B) { benchmark(b, made(b, 8000, 2, frames, k.out...)) })
	}
	for _, k := range flacKinds {
		b.Run("flac/"+k.name, func(b *testing.B) { benchmark(b, made(b, 8000, 2, frames, k.out...)) })
	}
	b.Run("flac/other library", func(b *testing.B) { benchmarkOther(b, made(b, 8000, 2, frames, flacKinds[0].out...)) })
	b.Run("sphere", func(b *testing.B) {
		benchmark(b, sphere("sample_rate -i 8000\nchannel_count -i 2\nsample_n_bytes -i 2\nsample_byte_format -s2 01\n",
			make([]byte, 4*frames)))
	})
}

// benchmarkOther decodes a file by github.com/mewkiz/flac.
func benchmarkOther(b *testing.B, file []byte) {
	b.Helper()
	total := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := mewkiz.New(bufio.NewReaderSize(bytes.NewReader(file), flacBuffer))
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

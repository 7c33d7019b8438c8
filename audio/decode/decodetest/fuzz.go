package decodetest

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"vaak/audio/decode/recording"
	"vaak/internal/fault"
)

// fuzzLimits are low, so that files reach them.
var fuzzLimits = recording.Limits{Channels: 4, SampleRate: 48000, Frames: 1 << 14}

// Fuzzed decodes a file and fails when a promise is broken.
func Fuzzed(t *testing.T, open Opener, file []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := open(bytes.NewReader(file), fuzzLimits)
	if err != nil {
		WantRefused(t, err)
		return
	}
	info := s.Info()
	if info.Channels < 1 || info.Channels > fuzzLimits.Channels || info.SampleRate < recording.MinSampleRate || info.SampleRate > fuzzLimits.SampleRate {
		t.Fatalf("Info = %+v, beyond %+v", info, fuzzLimits)
	}
	planes := make([][]float32, info.Channels)
	for c := range planes {
		planes[c] = make([]float32, 777)
	}
	most := math.Inf(1) // of whole numbers: full scale
	if !strings.HasPrefix(info.Codec, "pcm_f") {
		most = 1
	}
	var total int64
	for {
		n, err := s.Read(planes)
		total += int64(n)
		if total > fuzzLimits.Frames {
			t.Fatalf("%d samples, beyond %d", total, fuzzLimits.Frames)
		}
		for _, p := range planes {
			for i, v := range p[:n] {
				if v != v || math.Abs(float64(v)) > most || math.IsInf(float64(v), 0) {
					t.Fatalf("sample %d is %v", total-int64(n)+int64(i), v)
				}
			}
		}
		if err != nil {
			ended(t, info, total, err)
			break
		}
		if n == 0 {
			t.Fatal("Read = 0 without an error")
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20+uint64(len(file)) {
		t.Fatalf("%d bytes take %d bytes of memory", len(file), n)
	}
}

// ended checks how a stream ended.
func ended(t *testing.T, info recording.Info, total int64, err error) {
	t.Helper()
	if !errors.Is(err, io.EOF) {
		WantRefused(t, err)
	} else if info.Frames >= 0 && total != info.Frames {
		t.Fatalf("%d samples, and the header told of %d", total, info.Frames)
	}
}

// WantRefused checks that an error is one of ours.
func WantRefused(t *testing.T, err error) {
	t.Helper()
	if e, ok := errors.AsType[*fault.Error](err); !ok || !strings.HasPrefix(e.Code, "recording_") || e.Msg == "" {
		t.Fatalf("error %v is no fault", err)
	}
}

// Allocated returns how many bytes are Allocated while a file is decoded.
func Allocated(t testing.TB, open Opener, file []byte) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	planes := make([][]float32, 8)
	for c := range planes {
		planes[c] = make([]float32, 512)
	}
	runtime.ReadMemStats(&before)
	s, err := open(bytes.NewReader(file), recording.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = s.Read(planes[:s.Info().Channels])
	}
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return after.TotalAlloc - before.TotalAlloc
}

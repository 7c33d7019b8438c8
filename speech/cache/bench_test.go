package cache

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// audioSecond is what a second of speech takes at 24 kHz in 16 bits.
const audioSecond = 48_000

// cpu returns the processor time of this process in microseconds, which a machine
// that does other work too disturbs less than it does the time of day.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1000
}

// perSecond reports the processor time that a second of audio took since began, of
// n bytes at each iteration.
func perSecond(b *testing.B, n int, began float64) {
	b.ReportMetric((cpu()-began)/float64(b.N)/(float64(n)/audioSecond), "cpu-us/audio-s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkDraft keeps answers of a minute, in pieces of several sizes, in a cache
// that is full; and writes the same to a bare file, which is then renamed.
func BenchmarkDraft(b *testing.B) {
	const size = 60 * audioSecond
	data := body(key(1), size)
	for _, piece := range []int{1_000, 10_000, 35_000} {
		b.Run(fmt.Sprintf("cache/piece=%d", piece), func(b *testing.B) {
			c := open(b, Config{Dir: b.TempDir(), MaxBytes: 10 * size})
			for i := range 10 {
				if err := put(c, key(-i), data, piece); err != nil {
					b.Fatal(err)
				}
			}
			n, began := 0, cpu()
			for b.Loop() {
				n++
				if err := put(c, key(n), data, piece); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, size, began)
			if s := c.Stats(); s.Kept != int64(n+10) {
				b.Errorf("Stats = %+v after %d drafts", s, n)
			}
		})
		b.Run(fmt.Sprintf("bare/piece=%d", piece), func(b *testing.B) {
			dir, began := b.TempDir(), cpu()
			for n := 0; b.Loop(); n++ {
				if err := bare(dir, n, data, piece); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, size, began)
		})
	}
}

// bare writes and renames one file, and removes the tenth before it.
func bare(dir string, n int, data []byte, piece int) error {
	name := func(n int) string { return filepath.Join(dir, fmt.Sprint(n)) }
	f, err := os.Create(filepath.Join(dir, "new"))
	if err != nil {
		return err
	}
	for p := data; len(p) > 0; p = p[min(piece, len(p)):] {
		if _, err := f.Write(p[:min(piece, len(p))]); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	_ = os.Remove(name(n - 10)) // there are none at first
	return os.Rename(f.Name(), name(n))
}

// BenchmarkGet gets an answer, which checks all of it, and reads it or not.
func BenchmarkGet(b *testing.B) {
	for _, size := range []int{50_000, 3_000_000} {
		c := open(b, Config{Dir: b.TempDir(), MaxBytes: 64 << 20})
		if err := put(c, key(size), body(key(size), size), 35_000); err != nil {
			b.Fatal(err)
		}
		for _, reads := range []bool{false, true} {
			b.Run(fmt.Sprintf("size=%d/read=%v", size, reads), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				began := cpu()
				for b.Loop() {
					e, ok := c.Get(key(size))
					if !ok {
						b.Fatal("no entry")
					}
					if reads {
						if _, err := e.WriteTo(struct{ io.Writer }{io.Discard}); err != nil {
							b.Fatal(err)
						}
					}
					if err := e.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((cpu()-began)/float64(b.N), "cpu-us/op")
			})
		}
	}
	c := open(b, Config{Dir: b.TempDir(), MaxBytes: 64 << 20})
	b.Run("miss", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := c.Get(key(1)); ok {
				b.Fatal("an entry")
			}
			c.Begin(key(1)).Discard()
		}
	})
}

// BenchmarkStreams has a thousand drafts take pieces in turn, and reports what each
// holds in memory.
func BenchmarkStreams(b *testing.B) {
	const streams, piece = 1000, 9600 // 0.2 s
	c := open(b, Config{Dir: b.TempDir(), MaxBytes: 4 << 30})
	data := body(key(1), piece)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	drafts := make([]*Draft, streams)
	for i := range drafts {
		drafts[i] = c.Begin(key(i))
		_, _ = drafts[i].Write(data[:100]) // never fails
		_, _ = drafts[i].Write(data)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.Run("write", func(b *testing.B) {
		began := cpu()
		for n := 0; b.Loop(); n++ {
			d := &drafts[n%streams]
			_, _ = (*d).Write(data) // never fails
			if (*d).body > 30*piece {
				(*d).Discard()
				*d = c.Begin(key(n % streams))
			}
		}
		perSecond(b, piece, began)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/streams, "B/draft")
	})
	for _, d := range drafts {
		d.Discard()
	}
	if s := c.Stats(); s.Bytes != 0 {
		b.Errorf("Stats = %+v", s)
	}
}

// BenchmarkOpen opens a directory of 50,000 entries.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	data := entry(key(1), nil, nil) // its key does not matter here
	for i := range 50_000 {
		if err := os.WriteFile(filepath.Join(dir, entryName(digest(i))), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	began := cpu()
	for b.Loop() {
		c, err := Open(Config{Dir: dir, MaxBytes: 1 << 30})
		if err != nil {
			b.Fatal(err)
		}
		if s := c.Stats(); s.Entries != 50_000 {
			b.Fatalf("Stats = %+v", s)
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpu()-began)/float64(b.N), "cpu-us/op")
}

// digest returns a key that looks like a digest.
func digest(n int) Key { return Key(body(key(n), 32)) }

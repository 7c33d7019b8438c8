package datasets

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/store/database"
	"vaak/store/database/databasetest"
)

// benchRecords is how many records the benchmarks of the catalogue have.
const benchRecords = 100_000

// One record in sampled has a sample, and with it about 20 kB, so that the
// benchmark does not write gigabytes.
const sampled = 50

func slugOf(n int) string { return fmt.Sprintf("dataset-%016d", n) }

// benchDataset is a record, the nth of many.
func benchDataset(n int) catalogue.Stored {
	id := fmt.Sprintf("%016d", n)
	s := catalogue.Stored{Dataset: catalogue.Dataset{ID: "ds_" + id, Slug: slugOf(n), Status: catalogue.Published}}
	d := &s.Dataset
	d.Title = fmt.Sprint("Hindi call-centre conversations, banking, dual channel, part ", n)
	d.Language = catalogue.Language{Name: "Hindi", NativeName: new("हिन्दी"), ISO6393: "hin", ISO6391: new("hi"), BCP47: "hi-IN"}
	d.BCP47, d.Channels, d.Collection = "hi-IN", new(catalogue.Dual), new(catalogue.CallCentre)
	d.Domain, d.Domains, d.EnglishShare = new("banking"), []string{"banking", "insurance"}, new(0.187)
	d.Description = strings.Repeat("Unscripted telephone conversations. ", 20)
	if n%sampled != 0 {
		return s
	}
	peaks := make([]float64, 200)
	for i := range peaks {
		peaks[i] = float64(i*n%1000) / 1000
	}
	d.Sample = &catalogue.Sample{Waveform: catalogue.Waveform{Points: 200, Peaks: [][]float64{peaks, peaks}}, Transcript: &catalogue.SampleTranscript{}}
	for i := range 50 {
		d.Sample.Transcript.Segments = append(d.Sample.Transcript.Segments, catalogue.Segment{
			StartS: float64(i), EndS: float64(i) + 0.75, Channel: i%2 + 1, Speaker: "speaker", Role: "agent", Text: strings.Repeat("नमस्ते आपकी ", 5),
		})
	}
	for i := range 5 {
		s.Files = append(s.Files, catalogue.File{Name: fmt.Sprint("sample/", i, ".wav"), Key: fmt.Sprintf("sha256/%064x", n), SHA256: fmt.Sprintf("%064x", n)})
	}
	return s
}

// fill writes n records in one transaction each thousand.
func fill(b *testing.B, s *Datasets, n int) {
	b.Helper()
	for from := 0; from < n; from += 1000 {
		err := s.db.Transact(b.Context(), func(ctx context.Context, tx *database.Tx) error {
			for i := from; i < min(from+1000, n); i++ {
				revision, err := tx.Raise(ctx, topic, "")
				if err != nil {
					return err
				}
				r, err := encode(benchDataset(i))
				if err == nil {
					r.Revision = revision
					err = put(ctx, tx, r)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCatalogue loads all entries in pages, and reads records with a sample
// by their slug from 4 goroutines.
func BenchmarkCatalogue(b *testing.B) {
	s := New(databasetest.Open(b, "sqlite:"+filepath.Join(b.TempDir(), "vaak.db"), nil))
	fill(b, s, benchRecords)
	c := s
	b.Run("Entries", func(b *testing.B) {
		b.ReportAllocs()
		began := cpu()
		for b.Loop() {
			count, after := 0, int64(0)
			for {
				page, err := c.Entries(b.Context(), after, 5000)
				if err != nil {
					b.Fatal(err)
				}
				if len(page) == 0 {
					break
				}
				count, after = count+len(page), page[len(page)-1].Revision
			}
			if count != benchRecords {
				b.Fatalf("%d entries, want %d", count, benchRecords)
			}
		}
		b.ReportMetric(float64((cpu()-began).Milliseconds())/float64(b.N), "cpu-ms/op")
	})
	b.Run("Dataset", func(b *testing.B) {
		const readers = 4
		took := make([][]time.Duration, readers)
		began := cpu()
		var wg sync.WaitGroup
		for r := range readers {
			wg.Go(func() {
				for i := r; i < b.N; i += readers {
					slug := slugOf(i * 7919 * sampled % benchRecords)
					began := time.Now()
					if _, ok, err := c.Dataset(b.Context(), slug); !ok || err != nil {
						b.Errorf("Dataset(%q) = %v, %v", slug, ok, err)
						return
					}
					took[r] = append(took[r], time.Since(began))
				}
			})
		}
		wg.Wait()
		b.ReportMetric(float64((cpu()-began).Microseconds())/float64(b.N), "cpu-us/op")
		all := slices.Sorted(slices.Values(slices.Concat(took...)))
		b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-us")
		b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-us")
	})
}

// cpu is the processor time of this process, which a machine that does other work
// too disturbs less than it does the time of day.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

package catalogue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
)

// endless is a store of so many records, which it makes as they are read.
type endless struct {
	cataloguetest.Memory
	n int
}

func (e *endless) Entries(_ context.Context, after int64, limit int) (out []catalogue.Entry, err error) {
	for i := int(after); i < e.n && len(out) < limit; i++ {
		out = append(out, largeEntry(i))
	}
	return out, nil
}

// largeEntry is a record as it is in large catalogues: its description has two words of 60,000
// that are rare, one that no other has, of two different letters, and a Chinese one that all have;
// one in five titles has a number of its own.
func largeEntry(i int) catalogue.Entry {
	d := drawRecord(i).Dataset
	r := rand.New(rand.NewPCG(31, uint64(i)))
	d.ID, d.Slug = fmt.Sprintf("ds_%016d", i), fmt.Sprintf("set-%07d", i)
	d.Description += fmt.Sprintf(" Collected for %s and %s, %s, 电话录音.", rareWord(r.IntN(60_000)), rareWord(r.IntN(60_000)), twoLetters(i))
	if r.IntN(5) == 0 {
		d.Title += fmt.Sprintf(", delivery %d", i)
	}
	spread := func(low, high float64) *catalogue.Spread {
		return &catalogue.Spread{Median: low + (high-low)*r.Float64()}
	}
	d.Measurements = &catalogue.Measurements{SilenceRatio: spread(0, 0.5), TurnTaking: &catalogue.Turns{OverlapRatio: spread(0, 0.3), FTOMedianMs: spread(-200, 800), TurnsPerMin: spread(4, 30)}}
	e := catalogue.EntryOf(&d)
	e.Revision = int64(i + 1)
	return e
}

// rareWord spells a number.
func rareWord(n int) string {
	var w strings.Builder
	for n += 1000; n > 0; n /= 20 {
		w.WriteString([]string{"ba", "ke", "lo", "mi", "nu", "ra", "se", "to", "vi", "za", "char", "dhe", "gro", "pli", "shu", "tran", "kel", "mor", "fis", "wun"}[n%20])
	}
	return w.String()
}

// twoLetters spells a number with a and b, in 20 letters.
func twoLetters(n int) string {
	return strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%020b", n&(1<<20-1)))
}

// What a query of a kind may take of a processor on average; those that ask for as much as they can may
// take more. Times of the day are logged alone, because other work of the machine makes them tenfold.
const mostProcessor, mostHostileProcessor = 25 * time.Millisecond, 300 * time.Millisecond

// kinds are kinds of queries, with values that a number decides.
var kinds = []struct {
	name string
	ask  func(r *rand.Rand) catalogue.Query
}{
	{"two words", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Q: tongues[r.IntN(len(tongues))].name + " " + topicNames[r.IntN(len(topicNames))]}
	}},
	{"four words", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Q: strings.Join([]string{"support calls", places[r.IntN(len(places))], tongues[r.IntN(len(tongues))].name}, " ")}
	}},
	{"mistyped", func(r *rand.Rand) catalogue.Query {
		word := rareWord(r.IntN(60_000))
		return catalogue.Query{Q: tongues[r.IntN(len(tongues))].name + " " + word[:2] + word[3:] + "q"}
	}},
	{"rare word", func(r *rand.Rand) catalogue.Query { return catalogue.Query{Q: rareWord(r.IntN(60_000))} }},
	{"language and channels", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Languages: []string{tongues[r.IntN(len(tongues))].native}, Channels: catalogue.Dual}
	}},
	{"hours", func(r *rand.Rand) catalogue.Query { return catalogue.Query{MinHours: float64(r.IntN(900))} }},
	{"domain, licence, speakers, rate", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Domains: []string{topicNames[r.IntN(len(topicNames))]}, Licences: []string{"cc-by-4.0"}, MinSpeakers: r.IntN(1000), SampleRates: []int{16000}}
	}},
	{"newest", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Sort: catalogue.ByNewest, Languages: []string{tongues[r.IntN(len(tongues))].tag}}
	}},
	{"similar", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Similar: fmt.Sprintf("set-%07d", r.IntN(1000))}
	}},
	{"facets", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Languages: []string{tongues[r.IntN(len(tongues))].tag}, Facets: true}
	}},
	{"hostile, of two letters", func(r *rand.Rand) catalogue.Query {
		var words []string
		for range 9 {
			words = append(words, twoLetters(r.IntN(1 << 20))[:19]+"cb"[r.IntN(2):][:1])
		}
		return catalogue.Query{Q: strings.Join(words, " ")}
	}},
	{"hostile, a run that all have", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Q: strings.Repeat("电话录音", 1+r.IntN(40)) + strings.Repeat(string(rune(0x4E00+r.IntN(9000))), r.IntN(9))}
	}},
	{"hostile", func(r *rand.Rand) catalogue.Query {
		var words []string
		for range catalogue.MaxTerms {
			words = append(words, string(rune('a'+r.IntN(26)))+"eroqxvyz"[:5])
		}
		return catalogue.Query{Q: strings.Join(words, " ")}
	}},
}

// processor is the processor time of this process, which other work of the machine disturbs less
// than the time of day.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestSoakMillion measures a catalogue of a million records: the memory of each, how long it takes
// to be ready, and the pages of each kind with four clients.
func TestSoakMillion(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("measures for a minute; set VAAK_SOAK=1")
	}
	const n, most = 1_000_000, 1536
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := &endless{n: n}
	began, busy := time.Now(), processor()
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: s, Files: s, PublicURL: "https://x.test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ready after %v, %v of a processor, with the making of the records", time.Since(began).Round(time.Millisecond), (processor() - busy).Round(time.Millisecond))
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("%.0f bytes of heap a record", each)
	if each > most {
		t.Errorf("%.0f bytes of heap a record, want at most %d", each, most)
	}
	s.n++
	began, busy = time.Now(), processor()
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("one more record is found after %v, %v of a processor", time.Since(began).Round(time.Millisecond), (processor() - busy).Round(time.Millisecond))
	for _, k := range kinds {
		took, used := make([][]time.Duration, 4), processor()
		var all sync.WaitGroup
		for client := range took {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(client), 5))
				for range 250 {
					q := k.ask(r)
					q.Limit = 20
					began := time.Now()
					if _, err := c.List(q); err != nil {
						t.Errorf("%+v: %v", q, err)
					}
					took[client] = append(took[client], time.Since(began))
				}
			})
		}
		all.Wait()
		used = (processor() - used) / 1000
		times := slices.Sorted(slices.Values(slices.Concat(took...)))
		t.Logf("%-32s processor %8v, median %8v, 99th percentile %8v, longest %8v", k.name, used.Round(time.Microsecond), times[len(times)/2].Round(10*time.Microsecond), times[len(times)*99/100].Round(10*time.Microsecond), times[len(times)-1].Round(10*time.Microsecond))
		limit := mostProcessor
		if strings.HasPrefix(k.name, "hostile") {
			limit = mostHostileProcessor
		}
		if used > limit {
			t.Errorf("%s: a query takes %v of a processor, want at most %v", k.name, used, limit)
		}
	}
	// The heap includes what was remembered of searches now.
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%.0f bytes of heap a record after the searches", float64(after.HeapAlloc-before.HeapAlloc)/n)
	runtime.KeepAlive(c)
}

package catalogue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
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
	n      int
	making time.Duration // what making them has taken
}

func (e *endless) Entries(_ context.Context, after int64, limit int) (out []catalogue.Entry, err error) {
	began := time.Now()
	defer func() { e.making += time.Since(began) }()
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

// kind is a kind of queries, with values that a number decides.
type kind struct {
	name string
	ask  func(r *rand.Rand) catalogue.Query
}

// kinds are those of the first page.
var kinds = []kind{
	{"all", func(r *rand.Rand) catalogue.Query { return catalogue.Query{} }},
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
	{"most speakers of a licence", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Sort: catalogue.BySpeakers, Licences: []string{"cc by 4.0"}, SampleRates: []int{8000 * (1 + r.IntN(2))}, Transcribed: r.IntN(2) == 0}
	}},
	{"by title", func(r *rand.Rand) catalogue.Query {
		return catalogue.Query{Sort: catalogue.ByTitle, Domains: []string{topicNames[r.IntN(len(topicNames))]}, MinHours: float64(r.IntN(999))}
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

// deepPages is how many pages of catalogue.MaxPage come before what deepKinds ask for.
const deepPages = 40

// deepKinds are kinds of queries far into lists.
func deepKinds(t *testing.T, c *catalogue.Service) (out []kind) {
	for _, q := range []catalogue.Query{{}, {Sort: catalogue.ByTitle}, {Sort: catalogue.BySpeakers, Channels: catalogue.Dual}, {Q: "calls"}, {Similar: "set-0000001"}} {
		name := fmt.Sprintf("deep in %s %s%s%s", q.Sort, q.Channels, q.Q, q.Similar)
		for range deepPages {
			page, err := c.List(q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			if page.Next == "" {
				break
			}
			q.Cursor = page.Next
		}
		out = append(out, kind{name, func(*rand.Rand) catalogue.Query { return q }})
	}
	return out
}

// processor is the processor time of this process, which other work of the machine disturbs less
// than the time of day.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measured is what searches took. Per is for each of them.
type measured struct {
	median, last, longest time.Duration // last is the 99th percentile
	perProcessor          time.Duration
	perBytes              uint64
	collections           uint32  // of garbage
	collecting            float64 // share of the processors that these took
}

// search has clients that never pause ask for each as many queries of a kind as named.
func search(t *testing.T, c *catalogue.Service, k kind, clients, each int) measured {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took, used, collecting, asked := make([][]time.Duration, clients), processor(), collected(), time.Now()
	var all sync.WaitGroup
	for client := range took {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(client), 5))
			for range each {
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
	used, collecting = processor()-used, collected()-collecting
	runtime.ReadMemStats(&after)
	times, n := slices.Sorted(slices.Values(slices.Concat(took...))), clients*each
	return measured{
		times[n/2], times[n*99/100], times[n-1], used / time.Duration(n), (after.TotalAlloc - before.TotalAlloc) / uint64(n),
		after.NumGC - before.NumGC, collecting / time.Since(asked).Seconds() / float64(runtime.GOMAXPROCS(0)),
	}
}

// collected is the processor time that the garbage collector has had up to its last cycle, in seconds. The
// runtime counts it by the time of the day.
func collected() float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64() - s[1].Value.Float64()
}

// loadAverage is how much else the machine does.
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg") // empty on other systems
	return strings.TrimSpace(string(text))
}

// TestSoakMillion measures a catalogue of a million records, or of VAAK_SOAK_RECORDS: the memory of each, how
// long it takes to be ready and to take in a change, and the pages of each kind with one client and with
// four that never pause. The times of the day are worth something only on a quiet machine.
func TestSoakMillion(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("measures for a minute; set VAAK_SOAK=1")
	}
	const most = 1536
	n := 1_000_000
	if text := os.Getenv("VAAK_SOAK_RECORDS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			t.Fatalf("VAAK_SOAK_RECORDS is a number from 1 up; %q was sent", text)
		}
	}
	t.Logf("%d records, %d processors, load average %s", n, runtime.GOMAXPROCS(0), loadAverage())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := &endless{n: n}
	began, busy := time.Now(), processor()
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: s, Files: s, PublicURL: "https://x.test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ready after %v, %v of a processor; of both, making the records took up to %v", time.Since(began).Round(time.Millisecond), (processor() - busy).Round(time.Millisecond), s.making.Round(time.Millisecond))
	memory := func(when string) float64 {
		runtime.GC()
		runtime.ReadMemStats(&after)
		each := float64(after.HeapAlloc-before.HeapAlloc) / float64(n)
		t.Logf("%.0f bytes of heap a record %s", each, when)
		return each
	}
	if each := memory("before the searches"); each > most {
		t.Errorf("%.0f bytes of heap a record, want at most %d", each, most)
	}
	for range 3 {
		s.n++
		began, busy = time.Now(), processor()
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("one more record is found after %v, %v of a processor", time.Since(began).Round(time.Millisecond), (processor() - busy).Round(time.Millisecond))
	}
	for _, k := range slices.Concat(kinds, deepKinds(t, c)) {
		// Four clients first, so that they meet no warm cache of terms.
		m := search(t, c, k, 4, 250)
		alone := search(t, c, k, 1, 250)
		round := func(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
		t.Logf("%-33s processor %7v, median %7v, 99th percentile %7v, longest %7v, %4d KiB, %d collections %2.0f %%; one client: processor %7v, median %7v, 99th percentile %7v",
			k.name, round(m.perProcessor), round(m.median), round(m.last), round(m.longest), m.perBytes>>10, m.collections, 100*m.collecting, round(alone.perProcessor), round(alone.median), round(alone.last))
		limit := mostProcessor
		if strings.HasPrefix(k.name, "hostile") {
			limit = mostHostileProcessor
		}
		if m.perProcessor > limit {
			t.Errorf("%s: a query takes %v of a processor, want at most %v", k.name, m.perProcessor, limit)
		}
	}
	t.Logf("load average %s", loadAverage())
	memory("after the searches") // with what was remembered of them
	runtime.KeepAlive(c)
}

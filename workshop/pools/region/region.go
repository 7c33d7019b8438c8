// Package region simulates a region of servers, Vaak replicas and listeners in virtual time.
//
// Each replica has a pool of its own, the one of the product (engine/remote/pool), and does
// what the engine does: it asks a member for each sentence, reads one sentence ahead, holds
// what is not needed yet, and asks another member when one fails. Replicas know nothing of each
// other. The same seed gives the same result.
package region

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"vaak/engine/remote/pool"
)

// Size says how large a region is.
type Size struct {
	Replicas int
	Members  int
	Streams  int // at once, about
}

// Whole is the region of docs/scale.md.
var Whole = Size{Replicas: 12, Members: 200, Streams: 10_000}

// What the simulation assumes. docs/scale.md lists it.
const (
	Batch     = 64   // most requests at once of a member; more are answered 429
	Capacity  = 100  // seconds of audio that a member makes per second, in all
	Fastest   = 5    // seconds of audio per second of one request, at most
	Hiccups   = 2000 // one request of so many breaks off for no reason
	Sentences = 13   // of a text, on average
	Tries     = 4    // of a sentence, on different members, where these had begun
	Refusals  = 10   // of a sentence, in all: with members that were unreachable or busy

	First    = 180 * time.Millisecond // median time to the first audio of an idle member
	Sentence = 4 * time.Second        // median length of a sentence
	Late     = 4 * time.Second        // after which a member that sends nothing is given up
	Connect  = time.Second            // after which an address that does not answer is given up
	Wait     = 10 * time.Second       // for a place, after which a stream fails
	Counted  = 10 * time.Second       // from when figures count: by then the pool is at work
	Length   = 70 * time.Second       // of a run
)

// pieces is in how many parts the audio of a sentence arrives.
const pieces = 4

// Figures are the result of a run.
type Figures struct {
	Requests  int             // of sentences
	Streams   int             // that ran when figures began to count, and that came later
	First     []time.Duration // of those that came later
	Retried   int             // sentences that another member was asked for
	Dry       int             // streams whose listener waited in the middle
	Cut       int             // streams that lost the rest of a sentence, as its member died while it was heard
	Unbegun   int             // streams that failed before anything was heard
	Failed    int             // streams that failed later
	Ejections int             // by each replica
	Wrong     int             // ejections of members that were well
	// Imbalance is the most outstanding audio of a member over the mean: the median over time.
	Imbalance float64
	// Back is how long after the end of the faults every replica gives requests to every member,
	// and Even how long after that the load of members that had a fault is even with that of
	// others. They are negative where no fault ended, and Length where the run was too short.
	Back, Even time.Duration
}

// Quantile returns a quantile of the times to the first audio, q from 0 to 1.
func (f *Figures) Quantile(q float64) time.Duration {
	if len(f.First) == 0 {
		return 0
	}
	slices.Sort(f.First)
	return f.First[min(int(q*float64(len(f.First))), len(f.First)-1)]
}

// Region is a simulation that runs. Scenarios change its servers.
type Region struct {
	size    Size
	random  *rand.Rand
	start   time.Time
	now     time.Duration // since start
	events  events
	order   int // of events at the same time
	servers []*server
	listed  []*server // that the replicas are told of
	byID    map[string]*server
	vaak    []*replica

	running int              // streams
	poison  float64          // share of sentences that no server can speak
	faulty  map[*server]bool // servers that had a fault
	healed  time.Duration    // when the last fault ended; 0 while there is one
	history []sample         // since healed
	uneven  []float64        // most over mean, over time
	figures Figures
}

// sample is the load at a time.
type sample struct {
	at            time.Duration
	faulty, other float64 // mean outstanding seconds of members that had a fault, and of others
}

// event is something that happens.
type event struct {
	at    time.Duration
	order int
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	(*e)[len(*e)-1] = event{}
	*e = (*e)[:len(*e)-1]
	return last
}

// At has something happen at a time, from the start of the run.
func (r *Region) At(at time.Duration, do func()) {
	r.order++
	heap.Push(&r.events, event{max(at, r.now), r.order, do})
}

// after has something happen later.
func (r *Region) after(d time.Duration, do func()) { r.At(r.now+d, do) }

// clock returns the time for the pools.
func (r *Region) clock() time.Time { return r.start.Add(r.now) }

// counts reports whether figures count now.
func (r *Region) counts() bool { return r.now >= Counted }

// Run runs a scenario, which plans its faults with [Region.At].
func Run(size Size, seed uint64, plan func(*Region)) Figures {
	r := &Region{
		size: size, random: rand.New(rand.NewPCG(seed, 1)), start: time.Unix(1_800_000_000, 0),
		byID: map[string]*server{}, faulty: map[*server]bool{},
	}
	for range size.Members {
		r.listed = append(r.listed, r.newServer())
	}
	for i := range size.Replicas {
		r.vaak = append(r.vaak, r.newReplica(seed, i))
	}
	r.tell()
	// Texts end after each sentence with the same probability, so those that run at the start
	// are as long as those that come later.
	for range size.Streams {
		r.At(time.Duration(r.random.Float64()*float64(Counted)/2), r.newListener)
	}
	r.arrive()
	r.At(Counted, func() { r.figures.Streams += r.running })
	plan(r)
	r.watch()
	for len(r.events) > 0 {
		e := heap.Pop(&r.events).(event)
		if e.at > Length {
			break
		}
		r.now = e.at
		e.do()
	}
	r.sum()
	return r.figures
}

// mean is the mean length of a sentence: that of its distribution, see [Region.sentence].
const mean = 4.5 // seconds

// arrive has listeners come at random, as many as leave.
func (r *Region) arrive() {
	rate := float64(r.size.Streams) / (Sentences * mean)
	r.after(time.Duration(r.random.ExpFloat64()/rate*float64(time.Second)), func() {
		r.newListener()
		r.arrive()
	})
}

// sentence returns the length of a sentence: log-normal, with a mean of about 4.5 s.
func (r *Region) sentence() time.Duration {
	d := time.Duration(float64(Sentence) * math.Exp(0.5*r.random.NormFloat64()))
	return min(max(d, 800*time.Millisecond), 15*time.Second)
}

// tell gives the replicas the list of members, as DNS does.
func (r *Region) tell() {
	var list []pool.Member
	for _, s := range r.listed {
		list = append(list, pool.Member{ID: s.id, Streams: Batch})
	}
	for _, v := range r.vaak {
		v.pool.Set(r.clock(), list)
		v.wake()
	}
}

// newServer adds a server that is not listed yet.
func (r *Region) newServer() *server {
	s := &server{region: r, id: fmt.Sprint("m", len(r.servers)), batch: Batch, slow: 1, well: -time.Hour}
	r.servers = append(r.servers, s)
	r.byID[s.id] = s
	return s
}

// tick is how often the load is looked at.
const tick = 100 * time.Millisecond

// watch looks at the load from time to time.
func (r *Region) watch() {
	r.after(tick, func() {
		defer r.watch()
		if !r.counts() {
			return
		}
		var most, sum float64
		var group, others float64
		nGroup, n := 0, 0
		for _, s := range r.listed {
			load := s.outstanding().Seconds()
			if r.faulty[s] {
				group += load
				nGroup++
			} else {
				n++
				others += load
				most, sum = max(most, load), sum+load
			}
		}
		if sum > 0 {
			r.uneven = append(r.uneven, most*float64(n)/sum)
		}
		if r.healed > 0 && nGroup > 0 && n > 0 {
			r.history = append(r.history, sample{r.now, group / float64(nGroup), others / float64(n)})
		}
		if r.healed > 0 && r.figures.Back == 0 && r.back() {
			r.figures.Back = r.now - r.healed
		}
	})
}

// back reports whether every replica gives requests to every member.
func (r *Region) back() bool {
	for _, v := range r.vaak {
		for _, s := range v.pool.Members(r.clock()) {
			if s.State != pool.Up && s.State != pool.Returning {
				return false
			}
		}
	}
	return true
}

// even is the part of the load of others that members have when the load counts as even.
const even = 0.85

// sum adds the figures up.
func (r *Region) sum() {
	f := &r.figures
	if len(r.uneven) > 0 {
		slices.Sort(r.uneven)
		f.Imbalance = r.uneven[len(r.uneven)/2]
	}
	switch {
	case r.healed == 0:
		f.Back, f.Even = -1, -1
		return
	case f.Back == 0:
		f.Back, f.Even = Length, Length
		return
	}
	if f.Even = -1; len(r.history) > 0 {
		f.Even = Length
	}
	// Loads are the mean of a second.
	const second = int(time.Second / tick)
	var group, others float64
	for i, s := range r.history {
		group, others = group+s.faulty, others+s.other
		if i >= second {
			group, others = group-r.history[i-second].faulty, others-r.history[i-second].other
		}
		if i+1 >= second && group >= even*others {
			f.Even = max(s.at-r.healed-f.Back, 0)
			break
		}
	}
}

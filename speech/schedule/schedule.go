// Package schedule shares the processors among the streams of a server, so that each has
// its next piece of audio before its listener needs it.
//
// Without it every stream would be made as fast as its client's buffers accept it, first
// come, first served. A new listener would then wait behind seconds of audio that nobody
// needs yet. Therefore work is cut into turns of about one [Unit] of audio. A few slots
// work at a time, each for the stream whose listener runs out of audio first (earliest
// deadline first). Streams that nobody listens to while they are made get the slots that
// listeners leave free. No slot is held while bytes are sent. A new stream that would
// starve the running ones is refused.
package schedule

import (
	"container/heap"
	"context"
	"runtime"
	"sync"
	"time"
)

// Unit is how much audio a stream makes in one turn. It limits how long a more urgent stream
// waits: encoding a unit takes about 0.4 ms with the slowest codec.
const Unit = 200 * time.Millisecond

// Kind tells whether somebody listens to a stream while it is made.
type Kind int

// The kinds.
const (
	// Live audio is played while it is made; a late piece is heard as a gap.
	Live Kind = iota
	// Whole audio is sent when all of it is made.
	Whole
)

const (
	// patience is how long after its admission a new live stream is due. Running streams
	// usually have a longer lead, so a new stream comes before them.
	patience = 100 * time.Millisecond
	// comfortableLead is the lead of the most urgent live stream from which a whole stream
	// may go first.
	comfortableLead = time.Second
	// slowWrite is how long a write takes at least if the reader holds it up. A reader who
	// has nothing left to play accepts bytes at once.
	slowWrite = 100 * time.Millisecond
	// wholeShare is the part of the turns, one in so many, that whole streams get even
	// when live ones need all they can get. Without it they would starve.
	wholeShare = 16
)

// Config configures a Scheduler.
type Config struct {
	// Slots is how many streams work at a time; 0 is two for each processor that Go uses.
	// About half of a turn is spent waiting for the engine's process, so with one more
	// slot than processors a tenth of the processor time would stay unused.
	Slots int
}

// Scheduler hands out turns. It is safe for concurrent use.
type Scheduler struct {
	slots int

	mu        sync.Mutex
	free      int
	waiting   [2]queue  // by kind
	liveTurns int       // given to live streams while whole ones waited, since a whole one had one
	running   [2]int    // admitted and neither paused nor ended, by kind
	remote    [2]int    // those of them whose audio another machine makes, by kind
	wanting   int       // remote streams that wait for a turn or have one
	starting  int       // running live streams without any audio yet, of those made here
	load      float64   // of the running live streams
	sending   int       // the same streams that are in a write to their reader
	capacity  capacity  // of audio that is made here
	encoding  capacity  // of audio that is made elsewhere
	lastTight time.Time // when a live stream last had less lead than minLead
}

// New returns a scheduler.
func New(c Config) *Scheduler {
	if c.Slots <= 0 {
		c.Slots = 2 * runtime.GOMAXPROCS(0)
	}
	return &Scheduler{slots: c.Slots, free: c.Slots}
}

// Stream is one stream of audio on its way to a listener. Its methods must be called by one
// goroutine at a time.
type Stream struct {
	s        *Scheduler
	kind     Kind
	load     float64 // processors that its audio takes; 0 if that is not known
	remote   bool    // another machine makes its audio; s.mu guards it
	admitted time.Time
	began    time.Time     // when its first audio was made; zero before. Send moves it.
	made     time.Duration // audio so far
	queued   time.Duration // spent waiting for turns
	waited   time.Duration // spent waiting for the latest turn
	paused   bool
	ended    bool

	// These are set while the stream waits for a turn; the scheduler's mutex guards them.
	deadline time.Time     // when the listener runs out of audio
	granted  chan struct{} // closed when the turn comes
	index    int           // in the queue; -1 when it is not there
	wants    bool          // it is counted in wanting
}

// End releases everything that the stream holds. It must be called once, when its work is
// done or given up; further calls do nothing.
func (st *Stream) End() {
	if st.ended {
		return
	}
	st.ended = true
	s := st.s
	s.mu.Lock()
	defer s.mu.Unlock()
	// Before the counts change: the time until now belongs to the old ones.
	s.observe(time.Now())
	if !st.paused {
		st.leave()
	}
}

// Queued returns how long the stream has waited for its turns. A nil stream needs no turns.
func (st *Stream) Queued() time.Duration {
	if st == nil {
		return 0
	}
	return st.queued
}

// Lead returns how much audio was made and not played yet, if playback began when the first
// audio was made. It is negative after an underrun.
func (st *Stream) Lead() time.Duration {
	if st.began.IsZero() {
		return 0
	}
	return st.made - time.Since(st.began)
}

// Alone reports whether a slot is free, hence no other stream wants to work.
func (st *Stream) Alone() bool {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	return st.s.free > 0
}

// Send runs a write to the stream's reader, which may block for as long as the reader likes.
// A reader that blocks has audio left to play: it plays later than Lead assumes, and is not
// starving. Send corrects Lead for that. A nil stream just writes.
func (st *Stream) Send(write func() error) error {
	if st == nil {
		return write()
	}
	st.countSending(1)
	defer st.countSending(-1)
	since := time.Now()
	err := write()
	if time.Since(since) > slowWrite {
		// The reader's buffers were full, so it has at least some time left. Shift the
		// playback clock, or the stream would look urgent though it is not.
		if lead := st.Lead(); lead < comfortableLead {
			st.began = st.began.Add(comfortableLead - lead)
		}
	}
	return err
}

// countSending changes how many streams are in a write.
func (st *Stream) countSending(n int) {
	s := st.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.remote { // it is not among the streams from which those that send are subtracted
		return
	}
	s.observe(time.Now())
	s.sending += n
}

// Acquire waits for the stream's turn, which must be ended with Release. If ctx ends first,
// the error is its cause.
func (st *Stream) Acquire(ctx context.Context) error {
	s := st.s
	s.mu.Lock()
	if st.remote {
		s.observe(time.Now())
		st.want(true)
	}
	st.waited = 0
	if s.free > 0 { // then nobody waits: Release hands a slot on before it frees it
		s.free--
		s.mu.Unlock()
		return nil
	}
	// Without audio nobody can run out of it, so the age of the stream decides.
	st.deadline = st.admitted.Add(patience)
	if !st.began.IsZero() {
		st.deadline = st.began.Add(st.made)
	}
	st.granted = make(chan struct{})
	heap.Push(&s.waiting[st.kind], st)
	s.mu.Unlock()

	since := time.Now()
	defer func() {
		st.waited = time.Since(since)
		st.queued += st.waited
	}()
	select {
	case <-st.granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	granted := st.index < 0 // the turn came at the same moment
	if !granted {
		heap.Remove(&s.waiting[st.kind], st.index)
		if st.remote {
			s.observe(time.Now())
			st.want(false)
		}
	}
	s.mu.Unlock()
	if granted {
		st.Release(0) // to the next who waits
	}
	return context.Cause(ctx)
}

// Release ends a turn in which so much audio was made, and gives the slot to
// whoever needs it most.
func (st *Stream) Release(audio time.Duration) {
	s, now := st.s, time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(now)
	st.want(false)
	if audio > 0 {
		st.progress(now, audio)
	}
	// The slot goes straight to the next stream and is not free in between, or a newcomer could
	// take it without waiting.
	if next := s.next(now); next != nil {
		close(next.granted)
	} else {
		s.free++
	}
}

// Made counts audio that was made without a turn.
func (st *Stream) Made(audio time.Duration) {
	s, now := st.s, time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(now)
	st.progress(now, audio)
}

// progress notes audio that was made.
func (st *Stream) progress(now time.Time, audio time.Duration) {
	if st.remote {
		st.s.encoding.add(audio)
	} else {
		st.s.capacity.add(audio)
	}
	first := st.began.IsZero()
	if first {
		st.began = now
	}
	st.made += audio
	if st.kind != Live {
		return
	}
	played := now.Sub(st.began)
	switch {
	case first && !st.remote:
		// It has audio now, so it no longer counts against startingPerCore.
		st.s.starting--
	case !first && played > settleTime && st.starved(st.made-played):
		st.s.lastTight = now
	}
}

// next takes the stream whose turn it is out of its queue; nil if none waits.
func (s *Scheduler) next(now time.Time) *Stream {
	live, whole := &s.waiting[Live], &s.waiting[Whole]
	from := live
	if len(*whole) > 0 {
		// A whole stream goes first if no listener is waiting, if it is its one turn in
		// wholeShare, or if the most urgent listener has audio for a second.
		if len(*live) == 0 || s.liveTurns >= wholeShare || (*live)[0].deadline.Sub(now) > comfortableLead {
			from, s.liveTurns = whole, 0
		} else {
			s.liveTurns++
		}
	}
	if len(*from) == 0 {
		return nil
	}
	return heap.Pop(from).(*Stream)
}

// queue is a heap of the streams that wait, the most urgent first. Among whole
// streams that is the one that has got least since it came.
type queue []*Stream

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].deadline.Before(q[j].deadline) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) Push(x any) {
	st := x.(*Stream)
	st.index = len(*q)
	*q = append(*q, st)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	st := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	st.index = -1
	return st
}

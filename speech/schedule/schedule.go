// Package schedule shares the processors among the streams of a server, so that
// each has its next piece of audio before its listener needs it.
//
// Without it every stream is made as far ahead as its client's buffers reach,
// first come, first served, and a new listener waits behind seconds of audio
// that nobody needs yet. So work is cut into pieces of about [Unit]; a few
// slots work at a time, each on the piece that will be played first. What is
// not played as it is made takes what the listeners leave. A slot is never held
// while bytes are sent. A stream that would starve the ones that run is refused.
package schedule

import (
	"container/heap"
	"context"
	"runtime"
	"sync"
	"time"
)

// Unit is how much audio a stream makes in one turn. It bounds how long a more
// urgent stream waits: about 0.4 ms for the slowest of the codecs.
const Unit = 200 * time.Millisecond

// Kind says whom a stream is for.
type Kind int

// The kinds.
const (
	// Live audio is played as it is made; a late piece is heard as a gap.
	Live Kind = iota
	// Whole audio is sent when all of it is made.
	Whole
)

const (
	// patience is when a new live stream becomes as urgent as one whose audio
	// runs out. Streams that run have far more in hand as a rule, so it comes
	// before them.
	patience = 100 * time.Millisecond
	// comfort is the lead at which live streams let whole ones go first.
	comfort = time.Second
	// heldUp is how long a write takes that a reader holds up. One who has nothing
	// left to play takes what comes at once.
	heldUp = 100 * time.Millisecond
	// share is the part of the turns, one in so many, that whole streams have
	// when the live ones need all they can get.
	share = 16
)

// Config says how to schedule.
type Config struct {
	// Slots is how many streams work at a time; 0 is two for each processor that
	// Go uses, because about half of a turn is waiting for the engine's process:
	// with one more than the processors, a tenth of them stays idle.
	Slots int
}

// Scheduler hands out turns. It is safe for concurrent use.
type Scheduler struct {
	slots int

	mu       sync.Mutex
	free     int
	waiting  [2]queue // by kind
	turns    int      // given to live streams while whole ones waited
	running  [2]int   // admitted and not ended, by kind
	starting int      // live ones without any audio yet
	sending  int      // of all that run, held up by their readers
	capacity capacity
	tight    time.Time // when a live stream was last seen near its end of audio
}

// New returns a scheduler.
func New(c Config) *Scheduler {
	if c.Slots <= 0 {
		c.Slots = 2 * runtime.GOMAXPROCS(0)
	}
	return &Scheduler{slots: c.Slots, free: c.Slots}
}

// Stream is one stream of audio on its way to a listener. Its methods are for
// one goroutine.
type Stream struct {
	s        *Scheduler
	kind     Kind
	admitted time.Time
	began    time.Time     // when its first audio was made; zero before
	made     time.Duration // audio so far
	queued   time.Duration // spent waiting for turns
	paused   bool
	ended    bool

	// While it waits for a turn; guarded by the scheduler's mutex.
	due  time.Time
	turn chan struct{}
	at   int // in the queue; -1 when it is not there
}

// End gives back what the stream holds. It must be called once its work is
// done or given up; a second call does nothing.
func (st *Stream) End() {
	if st.ended {
		return
	}
	st.ended = true
	s := st.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(time.Now())
	if !st.paused {
		st.leave()
	}
}

// Queued returns how long the stream has waited for its turns; a nil one needs
// none.
func (st *Stream) Queued() time.Duration {
	if st == nil {
		return 0
	}
	return st.queued
}

// Lead returns how much audio was made that has not been played yet, if it has
// been played since the first of it was made. It is negative after an underrun.
func (st *Stream) Lead() time.Duration {
	if st.began.IsZero() {
		return 0
	}
	return st.made - time.Since(st.began)
}

// Do waits for the stream's turn and has work make so much audio, best no more
// than a [Unit]. It returns the error of work, or the cause of the context's
// end if that comes before the turn.
func (st *Stream) Do(ctx context.Context, audio time.Duration, work func() error) error {
	if err := st.Take(ctx); err != nil {
		return err
	}
	done := time.Duration(0)
	defer func() { st.Release(done) }()
	err := work()
	if err == nil {
		done = audio
	}
	return err
}

// Alone reports whether there is a slot that nobody needs at this moment.
func (st *Stream) Alone() bool {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	return st.s.free > 0
}

// Send runs a write to the stream's reader, who may hold it up for as long as
// it likes. One who does has audio in hand, however long ago that was made: it
// reads slower than the playback clock runs, and is not starving. A nil stream
// just writes.
func (st *Stream) Send(write func() error) error {
	if st == nil {
		return write()
	}
	st.s.send(1)
	defer st.s.send(-1)
	since := time.Now()
	err := write()
	if time.Since(since) > heldUp {
		if lead := st.Lead(); lead < comfort {
			st.began = st.began.Add(comfort - lead)
		}
	}
	return err
}

func (s *Scheduler) send(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(time.Now())
	s.sending += n
}

// Take waits for the stream's turn, which must be ended with Release. The error
// is the cause of the context's end.
func (st *Stream) Take(ctx context.Context) error {
	s := st.s
	s.mu.Lock()
	if s.free > 0 { // and nobody waits, or it would not be free
		s.free--
		s.mu.Unlock()
		return nil
	}
	st.due = st.admitted.Add(patience)
	if !st.began.IsZero() {
		st.due = st.began.Add(st.made)
	}
	st.turn = make(chan struct{})
	heap.Push(&s.waiting[st.kind], st)
	s.mu.Unlock()

	since := time.Now()
	defer func() { st.queued += time.Since(since) }()
	select {
	case <-st.turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	mine := st.at < 0 // the turn came at the same moment
	if !mine {
		heap.Remove(&s.waiting[st.kind], st.at)
	}
	s.mu.Unlock()
	if mine {
		st.Release(0)
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
	if audio > 0 {
		s.capacity.add(audio)
		st.progress(now, audio)
	}
	if next := s.next(now); next != nil {
		close(next.turn)
	} else {
		s.free++
	}
}

// progress notes audio that was made.
func (st *Stream) progress(now time.Time, audio time.Duration) {
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
	case first:
		st.s.starting--
	case played > settled && st.made-played < leastLead:
		st.s.tight = now
	}
}

// next takes the stream whose turn it is out of its queue; nil if none waits.
func (s *Scheduler) next(now time.Time) *Stream {
	live, whole := &s.waiting[Live], &s.waiting[Whole]
	from := live
	if len(*whole) > 0 {
		if len(*live) == 0 || s.turns >= share || (*live)[0].due.Sub(now) > comfort {
			from, s.turns = whole, 0
		} else {
			s.turns++
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
func (q queue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

func (q *queue) Push(x any) {
	st := x.(*Stream)
	st.at = len(*q)
	*q = append(*q, st)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	st := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	st.at = -1
	return st
}

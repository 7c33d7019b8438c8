package listeners

import (
	"container/heap"
	"errors"
	"io"
	"sync"
	"time"
)

// player plays many streams in one goroutine, which looks at each when its next
// block is due and sleeps once for all that is due within a grain. With 1,500
// streams of pcm a look takes 8 µs, nearly all of it the kernel's to read a
// socket, so that the clients take 6 % of two cores; with a goroutine for each
// stream it is 9 to 10 µs.
type player struct {
	mu      sync.Mutex
	coming  []*listener
	closing bool          // no more will come
	stopped bool          // those that play are to be left
	hurried bool          // what is left is to be read as fast as it comes
	ended   chan struct{} // closed when the goroutine has ended

	onTrouble func() // called at an underrun or a stream that breaks off; may be nil

	// The rest belongs to the goroutine until it has ended.
	queue listeners
	Heard Heard
}

// Heard is what happened to the streams of a player.
type Heard struct {
	streams   int           // that were heard to their end
	Audio     time.Duration // of those that were, and of others as far as they came
	Troubled  int           // streams with underruns
	Underruns int
	Worst     time.Duration // by which a block was late
	Broken    []error       // of streams that ended before their end

	looks, belated int           // how often the player looked at a stream, and how often tardy too late
	Latest         time.Duration // by which the player itself was late
}

const (
	// grain is how long the player sleeps at least, and so how late it is by its
	// own doing.
	grain = 2 * time.Millisecond
	// attention is how long it sleeps at most, so that it sees who comes.
	attention = 20 * time.Millisecond
	// tardy is a delay of the player itself that is told apart.
	tardy = 10 * time.Millisecond
)

// newPlayer starts a player; finish or stop must be called.
func newPlayer(onTrouble func()) *player {
	p := &player{ended: make(chan struct{}), onTrouble: onTrouble}
	go p.run()
	return p
}

// add has the player play a stream, which it will close.
func (p *player) add(l *listener) {
	p.mu.Lock()
	p.coming = append(p.coming, l)
	p.mu.Unlock()
}

// hurry has all streams read as fast as they come from now on.
func (p *player) hurry() {
	p.mu.Lock()
	p.hurried = true
	p.mu.Unlock()
}

// finish waits until all streams have been heard to their end.
func (p *player) finish() Heard { return p.end(false) }

// stop leaves all streams.
func (p *player) stop() Heard { return p.end(true) }

func (p *player) end(stop bool) Heard {
	p.mu.Lock()
	p.closing, p.stopped = true, p.stopped || stop
	p.mu.Unlock()
	<-p.ended
	return p.Heard
}

func (p *player) run() {
	defer close(p.ended)
	buf := make([]byte, 64<<10)
	for {
		p.mu.Lock()
		for _, l := range p.coming {
			heap.Push(&p.queue, l)
		}
		p.coming = p.coming[:0]
		closing, stopped, hurried := p.closing, p.stopped, p.hurried
		p.mu.Unlock()
		if stopped {
			for len(p.queue) > 0 {
				p.leave(heap.Pop(&p.queue).(*listener))
			}
		}
		if hurried {
			p.rush(buf)
		}
		now := time.Now()
		for !hurried && len(p.queue) > 0 && !p.queue[0].playback.due.After(now) {
			p.look(p.queue[0], now, buf)
			now = time.Now()
		}
		if closing && len(p.queue) == 0 {
			return
		}
		sleep := attention
		if len(p.queue) > 0 && !hurried {
			sleep = min(max(p.queue[0].playback.due.Sub(now), grain), attention)
		}
		time.Sleep(sleep)
	}
}

// look looks at the first of the queue, whose time has come.
func (p *player) look(l *listener, now time.Time, buf []byte) {
	late := l.playback.lateness(now)
	p.Heard.looks++
	p.Heard.Latest = max(p.Heard.Latest, late)
	if late > tardy {
		p.Heard.belated++
	}
	before := l.playback.underruns
	ended, err := l.look(now, buf)
	if p.onTrouble != nil && (err != nil || l.playback.underruns > before) {
		p.onTrouble()
	}
	if !ended && err == nil {
		heap.Fix(&p.queue, 0)
		return
	}
	heap.Pop(&p.queue)
	p.close(l, err)
}

// rush takes what has come of all streams.
func (p *player) rush(buf []byte) {
	now, left := time.Now(), listeners{}
	for _, l := range p.queue {
		ended, err := l.rush(now, buf)
		if !ended && err == nil {
			left = append(left, l)
			continue
		}
		if err != nil && p.onTrouble != nil {
			p.onTrouble()
		}
		p.close(l, err)
	}
	p.queue = left
	heap.Init(&p.queue)
}

// close notes how a stream ended, and leaves it.
func (p *player) close(l *listener, err error) {
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the stream broke off")
		}
		p.Heard.Broken = append(p.Heard.Broken, err)
	} else {
		p.Heard.streams++
	}
	p.leave(l)
}

// leave closes a stream and keeps what is to be told of it.
func (p *player) leave(l *listener) {
	l.close()
	p.Heard.Audio += l.timeline.audio()
	p.Heard.Underruns += l.playback.underruns
	p.Heard.Worst = max(p.Heard.Worst, l.playback.worst)
	if l.playback.underruns > 0 {
		p.Heard.Troubled++
	}
}

// listeners is a heap: first who has to look first.
type listeners []*listener

func (q listeners) Len() int           { return len(q) }
func (q listeners) Less(i, j int) bool { return q[i].playback.due.Before(q[j].playback.due) }
func (q listeners) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *listeners) Push(l any)        { *q = append(*q, l.(*listener)) }
func (q *listeners) Pop() any {
	last := len(*q) - 1
	l := (*q)[last]
	*q = (*q)[:last]
	return l
}

// Tardiness returns how often the player itself was too late.
func (h Heard) Tardiness() float64 { return float64(h.belated) / float64(max(h.looks, 1)) }

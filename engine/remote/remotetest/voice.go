package remotetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"slices"
	"sync"
	"time"
)

// Request is what a server was asked, and what became of it.
type Request struct {
	Path     string              `json:"path"`
	Protocol string              `json:"protocol"` // such as "HTTP/1.1"
	Header   map[string][]string `json:"header,omitempty"`
	Body     json.RawMessage     `json:"body,omitempty"`  // where it is JSON
	Text     string              `json:"text,omitempty"`  // "" where it is not for speech
	Voice    string              `json:"voice,omitempty"` // as sent
	Fault    Trouble             `json:"fault,omitempty"` // that it met
	Begin    time.Time           `json:"begin"`
	// End is how it ended: "" while it is spoken, "done", "cancelled" when the client went
	// away before the end, or "fault".
	End      string    `json:"end,omitempty"`
	Finished time.Time `json:"finished,omitzero"`
	// Samples are those that were sent.
	Samples int `json:"samples,omitempty"`
}

// Fields returns the body as fields.
func (r Request) Fields() map[string]any {
	var fields map[string]any
	_ = json.Unmarshal(r.Body, &fields) // nil where it is none
	return fields
}

// Count is how a server fares.
type Count struct {
	Active    int           `json:"active"`    // streams now
	Most      int           `json:"most"`      // streams at once so far
	Requests  int           `json:"requests"`  // for speech
	Cancelled int           `json:"cancelled"` // by the client
	Audio     time.Duration `json:"audio"`     // sent
	Conns     int           `json:"conns"`     // connections accepted
}

// Voice is what a server speaks with. Protocols use it for the sound, for faults and for the record
// of requests. It is safe for concurrent use.
type Voice struct {
	options Options

	mu       sync.Mutex
	fault    Fault
	requests []*Request
	count    Count
	idle     chan struct{} // closed when nobody is spoken to
	tones    map[int]*tones
}

func newVoice(o Options) *Voice {
	if o.Rate == 0 {
		o.Rate = 24000
		if o.Kind == "fish" {
			o.Rate = 44100
		}
	}
	if o.Chunk <= 0 {
		o.Chunk = 100 * time.Millisecond
	}
	v := &Voice{options: o, fault: o.Fault, tones: map[int]*tones{}, idle: make(chan struct{})}
	close(v.idle)
	return v
}

// Options are those of the server, with defaults filled in.
func (v *Voice) Options() Options { return v.options }

// Peek returns the fault without meeting it, such as for the health check.
func (v *Voice) Peek() Fault {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.fault
}

func (v *Voice) set(f Fault) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fault = f
}

const mostRequests = 10_000

func (v *Voice) keep(r *Request) {
	if r.Begin.IsZero() {
		r.Begin = time.Now()
	}
	if len(v.requests) >= mostRequests {
		v.requests = slices.Delete(v.requests, 0, mostRequests/10)
	}
	v.requests = append(v.requests, r)
}

// Note records a request that is not for speech.
func (v *Voice) Note(r Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keep(&r)
}

// Begin records a request for speech and takes the fault that it meets. The caller must call
// [Speech.End]. The rate is the one asked for, 0 for the server's own.
func (v *Voice) Begin(r Request, rate int) *Speech {
	v.mu.Lock()
	defer v.mu.Unlock()
	if rate == 0 {
		rate = v.options.Rate
	}
	f := v.fault
	if v.fault.Count > 0 {
		if v.fault.Count--; v.fault.Count == 0 {
			v.fault = Fault{}
		}
	}
	if f.Trouble == Sick || f.Trouble == Impostor {
		f = Fault{} // no matter of requests
	}
	if v.options.Streams > 0 && v.count.Active >= v.options.Streams && f.Trouble == None {
		f = Fault{Trouble: Overload}
	}
	if f.Trouble == WrongRate {
		if rate != 16000 {
			rate = 16000
		} else {
			rate = 24000
		}
	}
	r.Fault = f.Trouble
	v.keep(&r)
	v.count.Requests++
	if v.count.Active++; v.count.Active == 1 {
		v.idle = make(chan struct{})
	}
	v.count.Most = max(v.count.Most, v.count.Active)
	if v.tones[rate] == nil {
		v.tones[rate] = newTones(rate)
	}
	s := &Speech{Fault: f, Rate: rate, voice: v, request: &r, tones: v.tones[rate], words: spoken(r.Text)}
	s.cut = len(s.words)
	switch f.Trouble {
	case HangMiddle, ErrorEvent, Reset, Silence, Short:
		share := f.After
		if share == 0 {
			share = 0.5
		}
		s.cut = min(max(1, int(math.Round(share*float64(len(s.words))))), len(s.words))
	case Mute:
		s.cut = 0
	case Empty:
		s.words, s.cut = nil, 0
	}
	return s
}

// Timed is a word and when it is said.
type Timed struct {
	Word       string
	Start, End time.Duration
}

// Speech is the answer to a request. Its methods are called by one goroutine.
type Speech struct {
	Fault Fault // that the request meets
	Rate  int   // of the samples, in Hz

	voice   *Voice
	request *Request
	tones   *tones
	words   []utterance
	cut     int // words until what happens in the middle

	next    int    // word
	rest    []byte // of the words before next
	buffer  []byte
	begun   time.Time
	made    int // samples
	sent    int // chunks
	ended   bool
	silence []byte
}

// The errors of [Speech.Next] beside io.EOF and the cause of its context.
var (
	ErrFailed = errors.New("the fault error_event") // tell of an error in the protocol's way
	ErrReset  = errors.New("the fault reset")       // reset the connection
	ErrShort  = errors.New("the fault short")       // end cleanly, without the mark of a whole answer
)

// Next returns the next chunk when it is made, as little-endian samples that are valid until the
// next call. io.EOF follows the last one of a whole answer. What a fault does in the middle it
// does here: it waits for the end of ctx, returns silence, or an error that says what to do.
func (s *Speech) Next(ctx context.Context) ([]byte, error) {
	if s.begun.IsZero() {
		s.begun = time.Now()
	}
	o := s.voice.options
	chunk := o.Chunk
	if o.Instant {
		chunk = 20 * time.Millisecond
	}
	size := max(2, 2*s.tones.samples(chunk))
	s.buffer = s.buffer[:0]
	for len(s.buffer) < size {
		if len(s.rest) > 0 {
			n := min(size-len(s.buffer), len(s.rest))
			s.buffer = append(s.buffer, s.rest[:n]...)
			s.rest = s.rest[n:]
			continue
		}
		if len(s.silence) > 0 {
			n := min(size-len(s.buffer), len(s.silence))
			s.buffer = append(s.buffer, s.silence[:n]...)
			s.silence = s.silence[n:]
			continue
		}
		if s.next >= s.cut && s.next < len(s.words) || s.next >= s.cut && (s.Fault.Trouble == Silence || s.Fault.Trouble == Mute) {
			break
		}
		if s.next >= len(s.words) {
			break
		}
		w := s.words[s.next]
		s.rest = s.tones.word(w.text)
		s.silence = make([]byte, 2*s.tones.samples(w.pause))
		s.next++
	}
	endless := false
	if len(s.buffer) < size && s.next >= s.cut {
		switch s.Fault.Trouble {
		case Silence, Mute:
			s.buffer = append(s.buffer, make([]byte, size-len(s.buffer))...)
			endless = true
		}
	}
	if len(s.buffer) == 0 {
		switch s.Fault.Trouble {
		case HangMiddle:
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case ErrorEvent:
			return nil, ErrFailed
		case Reset:
			return nil, ErrReset
		case Short:
			return nil, ErrShort
		}
		return nil, io.EOF
	}
	s.made += len(s.buffer) / 2
	if err := s.pace(ctx, endless); err != nil {
		return nil, err
	}
	s.sent++
	return s.buffer, nil
}

// pace waits until the chunk would be made.
func (s *Speech) pace(ctx context.Context, endless bool) error {
	o := s.voice.options
	var due time.Duration
	if !o.Instant || s.sent > 0 {
		due = o.First
		speed := o.Speed
		if speed == 0 && endless {
			speed = 20 // or it would fill every buffer there is
		}
		if speed > 0 {
			due += time.Duration(float64(s.made) / float64(s.Rate) / speed * float64(time.Second))
		}
	}
	if s.Fault.Trouble == Slow {
		delay := s.Fault.Delay
		if delay == 0 {
			delay = 200 * time.Millisecond
		}
		due += delay * time.Duration(s.sent+1)
	}
	wait := due - time.Since(s.begun)
	if wait <= 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Words returns the words of the text and when they are said.
func (s *Speech) Words() []Timed {
	var all []Timed
	var at time.Duration
	for _, w := range s.words[:s.cut] {
		all = append(all, Timed{w.text, at, at + Length(w.text)})
		at += Length(w.text) + w.pause
	}
	return all
}

// End says how the answer ended: "done", "cancelled" or "fault". Only the first call counts.
func (s *Speech) End(how string) {
	if s.ended {
		return
	}
	s.ended = true
	v := s.voice
	v.mu.Lock()
	defer v.mu.Unlock()
	s.request.End, s.request.Finished, s.request.Samples = how, time.Now(), s.made
	v.count.Audio += time.Duration(s.made) * time.Second / time.Duration(s.Rate)
	if how == "cancelled" {
		v.count.Cancelled++
	}
	if v.count.Active--; v.count.Active == 0 {
		close(v.idle)
	}
}

// accepting counts connections.
type accepting struct {
	net.Listener
	voice *Voice
}

func (a accepting) Accept() (net.Conn, error) {
	conn, err := a.Listener.Accept()
	if err == nil {
		a.voice.mu.Lock()
		a.voice.count.Conns++
		a.voice.mu.Unlock()
	}
	return conn, err
}

package transport

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Patience is how long a person may take to answer a question.
const Patience = 15 * time.Minute

// heartbeat is how often something is written while a person thinks: less than
// proxies, clients and the deadline of a write allow silence.
const heartbeat = 15 * time.Second

// How many questions may be open: of one session, and of one client, a key or else an
// address, whose sessions share it.
const (
	maxQuestions         = 16
	maxQuestionsOfClient = 32
)

// ErrUnanswered is the error of a question that nobody answered: the client refused
// it or took too long, or the server is about to stop.
var ErrUnanswered = errors.New("the question was not answered")

// asker is a [notifier] that can carry a question to a client of the versions up to
// 2025-11-25, and what it answers back.
type asker interface {
	notifier
	// open returns the client's questions and what ends them; nil when it can be
	// asked nothing.
	open() (*questions, *stop)
	// wait leaves the place of the call to others until back is called; false is a
	// client that has as many questions open as it may.
	wait() (back func(), ok bool)
	// put writes a message of ours before the answer to the call.
	put(message []byte) error
	// beat keeps the way to the client open.
	beat()
}

// asks returns what carries questions to the client of a call, nil when nothing does.
func asks(ctx context.Context) asker {
	a, ok := ctx.Value(notifierKey{}).(asker)
	if !ok {
		return nil
	}
	if q, s := a.open(); q == nil || s.stopped() {
		return nil
	}
	return a
}

// question is a request of ours.
type question struct {
	JSONRPC string                `json:"jsonrpc"`
	ID      string                `json:"id"`
	Method  string                `json:"method"`
	Params  mcp.ElicitationParams `json:"params"`
}

// Ask shows the person at the client of a call a message with a form, which is a JSON
// Schema, and returns the result that comes back, whatever JSON that is. The client
// is one of the versions up to 2025-11-25, of which [ClientOf] says that it asks.
// While it waits, at most [Patience], it tells progress. The error is
// [ErrUnanswered], or that of ctx.
func Ask(ctx context.Context, message string, form json.RawMessage, progress *Progress) (json.RawMessage, error) {
	a := asks(ctx)
	if a == nil {
		return nil, ErrUnanswered
	}
	q, stopping := a.open()
	id, answer, drop := q.add()
	if answer == nil {
		return nil, ErrUnanswered
	}
	defer drop()
	back, ok := a.wait()
	if !ok {
		return nil, ErrUnanswered
	}
	defer back()
	b, err := json.Marshal(question{mcp.JSONRPC_VERSION, id, string(mcp.MethodElicitationCreate), mcp.ElicitationParams{Message: message, RequestedSchema: form}})
	if err != nil {
		return nil, fmt.Errorf("encode question: %w", err)
	}
	if err := a.put(b); err != nil {
		return nil, ErrUnanswered
	}
	m, err := await(ctx, a, answer, stopping, progress)
	if err != nil {
		_ = a.notify(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": id, "reason": "the question is withdrawn"}) // it may have left
		return nil, err
	}
	if len(m.Error) > 0 || len(m.Result) == 0 {
		return nil, ErrUnanswered
	}
	return m.Result, nil
}

// await waits for an answer, and lets the client see that it does.
func await(ctx context.Context, a asker, answer <-chan message, stopping *stop, progress *Progress) (message, error) {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	late := time.NewTimer(Patience)
	defer late.Stop()
	for beats := 1; ; {
		select {
		case m, ok := <-answer:
			if !ok {
				return message{}, ErrUnanswered
			}
			return m, nil
		case <-ticker.C:
			progress.Tell(float64(beats), 0, "waiting for the person's answer")
			a.beat()
			beats++
		case <-late.C:
			return message{}, ErrUnanswered
		case <-stopping.done:
			return message{}, ErrUnanswered
		case <-ctx.Done():
			return message{}, ctx.Err()
		}
	}
}

// questions are those that one client was asked and has not answered. The zero value
// has none. Ids cannot be guessed, so that an answer is one of who was asked.
type questions struct {
	mu      sync.Mutex
	waiting map[string]chan<- message
	over    bool // no answer can come any more
}

// add has another question wait until drop is called; there is no channel when too
// many do, or no answer can come. The channel is closed when none will.
func (q *questions) add() (id string, answer <-chan message, drop func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over || len(q.waiting) >= maxQuestions {
		return "", nil, nil
	}
	if q.waiting == nil {
		q.waiting = map[string]chan<- message{}
	}
	id = "ask-" + rand.Text()
	c := make(chan message, 1)
	q.waiting[id] = c
	return id, c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waiting, id)
		if len(q.waiting) == 0 {
			q.waiting = nil // sessions live long
		}
	}
}

// answer hands on what a client answers; false is an answer to nothing that waits.
// The first answer counts.
func (q *questions) answer(m message) bool {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	c, ok := q.waiting[id]
	if ok {
		delete(q.waiting, id)
		c <- m // there is room for the only one
	}
	return ok
}

// close ends the questions: nobody can answer them any more.
func (q *questions) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	for _, c := range q.waiting {
		close(c)
	}
	q.waiting = nil
}

// stop ends all questions at once.
type stop struct {
	once sync.Once
	done chan struct{}
}

func newStop() *stop { return &stop{done: make(chan struct{})} }

func (s *stop) stop() { s.once.Do(func() { close(s.done) }) }

func (s *stop) stopped() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// StopAsking withdraws the questions that wait for a person, and asks no more: their
// calls are answered as those of clients that cannot be asked. It is for a server
// that is about to stop, which would otherwise wait for people.
func (h *Handler) StopAsking() { h.stopping.stop() }

func (a *reply) open() (*questions, *stop) { return a.asked, a.stopping }

func (a *reply) wait() (back func(), ok bool) {
	if a.place == nil {
		return nil, false // what is no call asks nothing
	}
	return a.place.wait()
}

func (a *reply) put(message []byte) error { return a.stream(message) }

func (a *reply) beat() { a.comment() }

func (l *lines) open() (*questions, *stop) { return &l.asked, l.stopping }

// wait leaves nothing: a local client is in nobody's way but its own.
func (l *lines) wait() (back func(), ok bool) { return func() {}, true }

func (l *lines) put(message []byte) error {
	l.write(json.RawMessage(message))
	return nil
}

// beat has nothing to keep open.
func (l *lines) beat() {}

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

// heartbeat is how often something is written while a person thinks. It is shorter than the
// silence that proxies, clients and the deadline of a write allow.
const heartbeat = 15 * time.Second

// How many questions may be open in one session, and for one client with all its sessions. A
// client is a key, or an address without one.
const (
	maxQuestions         = 16
	maxQuestionsOfClient = 32
)

// ErrUnanswered is the error of a question without an answer: the client refused it or took too
// long, or the server stops.
var ErrUnanswered = errors.New("the question was not answered")

// asker is a [notifier] that can also send a question to a client of the versions up to
// 2025-11-25, and receive the answer.
type asker interface {
	notifier
	// open returns the open questions of the client, and what ends them all; nil when the client
	// cannot be asked.
	open() (*questions, *stop)
	// wait gives the place of the call to other calls until back is called. ok is false when the
	// client has as many questions open as it may.
	wait() (back func(), ok bool)
	// put writes a message of the server before the answer to the call.
	put(message []byte) error
	// beat writes something that clients ignore, to keep the connection open.
	beat()
}

// asks returns the asker of the client of a call, nil when the client cannot be asked.
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

// question is a request of the server to the client.
type question struct {
	JSONRPC string                `json:"jsonrpc"`
	ID      string                `json:"id"`
	Method  string                `json:"method"`
	Params  mcp.ElicitationParams `json:"params"`
}

// Ask shows a message with a form to the person at the client of a call. The form is a JSON
// Schema. Ask returns the result that the client sends, which may be any JSON. It is for
// clients of the versions up to 2025-11-25 for which [ClientOf] says that they can ask. It
// waits for at most [Patience] and reports progress meanwhile. The error is [ErrUnanswered] or
// that of ctx.
func Ask(ctx context.Context, message string, form json.RawMessage, progress *Progress) (json.RawMessage, error) {
	a := asks(ctx)
	if a == nil {
		return nil, ErrUnanswered
	}
	// The question waits before it is sent, because a client may answer faster than this
	// goroutine goes on.
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
	// A client without forms answers with an error. That is no answer of the person.
	if len(m.Error) > 0 || len(m.Result) == 0 {
		return nil, ErrUnanswered
	}
	return m.Result, nil
}

// await waits for an answer, and shows the client that the call still runs.
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
			// The number only has to grow. Nobody knows how long a person thinks, so there is no
			// total.
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

// questions holds the questions that a client has not answered yet. The zero value has none.
// Their ids cannot be guessed, so only the client that was asked can answer.
type questions struct {
	mu      sync.Mutex
	waiting map[string]chan<- message
	over    bool // no more answers can come
}

// add adds a question, which waits for its answer until drop is called. The channel is nil when
// too many questions wait or no answer can come. It is closed when no answer will come.
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
	// Room for one, so that answer never waits for a call that has just given up.
	c := make(chan message, 1)
	q.waiting[id] = c
	return id, c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waiting, id)
		if len(q.waiting) == 0 {
			q.waiting = nil // a session lives long and must not keep an empty map
		}
	}
}

// answer passes on an answer of the client. It returns false when no question waits for it.
// Only the first answer to a question counts.
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
		c <- m // does not block: the channel has room for the one answer
	}
	return ok
}

// close ends all questions, because no more answers can come.
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

// StopAsking withdraws the questions that wait for a person, and asks no more. Their calls are
// answered like calls of clients that cannot be asked. A server calls it before it stops,
// because it would otherwise wait for people.
func (h *Handler) StopAsking() { h.stopping.stop() }

func (a *reply) open() (*questions, *stop) { return a.asked, a.stopping }

func (a *reply) wait() (back func(), ok bool) {
	if a.place == nil {
		return nil, false // only calls ask
	}
	return a.place.wait()
}

func (a *reply) put(message []byte) error { return a.stream(message) }

func (a *reply) beat() { a.comment() }

func (l *lines) open() (*questions, *stop) { return &l.asked, l.stopping }

// wait does nothing: a local client takes no place from others.
func (l *lines) wait() (back func(), ok bool) { return func() {}, true }

func (l *lines) put(message []byte) error {
	l.write(json.RawMessage(message))
	return nil
}

// beat does nothing: standard output needs no heartbeat.
func (l *lines) beat() {}

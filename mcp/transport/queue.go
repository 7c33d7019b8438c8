package transport

import (
	"context"
	"encoding/json"
	"sync"
)

// queue serves the requests of a client on standard input in the order in which they came,
// maxInFlight at the same time. It knows a request by its id as soon as it was read, so that
// the next message can already cancel it. Only the goroutine that reads may call its methods,
// except close.
type queue struct {
	ctx     context.Context
	lines   *lines
	waiting []*request
	running int
	byID    map[any]*request // the requests that wait or run
	ended   chan *request
	serving sync.WaitGroup
}

// request is a request that waits or runs.
type request struct {
	message message
	line    []byte
	id      any
	ctx     context.Context
	cancel  context.CancelFunc
}

func newQueue(ctx context.Context, l *lines) *queue {
	// ended has room for all that run, so that no goroutine of theirs waits for the reader, which
	// may have returned.
	return &queue{ctx: ctx, lines: l, byID: map[any]*request{}, ended: make(chan *request, maxInFlight)}
}

// reads returns messages, or nil while there is no room for another.
func (q *queue) reads(messages <-chan []byte) <-chan []byte {
	if len(q.waiting) >= maxWaiting {
		return nil
	}
	return messages
}

// add adds a request, which is served when its turn comes.
func (q *queue) add(m message, line []byte) {
	ctx, cancel := context.WithCancel(q.ctx)
	r := &request{message: m, line: line, id: idKey(m.ID), ctx: ctx, cancel: cancel}
	q.byID[r.id] = r
	q.waiting = append(q.waiting, r)
	q.start()
}

// cancel ends the request that a message names. A request that has not begun is not answered,
// as the protocol says. A request that runs is answered with its outcome.
func (q *queue) cancel(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &params) != nil || checkID(params.RequestID) != "" {
		return
	}
	if r, ok := q.byID[idKey(params.RequestID)]; ok {
		r.cancel()
	}
}

// end handles the end of a request whose answer is written, and starts the next one.
func (q *queue) end(r *request) {
	q.running--
	q.forget(r)
	q.start()
}

func (q *queue) start() {
	for q.running < maxInFlight && len(q.waiting) > 0 {
		r := q.waiting[0]
		// nil, so that the array does not keep the line of a request that was served.
		q.waiting[0], q.waiting = nil, q.waiting[1:]
		// Cancelled before its turn: no answer, as the protocol says.
		if r.ctx.Err() != nil {
			q.forget(r)
			continue
		}
		q.running++
		q.serving.Go(func() {
			q.lines.serve(r.ctx, r.message, r.line)
			q.ended <- r
		})
	}
}

func (q *queue) forget(r *request) {
	r.cancel()
	if q.byID[r.id] == r { // a later request may have taken the same id
		delete(q.byID, r.id)
	}
}

// idle reports whether all requests are answered.
func (q *queue) idle() bool { return q.running == 0 && len(q.waiting) == 0 }

// close waits for the requests that run. Their context must have ended, or close may wait long.
func (q *queue) close() {
	q.serving.Wait()
	for _, r := range q.byID {
		r.cancel()
	}
}

// idKey returns an id, which was checked, as a key of a map: the same key for all ways to write
// the id.
func idKey(id json.RawMessage) any {
	var key any
	_ = json.Unmarshal(id, &key) // it is JSON, a string or a number
	return key
}

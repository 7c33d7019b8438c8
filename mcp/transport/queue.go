package transport

import (
	"context"
	"encoding/json"
	"sync"
)

// queue serves the requests of a client on standard input in the order in which
// they came, maxInFlight at the same time. A request is known by its id from
// when it was read, so that a message right behind it can cancel it. All methods
// but close belong to the goroutine that reads.
type queue struct {
	ctx     context.Context
	lines   *lines
	waiting []*request
	running int
	byID    map[any]*request // those that wait or run
	ended   chan *request
	serving sync.WaitGroup
}

// request is one that waits or runs.
type request struct {
	message message
	line    []byte
	id      any
	ctx     context.Context
	cancel  context.CancelFunc
}

func newQueue(ctx context.Context, l *lines) *queue {
	return &queue{ctx: ctx, lines: l, byID: map[any]*request{}, ended: make(chan *request, maxInFlight)}
}

// reads returns messages, or nil while there is no room for another.
func (q *queue) reads(messages <-chan []byte) <-chan []byte {
	if len(q.waiting) >= maxWaiting {
		return nil
	}
	return messages
}

// add has a request served when it is its turn.
func (q *queue) add(m message, line []byte) {
	ctx, cancel := context.WithCancel(q.ctx)
	r := &request{message: m, line: line, id: idKey(m.ID), ctx: ctx, cancel: cancel}
	q.byID[r.id] = r
	q.waiting = append(q.waiting, r)
	q.start()
}

// cancel ends the request that a message names. One that did not begin is not
// answered, as the protocol has it; what became of the others is.
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

// end is told of each request whose answer is written.
func (q *queue) end(r *request) {
	q.running--
	q.forget(r)
	q.start()
}

func (q *queue) start() {
	for q.running < maxInFlight && len(q.waiting) > 0 {
		r := q.waiting[0]
		q.waiting[0], q.waiting = nil, q.waiting[1:]
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
	if q.byID[r.id] == r { // and not a later one that took the same id
		delete(q.byID, r.id)
	}
}

// idle reports whether everything that was asked is answered.
func (q *queue) idle() bool { return q.running == 0 && len(q.waiting) == 0 }

// close waits for what runs; the context must end it or nothing run.
func (q *queue) close() {
	q.serving.Wait()
	for _, r := range q.byID {
		r.cancel()
	}
}

// idKey is an id that was checked as a key of a map: one text for each way to
// write it.
func idKey(id json.RawMessage) any {
	var key any
	_ = json.Unmarshal(id, &key) // it is JSON, a string or a number
	return key
}

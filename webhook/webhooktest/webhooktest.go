// Package webhooktest keeps webhook endpoints and deliveries in memory, for tests of other packages.
package webhooktest

import (
	"context"
	"slices"
	"sync"
	"time"

	"vaak/webhook"
)

// Memory implements [webhook.Store]. The zero value is empty. It is safe for concurrent use.
type Memory struct {
	mu         sync.Mutex
	endpoints  []webhook.Endpoint
	deliveries []webhook.Delivery // the oldest first
}

var _ webhook.Store = (*Memory)(nil)

func (m *Memory) index(id string) int {
	return slices.IndexFunc(m.endpoints, func(e webhook.Endpoint) bool { return e.ID == id })
}

// CreateEndpoint implements [webhook.Store]. Every organisation exists.
func (m *Memory) CreateEndpoint(_ context.Context, e webhook.Endpoint, most int) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.of(e.Owner)) >= most {
		return false, nil
	}
	m.endpoints = append(m.endpoints, e)
	return true, nil
}

func (m *Memory) of(owner string) (all []webhook.Endpoint) {
	for _, e := range m.endpoints {
		if e.Owner == owner {
			all = append(all, e)
		}
	}
	return all
}

// Endpoint implements [webhook.Store].
func (m *Memory) Endpoint(_ context.Context, id string) (webhook.Endpoint, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.index(id); i >= 0 {
		return m.endpoints[i], true, nil
	}
	return webhook.Endpoint{}, false, nil
}

// Endpoints implements [webhook.Store].
func (m *Memory) Endpoints(_ context.Context, owner string) ([]webhook.Endpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of(owner), nil
}

// ChangeEndpoint implements [webhook.Store].
func (m *Memory) ChangeEndpoint(_ context.Context, id string, change func(*webhook.Endpoint) error) (webhook.Endpoint, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.index(id)
	if i < 0 {
		return webhook.Endpoint{}, false, nil
	}
	e := m.endpoints[i]
	if err := change(&e); err != nil {
		return webhook.Endpoint{}, false, err
	}
	m.endpoints[i] = e
	for j, d := range m.deliveries {
		if d.Endpoint == id && d.Outcome == webhook.Waiting && e.State != webhook.Enabled {
			m.deliveries[j].Outcome = webhook.Failed
		}
	}
	return e, true, nil
}

// DeleteEndpoint implements [webhook.Store].
func (m *Memory) DeleteEndpoint(_ context.Context, id string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.index(id)
	if i < 0 {
		return false, nil
	}
	m.endpoints = slices.Delete(m.endpoints, i, i+1)
	m.deliveries = slices.DeleteFunc(m.deliveries, func(d webhook.Delivery) bool { return d.Endpoint == id })
	return true, nil
}

func (m *Memory) add(endpoint string, e webhook.Event, replayed bool) webhook.Delivery {
	now := time.Now().UTC()
	d := webhook.Delivery{
		N: int64(len(m.deliveries) + 1), ID: webhook.NewDeliveryID(), Endpoint: endpoint, Event: e, Outcome: webhook.Waiting, Replayed: replayed,
		Next: now, Created: now, Changed: now,
	}
	m.deliveries = append(m.deliveries, d)
	return d
}

// SendTo implements [webhook.Store].
func (m *Memory) SendTo(_ context.Context, endpoint string, e webhook.Event) (webhook.Delivery, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.add(endpoint, e, false), nil
}

// End ends all deliveries that wait with an outcome and an attempt.
func (m *Memory) End(o webhook.Outcome, a webhook.Attempt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.deliveries {
		if d := &m.deliveries[i]; d.Outcome == webhook.Waiting {
			d.Outcome, d.Last = o, a
			d.Attempts++
		}
	}
}

// Deliveries implements [webhook.Store].
func (m *Memory) Deliveries(_ context.Context, endpoint string, q webhook.Query) (all []webhook.Delivery, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	on := q.Before == ""
	for _, d := range slices.Backward(m.deliveries) {
		if on && d.Endpoint == endpoint && (q.Outcome == "" || d.Outcome == q.Outcome) && len(all) < q.Limit {
			all = append(all, d)
		}
		on = on || d.ID == q.Before
	}
	return all, nil
}

// Delivery implements [webhook.Store].
func (m *Memory) Delivery(_ context.Context, endpoint, id string) (webhook.Delivery, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.deliveries {
		if d.Endpoint == endpoint && d.ID == id {
			return d, true, nil
		}
	}
	return webhook.Delivery{}, false, nil
}

// Replay implements [webhook.Store].
func (m *Memory) Replay(_ context.Context, of webhook.Delivery) (webhook.Delivery, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.add(of.Endpoint, of.Event, true), nil
}

// ReplayFailed implements [webhook.Store].
func (m *Memory) ReplayFailed(_ context.Context, endpoint string, since time.Time, most int) (n int, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range slices.Clone(m.deliveries) {
		later := slices.ContainsFunc(m.deliveries, func(o webhook.Delivery) bool { return o.Event.ID == d.Event.ID && o.N > d.N })
		if d.Endpoint == endpoint && d.Outcome == webhook.Failed && !d.Created.Before(since) && !later && n < most {
			m.add(endpoint, d.Event, true)
			n++
		}
	}
	return n, nil
}

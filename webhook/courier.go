package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/seal"
)

// The jobs of deliveries.
const (
	// JobDeliver is the kind of a job that makes one attempt of a delivery; its arguments are
	// [DeliverArgs].
	JobDeliver = "webhook.deliver"
	// Lane is the lane of these jobs. They wait for strangers, so other jobs do not wait behind them.
	Lane = "webhooks"
)

// DeliverArgs are the arguments of a [JobDeliver].
type DeliverArgs struct {
	Delivery int64 `json:"n"` // [Delivery.N]
}

// Pauses returns the waits after failed attempts, as Standard Webhooks recommends. A delivery is
// given up when the attempt after the last wait fails.
func Pauses() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

const (
	// AttemptTimeout is how long an endpoint has for its whole answer.
	AttemptTimeout = 15 * time.Second
	// claimGrace is how much longer than an attempt a claim lasts. A delivery whose server was
	// killed is taken by another when its claim is over.
	claimGrace = 5 * time.Second // of which slotWait is a part
	// settleWait is how long recording the outcome may take. If it fails, the event is sent again.
	settleWait = 15 * time.Second
	// MaxResponse is how many bytes of an answer are kept.
	MaxResponse = 500
)

// PerEndpoint is how many requests a server has open to one endpoint at a time, so that a slow
// endpoint does not hold all that are for others.
const PerEndpoint = 4

const (
	// slotWait is how long a delivery waits for one of these requests to end. Meanwhile it holds a
	// worker of the jobs.
	slotWait = time.Second
	// crowdedWait is how long a delivery is put off that got no slot. For as long, others of the same
	// endpoint do not wait for a slot, but are put off at once.
	crowdedWait = 10 * time.Second
)

// Request is what is sent to an endpoint.
type Request struct {
	URL     string
	Headers map[string]string
	Body    string
}

// Answer is what an endpoint answered.
type Answer struct {
	Status     int
	Body       string        // its beginning, of up to [MaxResponse] bytes
	RetryAfter time.Duration // that the endpoint asks for; 0 is none
}

// Caller sends requests to endpoints. An error means that there was no answer; its sentence is
// shown to the owner of the endpoint.
type Caller interface {
	Post(ctx context.Context, r Request) (Answer, error)
}

// Claimed is a delivery with the endpoint that it is for.
type Claimed struct {
	Delivery Delivery
	Endpoint Endpoint
	Until    time.Time // when the claim ends; it identifies the claim
}

// Settlement is what an attempt has changed.
type Settlement struct {
	Claimed Claimed
	At      time.Time
	Outcome Outcome // Waiting means another attempt at Next
	Next    time.Time
	Attempt Attempt
	// Gone means that the endpoint wants no more.
	Gone bool
}

// Outbox gives deliveries to those who make them.
type Outbox interface {
	// Claim takes a delivery for an attempt, until a time. It returns nil if there is nothing to
	// do now: the delivery does not wait, or is claimed, or is not due, or an earlier one of the
	// same endpoint and subject waits. There is a job for each of these cases that calls again.
	Claim(ctx context.Context, n int64, lasts time.Duration) (*Claimed, error)
	// Unclaim gives a delivery back, for another try after a wait. No attempt is counted.
	Unclaim(ctx context.Context, c Claimed, wait time.Duration) error
	// Settle records an attempt, and queues what follows: the next attempt, or the next delivery of
	// the subject. It disables an endpoint that is gone, or whose attempts have all failed for
	// [FailingFor]. It returns the endpoint's state after it.
	Settle(ctx context.Context, s Settlement) (State, error)
}

// Courier delivers. Its Deliver is the handler of [JobDeliver].
type Courier struct {
	cfg CourierConfig
	key *seal.Key

	delivered, retried, failed atomic.Int64

	mu    sync.Mutex
	gates map[string]*gate // of endpoints to which requests run or wait
}

// gate bounds the requests to one endpoint.
type gate struct {
	slots   chan struct{} // one for each request that runs
	users   int           // who hold the gate; guarded by Courier.mu, as is crowded
	crowded time.Time     // until when nobody waits for a slot
}

// CourierConfig is what a courier needs.
type CourierConfig struct {
	Outbox  Outbox           // required
	Caller  Caller           // required
	Secret  *seal.Secret     // the same on every server; required
	Version string           // of the program, for the header user-agent
	Pauses  []time.Duration  // after failed attempts; nil is [Pauses]
	Timeout time.Duration    // of an attempt; 0 is [AttemptTimeout]
	Now     func() time.Time // nil is time.Now
	Log     *slog.Logger     // nil logs nothing
}

// NewCourier returns a courier.
func NewCourier(cfg CourierConfig) (*Courier, error) {
	if cfg.Outbox == nil || cfg.Caller == nil || cfg.Secret == nil {
		return nil, errors.New("a courier needs an outbox, a caller and a secret")
	}
	if cfg.Pauses == nil {
		cfg.Pauses = Pauses()
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = AttemptTimeout
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Courier{cfg: cfg, key: sealingKey(cfg.Secret), gates: map[string]*gate{}}, nil
}

// JobTimeout returns how long one job may take.
func (c *Courier) JobTimeout() time.Duration { return c.cfg.Timeout + settleWait + claimGrace }

// Figures returns how many attempts of this process have delivered, have failed and are to be tried
// again, and have failed for good.
func (c *Courier) Figures() (delivered, retried, failed int64) {
	return c.delivered.Load(), c.retried.Load(), c.failed.Load()
}

// Deliver makes one attempt of a delivery. An error means that the store or this server was at
// fault, and the job is to be worked again; a failure of the endpoint is no error.
func (c *Courier) Deliver(ctx context.Context, args []byte) error {
	var a DeliverArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	claimed, err := c.cfg.Outbox.Claim(ctx, a.Delivery, c.cfg.Timeout+claimGrace)
	if err != nil || claimed == nil {
		return err
	}
	leave, ok := c.enter(ctx, claimed.Endpoint.ID)
	if !ok {
		return c.cfg.Outbox.Unclaim(ctx, *claimed, jittered(crowdedWait))
	}
	defer leave()
	s := c.attempt(ctx, *claimed)
	// The outcome is recorded even if the server shuts down meanwhile; otherwise the event would
	// be sent twice.
	recordCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWait)
	defer cancel()
	if s == nil { // interrupted: not a failure of the endpoint
		return errors.Join(c.cfg.Outbox.Unclaim(recordCtx, *claimed, 0), ctx.Err())
	}
	state, err := c.cfg.Outbox.Settle(recordCtx, *s)
	if err != nil {
		return err
	}
	c.count(ctx, *s, state)
	return nil
}

// enter takes a slot for a request to an endpoint; ok is false if none is free soon. Leave gives it back.
func (c *Courier) enter(ctx context.Context, endpoint string) (leave func(), ok bool) {
	c.mu.Lock()
	g := c.gates[endpoint]
	if g == nil {
		g = &gate{slots: make(chan struct{}, PerEndpoint)}
		c.gates[endpoint] = g
	}
	g.users++
	wait := slotWait
	if time.Now().Before(g.crowded) {
		wait = 0
	}
	c.mu.Unlock()
	select {
	case g.slots <- struct{}{}:
		return func() { <-g.slots; c.release(endpoint, g, false) }, true
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return func() { <-g.slots; c.release(endpoint, g, false) }, true
	case <-timer.C:
	case <-ctx.Done():
	}
	c.release(endpoint, g, wait > 0)
	return nil, false
}

// release lets go of a gate, and removes one that nobody holds.
func (c *Courier) release(endpoint string, g *gate, crowded bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if crowded {
		g.crowded = time.Now().Add(crowdedWait)
	}
	if g.users--; g.users == 0 {
		delete(c.gates, endpoint)
	}
}

// attempt sends an event and judges the answer; nil if ctx ended first.
func (c *Courier) attempt(ctx context.Context, claimed Claimed) *Settlement {
	s := &Settlement{Claimed: claimed}
	began := time.Now()
	answer, err := c.send(ctx, claimed)
	s.At, s.Attempt.Took = c.cfg.Now(), time.Since(began)
	s.Attempt.Status, s.Attempt.Response = answer.Status, answer.Body
	switch {
	case err == nil && answer.Status >= 200 && answer.Status < 300:
		s.Outcome = Delivered
		return s
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		s.Attempt.Problem = err.Error()
	case answer.Status >= 300 && answer.Status < 400:
		s.Attempt.Problem = "the endpoint redirects, and redirects are not followed; change the address of the endpoint"
	default:
		s.Attempt.Problem = "the endpoint did not answer with a status of 200 to 299"
	}
	s.Gone = answer.Status == statusGone
	if n := claimed.Delivery.Attempts; s.Gone || n >= len(c.cfg.Pauses) {
		s.Outcome = Failed
	} else {
		s.Outcome = Waiting
		s.Next = s.At.Add(max(jittered(c.cfg.Pauses[n]), min(answer.RetryAfter, maxRetryAfter)))
	}
	return s
}

const (
	statusGone = 410
	// maxRetryAfter bounds how long an endpoint can put a delivery off.
	maxRetryAfter = 24 * time.Hour
)

// jittered returns a wait, give or take a tenth, so that what failed together is not tried together
// again.
func jittered(d time.Duration) time.Duration {
	return d + time.Duration((rand.Float64()-0.5)/5*float64(d))
}

// send signs an event and sends it.
func (c *Courier) send(ctx context.Context, claimed Claimed) (Answer, error) {
	now, e := c.cfg.Now(), claimed.Delivery.Event
	secrets, err := open(c.key, claimed.Endpoint, now)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	return c.cfg.Caller.Post(ctx, Request{URL: claimed.Endpoint.URL, Body: e.Body, Headers: map[string]string{
		"content-type": "application/json", "user-agent": "Vaak-Webhooks/" + c.cfg.Version,
		HeaderID: e.ID, HeaderTimestamp: Timestamp(now), HeaderSignature: Sign(e.ID, now, e.Body, secrets...),
		"webhook-attempt": strconv.Itoa(claimed.Delivery.Attempts + 1),
	}})
}

// count counts an attempt, and logs what an operator should know. The address is not logged: it may
// hold what is secret to its owner.
func (c *Courier) count(ctx context.Context, s Settlement, state State) {
	switch s.Outcome {
	case Delivered:
		c.delivered.Add(1)
	case Waiting:
		c.retried.Add(1)
	default:
		c.failed.Add(1)
		c.cfg.Log.WarnContext(ctx, "a webhook delivery is given up", "endpoint", s.Claimed.Endpoint.ID, "delivery", s.Claimed.Delivery.ID,
			"type", string(s.Claimed.Delivery.Event.Type), "attempts", s.Claimed.Delivery.Attempts+1, "status", s.Attempt.Status)
	}
	if state != Enabled && s.Outcome != Delivered {
		c.cfg.Log.WarnContext(ctx, "a webhook endpoint gets no more events until it is enabled again", "endpoint", s.Claimed.Endpoint.ID, "state", string(state))
	}
}

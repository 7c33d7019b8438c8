// Package webhook tells programs of others what happens here: it sends events to addresses
// that organisations and the operator have named (their endpoints), signed as Standard Webhooks
// says (https://www.standardwebhooks.com).
//
// Whoever changes the data writes the event in the same transaction, with a [Delivery] for each
// endpoint that wants it, so that an event exists if and only if its change was committed. A
// [Courier] delivers: at least once, and in order for each endpoint and subject. A later event
// of a subject waits until the earlier one was delivered or given up.
//
// A [Service] is what the owners of endpoints use. Nothing here speaks HTTP; egress does.
package webhook

import (
	"context"
	"time"

	"vaak/internal/ids"
)

// Operator owns the endpoints of the operator, which may have all events. Any other owner is the
// id of an organisation, whose endpoints have its own events.
const Operator = ""

// State says whether an endpoint gets events, and if not, why.
type State string

// The states.
const (
	Enabled  State = "enabled"
	Disabled State = "disabled" // by its owner
	Gone     State = "gone"     // it answered 410
	Failing  State = "failing"  // nothing was delivered for [FailingFor]
)

// Endpoint is an address that gets events.
type Endpoint struct {
	ID          string // "whe_" and 16 letters and digits
	Owner       string // [Operator] or the id of an organisation
	URL         string
	Description string
	Types       []Type // what it gets; none is all that its owner may have
	// Thresholds are the percentages of use that it is told of, ascending.
	Thresholds []int
	// NoticeDays is how many days before a lot expires it is told.
	NoticeDays int
	State      State
	Stopped    time.Time // when it left the state Enabled; zero in it
	// FailingSince is when the first attempt failed since the last that succeeded; zero if none has.
	FailingSince time.Time
	Created      time.Time
	Changed      time.Time
	// Secrets sign, the newest first. They are sealed, as the store keeps them.
	Secrets []Sealed
}

// Sealed is a secret that only a server with the deployment's secret can read.
type Sealed struct {
	Text  string    `json:"t"`
	Until time.Time `json:"u,omitzero"` // no longer signs from then on; zero is no end
}

// Wants reports whether an endpoint gets events of a type.
func (e *Endpoint) Wants(t Type) bool {
	if e.State != Enabled || !t.For(e.Owner) {
		return false
	}
	if t == Test || len(e.Types) == 0 {
		return true
	}
	for _, own := range e.Types {
		if own == t {
			return true
		}
	}
	return false
}

// Limits of endpoints.
const (
	// MaxEndpoints is how many endpoints an owner may have.
	MaxEndpoints = 20
	// MaxURL is how many bytes an address may have.
	MaxURL = 2000
	// MaxDescription is how many code points a description may have.
	MaxDescription = 200
	// MaxThresholds is how many thresholds an endpoint may have.
	MaxThresholds = 10
	// MaxNoticeDays is the most days before the expiry of a lot. It is less than [Keep] has, so
	// that the record of what was told is there until the lot expires.
	MaxNoticeDays = 28
	// MaxOverlap is how long a rotated secret may go on signing.
	MaxOverlap = 7 * 24 * time.Hour
)

// What an endpoint has when its owner says nothing else.
const (
	DefaultNoticeDays = 7
	DefaultOverlap    = 24 * time.Hour
)

// DefaultThresholds returns the thresholds of an endpoint whose owner names none.
func DefaultThresholds() []int { return []int{50, 80, 100} }

const (
	// FailingFor is how long every attempt of an endpoint must have failed before it is disabled.
	FailingFor = 5 * 24 * time.Hour
	// Keep is how long deliveries are kept.
	Keep = 30 * 24 * time.Hour
)

// Outcome is what became of a delivery.
type Outcome string

// The outcomes.
const (
	Waiting   Outcome = "waiting"
	Delivered Outcome = "delivered"
	Failed    Outcome = "failed" // given up; it can be replayed
)

// Delivery is an event on its way to an endpoint.
type Delivery struct {
	N        int64  // its place in the order in which the store has written them
	ID       string // "whd_" and 16 letters and digits
	Endpoint string // id
	Event    Event
	Outcome  Outcome
	Replayed bool      // somebody asked for it again
	Attempts int       // so far
	Next     time.Time // when it is tried next, while it waits
	Created  time.Time
	Changed  time.Time
	Last     Attempt // the last attempt; zero before the first
}

// Attempt is what came of one request to an endpoint.
type Attempt struct {
	Status   int           // of the answer; 0 without one
	Problem  string        // why it failed, in a sentence; "" if it did not
	Response string        // the beginning of the answer's body
	Took     time.Duration // from the connection to the end of the answer
}

// Prefixes of ids.
const (
	endpointPrefix = "whe_"
	deliveryPrefix = "whd_"
	eventPrefix    = "msg_"
)

func newID(prefix string) string { return ids.New(prefix, ids.Bytes) }

// NewDeliveryID returns an id for a delivery, for stores.
func NewDeliveryID() string { return newID(deliveryPrefix) }

// isID reports whether a text has the shape of newID(prefix).
func isID(prefix, s string) bool { return ids.Is(prefix, ids.Bytes, s) }

// Store keeps endpoints and deliveries for a [Service]. Its errors are *fault.Error, of kind
// Unavailable if the database is not reachable.
type Store interface {
	// CreateEndpoint adds one. It returns false, and stores nothing, if its owner has most already.
	// The error is of kind NotFound if the organisation does not exist.
	CreateEndpoint(ctx context.Context, e Endpoint, most int) (bool, error)
	// Endpoint returns one, and false if there is none.
	Endpoint(ctx context.Context, id string) (Endpoint, bool, error)
	// Endpoints returns those of an owner, the oldest first.
	Endpoints(ctx context.Context, owner string) ([]Endpoint, error)
	// ChangeEndpoint calls change and stores what it made of an endpoint, while nobody else can
	// change it; false if there is none. Deliveries that wait for an endpoint which is no longer
	// enabled fail.
	ChangeEndpoint(ctx context.Context, id string, change func(*Endpoint) error) (Endpoint, bool, error)
	// DeleteEndpoint deletes one with its deliveries; false if there is none.
	DeleteEndpoint(ctx context.Context, id string) (bool, error)
	// SendTo writes an event with a delivery to one endpoint, whatever types it has.
	SendTo(ctx context.Context, endpoint string, e Event) (Delivery, error)
	// Deliveries returns deliveries of an endpoint, the latest first.
	Deliveries(ctx context.Context, endpoint string, q Query) ([]Delivery, error)
	// Delivery returns one of an endpoint, and false if there is none.
	Delivery(ctx context.Context, endpoint, id string) (Delivery, bool, error)
	// Replay writes a new delivery of the event of one that does not wait.
	Replay(ctx context.Context, of Delivery) (Delivery, error)
	// ReplayFailed writes a new delivery for each event that failed since a time and was not
	// delivered or queued since, in their order, at most most of them, and returns how many.
	ReplayFailed(ctx context.Context, endpoint string, since time.Time, most int) (int, error)
}

// Query says which deliveries to list.
type Query struct {
	Outcome Outcome // "" is any
	Before  string  // continues a list after the delivery with this id; "" begins with the latest
	Limit   int     // 1 to [MaxPage]
}

// MaxPage is how many deliveries a page may have.
const MaxPage = 100

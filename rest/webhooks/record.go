package webhooks

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/webhook"
)

// createRequest is the body of POST /v1/webhooks.
type createRequest struct {
	URL         *string   `json:"url" nullable:"false" maxLength:"2000" doc:"The address that gets the events: https, and public." example:"https://example.org/hooks/vaak"`
	Description *string   `json:"description,omitempty" maxLength:"200" doc:"A line for people." example:"Alerts of the billing team"`
	Types       typeList  `json:"types,omitempty"`
	Thresholds  shareList `json:"thresholds,omitempty"`
	NoticeDays  *int      `json:"notice_days,omitempty" minimum:"1" maximum:"28" default:"7" doc:"How many days before a lot expires the endpoint is told."`
	Enabled     *bool     `json:"enabled,omitempty" default:"true" doc:"false makes an endpoint that gets nothing yet."`
	Secret      string    `json:"secret,omitempty" doc:"A secret that you have made: whsec_ and 24 to 64 bytes in base64. Leave it out to get one." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

func (b createRequest) draft() webhook.Draft {
	return changeRequest{b.URL, b.Description, b.Types, b.Thresholds, b.NoticeDays, b.Enabled}.draft()
}

// changeRequest is the body of PATCH /v1/webhooks/{id}. What is left out stays as it is.
type changeRequest struct {
	URL         *string   `json:"url,omitempty" maxLength:"2000" doc:"Another address."`
	Description *string   `json:"description,omitempty" maxLength:"200"`
	Types       typeList  `json:"types,omitempty"`
	Thresholds  shareList `json:"thresholds,omitempty"`
	NoticeDays  *int      `json:"notice_days,omitempty" minimum:"1" maximum:"28"`
	Enabled     *bool     `json:"enabled,omitempty" doc:"false ends what waits, and nothing more is sent; true begins again, also after the endpoint was disabled because it failed."`
}

func (b changeRequest) draft() webhook.Draft {
	d := webhook.Draft{URL: b.URL, Description: b.Description, NoticeDays: b.NoticeDays, Enabled: b.Enabled}
	// A list that was sent is not nil, also an empty one.
	if b.Types != nil {
		d.Types = (*[]webhook.Type)(&b.Types)
	}
	if b.Thresholds != nil {
		d.Thresholds = (*[]int)(&b.Thresholds)
	}
	return d
}

// rotateRequest is the body of the route that makes a new secret.
type rotateRequest struct {
	Overlap *int `json:"overlap_seconds,omitempty" minimum:"0" maximum:"604800" default:"86400" doc:"How long the secret before goes on signing, too."`
}

// replayRequest is the body of the route that sends again what failed.
type replayRequest struct {
	Since string `json:"since" format:"date-time" doc:"What was made from then on." example:"2027-01-31T00:00:00Z"`
}

var (
	createBinder = document.NewBinder[createRequest]()
	changeBinder = document.NewBinder[changeRequest]()
	rotateBinder = document.NewBinder[rotateRequest]()
	replayBinder = document.NewBinder[replayRequest]()
)

// maxListed is how many entries of a list are read; the service says which are allowed.
const maxListed = 100

// entriesOf returns the entries of a list.
func entriesOf(v document.Value) ([]document.Value, error) {
	if v.Kind() != document.Array {
		return nil, v.Mistyped("a list")
	}
	entries := v.Entries()
	if len(entries) > maxListed {
		return nil, fault.BadParameter(v.Name, "%s has %d entries, which is more than %d", v.Name, len(entries), maxListed)
	}
	return entries, nil
}

// typeList is a list of types of events.
type typeList []webhook.Type

// SetJSON takes a list of strings.
func (l *typeList) SetJSON(v document.Value) error {
	entries, err := entriesOf(v)
	if err != nil {
		return err
	}
	*l = typeList{}
	for _, e := range entries {
		if e.Kind() != document.String {
			return e.Mistyped("a string")
		}
		*l = append(*l, webhook.Type(e.Text()))
	}
	return nil
}

// Schema describes the list.
func (typeList) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: "string"}
	for _, t := range webhook.TypesFor("org") {
		s.Enum = append(s.Enum, string(t))
	}
	return &huma.Schema{Type: "array", Items: s, Description: "The types of events that the endpoint gets; an empty list, or none, is all of them, also those that are added later."}
}

// shareList is a list of percentages.
type shareList []int

// SetJSON takes a list of whole numbers.
func (l *shareList) SetJSON(v document.Value) error {
	entries, err := entriesOf(v)
	if err != nil {
		return err
	}
	*l = shareList{}
	for _, e := range entries {
		x, ok := e.Float()
		// The service checks the range; what int cannot hold is none of it.
		if !ok || x != float64(int32(x)) {
			return e.Mistyped("a whole number")
		}
		*l = append(*l, int(x))
	}
	return nil
}

// Schema describes the list.
func (shareList) Schema(huma.Registry) *huma.Schema {
	least, most, from, to := 1.0, 100.0, 1, webhook.MaxThresholds
	return &huma.Schema{
		Type: "array", MinItems: &from, MaxItems: &to, Items: &huma.Schema{Type: "integer", Minimum: &least, Maximum: &most},
		Default: webhook.DefaultThresholds(), Description: "The shares of use, in percent, of which usage.threshold_reached tells.",
	}
}

// instant is a time, or null.
type instant struct{ time.Time }

// MarshalJSON writes RFC 3339 in UTC.
func (i instant) MarshalJSON() ([]byte, error) {
	if i.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(i.UTC())
}

// Schema describes the time.
func (instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "string", Format: "date-time", Nullable: true}
}

// WebhookRecord is an endpoint, without its secret.
type WebhookRecord struct {
	ID           string         `json:"id" example:"whe_m4k2h6v8x3c5b7n9"`
	URL          string         `json:"url" example:"https://example.org/hooks/vaak"`
	Description  string         `json:"description"`
	Types        []webhook.Type `json:"types" nullable:"false" doc:"What it gets; an empty list is all."`
	Thresholds   []int          `json:"thresholds" nullable:"false" doc:"In percent, ascending."`
	NoticeDays   int            `json:"notice_days"`
	Enabled      bool           `json:"enabled"`
	State        webhook.State  `json:"state" enum:"enabled,disabled,gone,failing" doc:"disabled: by you. gone: it answered 410. failing: every attempt of five days failed. None of these gets events until enabled is true again."`
	Stopped      instant        `json:"stopped_at" doc:"Since when it is not enabled; null while it is."`
	FailingSince instant        `json:"failing_since" doc:"When the first attempt failed since the last that succeeded; null when the last one succeeded."`
	Created      instant        `json:"created_at"`
	Changed      instant        `json:"changed_at"`
	OldSecret    instant        `json:"old_secret_until" doc:"Until when the secret before the last rotation signs, too; null when there is none."`
}

func endpointOf(e webhook.Endpoint) WebhookRecord {
	r := WebhookRecord{
		ID: e.ID, URL: e.URL, Description: e.Description, Types: e.Types, Thresholds: e.Thresholds, NoticeDays: e.NoticeDays,
		Enabled: e.State == webhook.Enabled, State: e.State, Stopped: instant{e.Stopped}, FailingSince: instant{e.FailingSince},
		Created: instant{e.Created}, Changed: instant{e.Changed},
	}
	if r.Types == nil {
		r.Types = []webhook.Type{}
	}
	for _, s := range e.Secrets {
		if s.Until.After(time.Now()) {
			r.OldSecret = instant{s.Until}
		}
	}
	return r
}

// EndpointWithSecret is an endpoint whose secret was made just now.
type EndpointWithSecret struct {
	WebhookRecord
	Secret string `json:"secret" doc:"Signs what is sent. It is not shown again." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

// EndpointList is the endpoints of an organisation.
type EndpointList struct {
	Webhooks []WebhookRecord `json:"webhooks" nullable:"false" doc:"The oldest first, 20 at most."`
}

// DeletedEndpoint says which endpoint was deleted.
type DeletedEndpoint struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

// DeliveryRecord is an event on its way to an endpoint.
type DeliveryRecord struct {
	ID        string          `json:"id" example:"whd_c3b5n7m9k2h4g6f8"`
	WebhookID string          `json:"webhook_id" doc:"Of the event: the header webhook-id, the same for every attempt and replay." example:"msg_a2b4c6d3e5f7g2h4"`
	Type      webhook.Type    `json:"type" example:"usage.threshold_reached"`
	State     webhook.Outcome `json:"state" enum:"waiting,delivered,failed"`
	Replay    bool            `json:"replay" doc:"Whether somebody asked for it again."`
	Attempts  int             `json:"attempts" doc:"So far."`
	Next      instant         `json:"next_attempt_at" doc:"When it is tried next; null when it is not. It may come later where an earlier event of the same subject waits."`
	Created   instant         `json:"created_at"`
	Changed   instant         `json:"changed_at"`
	Status    *int            `json:"response_status" nullable:"true" doc:"Of the last answer; null without one."`
	Response  string          `json:"response_body" doc:"The first 500 bytes of it."`
	Problem   string          `json:"problem" doc:"Why the last attempt failed, in a sentence; empty when it did not."`
	TookMs    float64         `json:"took_ms" doc:"How long the last attempt took, in milliseconds."`
	Payload   payload         `json:"payload" doc:"What is sent: type, timestamp and data."`
}

// payload is the body of an event.
type payload json.RawMessage

// MarshalJSON returns it as it is sent.
func (p payload) MarshalJSON() ([]byte, error) { return p, nil }

// Schema describes an object.
func (payload) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "object", AdditionalProperties: true}
}

func deliveryOf(d webhook.Delivery) DeliveryRecord {
	r := DeliveryRecord{
		ID: d.ID, WebhookID: d.Event.ID, Type: d.Event.Type, State: d.Outcome, Replay: d.Replayed, Attempts: d.Attempts,
		Created: instant{d.Created}, Changed: instant{d.Changed}, Response: d.Last.Response, Problem: d.Last.Problem,
		TookMs: float64(d.Last.Took.Microseconds()) / 1000, Payload: payload(d.Event.Body),
	}
	if d.Outcome == webhook.Waiting {
		r.Next = instant{d.Next}
	}
	if d.Last.Status != 0 {
		r.Status = &d.Last.Status
	}
	return r
}

// DeliveryList is a page of deliveries.
type DeliveryList struct {
	Deliveries []DeliveryRecord `json:"deliveries" nullable:"false" doc:"The latest first."`
	Next       *string          `json:"next_before" nullable:"true" doc:"The value of before for the next page; null when this may be the last."`
}

// ReplayedDeliveries says how many deliveries were queued.
type ReplayedDeliveries struct {
	Replayed int `json:"replayed" doc:"1,000 at most; ask again for more."`
}

package webhook

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vaak/internal/ids"
)

// Type is a sort of event. Its name is what receivers read.
type Type string

// The types. What each holds is the type of data that its comment names.
const (
	ThresholdReached Type = "usage.threshold_reached" // [Threshold]
	LotExpiring      Type = "lot.expiring"            // [Expiring]
	LotExpired       Type = "lot.expired"             // [Expired]

	EnquiryReceived       Type = "enquiry.received"        // [Enquiry]
	EnquiryDelivered      Type = "enquiry.delivered"       // [EnquiryMail]
	EnquiryDeliveryFailed Type = "enquiry.delivery_failed" // [EnquiryMail]
	EnquirySampleReleased Type = "enquiry.sample_released" // [Sample]
	EnquirySampleTaken    Type = "enquiry.sample_taken"    // [Sample]
	EnquiryPurged         Type = "enquiry.purged"          // [Enquiry]

	DatasetPublished Type = "dataset.published" // [Dataset]
	DatasetChanged   Type = "dataset.changed"   // [Dataset]
	DatasetSuspended Type = "dataset.suspended" // [Dataset]
	DatasetRetired   Type = "dataset.retired"   // [Dataset]

	// Test is sent when the owner of an endpoint asks for it, whatever types the endpoint has.
	Test Type = "webhook.test" // [TestData]
)

// Kind describes a type of events.
type Kind struct {
	Type    Type
	Doc     string // when it is sent, in a sentence
	Example any    // its data
	// Owned means that organisations get those of their own; otherwise only the operator does.
	Owned bool
}

// An instant of the examples.
var exampleTime = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

const (
	exampleOrg     = "org_b4m2xq7hvd3kz6ay"
	exampleEnquiry = "enq_k3v7q2m5x4h6c7d4w2e4r6t5y2"
	exampleDataset = "ds_n4k2m6c5v3b7x7qa"
	exampleMail    = "mail_k3v7q2m5x4h6c7d4w2e4r6t5y2_operator"
)

var exampleRecord = Dataset{Dataset: exampleDataset, Slug: "hindi-call-centre", Status: "published", Revision: 42}

// Kinds returns all types, in the order in which they are documented.
func Kinds() []Kind {
	with := func(status string) Dataset {
		d := exampleRecord
		d.Status = status
		return d
	}
	return []Kind{
		{ThresholdReached, "The characters that an organisation has used since its last grant reach a share of what it had then. Each endpoint says which shares. A grant begins a new count.",
			Threshold{Org: exampleOrg, Percent: 80, Used: 80_000, Remaining: 20_000}, true},
		{LotExpiring, "A lot that still has characters expires soon. Each endpoint says how many days before.",
			Expiring{Org: exampleOrg, Lot: "lot_h2k4m6p3r5t7v2x4", Source: "purchase", Remaining: 20_000, Expires: exampleTime, NoticeDays: 7}, true},
		{LotExpired, "A lot has expired with characters that were not used.",
			Expired{Org: exampleOrg, Lot: "lot_h2k4m6p3r5t7v2x4", Characters: 20_000, At: exampleTime}, true},
		{EnquiryReceived, "An enquiry was accepted.", Enquiry{Enquiry: exampleEnquiry, Intent: "sample", Dataset: exampleDataset}, false},
		{EnquiryDelivered, "A mail of an enquiry was accepted by the mail server.",
			EnquiryMail{Enquiry: exampleEnquiry, Mail: exampleMail, Kind: "operator"}, false},
		{EnquiryDeliveryFailed, "A mail of an enquiry was given up.",
			EnquiryMail{Enquiry: exampleEnquiry, Mail: exampleMail, Kind: "operator"}, false},
		{EnquirySampleReleased, "The operator has released the sample of a dataset to the person who asked.",
			Sample{Enquiry: exampleEnquiry, Release: "rel_x4h6c7d4w2e4r6t5y2k3v7q2m6", Dataset: exampleDataset}, false},
		{EnquirySampleTaken, "The person has downloaded the sample.",
			Sample{Enquiry: exampleEnquiry, Release: "rel_x4h6c7d4w2e4r6t5y2k3v7q2m6", Dataset: exampleDataset}, false},
		{EnquiryPurged, "What the person typed was deleted, on request or after its time.", Enquiry{Enquiry: exampleEnquiry, Intent: "sample", Dataset: exampleDataset}, false},
		{DatasetPublished, "A dataset that was not public is public now.", with("published"), false},
		{DatasetChanged, "The record of a published dataset was replaced.", with("published"), false},
		{DatasetSuspended, "A dataset is no longer listed, for a time.", with("suspended"), false},
		{DatasetRetired, "A dataset is no longer offered.", with("retired"), false},
		{Test, "The owner of the endpoint has asked for it.", TestData{Endpoint: "whe_m4k2h6v8x3c5b7n9"}, true},
	}
}

// For reports whether an owner may get events of a type.
func (t Type) For(owner string) bool {
	if owner == Operator {
		return t.known()
	}
	return slices.Contains(ownedTypes, t)
}

func (t Type) known() bool { return slices.Contains(allTypes, t) }

var allTypes, ownedTypes = func() (all, owned []Type) {
	for _, k := range Kinds() {
		all = append(all, k.Type)
		if k.Owned {
			owned = append(owned, k.Type)
		}
	}
	return all, owned
}()

// TypesFor returns the types that an owner may choose for an endpoint. [Test] is not among them: it
// is sent on request.
func TypesFor(owner string) []Type {
	types := ownedTypes
	if owner == Operator {
		types = allTypes
	}
	return slices.DeleteFunc(slices.Clone(types), func(t Type) bool { return t == Test })
}

// Threshold is the data of [ThresholdReached]. Counts are characters.
type Threshold struct {
	Org       string `json:"organisation_id"`
	Percent   int    `json:"threshold_percent"` // 1 to 100
	Used      int64  `json:"used_characters"`   // since the last grant
	Remaining int64  `json:"remaining_characters"`
}

// Expiring is the data of [LotExpiring].
type Expiring struct {
	Org        string    `json:"organisation_id"`
	Lot        string    `json:"lot_id"`
	Source     string    `json:"kind"` // of the lot
	Remaining  int64     `json:"remaining_characters"`
	Expires    time.Time `json:"expires_at"`
	NoticeDays int       `json:"notice_days"`
}

// Expired is the data of [LotExpired].
type Expired struct {
	Org        string    `json:"organisation_id"`
	Lot        string    `json:"lot_id"`
	Characters int64     `json:"expired_characters"`
	At         time.Time `json:"expired_at"`
}

// Enquiry is the data of [EnquiryReceived] and [EnquiryPurged]. Dataset is "" when the enquiry is
// about none.
type Enquiry struct {
	Enquiry string `json:"enquiry_id"`
	Intent  string `json:"intent"`
	Dataset string `json:"dataset_id,omitempty"`
}

// EnquiryMail is the data of [EnquiryDelivered] and [EnquiryDeliveryFailed].
type EnquiryMail struct {
	Enquiry string `json:"enquiry_id"`
	Mail    string `json:"mail_id"`
	Kind    string `json:"kind"` // of the mail
}

// Sample is the data of [EnquirySampleReleased] and [EnquirySampleTaken].
type Sample struct {
	Enquiry string `json:"enquiry_id"`
	Release string `json:"release_id"`
	Dataset string `json:"dataset_id"`
}

// Dataset is the data of the events of datasets.
type Dataset struct {
	Dataset  string `json:"dataset_id"`
	Slug     string `json:"slug"`
	Status   string `json:"status"`
	Revision int64  `json:"revision"` // of the record; later ones are higher
}

// TestData is the data of [Test].
type TestData struct {
	Endpoint string `json:"endpoint_id"`
}

// Event is something that happened, as receivers get it.
type Event struct {
	ID      string // the header webhook-id, the same for every attempt and replay
	Type    Type
	Subject string // what it is about; events of one subject are delivered in order
	Owner   string // whose event it is; [Operator] for those that no organisation gets
	At      time.Time
	Body    string // the bytes that are sent and signed
}

// body is the JSON of every event.
type body struct {
	Type Type      `json:"type"`
	At   time.Time `json:"timestamp"`
	Data any       `json:"data"`
}

// NewEvent returns an event with a new id.
func NewEvent(t Type, owner, subject string, at time.Time, data any) Event {
	at = at.UTC().Truncate(time.Microsecond)
	text, err := json.Marshal(body{t, at, data})
	if err != nil {
		panic(err) // only of types that are no plain data
	}
	return Event{ID: newID(eventPrefix), Type: t, Subject: subject, Owner: owner, At: at, Body: string(text)}
}

// Once gives an event an id that depends on texts alone, so that the same event gets the same id
// whoever makes it.
func (e Event) Once(texts ...string) Event {
	sum := sha256.Sum256([]byte(string(e.Type) + "\x00" + strings.Join(texts, "\x00")))
	e.ID = ids.Of(eventPrefix, sum[:ids.Bytes])
	return e
}

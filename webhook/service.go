package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/internal/seal"
)

// Stable codes of what is refused.
const (
	CodeNotFound         = "webhook_not_found"
	CodeDeliveryNotFound = "webhook_delivery_not_found"
	CodeLimitExceeded    = "webhook_limit_exceeded"
	CodeAddressRefused   = "webhook_address_refused"
	CodeNotEnabled       = "webhook_not_enabled"
	CodeWaits            = "webhook_delivery_waits"
)

// Addresses decides which addresses an endpoint may have.
type Addresses interface {
	// Check returns an error with a sentence if nothing is ever sent to an address.
	Check(url string) error
}

// Config is what a service needs.
type Config struct {
	Store     Store            // required
	Secret    *seal.Secret     // the same on every server; seals the secrets of endpoints. Nil makes none
	Addresses Addresses        // required
	Now       func() time.Time // nil is time.Now
}

// Service manages endpoints. Every method gets the owner, and finds only what is the owner's. It is
// safe for concurrent use.
type Service struct {
	cfg Config
	key *seal.Key // nil without a secret
}

// New returns a service.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil || cfg.Addresses == nil {
		return nil, errors.New("webhooks need a store and rules for addresses")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Service{cfg: cfg}
	if cfg.Secret != nil {
		s.key = sealingKey(cfg.Secret)
	}
	return s, nil
}

var errNoSeal = errors.New("the secret of an endpoint cannot be kept without the secret of the servers")

func sealingKey(s *seal.Secret) *seal.Key { return s.For("secrets of webhook endpoints") }

// Draft is what an owner says of an endpoint. A nil field is not said: a new endpoint gets the
// default, and a change leaves it as it is.
type Draft struct {
	URL         *string
	Description *string
	Types       *[]Type
	Thresholds  *[]int
	NoticeDays  *int
	Enabled     *bool
	Secret      string // of a new endpoint; "" makes one
}

// Create makes an endpoint and returns it with its secret, which is not shown again.
func (s *Service) Create(ctx context.Context, owner string, d Draft) (Endpoint, Secret, error) {
	if s.key == nil {
		return Endpoint{}, nil, errNoSeal
	}
	now := s.now()
	e := Endpoint{
		ID: newID(endpointPrefix), Owner: owner, Thresholds: DefaultThresholds(), NoticeDays: DefaultNoticeDays,
		State: Enabled, Created: now, Changed: now,
	}
	if d.URL == nil {
		return Endpoint{}, nil, fault.BadParameter("url", "url is missing; send the https address that is to get the events")
	}
	if err := s.apply(&e, d); err != nil {
		return Endpoint{}, nil, err
	}
	secret := NewSecret()
	if d.Secret != "" {
		var err error
		if secret, err = ParseSecret(d.Secret); err != nil {
			return Endpoint{}, nil, err
		}
	}
	e.Secrets = []Sealed{s.sealed(e.ID, secret)}
	ok, err := s.cfg.Store.CreateEndpoint(ctx, e, MaxEndpoints)
	if err == nil && !ok {
		err = fault.New(fault.Conflict, CodeLimitExceeded, "", "there are %d webhook endpoints already, which is the most; delete one first", MaxEndpoints)
	}
	if err != nil {
		return Endpoint{}, nil, err
	}
	return e, secret, nil
}

func (s *Service) sealed(endpoint string, secret Secret) Sealed {
	return Sealed{Text: s.key.Seal(secret, endpoint)}
}

// Endpoints returns those of an owner, the oldest first.
func (s *Service) Endpoints(ctx context.Context, owner string) ([]Endpoint, error) {
	return s.cfg.Store.Endpoints(ctx, owner)
}

// Endpoint returns one.
func (s *Service) Endpoint(ctx context.Context, owner, id string) (Endpoint, error) {
	if !isID(endpointPrefix, id) {
		return Endpoint{}, errNone(id)
	}
	e, ok, err := s.cfg.Store.Endpoint(ctx, id)
	if err == nil && (!ok || e.Owner != owner) {
		err = errNone(id)
	}
	if err != nil {
		return Endpoint{}, err
	}
	return e, nil
}

func errNone(id string) error {
	return fault.New(fault.NotFound, CodeNotFound, "id", "there is no webhook endpoint %.64q; list the endpoints to see which there are", id)
}

// Change changes what a draft says of an endpoint. One that is enabled again begins without
// failures; what failed before is sent again by [Service.ReplayFailed].
func (s *Service) Change(ctx context.Context, owner, id string, d Draft) (Endpoint, error) {
	return s.change(ctx, owner, id, func(e *Endpoint) error { return s.apply(e, d) })
}

func (s *Service) change(ctx context.Context, owner, id string, change func(*Endpoint) error) (Endpoint, error) {
	if !isID(endpointPrefix, id) {
		return Endpoint{}, errNone(id)
	}
	e, ok, err := s.cfg.Store.ChangeEndpoint(ctx, id, func(e *Endpoint) error {
		if e.Owner != owner {
			return errNone(id)
		}
		e.Changed = s.now()
		return change(e)
	})
	if err == nil && !ok {
		err = errNone(id)
	}
	return e, err
}

// Delete deletes an endpoint with the record of its deliveries.
func (s *Service) Delete(ctx context.Context, owner, id string) error {
	if _, err := s.Endpoint(ctx, owner, id); err != nil {
		return err
	}
	ok, err := s.cfg.Store.DeleteEndpoint(ctx, id)
	if err == nil && !ok {
		err = errNone(id)
	}
	return err
}

// Rotate gives an endpoint a new secret and returns it. The one before signs, too, for the overlap,
// so that the receiver can take either; secrets from before that one end.
func (s *Service) Rotate(ctx context.Context, owner, id string, overlap time.Duration) (Endpoint, Secret, error) {
	if overlap < 0 || overlap > MaxOverlap {
		return Endpoint{}, nil, fault.BadParameter("overlap_seconds", "overlap_seconds %d is outside 0 to %d", int64(overlap/time.Second), int64(MaxOverlap/time.Second))
	}
	if s.key == nil {
		return Endpoint{}, nil, errNoSeal
	}
	secret := NewSecret()
	e, err := s.change(ctx, owner, id, func(e *Endpoint) error {
		now, kept := s.now(), []Sealed{s.sealed(e.ID, secret)}
		if overlap > 0 && len(e.Secrets) > 0 {
			last := e.Secrets[0]
			last.Until = now.Add(overlap)
			kept = append(kept, last)
		}
		e.Secrets = kept
		return nil
	})
	if err != nil {
		return Endpoint{}, nil, err
	}
	return e, secret, nil
}

// Test sends an event of the type [Test] to an endpoint.
func (s *Service) Test(ctx context.Context, owner, id string) (Delivery, error) {
	e, err := s.enabled(ctx, owner, id)
	if err != nil {
		return Delivery{}, err
	}
	return s.cfg.Store.SendTo(ctx, id, NewEvent(Test, owner, "endpoint/"+e.ID, s.now(), TestData{Endpoint: e.ID}))
}

// enabled returns an endpoint that gets events.
func (s *Service) enabled(ctx context.Context, owner, id string) (Endpoint, error) {
	e, err := s.Endpoint(ctx, owner, id)
	if err == nil && e.State != Enabled {
		err = fault.New(fault.Conflict, CodeNotEnabled, "", "the webhook endpoint %s is not enabled, so nothing is sent to it; enable it first", id)
	}
	return e, err
}

// Deliveries returns deliveries of an endpoint, the latest first.
func (s *Service) Deliveries(ctx context.Context, owner, id string, q Query) ([]Delivery, error) {
	switch {
	case q.Limit < 1 || q.Limit > MaxPage:
		return nil, fault.BadParameter("limit", "limit %d is outside 1 to %d", q.Limit, MaxPage)
	case q.Outcome != "" && q.Outcome != Waiting && q.Outcome != Delivered && q.Outcome != Failed:
		return nil, fault.BadParameter("state", "state %.32q is none of waiting, delivered, failed", string(q.Outcome))
	case q.Before != "" && !isID(deliveryPrefix, q.Before):
		return nil, fault.BadParameter("before", "before %.64q is not the id of a delivery", q.Before)
	}
	if _, err := s.Endpoint(ctx, owner, id); err != nil {
		return nil, err
	}
	return s.cfg.Store.Deliveries(ctx, id, q)
}

// Delivery returns one of an endpoint.
func (s *Service) Delivery(ctx context.Context, owner, id, delivery string) (Delivery, error) {
	if _, err := s.Endpoint(ctx, owner, id); err != nil {
		return Delivery{}, err
	}
	if !isID(deliveryPrefix, delivery) {
		return Delivery{}, errNoDelivery(delivery)
	}
	d, ok, err := s.cfg.Store.Delivery(ctx, id, delivery)
	if err == nil && !ok {
		err = errNoDelivery(delivery)
	}
	return d, err
}

func errNoDelivery(id string) error {
	return fault.New(fault.NotFound, CodeDeliveryNotFound, "delivery", "the endpoint has no delivery %.64q; deliveries are kept for %d days", id, int(Keep.Hours()/24))
}

// Replay sends the event of a delivery again, with the same webhook-id. It returns the new delivery.
func (s *Service) Replay(ctx context.Context, owner, id, delivery string) (Delivery, error) {
	d, err := s.Delivery(ctx, owner, id, delivery)
	if err != nil {
		return Delivery{}, err
	}
	if _, err := s.enabled(ctx, owner, id); err != nil {
		return Delivery{}, err
	}
	if d.Outcome == Waiting {
		return Delivery{}, fault.New(fault.Conflict, CodeWaits, "", "the delivery %s waits for its next attempt, so it is not sent a second time", delivery)
	}
	return s.cfg.Store.Replay(ctx, d)
}

// MaxReplayed is how many deliveries one call of [Service.ReplayFailed] queues.
const MaxReplayed = 1000

// ReplayFailed sends again what failed since a time, in the order in which it happened, up to
// [MaxReplayed], and returns how many.
func (s *Service) ReplayFailed(ctx context.Context, owner, id string, since time.Time) (int, error) {
	if since.After(s.now()) {
		return 0, fault.BadParameter("since", "since %s is in the future", since.Format(time.RFC3339))
	}
	if _, err := s.enabled(ctx, owner, id); err != nil {
		return 0, err
	}
	return s.cfg.Store.ReplayFailed(ctx, id, since, MaxReplayed)
}

func (s *Service) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Microsecond) }

// apply checks a draft and writes what it says into an endpoint.
func (s *Service) apply(e *Endpoint, d Draft) error {
	if d.URL != nil {
		if len(*d.URL) > MaxURL || strings.ContainsFunc(*d.URL, unprintable) || !utf8.ValidString(*d.URL) {
			return fault.BadParameter("url", "url has %d bytes; an address has at most %d, and no spaces or control characters", len(*d.URL), MaxURL)
		}
		if err := s.cfg.Addresses.Check(*d.URL); err != nil {
			return fault.New(fault.Invalid, CodeAddressRefused, "url", "url: %v", err)
		}
		e.URL = *d.URL
	}
	if d.Description != nil {
		text := strings.TrimSpace(*d.Description)
		if utf8.RuneCountInString(text) > MaxDescription || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return fault.BadParameter("description", "description is no line of up to %d characters", MaxDescription)
		}
		e.Description = text
	}
	if d.Types != nil {
		types, err := checkTypes(e.Owner, *d.Types)
		if err != nil {
			return err
		}
		e.Types = types
	}
	if d.Thresholds != nil {
		thresholds, err := checkThresholds(*d.Thresholds)
		if err != nil {
			return err
		}
		e.Thresholds = thresholds
	}
	if d.NoticeDays != nil {
		if *d.NoticeDays < 1 || *d.NoticeDays > MaxNoticeDays {
			return fault.BadParameter("notice_days", "notice_days %d is outside 1 to %d", *d.NoticeDays, MaxNoticeDays)
		}
		e.NoticeDays = *d.NoticeDays
	}
	if d.Enabled != nil && *d.Enabled != (e.State == Enabled) {
		if *d.Enabled {
			e.State, e.Stopped, e.FailingSince = Enabled, time.Time{}, time.Time{}
		} else {
			e.State, e.Stopped = Disabled, s.now()
		}
	}
	return nil
}

func unprintable(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }

// checkTypes returns types in the order in which they are documented, each once.
func checkTypes(owner string, sent []Type) ([]Type, error) {
	allowed := TypesFor(owner)
	if len(sent) > 2*len(allowed) {
		return nil, fault.BadParameter("types", "types has %d entries; there are %d types", len(sent), len(allowed))
	}
	for i, t := range sent {
		if !slices.Contains(allowed, t) {
			return nil, fault.BadParameter("types", "types[%d] %.64q is none of %s", i, string(t), list(allowed))
		}
	}
	return slices.DeleteFunc(allowed, func(t Type) bool { return !slices.Contains(sent, t) }), nil
}

func list(types []Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

// checkThresholds returns thresholds in ascending order, each once.
func checkThresholds(sent []int) ([]int, error) {
	if len(sent) == 0 || len(sent) > MaxThresholds {
		return nil, fault.BadParameter("thresholds", "thresholds has %d entries; send 1 to %d percentages", len(sent), MaxThresholds)
	}
	for i, n := range sent {
		if n < 1 || n > 100 {
			return nil, fault.BadParameter("thresholds", "thresholds[%d] %d is outside 1 to 100 percent", i, n)
		}
	}
	sorted := slices.Sorted(slices.Values(sent))
	return slices.Compact(sorted), nil
}

// open returns the secrets of an endpoint that sign at a time, the newest first.
func open(key *seal.Key, e Endpoint, now time.Time) ([]Secret, error) {
	var all []Secret
	for _, s := range e.Secrets {
		if !s.Until.IsZero() && !now.Before(s.Until) {
			continue
		}
		text, ok := key.Open(s.Text, e.ID)
		if !ok {
			return nil, fmt.Errorf("the secret of %s was sealed with a secret that this server does not have; every server needs the same one", e.ID)
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the endpoint %s has no secret", e.ID)
	}
	return all, nil
}

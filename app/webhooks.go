package app

import (
	"context"
	"time"

	"vaak/internal/seal"
	"vaak/internal/telemetry"
	"vaak/store"
	"vaak/webhook"
	"vaak/webhook/egress"
)

// Webhooks configures how events are delivered.
type Webhooks struct {
	Allow   []string        // hosts, addresses and networks that need not be public; see [egress.New]
	Timeout time.Duration   // of an attempt; 0 is [webhook.AttemptTimeout]
	Pauses  []time.Duration // after failed attempts; none is [webhook.Pauses]
}

// Service returns the service that manages endpoints.
func (w Webhooks) Service(db *store.Store, secret *seal.Secret) (*webhook.Service, error) {
	client, err := egress.New(w.Allow)
	if err != nil {
		return nil, err
	}
	return webhook.New(webhook.Config{Store: db.Webhooks(), Secret: secret, Addresses: client})
}

// openWebhooks opens the service that manages endpoints and the courier that delivers to them.
func (a *application) openWebhooks() error {
	secret, err := a.cfg.Place.OpenSecret()
	if err != nil {
		return err
	}
	if a.webhooks.service, err = a.cfg.Webhooks.Service(a.store, secret); err != nil {
		return err
	}
	if a.webhooks.client, err = egress.New(a.cfg.Webhooks.Allow); err != nil {
		return err
	}
	a.webhooks.courier, err = webhook.NewCourier(webhook.CourierConfig{
		Outbox: a.store.Webhooks(), Caller: a.webhooks.client, Secret: secret, Version: a.cfg.Version,
		Pauses: a.cfg.Webhooks.Pauses, Timeout: a.cfg.Webhooks.Timeout, Log: a.log,
	})
	return err
}

// webhooks holds what sends events.
type webhooks struct {
	service *webhook.Service
	courier *webhook.Courier
	client  *egress.Client
}

func (a *application) webhookFigures(ctx context.Context) (telemetry.Webhooks, error) {
	now, err := a.store.Webhooks().Standing(ctx)
	delivered, retried, failed := a.webhooks.courier.Figures()
	return telemetry.Webhooks{
		Attempts: map[string]int64{"delivered": delivered, "retried": retried, "failed": failed},
		Waiting:  now.Waiting, Oldest: now.Oldest, Disabled: now.Disabled,
	}, err
}

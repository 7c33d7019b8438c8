package work

import (
	"context"
	"errors"
	"time"

	"vaak/store"
	"vaak/store/jobs"
	"vaak/webhook"
)

const (
	// WebhooksAtOnce is how many events a server delivers at a time.
	WebhooksAtOnce = 16

	webhookSweepEvery = 15 * time.Second
	webhookPruneEvery = time.Hour
	// deliverJobs is how often the job of an attempt is worked, when the store or a server fails. The
	// attempts of a delivery are jobs of their own.
	deliverJobs    = 100
	deliverBackoff = 5 * time.Second
)

// Webhooks returns the jobs that deliver events, take over the deliveries of servers that were killed,
// tell of lots that expire, and delete what is old.
func Webhooks(db *store.Store, courier *webhook.Courier) []jobs.Handler {
	return []jobs.Handler{
		{
			Kind: webhook.JobDeliver, Lane: webhook.Lane, AtOnce: WebhooksAtOnce, Work: courier.Deliver,
			Timeout: courier.JobTimeout(), Attempts: deliverJobs, Backoff: func(int) time.Duration { return deliverBackoff },
		},
		{Kind: "webhook.sweep", Every: webhookSweepEvery, Work: func(ctx context.Context, _ []byte) error {
			return errors.Join(db.Webhooks().Requeue(ctx), db.Webhooks().TellExpiring(ctx))
		}},
		{Kind: "webhook.prune", Every: webhookPruneEvery, Work: func(ctx context.Context, _ []byte) error {
			_, err := db.Webhooks().Prune(ctx, time.Now().Add(-webhook.Keep))
			return err
		}},
	}
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/telemetry"
	"vaak/store/jobs"
)

// Periods of what is done beside requests.
const (
	sweepEvery = time.Minute
	auditEvery = 5 * time.Minute
	pruneEvery = time.Hour
)

// audited remembers what the last audit that this process made has found.
type audited struct {
	last atomic.Pointer[auditedAt]
}

type auditedAt struct {
	at    time.Time
	found ledger.Audit
}

func (a *audited) note(found ledger.Audit) { a.last.Store(&auditedAt{time.Now(), found}) }

// figures returns it; nothing before the first.
func (a *audited) figures(context.Context) (telemetry.Ledger, error) {
	if last := a.last.Load(); last != nil {
		return telemetry.Ledger{Checked: last.at, OK: last.found.Sound(), Lapsed: last.found.Lapsed, WrittenOff: last.found.WrittenOff}, nil
	}
	return telemetry.Ledger{}, nil
}

// accountJobs are what is done for accounts: once for all processes.
func accountJobs(accounts *account.Service, keep time.Duration, audited func(ledger.Audit)) []jobs.Handler {
	return []jobs.Handler{
		{Kind: account.JobSweep, Work: func(ctx context.Context, text []byte) error {
			var args account.SweepArgs
			if err := json.Unmarshal(text, &args); err != nil {
				return fmt.Errorf("read the arguments: %w", err)
			}
			return accounts.Roll(ctx, args.Org)
		}},
		{Kind: "ledger.sweep", Every: sweepEvery, Work: func(ctx context.Context, _ []byte) error {
			_, err := accounts.Sweep(ctx)
			return err
		}},
		{Kind: "ledger.audit", Every: auditEvery, Work: func(ctx context.Context, _ []byte) error {
			a, err := accounts.Audit(ctx)
			if err == nil {
				audited(a)
			}
			return err
		}},
		{Kind: "accounts.prune", Every: pruneEvery, Work: func(ctx context.Context, _ []byte) error {
			return accounts.Prune(ctx, keep)
		}},
	}
}

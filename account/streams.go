package account

import (
	"context"
	"fmt"

	"vaak/account/ledger"
	"vaak/internal/pause"
)

// StreamUse is how many streams of an organisation run.
type StreamUse struct {
	Running  int // over all keys
	Limit    int // over all keys; -1 is none
	KeyLimit int // of each key, by the plan in force; -1 is none
	// ByKey has the keys of which some run, and [ConsoleKey].
	ByKey map[string]int
}

// Streams returns how many streams of an organisation run now, in all processes that
// share the limits. Those that no limit binds, and all while the shared limits are
// away, are counted in this process alone.
func (r *reports) Streams(ctx context.Context, orgID string) (StreamUse, error) {
	o, err := r.directory.Organisation(ctx, orgID)
	if err != nil {
		return StreamUse{}, err
	}
	plan, err := r.planOf(ctx, o.Terms)
	if err != nil {
		return StreamUse{}, err
	}
	keys, err := r.store.Keys(ctx, orgID)
	if err != nil {
		return StreamUse{}, fmt.Errorf("read keys of %s: %w", orgID, err)
	}
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	running, err := r.limits.running(ctx, ids)
	if err != nil {
		return StreamUse{}, err
	}
	use := StreamUse{Limit: max(o.Ceilings.MaxStreams, ledger.Unlimited), KeyLimit: plan.MaxStreams, ByKey: map[string]int{}}
	for i, n := range running {
		if n > 0 {
			use.ByKey[shownKey(ids[i])] = n
			use.Running += n
		}
	}
	return use, nil
}

// planOf returns the plan that terms have come to.
func (r *reports) planOf(ctx context.Context, terms ledger.Terms) (ledger.Plan, error) {
	id := terms.At(r.now()).PlanID()
	plans, err := r.directory.plans(ctx)
	if err != nil {
		return ledger.Plan{}, err
	}
	if plan, ok := plans[id]; ok {
		return plan, nil
	}
	return ledger.Plan{}, fmt.Errorf("there is no plan %s", id) // cannot be: plans are never removed
}

// running returns how many streams run of each scope.
func (l *limits) running(ctx context.Context, scopes []string) ([]int, error) {
	out := make([]int, len(scopes))
	if l.shared != nil && !l.local.Load() {
		asked, cancel := pause.Within(ctx, limitTimeout)
		defer cancel()
		counts, err := l.shared.Running(asked, scopes)
		switch {
		case err == nil:
			copy(out, counts)
		case ctx.Err() != nil: // says nothing about the store
			return nil, errGone(err)
		default:
			l.note(err)
		}
	}
	for i, scope := range scopes { // what is counted here is counted there, too, where there is a limit
		out[i] = max(out[i], l.slots.Running(scope))
	}
	return out, nil
}

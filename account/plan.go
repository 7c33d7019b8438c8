package account

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// PlanUnlimited is the id of the plan without limits, PlanFree that of the one
// that nobody pays for. DefaultPlan is the one that an organisation gets when
// none is named.
const (
	PlanUnlimited = "unlimited"
	PlanFree      = "free"
	DefaultPlan   = PlanUnlimited
)

var planID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Plans returns all plans, the smallest first.
func (d *directory) Plans(ctx context.Context) ([]ledger.Plan, error) {
	plans, err := d.store.Plans(ctx)
	if err != nil {
		return nil, fmt.Errorf("read plans: %w", err)
	}
	return plans, nil
}

// SetPlan adds a plan or replaces the one with its id, for all who are on it.
func (d *directory) SetPlan(ctx context.Context, p ledger.Plan) error {
	if p.Name == "" {
		p.Name = p.ID
	}
	if err := CheckPlan(p); err != nil {
		return err
	}
	if err := d.store.SetPlan(ctx, p); err != nil {
		return fmt.Errorf("set plan %s: %w", p.ID, err)
	}
	d.log.InfoContext(ctx, "plan set", "plan", p.ID)
	return nil
}

// CheckPlan refuses, with an Invalid error, what [Service.SetPlan] would not set. A
// plan without a name has its id for one.
func CheckPlan(p ledger.Plan) error {
	if !planID.MatchString(p.ID) {
		return fault.BadParameter("plan", "plan id %s is not 1 to 64 of a-z, 0-9, _ and -", quote(p.ID))
	}
	if err := checkName("name", cmp.Or(p.Name, p.ID)); err != nil {
		return err
	}
	if p.MonthlyCharacters < ledger.Unlimited || p.MonthlyCharacters > MaxGrant {
		return fault.BadParameter("characters", "characters %d is outside 0 to %d, and not -1 for unlimited", p.MonthlyCharacters, int64(MaxGrant))
	}
	for name, n := range map[string]int{"rpm": p.RequestsPerMinute, "streams": p.MaxStreams} {
		if n != ledger.Unlimited && (n < 1 || n > maxRate) {
			return fault.BadParameter(name, "%s %d is outside 1 to %d, and not -1 for unlimited", name, n, maxRate)
		}
	}
	return nil
}

const maxRate = 1_000_000

// named is the id of a plan, and the parameter that names it.
type named struct{ field, id string }

// plans returns all plans; when one of ids, "" left out, is not among them, an
// Invalid error lists what is available.
func (d *directory) plans(ctx context.Context, ids ...named) (map[string]ledger.Plan, error) {
	all, err := d.Plans(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]ledger.Plan, len(all))
	names := make([]string, len(all))
	for i, p := range all {
		known[p.ID], names[i] = p, p.ID
	}
	for _, p := range ids {
		if _, ok := known[p.id]; !ok && p.id != "" {
			return nil, fault.BadParameter(p.field, "plan %s is not known; available: %s", quote(p.id), strings.Join(names, ", "))
		}
	}
	return known, nil
}

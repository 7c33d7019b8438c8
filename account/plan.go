package account

import (
	"slices"
	"strings"

	"vaak/internal/fault"
)

// PlanUnlimited is the id of the plan without limits. DefaultPlan is the one
// that an organisation gets when none is named.
const (
	PlanUnlimited = "unlimited"
	DefaultPlan   = PlanUnlimited
)

// plans lists the plans that an organisation may be on.
var plans = []string{PlanUnlimited}

// checkPlan returns the plan that id names, or an Invalid error that lists
// what is available.
func checkPlan(id string) (string, error) {
	if id == "" {
		return DefaultPlan, nil
	}
	if !slices.Contains(plans, id) {
		return "", fault.BadParameter("plan", "plan %s is not known; available: %s",
			quote(id), strings.Join(plans, ", "))
	}
	return id, nil
}

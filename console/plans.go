package console

import (
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/enquiry"
	"vaak/internal/fault"
)

const plansPath = "/plans"

func (c *Console) planRoutes() []route {
	return []route{
		get(plansPath, operators, (*visit).plans),
		post(plansPath, operators, (*visit).addPlan, (*visit).plans),
		get(plansPath+"/{plan}", operators, (*visit).plan),
		post(plansPath+"/{plan}", operators, (*visit).changePlan, (*visit).plan),
	}
}

// planLine is a plan with how many organisations it concerns.
type planLine struct {
	ledger.Plan
	On    int // it is in force now
	Later int // it is not, and their terms may come to it
}

// planPage is what the page of a plan shows.
type planPage struct {
	planLine
	Who  []account.Organisation // on whom it is in force: the first of them
	More int                    // how many besides
}

// standing returns whether a plan is in force for an organisation, and whether its
// terms may come to it later.
func standing(o account.Organisation, plan string, now time.Time) (on, later bool) {
	terms := o.Terms.At(now)
	on = terms.PlanID() == plan
	// The plan beside a subscription is only a record of what it falls back to.
	return on, !on && terms.Subscription != nil && slices.Contains(terms.PlanIDs(), plan)
}

func (v *visit) plans() error {
	plans, err := v.Accounts.Plans(v.r.Context())
	if err != nil {
		return err
	}
	all, err := v.Accounts.Organisations(v.r.Context())
	if err != nil {
		return err
	}
	lines, now := make([]planLine, len(plans)), time.Now()
	for i, p := range plans {
		lines[i].Plan = p
		for _, o := range all {
			switch on, later := standing(o, p.ID, now); {
			case on:
				lines[i].On++
			case later:
				lines[i].Later++
			}
		}
	}
	return v.show("plans", "Plans", lines)
}

// findPlan returns the plan of the path.
func (v *visit) findPlan() (ledger.Plan, error) {
	plans, err := v.Accounts.Plans(v.r.Context())
	for _, p := range plans {
		if p.ID == v.r.PathValue("plan") {
			return p, nil
		}
	}
	if err == nil {
		err = noSuch("plan")
	}
	return ledger.Plan{}, err
}

func (v *visit) plan() error {
	plan, err := v.findPlan()
	if err != nil {
		return err
	}
	all, err := v.Accounts.Organisations(v.r.Context())
	if err != nil {
		return err
	}
	p, now := planPage{planLine: planLine{Plan: plan}}, time.Now()
	for _, o := range all {
		switch on, later := standing(o, plan.ID, now); {
		case on && len(p.Who) < pageSize:
			p.On++
			p.Who = append(p.Who, o)
		case on:
			p.On++
			p.More++
		case later:
			p.Later++
		}
	}
	return v.show("plan", "Plan "+enquiry.Inert(plan.Name), p)
}

// addPlan adds a plan. One that is there is left as it is.
func (v *visit) addPlan() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	plans, err := v.Accounts.Plans(v.r.Context())
	if err != nil {
		return err
	}
	id := v.field("plan")
	if slices.ContainsFunc(plans, func(p ledger.Plan) bool { return p.ID == id }) {
		return fault.New(fault.Conflict, "plan_exists", "plan", "There is a plan %.64q already. Change it on its page.", id)
	}
	return v.setPlan(id, "The plan is there.")
}

// changePlan changes a plan, for all who are on it.
func (v *visit) changePlan() error {
	plan, err := v.findPlan()
	if err == nil {
		err = v.form(maxForm)
	}
	if err != nil {
		return err
	}
	return v.setPlan(plan.ID, "The plan is changed, for all who are on it.")
}

func (v *visit) setPlan(id, notice string) error {
	p := ledger.Plan{ID: id, Name: v.field("name")}
	var bounds [3]int64
	for i, field := range []string{"characters", "rpm", "streams"} {
		var err error
		if bounds[i], err = v.bound(field); err != nil {
			return err
		}
	}
	p.MonthlyCharacters, p.RequestsPerMinute, p.MaxStreams = bounds[0], int(bounds[1]), int(bounds[2])
	if err := account.CheckPlan(p); err != nil {
		return err
	}
	err := v.Accounts.SetPlan(v.r.Context(), p)
	v.note("plan.set", id, err)
	if err != nil {
		return err
	}
	return v.done(plansPath, notice)
}

// Concerns reports whether a change of the plan concerns anybody.
func (l planLine) Concerns() bool { return l.On+l.Later > 0 }

// Affected says whom a change of the plan concerns.
func (l planLine) Affected() string {
	const later = " may change to it when a subscription renews or ends."
	switch {
	case l.On == 0 && l.Later == 0:
		return "Nobody is on it."
	case l.Later == 0:
		return "It is in force for " + plural(l.On, "organisation") + "."
	case l.On == 0:
		return "Nobody is on it; " + plural(l.Later, "organisation") + later
	}
	return "It is in force for " + plural(l.On, "organisation") + ", and " + plural(l.Later, "organisation") + later
}

// Package plans has the pages on which operators manage plans.
package plans

import (
	"embed"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/enquiry"
	"vaak/internal/fault"
)

//go:embed *.html
var files embed.FS

// path is where the list of plans is.
const path = "/plans"

// pages serves the pages.
type pages struct{ Accounts *account.Service }

// New returns the section of plans.
func New(accounts *account.Service) page.Section {
	ps := &pages{accounts}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get(path, page.Operators, ps.plans),
		page.Post(path, page.Operators, ps.addPlan, ps.plans),
		page.Get(path+"/{plan}", page.Operators, ps.plan),
		page.Post(path+"/{plan}", page.Operators, ps.changePlan, ps.plan),
	}}
}

// planLine is a plan with how many organisations it concerns.
type planLine struct {
	ledger.Plan
	On    int // organisations for which it is in force
	Later int // organisations that may change to it when a subscription renews or ends
}

// planPage is what the page of a plan shows.
type planPage struct {
	planLine
	Who  []account.Organisation // the first ones for which it is in force
	More int                    // how many there are besides
}

// standing reports whether a plan is in force for an organisation, and whether the
// organisation may change to it later.
func standing(o account.Organisation, plan string, now time.Time) (on, later bool) {
	terms := o.Terms.At(now)
	on = terms.PlanID() == plan
	// While a subscription runs, the plan of the terms only says what follows it.
	return on, !on && terms.Subscription != nil && slices.Contains(terms.PlanIDs(), plan)
}

func (ps *pages) plans(v *page.Visit) error {
	plans, err := ps.Accounts.Plans(v.R.Context())
	if err != nil {
		return err
	}
	all, err := ps.Accounts.Organisations(v.R.Context())
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
	return v.Show("plans", "Plans", lines)
}

// findPlan returns the plan of the path.
func (ps *pages) findPlan(v *page.Visit) (ledger.Plan, error) {
	plans, err := ps.Accounts.Plans(v.R.Context())
	for _, p := range plans {
		if p.ID == v.R.PathValue("plan") {
			return p, nil
		}
	}
	if err == nil {
		err = page.NoSuch("plan")
	}
	return ledger.Plan{}, err
}

func (ps *pages) plan(v *page.Visit) error {
	plan, err := ps.findPlan(v)
	if err != nil {
		return err
	}
	all, err := ps.Accounts.Organisations(v.R.Context())
	if err != nil {
		return err
	}
	p, now := planPage{planLine: planLine{Plan: plan}}, time.Now()
	for _, o := range all {
		switch on, later := standing(o, plan.ID, now); {
		case on && len(p.Who) < page.Lines:
			p.On++
			p.Who = append(p.Who, o)
		case on:
			p.On++
			p.More++
		case later:
			p.Later++
		}
	}
	return v.Show("plan", "Plan "+enquiry.Inert(plan.Name), p)
}

// addPlan adds a plan. It refuses an id that exists, as it would change that plan.
func (ps *pages) addPlan(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	plans, err := ps.Accounts.Plans(v.R.Context())
	if err != nil {
		return err
	}
	id := v.Sent.Field("plan")
	if slices.ContainsFunc(plans, func(p ledger.Plan) bool { return p.ID == id }) {
		return fault.New(fault.Conflict, "plan_exists", "plan", "There is a plan %.64q already. Change it on its page.", id)
	}
	return ps.setPlan(v, id, "The plan is there.")
}

// changePlan changes a plan, for all organisations that have it.
func (ps *pages) changePlan(v *page.Visit) error {
	plan, err := ps.findPlan(v)
	if err == nil {
		err = v.ReadForm(page.MaxForm)
	}
	if err != nil {
		return err
	}
	return ps.setPlan(v, plan.ID, "The plan is changed, for all who are on it.")
}

func (ps *pages) setPlan(v *page.Visit, id, notice string) error {
	p := ledger.Plan{ID: id, Name: v.Sent.Field("name")}
	var bounds [3]int64
	for i, field := range []string{"characters", "rpm", "streams"} {
		var err error
		if bounds[i], err = v.Sent.Bound(field); err != nil {
			return err
		}
	}
	p.MonthlyCharacters, p.RequestsPerMinute, p.MaxStreams = bounds[0], int(bounds[1]), int(bounds[2])
	if err := account.CheckPlan(p); err != nil {
		return err
	}
	// Checked above, so that the journal has no line for a form that was only filled in wrongly.
	err := ps.Accounts.SetPlan(v.R.Context(), p)
	v.Note("plan.set", id, err)
	if err != nil {
		return err
	}
	return v.Done(path, notice)
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
		return "It is in force for " + page.Plural(l.On, "organisation") + "."
	case l.On == 0:
		return "Nobody is on it; " + page.Plural(l.Later, "organisation") + later
	}
	return "It is in force for " + page.Plural(l.On, "organisation") + ", and " + page.Plural(l.Later, "organisation") + later
}

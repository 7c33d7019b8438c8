package organisations

import (
	"strings"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/internal/fault"
)

// orgPage is what operators see of an organisation.
type orgPage struct {
	account.Summary
	Month  string // the month whose characters are shown
	Lots   []orgLot
	Plans  []ledger.Plan
	Modes  []worded
	Kinds  []worded
	People []identity.Person
	// What the form of the subscription is filled in with.
	Expires   string
	AutoRenew bool
	// What was sent in the form that is shown again; zero for the other forms.
	Name, Subscription, Lot, Ceilings page.View
}

// worded is a value of a form with its words.
type worded struct{ Value, Words string }

// modeWords says what is spent in a mode of accounting.
func modeWords(mode ledger.Mode) string {
	switch mode {
	case ledger.Lots:
		return "The plan's characters, and bought ones"
	case ledger.Wallet:
		return "Bought characters alone"
	case ledger.Allowance:
		return "The plan's characters alone"
	}
	return string(mode)
}

// orgLot is a lot with its words.
type orgLot struct {
	ledger.Lot
	Name string // what its kind is called
	For  string // the month of the plan, or what the operator typed; "" where nothing is known
}

// lotWords returns a lot with its words. The source of a lot is plan:MONTH:…, or grant: and
// what the operator typed, else grant: and an id (grant_…).
func lotWords(l ledger.Lot) orgLot {
	out := orgLot{Lot: l, Name: page.LotKind(l.Kind)}
	if period, ok := strings.CutPrefix(l.Source, "plan:"); ok {
		period, _, _ = strings.Cut(period, ":")
		out.For = page.Month(ledger.Period(period))
	} else if typed, ok := strings.CutPrefix(l.Source, "grant:"); ok && !strings.HasPrefix(typed, "grant_") {
		out.For = typed
	}
	return out
}

// Mode says what the organisation spends.
func (p orgPage) Mode() string { return modeWords(p.Organisation.Terms.Mode) }

// choices returns values with their words.
func choices[T ~string](values []T, words func(T) string) []worded {
	out := make([]worded, len(values))
	for i, value := range values {
		out[i] = worded{string(value), words(value)}
	}
	return out
}

// PlanNamed returns the name of a plan, or the id of one that is not known.
func (p orgPage) PlanNamed(id string) string {
	for _, plan := range p.Plans {
		if plan.ID == id {
			return plan.Name
		}
	}
	return id
}

// Window returns the subscription in force, or nil.
func (p orgPage) Window() *ledger.Subscription { return p.Organisation.Terms.Subscription }

// findOrganisation sets the organisation of the path, which the journal then names.
func (ps *pages) findOrganisation(v *page.Visit) error {
	var err error
	v.Org, err = ps.Accounts.Organisation(v.R.Context(), v.R.PathValue("org"))
	if fault.KindOf(err) == fault.NotFound {
		return page.NoSuch("organisation")
	}
	return err
}

func (ps *pages) organisation(v *page.Visit) error {
	if err := ps.findOrganisation(v); err != nil {
		return err
	}
	ctx := v.R.Context()
	// The summary of a list of one: the same figures as in the list of all organisations.
	lines, err := ps.Accounts.Summaries(ctx, []account.Organisation{v.Org})
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return page.NoSuch("organisation")
	}
	p := orgPage{
		Summary: lines[0], Month: page.Month(lines[0].Period), Modes: choices(ledger.Modes(), modeWords), Kinds: choices(ledger.LotKinds(), page.LotKind),
		Name: v.Entered("/name"), Subscription: v.Entered("/subscription"), Lot: v.Entered("/lots"), Ceilings: v.Entered("/ceilings"),
	}
	for _, l := range p.Balance.Lots {
		p.Lots = append(p.Lots, lotWords(l))
	}
	if p.Plans, err = ps.Accounts.Plans(ctx); err != nil {
		return err
	}
	people, err := ps.Identity.People(ctx)
	if err != nil {
		return err
	}
	for _, person := range people {
		if person.OrgID == v.Org.ID {
			p.People = append(p.People, person)
		}
	}
	if w := p.Window(); w != nil {
		p.Expires, p.AutoRenew = w.Expires.UTC().Format(page.SecondLayout), w.AutoRenew
	}
	if p.Subscription.Sent != nil {
		p.AutoRenew = p.Subscription.Sent.Get("auto_renew") != "" // a box that is not ticked is not sent
	}
	return v.Show("organisation", enquiry.Inert(v.Org.Name), p)
}

// addressOf returns the address of the page of the organisation.
func addressOf(v *page.Visit) string { return path + "/" + v.Org.ID }

// renameOrganisation gives an organisation another name.
func (ps *pages) renameOrganisation(v *page.Visit) error {
	if err := ps.organisationForm(v); err != nil {
		return err
	}
	err := ps.Accounts.Rename(v.R.Context(), v.Org.ID, v.Sent.Field("name"))
	v.Note("organisation.rename", v.Org.ID, err)
	if err != nil {
		return err
	}
	return v.Done(addressOf(v), "The organisation has its new name.")
}

// subscribe sets the terms of an organisation.
func (ps *pages) subscribe(v *page.Visit) error {
	if err := ps.organisationForm(v); err != nil {
		return err
	}
	expires, err := v.Sent.Instant("expires")
	if err != nil {
		return err
	}
	err = ps.Accounts.Subscribe(v.R.Context(), v.Org.ID, account.SubscriptionRequest{
		Plan: v.Sent.Field("plan"), Mode: ledger.Mode(v.Sent.Field("mode")), Expires: sameEnd(v, expires),
		AutoRenew: v.Sent.Field("auto_renew") != "", RenewalPlan: v.Sent.Field("renewal_plan"), FallsBackTo: v.Sent.Field("falls_back_to"),
	})
	v.Note("subscription.set", v.Org.ID, err)
	if err != nil {
		return err
	}
	return v.Done(addressOf(v), "The plan and the subscription are set.")
}

// sameEnd returns the end of the subscription as it is kept when the form says the same
// second. A form has whole seconds, so saving it unchanged would cut off the rest.
func sameEnd(v *page.Visit, expires time.Time) time.Time {
	if w := v.Org.Terms.At(time.Now()).Subscription; w != nil && w.Expires.Truncate(time.Second).Equal(expires) {
		return w.Expires
	}
	return expires
}

// organisationForm reads the form and finds the organisation of the path.
func (ps *pages) organisationForm(v *page.Visit) error {
	if err := ps.findOrganisation(v); err != nil {
		return err
	}
	return v.ReadForm(page.MaxForm)
}

// grantLot gives an organisation characters.
func (ps *pages) grantLot(v *page.Visit) error {
	if err := ps.organisationForm(v); err != nil {
		return err
	}
	r := account.GrantRequest{Kind: ledger.LotKind(v.Sent.Field("kind")), Source: v.Sent.Field("source")}
	var err error
	if r.Characters, err = v.Sent.Number("characters", 0); err != nil {
		return err
	}
	if r.Expires, err = v.Sent.Day("expires"); err != nil {
		return err
	}
	lot, err := ps.Accounts.Grant(v.R.Context(), v.Org.ID, r)
	v.Note("lot.grant", lot.ID, err)
	if err != nil {
		return err
	}
	return v.Done(addressOf(v), page.Whole(lot.Granted)+" characters are granted.")
}

// setCeilings sets the limits over all keys of an organisation.
func (ps *pages) setCeilings(v *page.Visit) error {
	if err := ps.organisationForm(v); err != nil {
		return err
	}
	rpm, err := v.Sent.Bound("rpm")
	if err != nil {
		return err
	}
	streams, err := v.Sent.Bound("streams")
	if err != nil {
		return err
	}
	err = ps.Accounts.SetCeilings(v.R.Context(), v.Org.ID, account.Ceilings{RequestsPerMinute: int(rpm), MaxStreams: int(streams)})
	v.Note("ceilings.set", v.Org.ID, err)
	if err != nil {
		return err
	}
	return v.Done(addressOf(v), "The limits over all keys are set.")
}

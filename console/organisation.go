package console

import (
	"cmp"
	"strings"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/internal/fault"
)

// orgPage is what operators see of an organisation.
type orgPage struct {
	account.Summary
	Month  string // of the characters that are counted
	Lots   []orgLot
	Plans  []ledger.Plan
	Modes  []worded
	Kinds  []worded
	People []identity.Person
	// What stands in the form of the subscription.
	Expires   string
	AutoRenew bool
	// What was sent of each form, when it is shown again.
	Name, Subscription, Lot, Ceilings view
}

// worded is a value of a form and what it is called.
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

// orgLot is a lot in words.
type orgLot struct {
	ledger.Lot
	Name string // of its kind
	For  string // what it was granted for, or ""
}

// lotWords returns a lot in words. What granted it is a month of the plan, or what the
// operator typed.
func lotWords(l ledger.Lot) orgLot {
	out := orgLot{Lot: l, Name: kindWords(l.Kind)}
	if period, ok := strings.CutPrefix(l.Source, "plan:"); ok {
		period, _, _ = strings.Cut(period, ":")
		out.For = month(ledger.Period(period))
	} else if typed, ok := strings.CutPrefix(l.Source, "grant:"); ok && !strings.HasPrefix(typed, "grant_") {
		out.For = typed
	}
	return out
}

// kindWords is what a kind of lots is called.
func kindWords(kind ledger.LotKind) string { return capital(cmp.Or(lotKinds[kind], string(kind))) }

// Mode says what the organisation spends.
func (p orgPage) Mode() string { return modeWords(p.Organisation.Terms.Mode) }

// choices are values with their words.
func choices[T ~string](values []T, words func(T) string) []worded {
	out := make([]worded, len(values))
	for i, value := range values {
		out[i] = worded{string(value), words(value)}
	}
	return out
}

// PlanNamed returns the name of a plan; one that is not known is called by its id.
func (p orgPage) PlanNamed(id string) string {
	for _, plan := range p.Plans {
		if plan.ID == id {
			return plan.Name
		}
	}
	return id
}

// Window is the subscription in force; nil is none.
func (p orgPage) Window() *ledger.Subscription { return p.Organisation.Terms.Subscription }

// findOrganisation finds the organisation of the path, which is then the one that events name.
func (v *visit) findOrganisation() error {
	var err error
	v.org, err = v.Accounts.Organisation(v.r.Context(), v.r.PathValue("org"))
	if fault.KindOf(err) == fault.NotFound {
		return noSuch("organisation")
	}
	return err
}

func (v *visit) organisation() error {
	if err := v.findOrganisation(); err != nil {
		return err
	}
	ctx := v.r.Context()
	lines, err := v.Accounts.Summaries(ctx, []account.Organisation{v.org})
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return noSuch("organisation")
	}
	p := orgPage{
		Summary: lines[0], Month: month(lines[0].Period), Modes: choices(ledger.Modes(), modeWords), Kinds: choices(ledger.LotKinds(), kindWords),
		Name: v.entered("/name"), Subscription: v.entered("/subscription"), Lot: v.entered("/lots"), Ceilings: v.entered("/ceilings"),
	}
	for _, l := range p.Balance.Lots {
		p.Lots = append(p.Lots, lotWords(l))
	}
	if p.Plans, err = v.Accounts.Plans(ctx); err != nil {
		return err
	}
	people, err := v.Identity.People(ctx)
	if err != nil {
		return err
	}
	for _, person := range people {
		if person.OrgID == v.org.ID {
			p.People = append(p.People, person)
		}
	}
	if w := p.Window(); w != nil {
		p.Expires, p.AutoRenew = w.Expires.UTC().Format(minuteLayout), w.AutoRenew
	}
	if p.Subscription.Sent != nil {
		p.AutoRenew = p.Subscription.Sent.Get("auto_renew") != "" // a box that is not ticked is not sent
	}
	return v.show("organisation", enquiry.Inert(v.org.Name), p)
}

// organisationPage is where the page of the organisation is.
func (v *visit) organisationPage() string { return organisationsPath + "/" + v.org.ID }

// renameOrganisation gives an organisation another name.
func (v *visit) renameOrganisation() error {
	if err := v.organisationForm(); err != nil {
		return err
	}
	err := v.Accounts.Rename(v.r.Context(), v.org.ID, v.field("name"))
	v.note("organisation.rename", v.org.ID, err)
	if err != nil {
		return err
	}
	return v.done(v.organisationPage(), "The organisation has its new name.")
}

// subscribe sets the terms of an organisation.
func (v *visit) subscribe() error {
	if err := v.organisationForm(); err != nil {
		return err
	}
	expires, err := v.instant("expires")
	if err != nil {
		return err
	}
	err = v.Accounts.Subscribe(v.r.Context(), v.org.ID, account.SubscriptionRequest{
		Plan: v.field("plan"), Mode: ledger.Mode(v.field("mode")), Expires: v.sameEnd(expires),
		AutoRenew: v.field("auto_renew") != "", RenewalPlan: v.field("renewal_plan"), FallsBackTo: v.field("falls_back_to"),
	})
	v.note("subscription.set", v.org.ID, err)
	if err != nil {
		return err
	}
	return v.done(v.organisationPage(), "The plan and the subscription are set.")
}

// sameEnd returns the end of the window as it is kept when a form, which has whole
// seconds, says the same one.
func (v *visit) sameEnd(expires time.Time) time.Time {
	if w := v.org.Terms.At(time.Now()).Subscription; w != nil && w.Expires.Truncate(time.Second).Equal(expires) {
		return w.Expires
	}
	return expires
}

// organisationForm reads the form and finds the organisation of the path.
func (v *visit) organisationForm() error {
	if err := v.findOrganisation(); err != nil {
		return err
	}
	return v.form(maxForm)
}

// grantLot gives an organisation characters.
func (v *visit) grantLot() error {
	if err := v.organisationForm(); err != nil {
		return err
	}
	r := account.GrantRequest{Kind: ledger.LotKind(v.field("kind")), Source: v.field("source")}
	var err error
	if r.Characters, err = v.number("characters", 0); err != nil {
		return err
	}
	if r.Expires, err = v.day("expires"); err != nil {
		return err
	}
	lot, err := v.Accounts.Grant(v.r.Context(), v.org.ID, r)
	v.note("lot.grant", lot.ID, err)
	if err != nil {
		return err
	}
	return v.done(v.organisationPage(), whole(lot.Granted)+" characters are granted.")
}

// setCeilings sets the limits over all keys of an organisation.
func (v *visit) setCeilings() error {
	if err := v.organisationForm(); err != nil {
		return err
	}
	rpm, err := v.bound("rpm")
	if err != nil {
		return err
	}
	streams, err := v.bound("streams")
	if err != nil {
		return err
	}
	err = v.Accounts.SetCeilings(v.r.Context(), v.org.ID, account.Ceilings{RequestsPerMinute: int(rpm), MaxStreams: int(streams)})
	v.note("ceilings.set", v.org.ID, err)
	if err != nil {
		return err
	}
	return v.done(v.organisationPage(), "The limits over all keys are set.")
}

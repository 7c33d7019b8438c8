package console

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

func (c *Console) overviewRoutes() []route {
	return []route{
		get("/o/{org}", inside, (*visit).overview),
		get("/o/{org}/streams", inside, (*visit).streams),
	}
}

// overviewPage is what the first page of an organisation shows.
type overviewPage struct {
	Report  account.Report
	Month   string
	Lots    []lotLine // that can be spent; none where the mode hides them
	Keys    int       // that are active
	First   bool      // nothing has happened yet
	Use     useChart
	Pulse   account.Pulse
	Success string // share of Pulse, in percent
	Failed  []failure
	Streams streamsPart
	API     string
}

// failure is how often requests failed with a code.
type failure struct {
	meaning
	Requests int
}

func (v *visit) overview() error {
	ctx, now := v.r.Context(), time.Now()
	keys, err := v.keyNames(ctx)
	if err != nil {
		return err
	}
	p := overviewPage{API: v.API}
	if p.Use, err = v.useChart(ctx, now, keys); err != nil {
		return err
	}
	if p.Report, err = v.Accounts.Report(ctx, v.org.ID); err != nil {
		return err
	}
	if p.Pulse, err = v.Accounts.Recent(ctx, v.org.ID); err != nil {
		return err
	}
	if p.Streams, err = v.running(ctx, keys); err != nil {
		return err
	}
	p.Month = month(p.Report.Period)
	if p.Report.Organisation.Terms.Mode == ledger.Lots {
		for _, l := range p.Report.Balance.Lots {
			p.Lots = append(p.Lots, lotLine{l, cmp.Or(lotKinds[l.Kind], string(l.Kind))})
		}
	}
	for _, k := range keys.Keys {
		if k.Valid(now) {
			p.Keys++
		}
	}
	p.First = len(keys.Keys) == 0 && p.Use.Sum.Total == 0 && p.Report.Characters == 0 && p.Pulse.Requests == 0
	p.Success = percent(p.Pulse.Succeeded, p.Pulse.Requests)
	for _, f := range p.Pulse.Failures {
		p.Failed = append(p.Failed, failure{meaningOf(f.Code), f.Requests})
	}
	return v.show("overview", "Overview", p)
}

// month writes a month: November 2026.
func month(p ledger.Period) string {
	t, err := time.Parse("2006-01", string(p))
	if err != nil {
		return string(p)
	}
	return t.Format("January 2006")
}

// lotKinds are what the kinds of lots are called.
var lotKinds = map[ledger.LotKind]string{ledger.PlanGrant: "Of the plan", ledger.Purchase: "Bought", ledger.Promo: "Given"}

// lotLine is a lot and what its kind is called.
type lotLine struct {
	ledger.Lot
	Name string
}

// streamsPart is how many streams run, a part that is put in place now and then.
type streamsPart struct {
	account.StreamUse
	Keys []streamsOfKey // of which some run, those with most first
}

type streamsOfKey struct {
	Name    string
	Running int
}

// streams answers with the part; without a script there is only the whole page.
func (v *visit) streams() error {
	if !v.partial() {
		return v.done(v.at(""), "")
	}
	keys, err := v.keyNames(v.r.Context())
	if err != nil {
		return err
	}
	part, err := v.running(v.r.Context(), keys)
	if err != nil {
		return err
	}
	return v.part("overview", "streams-part", part)
}

func (v *visit) running(ctx context.Context, keys keyNames) (streamsPart, error) {
	use, err := v.Accounts.Streams(ctx, v.org.ID)
	if err != nil {
		return streamsPart{}, err
	}
	part := streamsPart{StreamUse: use}
	for id, n := range use.ByKey {
		part.Keys = append(part.Keys, streamsOfKey{keys.Of(id), n})
	}
	slices.SortFunc(part.Keys, func(a, b streamsOfKey) int {
		return cmp.Or(cmp.Compare(b.Running, a.Running), cmp.Compare(a.Name, b.Name))
	})
	return part, nil
}

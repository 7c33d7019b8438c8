// Package usage has the pages on which an organisation sees what it used: the overview,
// with characters by day, the balance and the streams that run, and the list of requests,
// with what came of each.
package usage

import (
	"cmp"
	"context"
	"embed"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/voice"
)

//go:embed *.html
var files embed.FS

// Config is what the pages need.
type Config struct {
	Accounts *account.Service
	Voices   *voice.Directory // nil knows the roster
	API      string           // where clients reach the services, for examples of code
	Speaks   bool             // whether there are pages of speech
	// KeepRequests is how long records of requests are kept; 0 says nothing of it.
	KeepRequests time.Duration
}

// pages serves the pages.
type pages struct{ Config }

// New returns the section of usage.
func New(cfg Config) page.Section {
	ps := &pages{cfg}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get("/o/{org}", page.Inside, ps.overview),
		page.Get("/o/{org}/streams", page.Inside, ps.streams),
		page.Get("/o/{org}/requests", page.Inside, ps.requests),
	}}
}

// overviewPage is what the first page of an organisation shows.
type overviewPage struct {
	Report  account.Report
	Month   string
	Lots    []lotLine // lots that can be spent; none unless the mode of accounting has lots
	Keys    int       // how many are valid
	First   bool      // nothing has happened yet
	Use     useChart
	Pulse   account.Pulse
	Success string // share of Pulse, in percent
	Failed  []failure
	Streams streamsPart
	API     string
	Speaks  bool
}

// failure is how often requests failed with a code.
type failure struct {
	meaning
	Requests int
}

func (ps *pages) overview(v *page.Visit) error {
	ctx, now := v.R.Context(), time.Now()
	keys, err := ps.keyNames(v, ctx)
	if err != nil {
		return err
	}
	p := overviewPage{API: ps.API, Speaks: ps.Speaks}
	if p.Use, err = ps.useChart(v, ctx, now, keys); err != nil {
		return err
	}
	if p.Report, err = ps.Accounts.Report(ctx, v.Org.ID); err != nil {
		return err
	}
	if p.Pulse, err = ps.Accounts.Recent(ctx, v.Org.ID); err != nil {
		return err
	}
	if p.Streams, err = ps.running(v, ctx, keys); err != nil {
		return err
	}
	p.Month = page.Month(p.Report.Period)
	if p.Report.Organisation.Terms.Mode == ledger.Lots {
		for _, l := range p.Report.Balance.Lots {
			p.Lots = append(p.Lots, lotLine{l, page.LotKind(l.Kind)})
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
	return v.Show("overview", "Overview", p)
}

// lotLine is a lot and what its kind is called.
type lotLine struct {
	ledger.Lot
	Name string
}

// streamsPart is how many streams run. The page asks for this part every 15 s.
type streamsPart struct {
	account.StreamUse
	Keys []streamsOfKey // keys with streams that run, those with most first
}

type streamsOfKey struct {
	Name    string
	Running int
}

// streams answers with the part. A browser that asks for it without a script is redirected
// to the whole page.
func (ps *pages) streams(v *page.Visit) error {
	if !v.Partial() {
		return v.Done(v.At(""), "")
	}
	keys, err := ps.keyNames(v, v.R.Context())
	if err != nil {
		return err
	}
	part, err := ps.running(v, v.R.Context(), keys)
	if err != nil {
		return err
	}
	return v.Part("overview", "streams-part", part)
}

func (ps *pages) running(v *page.Visit, ctx context.Context, keys keyNames) (streamsPart, error) {
	use, err := ps.Accounts.Streams(ctx, v.Org.ID)
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

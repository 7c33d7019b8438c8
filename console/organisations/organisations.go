// Package organisations has the pages on which operators manage organisations: their plan
// and subscription, the characters they are granted, and the limits over all their keys.
package organisations

import (
	"embed"
	"net/url"
	"slices"
	"strings"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/enquiry"
	"vaak/identity"
)

//go:embed *.html
var files embed.FS

// path is where the list of organisations is.
const path = "/organisations"

// Config is what the pages need.
type Config struct {
	Accounts *account.Service
	Identity *identity.Service
	Speaks   bool // whether there are pages of speech
}

// pages serves the pages.
type pages struct{ Config }

// New returns the section of organisations.
func New(cfg Config) page.Section {
	const one = path + "/{org}"
	ps := &pages{cfg}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get(path, page.Operators, ps.organisations),
		page.Post(path, page.Operators, ps.createOrganisation, ps.organisations),
		page.Get(one, page.Operators, ps.organisation),
		page.Post(one+"/name", page.Operators, ps.renameOrganisation, ps.organisation),
		page.Post(one+"/subscription", page.Operators, ps.subscribe, ps.organisation),
		page.Post(one+"/lots", page.Operators, ps.grantLot, ps.organisation),
		page.Post(one+"/ceilings", page.Operators, ps.setCeilings, ps.organisation),
	}}
}

// orgList is what the page of organisations shows.
type orgList struct {
	Lines  []account.Summary // the newest first
	Month  string            // the month of their characters
	Found  int               // on all pages
	All    int               // without the search
	Search bool              // whether the page has a field to search
	Q      string            // what is searched for
	Pages  page.Paging
	Plans  []ledger.Plan
	Speaks bool
}

// fewOrganisations is how many organisations are listed without a field to search.
const fewOrganisations = 10

// organisations lists the organisations whose name or id has the words of the search. It
// reads the balances of those on the page alone.
func (ps *pages) organisations(v *page.Visit) error {
	ctx := v.R.Context()
	all, err := ps.Accounts.Organisations(ctx)
	if err != nil {
		return err
	}
	p := orgList{All: len(all), Speaks: ps.Speaks, Q: strings.TrimSpace(v.R.URL.Query().Get("q"))}
	p.Search = p.All > fewOrganisations || p.Q != ""
	wanted := strings.ToLower(p.Q)
	all = slices.DeleteFunc(all, func(o account.Organisation) bool {
		return !strings.Contains(strings.ToLower(o.Name), wanted) && !strings.Contains(o.ID, wanted)
	})
	slices.Reverse(all)
	p.Found = len(all)
	shown, pages, err := page.Slice(v, all, url.Values{"q": {p.Q}})
	if err != nil {
		return err
	}
	p.Pages = pages
	if p.Lines, err = ps.Accounts.Summaries(ctx, shown); err != nil {
		return err
	}
	if len(p.Lines) > 0 {
		p.Month = page.Month(p.Lines[0].Period)
	}
	if p.Plans, err = ps.Accounts.Plans(ctx); err != nil {
		return err
	}
	return v.Show("organisations", "Organisations", p)
}

func (ps *pages) createOrganisation(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	o, err := ps.Accounts.CreateOrganisation(v.R.Context(), v.Sent.Field("name"), v.Sent.Field("plan"))
	v.Org = o
	v.Note("organisation.create", o.ID, err)
	if err != nil {
		return err
	}
	return v.Done(v.At(""), "The organisation "+enquiry.Inert(o.Name)+" is there.")
}

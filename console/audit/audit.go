// Package audit has the page on which operators see who did what.
package audit

import (
	"embed"
	"net/url"
	"strconv"

	"vaak/account"
	"vaak/console/page"
	"vaak/identity"
	"vaak/internal/fault"
)

//go:embed *.html
var files embed.FS

// path is where the page is.
const path = "/audit"

// Config is what the page needs. The pages of dictionaries and of enquiries are only
// linked to where there are some.
type Config struct {
	Identity     *identity.Service
	Accounts     *account.Service
	Dictionaries bool
	Enquiries    bool
}

// pages serves the page.
type pages struct{ Config }

// New returns the section of the audit.
func New(cfg Config) page.Section {
	ps := &pages{cfg}
	return page.Section{Files: files, Routes: []page.Route{page.Get(path, page.Operators, ps.audit)}}
}

// eventsPerPage is how many events a page has.
const eventsPerPage = 100

// auditLine is an event with the names that belong to its ids.
type auditLine struct {
	identity.Logged
	Words     string // the action in words; "" where there are none
	ActorName string // "" for somebody who is not known
	OrgName   string
	Name      string // what the target is called; its id where it has no name
	Page      string // address of the page of the target; "" where it has none
}

// Good reports whether it was done.
func (l auditLine) Good() bool { return l.Outcome == identity.OutcomeDone }

// auditPage is what the page of events shows.
type auditPage struct {
	Lines []auditLine // the newest first
	Orgs  []account.Organisation
	Org   string // only the events of this organisation; "" is all
	Pages page.Paging
}

// audit shows events, the newest first.
func (ps *pages) audit(v *page.Visit) error {
	ctx, q := v.R.Context(), v.R.URL.Query()
	p := auditPage{Org: q.Get("org")}
	var before int64
	if s := q.Get("before"); s != "" {
		var err error
		if before, err = strconv.ParseInt(s, 10, 64); err != nil || before < 1 {
			return fault.BadParameter("before", "before %.40q is not the number of an event", s)
		}
	}
	events, err := ps.Identity.Events(ctx, identity.EventQuery{OrgID: p.Org, Before: before, Limit: eventsPerPage + 1})
	if err != nil {
		return err
	}
	p.Pages = links(p.Org, before, events)
	people, err := ps.Identity.People(ctx)
	if err != nil {
		return err
	}
	names := make(map[string]string, len(people))
	for _, one := range people {
		names[one.ID] = one.Name
	}
	orgs, orgNames, err := page.Organisations(ctx, ps.Accounts)
	if err != nil {
		return err
	}
	p.Orgs = orgs
	for _, e := range events[:min(len(events), eventsPerPage)] {
		l := auditLine{Logged: e, Words: actionWords[e.Action], ActorName: names[e.Actor], OrgName: orgNames[e.OrgID]}
		l.Name, l.Page = ps.target(e.Event, names, orgNames)
		p.Lines = append(p.Lines, l)
	}
	return v.Show("audit", "Audit", p)
}

// links returns the links to the older and to the newest events. The events are those
// that were asked for: one more than fits on the page, if there are older ones.
func links(org string, before int64, events []identity.Logged) (p page.Paging) {
	q := url.Values{}
	if org != "" {
		q.Set("org", org)
	}
	if before != 0 {
		p.First = page.Address(path, q)
	}
	if len(events) > eventsPerPage {
		q.Set("before", strconv.FormatInt(events[eventsPerPage-1].Seq, 10))
		p.Older = page.Address(path, q)
	}
	return p
}

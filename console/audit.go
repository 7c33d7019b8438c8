package console

import (
	"net/url"
	"strconv"

	"vaak/account"
	"vaak/identity"
	"vaak/internal/fault"
)

const auditPath = "/audit"

func (c *Console) auditRoutes() []route {
	return []route{get(auditPath, operators, (*visit).audit)}
}

// eventsPerPage is how many events a page has.
const eventsPerPage = 100

// auditLine is an event with the names that belong to its ids.
type auditLine struct {
	identity.Logged
	Words     string // what was to be done
	ActorName string // "" of somebody who is not known
	OrgName   string
	Name      string // of the target; its id where it has none
	Page      string // of the target; "" is none
}

// Good reports whether it was done.
func (l auditLine) Good() bool { return l.Outcome == identity.OutcomeDone }

// auditPage is what the page of events shows.
type auditPage struct {
	Lines []auditLine // the newest first
	Orgs  []account.Organisation
	Org   string // whose events alone are shown; "" is all
	Pages paging
}

// audit shows events, the newest first.
func (v *visit) audit() error {
	ctx, q := v.r.Context(), v.r.URL.Query()
	p := auditPage{Org: q.Get("org")}
	var before int64
	if s := q.Get("before"); s != "" {
		var err error
		if before, err = strconv.ParseInt(s, 10, 64); err != nil || before < 1 {
			return fault.BadParameter("before", "before %.40q is not the number of an event", s)
		}
	}
	events, err := v.Identity.Events(ctx, identity.EventQuery{OrgID: p.Org, Before: before, Limit: eventsPerPage + 1})
	if err != nil {
		return err
	}
	p.Pages = v.auditPages(p.Org, before, events)
	people, err := v.Identity.People(ctx)
	if err != nil {
		return err
	}
	names := make(map[string]string, len(people))
	for _, one := range people {
		names[one.ID] = one.Name
	}
	orgs, orgNames, err := v.choices()
	if err != nil {
		return err
	}
	p.Orgs = orgs
	for _, e := range events[:min(len(events), eventsPerPage)] {
		l := auditLine{Logged: e, Words: actionWords[e.Action], ActorName: names[e.Actor], OrgName: orgNames[e.OrgID]}
		l.Name, l.Page = v.target(e.Event, names, orgNames)
		p.Lines = append(p.Lines, l)
	}
	return v.show("audit", "Audit", p)
}

// auditPages links to the events before a page that may have one too many, and to
// the newest ones.
func (v *visit) auditPages(org string, before int64, events []identity.Logged) (p paging) {
	q := url.Values{}
	if org != "" {
		q.Set("org", org)
	}
	if before != 0 {
		p.First = address(auditPath, q)
	}
	if len(events) > eventsPerPage {
		q.Set("before", strconv.FormatInt(events[eventsPerPage-1].Seq, 10))
		p.Older = address(auditPath, q)
	}
	return p
}

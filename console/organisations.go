package console

import (
	"net/url"
	"slices"
	"strings"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/enquiry"
)

const organisationsPath = "/organisations"

func (c *Console) organisationRoutes() []route {
	const one = organisationsPath + "/{org}"
	return []route{
		get(organisationsPath, operators, (*visit).organisations),
		post(organisationsPath, operators, (*visit).createOrganisation, (*visit).organisations),
		get(one, operators, (*visit).organisation),
		post(one+"/name", operators, (*visit).renameOrganisation, (*visit).organisation),
		post(one+"/subscription", operators, (*visit).subscribe, (*visit).organisation),
		post(one+"/lots", operators, (*visit).grantLot, (*visit).organisation),
		post(one+"/ceilings", operators, (*visit).setCeilings, (*visit).organisation),
	}
}

// orgList is what the page of organisations shows.
type orgList struct {
	Lines  []account.Summary // the newest first
	Month  string            // that of their characters
	Found  int               // on all pages
	All    int               // whatever was looked for
	Search bool              // whether there is a field to look for some
	Q      string            // what was looked for
	Pages  paging
	Plans  []ledger.Plan
}

// fewOrganisations are so many that nobody has to look for one of them.
const fewOrganisations = 10

// organisations lists those whose name or id holds what is looked for. Only of those
// on the page it is asked how they stand.
func (v *visit) organisations() error {
	ctx := v.r.Context()
	all, err := v.Accounts.Organisations(ctx)
	if err != nil {
		return err
	}
	p := orgList{All: len(all), Q: strings.TrimSpace(v.r.URL.Query().Get("q"))}
	p.Search = p.All > fewOrganisations || p.Q != ""
	wanted := strings.ToLower(p.Q)
	all = slices.DeleteFunc(all, func(o account.Organisation) bool {
		return !strings.Contains(strings.ToLower(o.Name), wanted) && !strings.Contains(o.ID, wanted)
	})
	slices.Reverse(all)
	p.Found = len(all)
	shown, pages, err := paged(v, all, url.Values{"q": {p.Q}})
	if err != nil {
		return err
	}
	p.Pages = pages
	if p.Lines, err = v.Accounts.Summaries(ctx, shown); err != nil {
		return err
	}
	if len(p.Lines) > 0 {
		p.Month = month(p.Lines[0].Period)
	}
	if p.Plans, err = v.Accounts.Plans(ctx); err != nil {
		return err
	}
	return v.show("organisations", "Organisations", p)
}

func (v *visit) createOrganisation() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	o, err := v.Accounts.CreateOrganisation(v.r.Context(), v.field("name"), v.field("plan"))
	v.org = o
	v.note("organisation.create", o.ID, err)
	if err != nil {
		return err
	}
	return v.done(v.at(""), "The organisation "+enquiry.Inert(o.Name)+" is there.")
}

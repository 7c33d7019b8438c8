package console

import (
	"net/url"
	"strings"

	"vaak/account"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/internal/fault"
)

const peoplePath = "/people"

func (c *Console) peopleRoutes() []route {
	const one = peoplePath + "/{person}"
	return []route{
		get(peoplePath, operators, (*visit).people),
		post(peoplePath, operators, (*visit).invite, (*visit).people),
		get(one, operators, (*visit).onePerson),
		post(one+"/invitation", operators, (*visit).reinvite, (*visit).onePerson),
		post(one+"/disable", operators, (*visit).disablePerson, (*visit).onePerson),
		post(one+"/enable", operators, (*visit).enablePerson, (*visit).onePerson),
		post(one+"/role", operators, (*visit).changeRole, (*visit).onePerson),
	}
}

// manyOrganisations are more than a select can hold and still be used.
const manyOrganisations = 500

// invitationLink leads to where a person chooses a password. It is shown once.
type invitationLink struct {
	URL string // "" is none
	For identity.Person
}

// orgNames are names of organisations by id.
type orgNames map[string]string

// peopleList is what the page of people shows.
type peopleList struct {
	People []identity.Person // by e-mail
	Names  orgNames
	Found  int // on all pages
	All    int
	Search bool
	Q      string
	Pages  paging
	Link   invitationLink
	Orgs   []account.Organisation // to choose from; nil where they are too many
	Org    string                 // the one that stands in the form at first
}

// Alone reports whether who asks is the only person there is.
func (p peopleList) Alone() bool { return p.All == 1 }

// personPage is what the page of one of them shows.
type personPage struct {
	identity.Person
	Self bool // it is the page of who asks
	Link invitationLink
	Orgs []account.Organisation
	// Names has the person's organisation.
	Names orgNames
}

// choices returns the organisations to choose from, nil when they are too many, and
// the names of all.
func (v *visit) choices() ([]account.Organisation, orgNames, error) {
	all, err := v.Accounts.Organisations(v.r.Context())
	if err != nil {
		return nil, nil, err
	}
	names := make(orgNames, len(all))
	for _, o := range all {
		names[o.ID] = o.Name
	}
	if len(all) > manyOrganisations {
		all = nil
	}
	return all, names, nil
}

func (v *visit) people() error { return v.showPeople(invitationLink{}) }

func (v *visit) showPeople(link invitationLink) error {
	all, err := v.Identity.People(v.r.Context())
	if err != nil {
		return err
	}
	q := v.r.URL.Query()
	p := peopleList{All: len(all), Q: strings.TrimSpace(q.Get("q")), Org: q.Get("org"), Link: link}
	p.Search = p.All > pageSize || p.Q != ""
	if p.Orgs, p.Names, err = v.choices(); err != nil {
		return err
	}
	found, wanted := all[:0:0], strings.ToLower(p.Q)
	for _, one := range all {
		if strings.Contains(one.Email, wanted) || strings.Contains(strings.ToLower(one.Name), wanted) {
			found = append(found, one)
		}
	}
	p.Found = len(found)
	if p.People, p.Pages, err = paged(v, found, url.Values{"q": {p.Q}}); err != nil {
		return err
	}
	return v.show("people", "People", p)
}

// invite adds a person and answers with the link, which is nowhere else from then on.
func (v *visit) invite() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	d := identity.Draft{Name: v.field("name"), Email: v.field("email"), Role: identity.Role(v.field("role"))}
	var err error
	if d.OrgID, err = v.chosenOrganisation(); err != nil {
		return err
	}
	p, token, err := v.Identity.Invite(v.r.Context(), v.person, v.client(), d)
	if err != nil {
		return err
	}
	v.sent = nil // the form is empty again
	return v.showPeople(v.invitationLink(p, token))
}

func (v *visit) invitationLink(p identity.Person, token string) invitationLink {
	return invitationLink{InvitationLink(v.URL, token), p}
}

// InvitationLink returns the link of an invitation, at the address of a console.
func InvitationLink(address, token string) string {
	return address + "/invitation/" + url.PathEscape(token)
}

// chosenOrganisation returns the id of the organisation in a form, which has to be
// there; "" where none was chosen.
func (v *visit) chosenOrganisation() (string, error) {
	id := v.field("organisation")
	if id == "" {
		return "", nil
	}
	_, err := v.Accounts.Organisation(v.r.Context(), id)
	if fault.KindOf(err) == fault.NotFound {
		return "", fault.BadParameter("organisation", "there is no organisation %.64q", id)
	}
	return id, err
}

func (v *visit) onePerson() error { return v.showPerson(invitationLink{}) }

func (v *visit) showPerson(link invitationLink) error {
	who, err := v.findPerson()
	if err != nil {
		return err
	}
	p := personPage{Person: who, Self: who.ID == v.person.ID, Link: link}
	if p.Orgs, p.Names, err = v.choices(); err != nil {
		return err
	}
	return v.show("person", enquiry.Inert(who.Name), p)
}

// findPerson returns the person of the path.
func (v *visit) findPerson() (identity.Person, error) {
	p, err := v.Identity.Person(v.r.Context(), v.r.PathValue("person"))
	if fault.KindOf(err) == fault.NotFound {
		return p, noSuch("person")
	}
	return p, err
}

// reinvite makes a new link for somebody who has lost the password, or the link.
func (v *visit) reinvite() error {
	p, err := v.findPerson()
	if err == nil {
		err = v.form(maxForm)
	}
	if err != nil {
		return err
	}
	token, err := v.Identity.Reinvite(v.r.Context(), v.person, v.client(), p.ID)
	if err != nil {
		return err
	}
	return v.showPerson(v.invitationLink(p, token))
}

func (v *visit) disablePerson() error {
	return v.setDisabled(true, "Disabled: they are signed out and cannot sign in.")
}

func (v *visit) enablePerson() error { return v.setDisabled(false, "Enabled: they can sign in again.") }

func (v *visit) setDisabled(disabled bool, notice string) error {
	p, err := v.findPerson()
	if err != nil {
		return err
	}
	if _, err := v.Identity.SetDisabled(v.r.Context(), v.person, v.client(), p.ID, disabled); err != nil {
		return err
	}
	return v.done(peoplePath+"/"+p.ID, notice)
}

func (v *visit) changeRole() error {
	p, err := v.findPerson()
	if err == nil {
		err = v.form(maxForm)
	}
	if err != nil {
		return err
	}
	org, err := v.chosenOrganisation()
	if err != nil {
		return err
	}
	if _, err := v.Identity.SetRole(v.r.Context(), v.person, v.client(), p.ID, identity.Role(v.field("role")), org); err != nil {
		return err
	}
	return v.done(peoplePath+"/"+p.ID, "The role is set. Where it is another one, they are signed out.")
}

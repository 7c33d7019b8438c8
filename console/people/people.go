// Package people has the pages on which operators invite people and say what they may do.
package people

import (
	"embed"
	"net/url"
	"strings"

	"vaak/account"
	"vaak/console/page"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/internal/fault"
)

//go:embed *.html
var files embed.FS

// path is where the list of people is.
const path = "/people"

// Config is what the pages need.
type Config struct {
	Identity *identity.Service
	Accounts *account.Service
	URL      string // where people reach the console, without a slash at the end
}

// pages serves the pages.
type pages struct{ Config }

// New returns the section of people.
func New(cfg Config) page.Section {
	const one = path + "/{person}"
	ps := &pages{cfg}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get(path, page.Operators, ps.people),
		page.Post(path, page.Operators, ps.invite, ps.people),
		page.Get(one, page.Operators, ps.onePerson),
		page.Post(one+"/invitation", page.Operators, ps.reinvite, ps.onePerson),
		page.Post(one+"/disable", page.Operators, ps.disablePerson, ps.onePerson),
		page.Post(one+"/enable", page.Operators, ps.enablePerson, ps.onePerson),
		page.Post(one+"/role", page.Operators, ps.changeRole, ps.onePerson),
	}}
}

// invitationLink leads to where a person chooses a password. It is shown once.
type invitationLink struct {
	URL string // "" is none
	For identity.Person
}

// peopleList is what the page of people shows.
type peopleList struct {
	People []identity.Person // sorted by e-mail address
	Names  map[string]string
	Found  int // on all pages
	All    int
	Search bool
	Q      string
	Pages  page.Paging
	Link   invitationLink
	Orgs   []account.Organisation // to choose from; nil where they are too many
	Org    string                 // the one that the form begins with
}

// Alone reports whether there is nobody but the person who asks.
func (p peopleList) Alone() bool { return p.All == 1 }

// personPage is what the page of one of them shows.
type personPage struct {
	identity.Person
	Self bool // the page is about the person who asks
	Link invitationLink
	Orgs []account.Organisation
	// Names has the person's organisation.
	Names map[string]string
}

func (ps *pages) people(v *page.Visit) error { return ps.showPeople(v, invitationLink{}) }

func (ps *pages) showPeople(v *page.Visit, link invitationLink) error {
	all, err := ps.Identity.People(v.R.Context())
	if err != nil {
		return err
	}
	q := v.R.URL.Query()
	p := peopleList{All: len(all), Q: strings.TrimSpace(q.Get("q")), Org: q.Get("org"), Link: link}
	p.Search = p.All > page.Lines || p.Q != ""
	if p.Orgs, p.Names, err = page.Organisations(v.R.Context(), ps.Accounts); err != nil {
		return err
	}
	// An empty slice of no capacity, so that appending does not overwrite all. Addresses are kept
	// in lower case.
	found, wanted := all[:0:0], strings.ToLower(p.Q)
	for _, one := range all {
		if strings.Contains(one.Email, wanted) || strings.Contains(strings.ToLower(one.Name), wanted) {
			found = append(found, one)
		}
	}
	p.Found = len(found)
	if p.People, p.Pages, err = page.Slice(v, found, url.Values{"q": {p.Q}}); err != nil {
		return err
	}
	return v.Show("people", "People", p)
}

// invite adds a person and shows the link. It does not redirect, since only a digest of
// the token is kept and no other page could show the link.
func (ps *pages) invite(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	d := identity.Draft{Name: v.Sent.Field("name"), Email: v.Sent.Field("email"), Role: identity.Role(v.Sent.Field("role"))}
	var err error
	if d.OrgID, err = ps.chosenOrganisation(v); err != nil {
		return err
	}
	p, token, err := ps.Identity.Invite(v.R.Context(), v.Person, v.Client(), d)
	if err != nil {
		return err
	}
	v.Sent = page.Form{} // the form is empty again
	return ps.showPeople(v, ps.invitationLink(v, p, token))
}

func (ps *pages) invitationLink(v *page.Visit, p identity.Person, token string) invitationLink {
	return invitationLink{page.InvitationLink(ps.URL, token), p}
}

// chosenOrganisation returns the id of the organisation that the form chooses, or "" for
// none. It must exist.
func (ps *pages) chosenOrganisation(v *page.Visit) (string, error) {
	id := v.Sent.Field("organisation")
	if id == "" {
		return "", nil
	}
	_, err := ps.Accounts.Organisation(v.R.Context(), id)
	if fault.KindOf(err) == fault.NotFound {
		return "", fault.BadParameter("organisation", "there is no organisation %.64q", id)
	}
	return id, err
}

func (ps *pages) onePerson(v *page.Visit) error { return ps.showPerson(v, invitationLink{}) }

func (ps *pages) showPerson(v *page.Visit, link invitationLink) error {
	who, err := ps.findPerson(v)
	if err != nil {
		return err
	}
	p := personPage{Person: who, Self: who.ID == v.Person.ID, Link: link}
	if p.Orgs, p.Names, err = page.Organisations(v.R.Context(), ps.Accounts); err != nil {
		return err
	}
	return v.Show("person", enquiry.Inert(who.Name), p)
}

// findPerson returns the person of the path.
func (ps *pages) findPerson(v *page.Visit) (identity.Person, error) {
	p, err := ps.Identity.Person(v.R.Context(), v.R.PathValue("person"))
	if fault.KindOf(err) == fault.NotFound {
		return p, page.NoSuch("person")
	}
	return p, err
}

// reinvite makes a new link for a person who has lost the password or the first link.
func (ps *pages) reinvite(v *page.Visit) error {
	p, err := ps.findPerson(v)
	if err == nil {
		err = v.ReadForm(page.MaxForm)
	}
	if err != nil {
		return err
	}
	token, err := ps.Identity.Reinvite(v.R.Context(), v.Person, v.Client(), p.ID)
	if err != nil {
		return err
	}
	return ps.showPerson(v, ps.invitationLink(v, p, token))
}

func (ps *pages) disablePerson(v *page.Visit) error {
	return ps.setDisabled(v, true, "Disabled: they are signed out and cannot sign in.")
}

func (ps *pages) enablePerson(v *page.Visit) error {
	return ps.setDisabled(v, false, "Enabled: they can sign in again.")
}

func (ps *pages) setDisabled(v *page.Visit, disabled bool, notice string) error {
	p, err := ps.findPerson(v)
	if err != nil {
		return err
	}
	if _, err := ps.Identity.SetDisabled(v.R.Context(), v.Person, v.Client(), p.ID, disabled); err != nil {
		return err
	}
	return v.Done(path+"/"+p.ID, notice)
}

func (ps *pages) changeRole(v *page.Visit) error {
	p, err := ps.findPerson(v)
	if err == nil {
		err = v.ReadForm(page.MaxForm)
	}
	if err != nil {
		return err
	}
	org, err := ps.chosenOrganisation(v)
	if err != nil {
		return err
	}
	if _, err := ps.Identity.SetRole(v.R.Context(), v.Person, v.Client(), p.ID, identity.Role(v.Sent.Field("role")), org); err != nil {
		return err
	}
	return v.Done(path+"/"+p.ID, "The role is set. Where it is another one, they are signed out.")
}

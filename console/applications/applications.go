// Package applications has the page on which a person allows an application to act for an
// organisation, and the list of those that are connected.
package applications

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/internal/fault"
	"vaak/oauth"
)

//go:embed *.html
var files embed.FS

// Config is what the pages need.
type Config struct {
	OAuth    *oauth.Service
	Accounts *account.Service
	Identity *identity.Service
}

// pages serves the pages.
type pages struct{ Config }

// New returns the section of applications.
func New(cfg Config) page.Section {
	ps := &pages{cfg}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get(oauth.AuthorizePath, page.SignedIn, ps.ask),
		page.Post(oauth.AuthorizePath, page.SignedIn, ps.decide, ps.askAgain),
		page.Get("/o/{org}/applications", page.Inside, ps.list),
		page.Post("/o/{org}/applications/{grant}/disconnect", page.Inside, ps.disconnect, ps.list),
	}}
}

// question is what the page of consent shows.
type question struct {
	oauth.Asked
	Sealed   string                 // what was asked, for the form
	Known    string                 // host of the document that describes the client; "" where it only says who it is
	Host     string                 // where the answer goes
	Local    bool                   // to a program on the person's own machine
	Orgs     []account.Organisation // to choose from
	Operates bool                   // the person may name any organisation
	Scopes   []oauth.Scope
	Charged  bool // speech is among them
}

// ask shows what an application asks for. Only a person who is signed in gets this far, so that a
// stranger cannot make the server read documents, nor use it to lead people elsewhere.
func (ps *pages) ask(v *page.Visit) error {
	asked, err := ps.OAuth.Ask(v.R.Context(), v.R.URL.Query())
	if r, ok := errors.AsType[*oauth.Refusal](err); ok {
		v.Wrong = r.Err
		host, local := r.Host()
		return v.Show("application-refused", "This application asked for something else", refused{r, host, local})
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Unauthenticated {
		// It is the application that is not known, and not the person.
		return fault.New(fault.Invalid, f.Code, "", "%s", f.Msg)
	}
	if err != nil {
		return err
	}
	return ps.show(v, asked)
}

// refused is what the page of a request that is not good shows.
type refused struct {
	*oauth.Refusal
	Host  string
	Local bool
}

// Link is the way back for a person who follows it. Its scheme was checked, and templates remove
// those that they do not know.
func (r refused) Link() string { return r.To }

func (ps *pages) show(v *page.Visit, asked oauth.Asked) error {
	q := question{Asked: asked, Scopes: oauth.Words(asked.Scopes), Charged: slices.Contains(asked.Scopes, oauth.Speech), Operates: v.Person.Operates()}
	q.Host, q.Local = asked.Host()
	if asked.Client.Documented() {
		u, err := url.Parse(asked.Client.ID)
		if err != nil {
			return err
		}
		q.Known = u.Host
	}
	var err error
	if q.Sealed, err = ps.OAuth.Carry(asked, v.Person.ID); err != nil {
		return err
	}
	if q.Orgs, err = ps.organisations(v.R.Context(), v.Person); err != nil {
		return err
	}
	v.AllowFormsTo(asked.Redirect)
	return v.Show("application", "Connect an application", q)
}

// organisations returns those that a person may choose from.
func (ps *pages) organisations(ctx context.Context, p identity.Person) ([]account.Organisation, error) {
	if p.Operates() {
		choice, _, err := page.Organisations(ctx, ps.Accounts)
		return choice, err
	}
	o, err := ps.Accounts.Organisation(ctx, p.OrgID)
	return []account.Organisation{o}, err
}

// decide sends the person back to the application, with a code or a no.
func (ps *pages) decide(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	asked, err := ps.OAuth.Carried(v.Sent.Get("request"), v.Person.ID)
	if err != nil {
		return err
	}
	to := ""
	switch v.Sent.Get("answer") {
	case "allow":
		if to, err = ps.allow(v, asked); err != nil {
			return err
		}
	case "deny":
		to = ps.OAuth.Deny(asked)
	default:
		return fault.BadParameter("answer", "Choose whether to allow it.")
	}
	v.W.Header().Set("Cache-Control", "no-store") // the address holds the code
	http.Redirect(v.W, v.R, to, http.StatusSeeOther)
	return nil
}

func (ps *pages) allow(v *page.Visit, asked oauth.Asked) (string, error) {
	limit, err := v.Sent.Number("cap", ledger.Unlimited)
	if err != nil {
		return "", err
	}
	if v.Sent.Field("cap") != "" && limit < 1 {
		return "", fault.BadParameter("cap", "Characters a month: type at least 1, or leave it empty for no limit.")
	}
	return ps.OAuth.Approve(v.R.Context(), v.Client(), v.Person, asked, oauth.Approval{
		OrgID: cmp.Or(v.Sent.Field("org"), v.Person.OrgID), Scopes: v.Sent.Values["scope"], MonthlyCap: limit,
	})
}

// askAgain shows the question once more, with what is wrong with the answer.
func (ps *pages) askAgain(v *page.Visit) error {
	asked, err := ps.OAuth.Carried(v.Sent.Get("request"), v.Person.ID)
	if err != nil {
		return err
	}
	return ps.show(v, asked)
}

// line is an application that is connected.
type line struct {
	oauth.Grant
	Host   string // of its document; "" where it only says who it is
	Person string // who has connected it
	Key    account.Key
	Use    account.KeyUsage
	Words  []oauth.Scope
}

// list is what the page of applications shows.
type list struct {
	Lines     []line
	Month     string
	Pages     page.Paging
	Addresses []oauth.Resource
}

func (ps *pages) list(v *page.Visit) error {
	ctx := v.R.Context()
	grants, err := ps.OAuth.Grants(ctx, v.Org.ID)
	if err != nil {
		return err
	}
	p := list{Addresses: ps.OAuth.Resources()}
	if grants, p.Pages, err = page.Slice(v, grants, nil); err != nil {
		return err
	}
	report, err := ps.Accounts.Report(ctx, v.Org.ID)
	if err != nil {
		return err
	}
	used, err := ps.Accounts.Usage(ctx, v.Org.ID, report.Period)
	if err != nil {
		return err
	}
	p.Month = page.Month(report.Period)
	byKey := map[string]account.KeyUsage{}
	for _, u := range used {
		byKey[u.KeyID] = u
	}
	keys, err := ps.Accounts.Keys(ctx, v.Org.ID)
	if err != nil {
		return err
	}
	for _, g := range grants {
		l := line{Grant: g, Use: byKey[g.KeyID], Words: oauth.Words(g.Scopes)}
		if i := slices.IndexFunc(keys, func(k account.Key) bool { return k.ID == g.KeyID }); i >= 0 {
			l.Key = keys[i]
		}
		if u, err := url.Parse(g.ClientID); err == nil {
			l.Host = u.Host
		}
		who, err := ps.Identity.Person(ctx, g.PersonID)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		l.Person = who.Name
		p.Lines = append(p.Lines, l)
	}
	return v.Show("applications", "Applications", p)
}

func (ps *pages) disconnect(v *page.Visit) error {
	g, err := ps.OAuth.Disconnect(v.R.Context(), v.Client(), v.Person, v.Org.ID, v.R.PathValue("grant"))
	if err != nil {
		return err
	}
	return v.Done(v.At("applications"), "The application "+enquiry.Inert(g.Name)+" is disconnected: the next request of it is refused.")
}

package page

import (
	"errors"
	"net/http"

	"vaak/account"
	"vaak/edge"
	"vaak/identity"
	"vaak/internal/fault"
)

// Visit is one request to a route, by somebody who may make it.
type Visit struct {
	W      http.ResponseWriter
	R      *http.Request
	Person identity.Person      // zero where nobody is signed in
	Org    account.Organisation // the one of the path; zero where it has none
	Sent   Form                 // empty until [Visit.ReadForm]
	Wrong  error                // what is wrong with the form that is shown again

	site    *Site
	route   Route
	formsTo string // another site to which forms may lead; see AllowFormsTo
}

// visit finds out who asks, and serves the route if they may.
func (s *Site) visit(w http.ResponseWriter, r *http.Request, to Route) {
	v := &Visit{site: s, W: w, R: r, route: to}
	err := v.admit()
	if err == nil {
		if err = to.Serve(v); err != nil && to.Again != nil && !v.Partial() && Correctable(err) {
			edge.Note(r.Context(), err)
			v.Wrong = err
			if err = to.Again(v); fault.KindOf(err) == fault.Cancelled {
				// A browser that left does not get the form again. The log and the
				// metrics have what was wrong with it, not that the browser left.
				err = v.Wrong
			}
		}
	}
	if err != nil {
		edge.Note(r.Context(), err)
		v.fail(err)
	}
}

// Correctable reports whether the person who sent a form can correct what an error is
// about. The form is shown again with such an error.
func Correctable(err error) bool {
	kind := fault.KindOf(err)
	return kind != fault.Internal && kind != fault.Unavailable && !errors.Is(err, errSignIn)
}

// errSignIn redirects to the page where people sign in.
var errSignIn = fault.New(fault.Unauthenticated, "sign_in_needed", "", "Sign in to see this page.")

// admit returns nil for a person who may ask for the route. To anybody else a page that
// they may not see does not exist, so nobody learns which ids there are.
func (v *Visit) admit() error {
	// For every route: pages for anybody ask who is signed in, too.
	if err := v.recognise(); err != nil {
		return err
	}
	if v.route.Who == Anybody {
		return nil
	}
	if v.Person.ID == "" {
		return errSignIn
	}
	switch v.route.Who {
	case SignedIn:
		return nil
	case Operators:
		if !v.Person.Operates() {
			return notThere()
		}
		return nil
	default:
		return v.enter()
	}
}

// enter sets the organisation of the path, if the person may enter it.
func (v *Visit) enter() error {
	id := v.R.PathValue("org")
	if !v.Person.MayEnter(id) {
		return notThere()
	}
	var err error
	v.Org, err = v.site.cfg.Accounts.Organisation(v.R.Context(), id)
	if fault.KindOf(err) == fault.NotFound {
		return notThere()
	}
	return err
}

func notThere() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "", "There is no page at this address, or it is not for you.")
}

// NoSuch returns the error for an address whose id belongs to nothing. What names the
// thing in a word, such as plan.
func NoSuch(what string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "", "There is no such %s.", what)
}

// Client returns who asks, for the limits on attempts and for the journal.
func (v *Visit) Client() identity.Client {
	scope, _ := edge.ClientScope(v.R.Context())
	return identity.Client{Address: edge.From(v.R.Context()).Address, Scope: scope}
}

// Note writes to the journal what the person did and its outcome, which is err. See
// [identity.Service.Note].
func (v *Visit) Note(action, target string, err error) {
	v.site.cfg.Identity.Note(v.R.Context(), v.Client(), identity.Event{Actor: v.Person.ID, OrgID: v.Org.ID, Action: action, Target: target}, err)
}

// Partial reports whether a script asks for a part of a page, to put it in place.
func (v *Visit) Partial() bool { return v.R.Header.Get("HX-Request") == "true" }

// FromHere reports whether a page of the console led to the request.
func (v *Visit) FromHere() bool { return v.site.fromHere(v.R) }

// At returns the address of a page of the organisation: "keys" is "/o/ID/keys", and ""
// is its first page.
func (v *Visit) At(path string) string {
	if path == "" {
		return "/o/" + v.Org.ID
	}
	return "/o/" + v.Org.ID + "/" + path
}

// Done redirects to an address of this server, whose page shows the notice.
func (v *Visit) Done(address, notice string) error {
	if notice != "" {
		v.Session().Put(noticeKey, notice)
	}
	if v.Partial() { // a redirect would put the whole page in place of the part
		v.W.Header().Set("HX-Redirect", address)
		v.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	http.Redirect(v.W, v.R, address, http.StatusSeeOther)
	return nil
}

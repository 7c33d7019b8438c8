package console

import (
	"errors"
	"net/http"
	"net/url"

	"vaak/account"
	"vaak/edge"
	"vaak/identity"
	"vaak/internal/fault"
)

// visit is one request to a route, by somebody who may make it.
type visit struct {
	*Console
	w      http.ResponseWriter
	r      *http.Request
	route  route
	person identity.Person      // zero where nobody is signed in
	org    account.Organisation // of the path; zero where it has none
	sent   url.Values           // the form, once [visit.form] has read it
	wrong  error                // what was wrong with the form that is shown again
}

// visit finds out who asks and serves the route.
func (c *Console) visit(w http.ResponseWriter, r *http.Request, to route) {
	v := &visit{Console: c, w: w, r: r, route: to}
	err := v.admit()
	if err == nil {
		if err = to.serve(v); err != nil && to.again != nil && !v.partial() && taught(err) {
			edge.Note(r.Context(), err)
			v.wrong = err
			if err = to.again(v); fault.KindOf(err) == fault.Cancelled {
				err = v.wrong // who left does not see the form again: what was wrong with it stands
			}
		}
	}
	if err != nil {
		edge.Note(r.Context(), err)
		v.fail(err)
	}
}

// taught reports whether an error says what whoever sent a form can do better.
func taught(err error) bool {
	kind := fault.KindOf(err)
	return kind != fault.Internal && kind != fault.Unavailable && !errors.Is(err, errSignIn)
}

// errSignIn sends whoever is not signed in to the page where they can.
var errSignIn = fault.New(fault.Unauthenticated, "sign_in_needed", "", "Sign in to see this page.")

// admit lets in who may ask for the route. What somebody may not see is not there.
func (v *visit) admit() error {
	if err := v.recognise(); err != nil {
		return err
	}
	switch v.route.who {
	case anybody:
		return nil
	case person:
		return v.known()
	case operators:
		if err := v.known(); err != nil {
			return err
		}
		if !v.person.Operates() {
			return notThere()
		}
		return nil
	default:
		return v.enter()
	}
}

func (v *visit) known() error {
	if v.person.ID == "" {
		return errSignIn
	}
	return nil
}

// enter finds the organisation of the path, if the person may enter it.
func (v *visit) enter() error {
	if err := v.known(); err != nil {
		return err
	}
	id := v.r.PathValue("org")
	if !v.person.MayEnter(id) {
		return notThere()
	}
	var err error
	v.org, err = v.Accounts.Organisation(v.r.Context(), id)
	if fault.KindOf(err) == fault.NotFound {
		return notThere()
	}
	return err
}

func notThere() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "", "There is no page at this address, or it is not for you.")
}

// client is who asks, for what counts attempts and for the journal.
func (v *visit) client() identity.Client {
	scope, _ := edge.ClientScope(v.r.Context())
	return identity.Client{Address: edge.From(v.r.Context()).Address, Scope: scope}
}

// note writes down what the person did, with its outcome; see [identity.Service.Note].
func (v *visit) note(action, target string, err error) {
	v.Identity.Note(v.r.Context(), v.client(), identity.Event{Actor: v.person.ID, OrgID: v.org.ID, Action: action, Target: target}, err)
}

// partial reports whether a part of a page is asked for, to be put in place.
func (v *visit) partial() bool { return v.r.Header.Get("HX-Request") == "true" }

// at returns the address of something of the organisation: "keys" is "/o/ID/keys".
func (v *visit) at(path string) string {
	if path == "" {
		return "/o/" + v.org.ID
	}
	return "/o/" + v.org.ID + "/" + path
}

// done redirects to a page of this server that shows a notice.
func (v *visit) done(path, notice string) error {
	if notice != "" {
		v.sessions.Put(v.r.Context(), noticeKey, notice)
	}
	if v.partial() {
		v.w.Header().Set("HX-Redirect", path)
		v.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

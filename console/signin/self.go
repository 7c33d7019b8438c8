package signin

import (
	"html/template"
	"strings"

	"vaak/console/page"
	"vaak/identity"
)

func (ps *pages) self(v *page.Visit) error { return v.Show("self", "Your account", nil) }

func (ps *pages) changePassword(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	p, err := ps.Identity.SetPassword(v.R.Context(), v.Client(), v.Person.ID, v.Sent.Get("old"), v.Sent.Get("password"))
	if err != nil {
		return err
	}
	return keepSession(v, p, "Your password is changed. You are signed out everywhere else.")
}

// keepSession keeps this session after a change that ended all sessions of the person.
func keepSession(v *page.Visit, p identity.Person, notice string) error {
	if err := v.Session().Renew(p); err != nil {
		return err
	}
	return v.Done(page.SelfPath, notice)
}

// offer is what a person needs to add the account to an app for one-time codes.
type offer struct {
	identity.CodesOffer
	Groups []string     // the secret in groups of four, to be typed
	Link   template.URL // an otpauth: address; templates remove schemes that they do not know
}

// offerKey is the key of the session for the secret that was shown last. It is sealed.
const offerKey = "codes"

// offerCodes shows a secret for an app. It is the one that was shown before, if codes are
// not on yet, so that a person who comes back to the page can type the code of the entry
// that they already made.
func (ps *pages) offerCodes(v *page.Visit) error {
	if v.Person.HasCodes() {
		return v.Done(page.SelfPath, "One-time codes are on already.")
	}
	o, err := ps.Identity.SameCodes(v.Person, v.Session().String(offerKey))
	if err != nil {
		if o, err = ps.Identity.NewCodes(v.Person); err != nil {
			return err
		}
		v.Session().Put(offerKey, o.Sealed)
	}
	return v.Show("codes", "One-time codes", offer{o, groups(o.Secret, 4), template.URL(o.URI)})
}

// groups cuts a text into pieces of n bytes.
func groups(s string, n int) []string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

func (ps *pages) turnOnCodes(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	sealed, code := v.Session().String(offerKey), strings.ReplaceAll(v.Sent.Field("code"), " ", "")
	p, err := ps.Identity.TurnOnCodes(v.R.Context(), v.Client(), v.Person.ID, v.Sent.Get("password"), sealed, code)
	if err != nil {
		return err
	}
	v.Session().Remove(offerKey)
	return keepSession(v, p, "One-time codes are on: you will be asked for one after your password.")
}

func (ps *pages) turnOffCodes(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	p, err := ps.Identity.TurnOffCodes(v.R.Context(), v.Client(), v.Person.ID, v.Sent.Get("password"))
	if err != nil {
		return err
	}
	return keepSession(v, p, "One-time codes are off.")
}

func (ps *pages) signOutEverywhere(v *page.Visit) error {
	p, err := ps.Identity.SignOutEverywhere(v.R.Context(), v.Client(), v.Person.ID)
	if err != nil {
		return err
	}
	return keepSession(v, p, "You are signed out everywhere else.")
}

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
	return ps.kept(v, p, "Your password is changed. You are signed out everywhere else.")
}

// kept keeps this session after a change that ended all others.
func (ps *pages) kept(v *page.Visit, p identity.Person, notice string) error {
	if err := v.Session().Renew(p); err != nil {
		return err
	}
	return v.Done(page.SelfPath, notice)
}

// offer is what somebody needs to add the account to an app.
type offer struct {
	identity.CodesOffer
	Groups []string     // of the secret, to be typed
	Link   template.URL // otpauth:, a scheme that templates do not know
}

// offerKey is where the offer that was shown last waits in the session. It is sealed.
const offerKey = "codes"

// offerCodes shows a secret for an app: the one that was shown before, if it was not
// turned on yet, so that who comes back can go on.
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
	return ps.kept(v, p, "One-time codes are on: you will be asked for one after your password.")
}

func (ps *pages) turnOffCodes(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	p, err := ps.Identity.TurnOffCodes(v.R.Context(), v.Client(), v.Person.ID, v.Sent.Get("password"))
	if err != nil {
		return err
	}
	return ps.kept(v, p, "One-time codes are off.")
}

func (ps *pages) signOutEverywhere(v *page.Visit) error {
	p, err := ps.Identity.SignOutEverywhere(v.R.Context(), v.Client(), v.Person.ID)
	if err != nil {
		return err
	}
	return ps.kept(v, p, "You are signed out everywhere else.")
}

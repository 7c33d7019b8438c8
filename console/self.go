package console

import (
	"html/template"
	"strings"

	"vaak/identity"
)

// Where people look after themselves.
const selfPath = "/me"

func (c *Console) selfRoutes() []route {
	return []route{
		get(selfPath, person, (*visit).self),
		post(selfPath+"/password", person, (*visit).changePassword, (*visit).self),
		get(selfPath+"/codes", person, (*visit).offerCodes),
		post(selfPath+"/codes", person, (*visit).turnOnCodes, (*visit).offerCodes),
		post(selfPath+"/codes/off", person, (*visit).turnOffCodes, (*visit).self),
		post(selfPath+"/signout-everywhere", person, (*visit).signOutEverywhere, (*visit).self),
	}
}

func (v *visit) self() error { return v.show("self", "Your account", nil) }

func (v *visit) changePassword() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	p, err := v.Identity.SetPassword(v.r.Context(), v.client(), v.person.ID, v.sent.Get("old"), v.sent.Get("password"))
	if err != nil {
		return err
	}
	return v.kept(p, "Your password is changed. You are signed out everywhere else.")
}

// kept keeps this session after a change that ended all others.
func (v *visit) kept(p identity.Person, notice string) error {
	if err := v.refresh(p); err != nil {
		return err
	}
	return v.done(selfPath, notice)
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
func (v *visit) offerCodes() error {
	if v.person.HasCodes() {
		return v.done(selfPath, "One-time codes are on already.")
	}
	ctx := v.r.Context()
	o, err := v.Identity.SameCodes(v.person, v.sessions.GetString(ctx, offerKey))
	if err != nil {
		if o, err = v.Identity.NewCodes(v.person); err != nil {
			return err
		}
		v.sessions.Put(ctx, offerKey, o.Sealed)
	}
	return v.show("codes", "One-time codes", offer{o, groups(o.Secret, 4), template.URL(o.URI)})
}

// groups cuts a text into pieces of n bytes.
func groups(s string, n int) []string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

func (v *visit) turnOnCodes() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	sealed, code := v.sessions.GetString(v.r.Context(), offerKey), strings.ReplaceAll(v.field("code"), " ", "")
	p, err := v.Identity.TurnOnCodes(v.r.Context(), v.client(), v.person.ID, v.sent.Get("password"), sealed, code)
	if err != nil {
		return err
	}
	v.sessions.Remove(v.r.Context(), offerKey)
	return v.kept(p, "One-time codes are on: you will be asked for one after your password.")
}

func (v *visit) turnOffCodes() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	p, err := v.Identity.TurnOffCodes(v.r.Context(), v.client(), v.person.ID, v.sent.Get("password"))
	if err != nil {
		return err
	}
	return v.kept(p, "One-time codes are off.")
}

func (v *visit) signOutEverywhere() error {
	p, err := v.Identity.SignOutEverywhere(v.r.Context(), v.client(), v.person.ID)
	if err != nil {
		return err
	}
	return v.kept(p, "You are signed out everywhere else.")
}

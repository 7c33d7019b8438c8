package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"

	"vaak/identity"
	"vaak/internal/fault"
)

// maxCode is the longest code that is sent on, in bytes.
const maxCode = 4096

// maxLanded is how many finished flights are remembered. The caller deletes a flight when it
// finishes, but two requests that come at once may both have read it.
const maxLanded = 1024

// Finish returns the person that the provider vouches for, from the query with which a
// browser has come back. It works once for each flight. A query that does not fit the
// flight is Unauthenticated. While the provider is away it is Unavailable, and the person
// has to begin again.
func (p *Provider) Finish(ctx context.Context, f Flight, query url.Values) (identity.Vouched, error) {
	code, err := p.arrive(f, query)
	if err != nil {
		return identity.Vouched{}, err
	}
	d, err := p.discover(ctx)
	if err != nil {
		return identity.Vouched{}, err
	}
	if !p.land(f.State) {
		return identity.Vouched{}, refused("this way back from the identity provider was used already; begin again")
	}
	raw, err := p.exchange(ctx, d, code, f.Verifier)
	if err != nil {
		return identity.Vouched{}, err
	}
	return p.verify(ctx, d, raw, f.Nonce)
}

// arrive checks what a browser has brought back, and returns the code.
func (p *Provider) arrive(f Flight, query url.Values) (string, error) {
	state, ok := single(query, "state")
	if !ok || f.State == "" || f.Nonce == "" || f.Verifier == "" || subtle.ConstantTimeCompare([]byte(state), []byte(f.State)) != 1 {
		return "", refused("this is not the way back of what was begun in this browser; begin again")
	}
	if iss := query["iss"]; len(iss) > 0 && (len(iss) > 1 || iss[0] != p.config.Issuer) { // RFC 9207
		return "", refused("another identity provider has answered than was asked; begin again")
	}
	if e, ok := single(query, "error"); ok || len(query["error"]) > 0 {
		switch e {
		case "server_error", "temporarily_unavailable":
			return "", away(errors.New("the provider answered with an error"))
		case "access_denied":
			return "", refused("the identity provider did not let you sign in, or you have cancelled")
		}
		return "", refused("the identity provider has refused; begin again, and if that does not help ask an operator")
	}
	code, ok := single(query, "code")
	if !ok || code == "" || len(code) > maxCode {
		return "", refused("the identity provider has sent no code; begin again")
	}
	return code, nil
}

// single returns a parameter that the query has exactly once.
func single(q url.Values, name string) (string, bool) {
	if v := q[name]; len(v) == 1 {
		return v[0], true
	}
	return "", false
}

// landed are the latest finished flights.
type landed struct {
	states map[string]bool
	ring   [maxLanded]string
	next   int
}

// land marks a flight as finished; false when it was finished before.
func (p *Provider) land(state string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.landed
	if l.states[state] {
		return false
	}
	if l.states == nil {
		l.states = make(map[string]bool)
	}
	delete(l.states, l.ring[l.next])
	l.ring[l.next], l.states[state] = state, true
	l.next = (l.next + 1) % maxLanded
	return true
}

// verify checks an ID token and returns its person (OpenID Connect Core 1.0, section
// 3.1.3.7).
func (p *Provider) verify(ctx context.Context, d *discovered, raw, nonce string) (identity.Vouched, error) {
	keys := &keySet{KeySet: d.keys}
	token, err := oidc.NewVerifier(p.config.Issuer, keys, &oidc.Config{
		ClientID: p.config.ClientID, SupportedSigningAlgs: d.algorithms, Now: p.config.Now,
	}).Verify(ctx, raw)
	if err != nil {
		return identity.Vouched{}, p.unverified(ctx, keys.away, err)
	}
	var claims struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some write it as a string
		Party    string `json:"azp"`
	}
	if err := token.Claims(&claims); err != nil {
		return identity.Vouched{}, p.unverified(ctx, false, err)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1:
		err = errors.New("another nonce")
	case token.Subject == "":
		err = errors.New("no subject")
	case claims.Party != "" && claims.Party != p.config.ClientID, claims.Party == "" && len(token.Audience) > 1:
		err = errors.New("another authorized party")
	}
	if err != nil {
		return identity.Vouched{}, p.unverified(ctx, false, err)
	}
	return identity.Vouched{
		Issuer: p.config.Issuer, Subject: token.Subject,
		Email: claims.Email, EmailVerified: claims.Verified == true || claims.Verified == "true",
	}, nil
}

// unverified is the refusal of an ID token that could not be verified.
func (p *Provider) unverified(ctx context.Context, out bool, err error) error {
	if ctx.Err() != nil {
		return cancelled()
	}
	if out {
		return away(err)
	}
	e := fault.New(fault.Unauthenticated, CodeRefused, "", "what the identity provider says of you cannot be verified; begin again, and if that does not help ask an operator")
	e.Err = err
	return e
}

// keySet are the keys of the provider for one verification. It records whether the keys could
// not be read, since that is an outage, and not a token with a wrong signature.
type keySet struct {
	oidc.KeySet
	away bool
}

// VerifySignature implements [oidc.KeySet].
func (k *keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, jwt)
	if _, ok := errors.AsType[*url.Error](err); ok {
		k.away = true
	}
	return payload, err
}

func refused(sentence string) error {
	return fault.New(fault.Unauthenticated, CodeRefused, "", "%s", sentence)
}

package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
)

// Asked is what an application asks a person for. It was checked.
type Asked struct {
	Client    Client
	Redirect  string // where the answer goes
	State     string // of the application, given back with the answer
	Challenge string // of PKCE
	Resource  Resource
	Scopes    []string
}

// Host returns what a person should know of where the answer goes: the host, "" for a program on
// their own machine, or the scheme of a program.
func (a Asked) Host() (host string, local bool) {
	u, err := url.Parse(a.Redirect)
	switch {
	case err != nil: // cannot be: it was checked
		return "", false
	case u.Scheme == "http":
		return "", true
	case u.Scheme == "https":
		return u.Host, false
	}
	return u.Scheme + ":", true
}

// Refusal is an error of a request whose client and address of return are good. The application
// hears of it only when the person follows To: nobody is redirected without a click, because
// anybody can register an application and the address of return is theirs.
type Refusal struct {
	Err *fault.Error
	To  string
	Asked
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns what is wrong.
func (r *Refusal) Unwrap() error { return r.Err }

// maxState is how long the state of a client may be, in bytes.
const maxState = 1000

// Ask checks what an application asks for in a query (RFC 6749, section 4.1.1). The error is a
// [*Refusal] when the application may hear of it.
func (s *Service) Ask(ctx context.Context, q url.Values) (Asked, error) {
	for name, all := range q {
		if len(all) > 1 {
			return Asked{}, refuse(CodeInvalidRequest, "the parameter %.60q is there %d times; allowed: once", name, len(all))
		}
	}
	client, err := s.client(ctx, q.Get("client_id"))
	if err != nil {
		return Asked{}, err
	}
	a := Asked{Client: client, Redirect: q.Get("redirect_uri"), State: q.Get("state"), Challenge: q.Get("code_challenge")}
	if a.Redirect == "" {
		return Asked{}, refuse(CodeInvalidRequest, "redirect_uri is missing")
	}
	if !client.redirects(a.Redirect) {
		return Asked{}, refuse(CodeInvalidRequest, "redirect_uri %.100q is not one that the application has named", a.Redirect)
	}
	if len(a.State) > maxState {
		return Asked{}, refuse(CodeInvalidRequest, "state is over %d bytes", maxState)
	}
	if err := s.complete(&a, q); err != nil {
		return Asked{}, s.refusal(a, err)
	}
	return a, nil
}

// complete checks the parameters of which the application may hear.
func (s *Service) complete(a *Asked, q url.Values) *fault.Error {
	if q.Has("request") || q.Has("request_uri") {
		return refuse(CodeInvalidRequest, "requests as tokens are not served; send the parameters themselves")
	}
	if t := q.Get("response_type"); t != "code" {
		return refuse(CodeResponseType, "response_type %.60q is not served; allowed: code", t)
	}
	if m := q.Get("response_mode"); m != "" && m != "query" {
		return refuse(CodeInvalidRequest, "response_mode %.60q is not served; allowed: query", m)
	}
	if m := q.Get("code_challenge_method"); m != "S256" {
		return refuse(CodeInvalidRequest, "code_challenge_method %.60q is not served; allowed: S256", m)
	}
	if b, err := base64.RawURLEncoding.Strict().DecodeString(a.Challenge); err != nil || len(b) != 32 {
		return refuse(CodeInvalidRequest, "code_challenge is not 43 characters of base64url, as S256 makes them (RFC 7636)")
	}
	var ok bool
	if a.Resource, ok = s.resource(q.Get("resource")); !ok {
		return refuse(CodeInvalidTarget, "resource %.100q is not served; allowed: %s", q.Get("resource"), s.resources())
	}
	var err error
	if a.Scopes, err = a.Resource.parseScopes(q.Get("scope")); err != nil {
		e, _ := err.(*fault.Error) // parseScopes has no others
		return e
	}
	return nil
}

// resources lists the addresses of resources.
func (s *Service) resources() string {
	var all []string
	for _, r := range s.cfg.Resources {
		all = append(all, r.URL)
	}
	return fault.Listed(all)
}

func (s *Service) refusal(a Asked, err *fault.Error) *Refusal {
	return &Refusal{Err: err, Asked: a, To: s.answer(a, url.Values{"error": {err.Code}, "error_description": {ascii(err.Msg)}})}
}

// answer returns the address of return with an answer. It names the issuer, so that a client of
// several servers knows whose answer it is (RFC 9207).
func (s *Service) answer(a Asked, v url.Values) string {
	if a.State != "" {
		v.Set("state", a.State)
	}
	v.Set("iss", s.cfg.Issuer)
	return with(a.Redirect, v)
}

// Deny returns the address that tells the application that the person does not allow it.
func (s *Service) Deny(a Asked) string {
	return s.answer(a, url.Values{"error": {CodeAccessDenied}, "error_description": {"the person did not allow it"}})
}

// carried is what a page of consent carries, sealed.
type carried struct {
	Asked   Asked
	Expires time.Time
}

// Carry seals what was asked, for the form that a person sends. Only that person can send it, for
// ten minutes.
func (s *Service) Carry(a Asked, personID string) (string, error) {
	b, err := json.Marshal(carried{a, s.now().Add(consentLife)})
	if err != nil {
		return "", err
	}
	return s.consent.Seal(b, personID), nil
}

// Carried opens what [Service.Carry] sealed.
func (s *Service) Carried(sealed, personID string) (Asked, error) {
	var c carried
	b, ok := s.consent.Open(sealed, personID)
	if !ok || json.Unmarshal(b, &c) != nil || !s.cfg.Now().Before(c.Expires) {
		return Asked{}, fault.New(fault.Forbidden, CodeConsentExpired, "", "The question is older than ten minutes, or was not asked of you. Begin again in the application.")
	}
	return c.Asked, nil
}

// Approval is what a person allows.
type Approval struct {
	OrgID      string
	Scopes     []string // of those that were asked for; at least one
	MonthlyCap int64    // characters a month; ledger.Unlimited is none
}

// Approve records that a person allows what was asked, and returns the address that gives the
// application its code.
func (s *Service) Approve(ctx context.Context, from identity.Client, p identity.Person, a Asked, y Approval) (to string, err error) {
	defer func() {
		s.cfg.People.Note(ctx, from, identity.Event{Actor: p.ID, OrgID: y.OrgID, Action: "application.allow", Target: target(a.Client.ID)}, err)
	}()
	if !p.MayEnter(y.OrgID) {
		return "", fault.BadParameter("org", "Choose an organisation of yours.")
	}
	if len(y.Scopes) == 0 || !within(y.Scopes, a.Scopes) {
		return "", fault.BadParameter("scope", "Choose at least one of the things that the application asks for.")
	}
	n, err := s.cfg.Store.PersonGrants(ctx, p.ID)
	if err != nil {
		return "", err
	}
	if n >= MaxGrants {
		return "", fault.New(fault.Conflict, CodeTooManyGrants, "", "You have connected %d applications, which is the most. Disconnect one first.", n)
	}
	secret, hash := newSecret(codePrefix)
	err = s.cfg.Store.AddCode(ctx, Code{Hash: hash, Expires: s.now().Add(CodeLife), Allowed: Allowed{
		ClientID: a.Client.ID, Name: a.Client.Name, Redirect: a.Redirect, Challenge: a.Challenge, Resource: a.Resource.URL,
		PersonID: p.ID, OrgID: y.OrgID, Scopes: ordered(y.Scopes), MonthlyCap: y.MonthlyCap,
	}})
	if err != nil {
		return "", err
	}
	if !a.Client.Documented() {
		if err := s.cfg.Store.UseClient(ctx, a.Client.ID, s.now()); err != nil {
			return "", err
		}
	}
	return s.answer(a, url.Values{"code": {secret}}), nil
}

// target is the id of a client in the journal, which has no room for long addresses.
func target(clientID string) string {
	if len(clientID) > 200 {
		return clientID[:200]
	}
	return clientID
}

// ascii returns a sentence in the characters that error_description may have (RFC 6749, section
// 4.1.2.1).
func ascii(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			b[i] = '\''
		}
	}
	return string(b)
}

// Describe returns the sentence of an error for an answer of the protocol.
func Describe(e *fault.Error) string { return ascii(e.Msg) }

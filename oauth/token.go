package oauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"

	"vaak/account"
	"vaak/identity"
	"vaak/internal/fault"
	"vaak/internal/ids"
)

// The ways to get a token.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
)

// GrantTypes are the ways to get a token.
func GrantTypes() []string { return []string{grantCode, grantRefresh} }

// Issued is what an application gets.
type Issued struct {
	Access, Refresh string
	Scopes          []string // of the access token
}

// Issue answers a request for tokens (RFC 6749, sections 4.1.3 and 6).
func (s *Service) Issue(ctx context.Context, from identity.Client, form url.Values) (Issued, error) {
	if err := once(form); err != nil {
		return Issued{}, err
	}
	switch t := form.Get("grant_type"); t {
	case grantCode:
		return s.exchange(ctx, from, form)
	case grantRefresh:
		return s.refresh(ctx, from, form)
	default:
		return Issued{}, refuse(CodeGrantType, "grant_type %.60q is not served; allowed: %s, %s", t, grantCode, grantRefresh)
	}
}

// once refuses a form in which a parameter is repeated, or which brings a secret: clients have
// none here, and one that believes to have one has mistaken the server.
func once(form url.Values) error {
	for name, all := range form {
		if len(all) > 1 {
			return refuse(CodeInvalidRequest, "the parameter %.60q is there %d times; allowed: once", name, len(all))
		}
	}
	if form.Has("client_secret") || form.Has("client_assertion") {
		return refuse(CodeInvalidClient, "clients have no secret here; send client_id alone")
	}
	return nil
}

// sender returns the id of the client that a form is from. A client that registered must still be
// known; one with a document is not asked for it again.
func (s *Service) sender(ctx context.Context, form url.Values) (string, error) {
	id := form.Get("client_id")
	if id == "" {
		return "", refuse(CodeInvalidClient, "client_id is missing")
	}
	if strings.HasPrefix(id, "https://") {
		return id, nil
	}
	_, err := s.client(ctx, id)
	return id, err
}

// errGrant answers every code and refresh token that is not good, whatever the reason, so that a
// stranger who has found one learns nothing.
var (
	errCode    = refuse(CodeInvalidGrant, "the code is not good: it is unknown, has expired, was used, belongs to another client or address, or the verifier does not fit")
	errRefresh = refuse(CodeInvalidGrant, "the refresh token is not good: it is unknown, has expired, was used, belongs to another client, or the application was disconnected")
)

// exchange exchanges a code. A code that comes a second time ends what was made of it: one of the
// two senders has stolen it (RFC 6749, section 4.1.2).
func (s *Service) exchange(ctx context.Context, from identity.Client, form url.Values) (Issued, error) {
	clientID, err := s.sender(ctx, form)
	if err != nil {
		return Issued{}, err
	}
	secret, verifier := form.Get("code"), form.Get("code_verifier")
	if !isVerifier(verifier) {
		return Issued{}, refuse(CodeInvalidGrant, "code_verifier is missing or is not 43 to 128 letters, digits, -, ., _ and ~ (RFC 7636)")
	}
	if !isSecret(codePrefix, secret) {
		return Issued{}, errCode
	}
	hash := digest(secret)
	c, err := s.cfg.Store.Code(ctx, hash)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Issued{}, errCode
	case err != nil:
		return Issued{}, err
	case c.GrantID != "":
		return Issued{}, errors.Join(errCode, s.betrayed(ctx, from, c.GrantID, "application.code_reused"))
	}
	a := c.Allowed
	switch {
	case !s.cfg.Now().Before(c.Expires), a.ClientID != clientID, !fits(verifier, a.Challenge):
		return Issued{}, errCode
	case form.Has("redirect_uri") && form.Get("redirect_uri") != a.Redirect:
		return Issued{}, errCode
	case form.Has("resource") && form.Get("resource") != a.Resource:
		return Issued{}, refuse(CodeInvalidTarget, "resource %.100q is not the one of the code", form.Get("resource"))
	}
	if err := s.still(ctx, a.PersonID, a.OrgID); err != nil {
		return Issued{}, err
	}
	earlier, there, err := s.earlier(ctx, a)
	if err != nil {
		return Issued{}, err
	}
	if there {
		earlier.Scopes, earlier.Expires = a.Scopes, s.now().Add(RefreshLife)
		return s.conclude(ctx, from, hash, earlier)
	}
	key, err := s.cfg.Accounts.CreateApplication(ctx, a.OrgID, account.KeyRequest{Label: a.Name, MonthlyCap: a.MonthlyCap})
	if err != nil {
		if fault.KindOf(err) == fault.Unavailable {
			return Issued{}, err
		}
		return Issued{}, refuse(CodeInvalidGrant, "the organisation takes no more keys")
	}
	g := Grant{
		ID: ids.New(grantPrefix, grantBytes), ClientID: a.ClientID, Name: a.Name, PersonID: a.PersonID, OrgID: a.OrgID, KeyID: key.ID,
		Resource: a.Resource, Scopes: a.Scopes, MonthlyCap: a.MonthlyCap, Created: s.now(), Expires: s.now().Add(RefreshLife),
	}
	issued, err := s.conclude(ctx, from, hash, g)
	if err != nil {
		// The key belongs to nothing then. It has no secret, so that it stays is no harm.
		err = errors.Join(err, s.cfg.Accounts.RevokeKey(context.WithoutCancel(ctx), key.ID))
	}
	return issued, err
}

// earlier returns the grant that a person has given the same application before, at the same
// endpoint and with the same limit: an application that asks for more goes on with its key and its
// sessions. Each installation of an application that registers has an id of its own. The
// installations of one that is known by a document share theirs, and get a grant each.
func (s *Service) earlier(ctx context.Context, a Allowed) (Grant, bool, error) {
	if !strings.HasPrefix(a.ClientID, clientPrefix) {
		return Grant{}, false, nil
	}
	grants, err := s.cfg.Store.Grants(ctx, a.OrgID)
	i := slices.IndexFunc(grants, func(g Grant) bool {
		return g.ClientID == a.ClientID && g.PersonID == a.PersonID && g.Resource == a.Resource && g.MonthlyCap == a.MonthlyCap
	})
	if err != nil || i < 0 {
		return Grant{}, false, err
	}
	alive, err := s.alive(ctx, grants[i])
	return grants[i], alive, err
}

// alive reports whether the key of a grant is good. Operators can revoke it as any key; then alive
// ends the grant.
func (s *Service) alive(ctx context.Context, g Grant) (bool, error) {
	_, err := s.cfg.Accounts.Application(ctx, g.KeyID)
	if fault.KindOf(err) == fault.Unauthenticated {
		return false, s.end(ctx, g)
	}
	return err == nil, err
}

// conclude turns a code into tokens of a grant.
func (s *Service) conclude(ctx context.Context, from identity.Client, hash []byte, g Grant) (Issued, error) {
	issued, tokens := s.mint(g, g.Scopes)
	done, err := s.cfg.Store.Exchange(ctx, hash, g, tokens)
	switch {
	case fault.KindOf(err) == fault.Conflict: // it ended meanwhile
		return Issued{}, errCode
	case err != nil:
		return Issued{}, err
	case !done: // another request with the same code was quicker
		c, err := s.cfg.Store.Code(ctx, hash)
		if err == nil && c.GrantID != "" {
			err = s.betrayed(ctx, from, c.GrantID, "application.code_reused")
		}
		return Issued{}, errors.Join(errCode, err)
	}
	s.cfg.People.Note(ctx, from, identity.Event{Actor: g.PersonID, OrgID: g.OrgID, Action: "application.connect", Target: g.ID}, nil)
	return issued, nil
}

// mint makes an access token and a refresh token of a grant.
func (s *Service) mint(g Grant, names []string) (Issued, []Token) {
	access, accessHash := newSecret(accessPrefix)
	refresh, refreshHash := newSecret(refreshPrefix)
	now := s.now()
	return Issued{access, refresh, names}, []Token{
		{Hash: accessHash, GrantID: g.ID, Scopes: names, Expires: now.Add(AccessLife)},
		{Hash: refreshHash, GrantID: g.ID, Refresh: true, Expires: now.Add(RefreshLife)},
	}
}

// refresh exchanges a refresh token for new tokens. One that comes a second time ends the grant:
// one of the two senders has stolen it (RFC 9700, section 4.14.2).
func (s *Service) refresh(ctx context.Context, from identity.Client, form url.Values) (Issued, error) {
	clientID, err := s.sender(ctx, form)
	if err != nil {
		return Issued{}, err
	}
	secret := form.Get("refresh_token")
	if !isSecret(refreshPrefix, secret) {
		return Issued{}, errRefresh
	}
	hash := digest(secret)
	t, g, err := s.cfg.Store.Token(ctx, hash)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Issued{}, errRefresh
	case err != nil:
		return Issued{}, err
	case !t.Refresh, g.ClientID != clientID, !g.Ended.IsZero():
		return Issued{}, errRefresh
	case !t.Used.IsZero():
		return Issued{}, errors.Join(errRefresh, s.betrayed(ctx, from, g.ID, "application.token_reused"))
	case !s.cfg.Now().Before(t.Expires):
		return Issued{}, errRefresh
	case form.Has("resource") && form.Get("resource") != g.Resource:
		return Issued{}, refuse(CodeInvalidTarget, "resource %.100q is not the one of the refresh token", form.Get("resource"))
	}
	names := g.Scopes
	if asked := form.Get("scope"); asked != "" {
		if names = strings.Split(asked, " "); !within(names, g.Scopes) {
			return Issued{}, refuse(CodeInvalidScope, "scope %.100q has more than the person has allowed: %s", asked, strings.Join(g.Scopes, ", "))
		}
		names = ordered(names)
	}
	if err := s.still(ctx, g.PersonID, g.OrgID); err != nil {
		return Issued{}, err
	}
	if alive, err := s.alive(ctx, g); err != nil || !alive {
		return Issued{}, cmp.Or(err, error(errRefresh))
	}
	issued, tokens := s.mint(g, names)
	now := s.now()
	done, err := s.cfg.Store.Rotate(ctx, hash, now, now.Add(RefreshLife), tokens)
	switch {
	case err != nil:
		return Issued{}, err
	case !done:
		return Issued{}, errors.Join(errRefresh, s.betrayed(ctx, from, g.ID, "application.token_reused"))
	}
	return issued, nil
}

// still refuses what a person allowed who may not sign in any more, or not enter the organisation.
func (s *Service) still(ctx context.Context, personID, orgID string) error {
	p, err := s.cfg.People.Person(ctx, personID)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return errPerson
	case err != nil:
		return err
	case !p.Active() || !p.MayEnter(orgID):
		return errPerson
	}
	return nil
}

var errPerson = refuse(CodeInvalidGrant, "the person who allowed it may not do so any more")

// betrayed ends a grant whose code or token came a second time.
func (s *Service) betrayed(ctx context.Context, from identity.Client, grantID, action string) error {
	g, err := s.cfg.Store.Grant(ctx, grantID)
	if err != nil {
		return err
	}
	s.cfg.Log.WarnContext(ctx, "an application was disconnected: a code or token came twice", "grant", g.ID, "client", target(g.ClientID))
	err = s.end(ctx, g)
	s.cfg.People.Note(ctx, from, identity.Event{OrgID: g.OrgID, Action: action, Target: g.ID}, err)
	return err
}

// Revoke forgets a token (RFC 7009). A refresh token ends the grant, an access token only itself.
// A token that is not good is no error.
func (s *Service) Revoke(ctx context.Context, from identity.Client, form url.Values) error {
	if err := once(form); err != nil {
		return err
	}
	clientID, err := s.sender(ctx, form)
	if err != nil {
		return err
	}
	secret := form.Get("token")
	if secret == "" {
		return refuse(CodeInvalidRequest, "token is missing")
	}
	if !isSecret(accessPrefix, secret) && !isSecret(refreshPrefix, secret) {
		return nil
	}
	t, g, err := s.cfg.Store.Token(ctx, digest(secret))
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil
	case err != nil:
		return err
	case g.ClientID != clientID:
		return refuse(CodeUnauthorized, "the token belongs to another client; nothing was revoked")
	case !t.Refresh:
		return s.cfg.Store.DeleteToken(ctx, t.Hash)
	}
	err = s.end(ctx, g)
	s.cfg.People.Note(ctx, from, identity.Event{Actor: g.PersonID, OrgID: g.OrgID, Action: "application.leave", Target: g.ID}, err)
	return err
}

// Authenticate returns the caller that an access token belongs to, and what it may do. The token
// must be for the resource. The error is Unauthenticated with [CodeInvalidToken] for a token that
// is not good.
func (s *Service) Authenticate(ctx context.Context, token, resource string) (account.Caller, []string, error) {
	if !isSecret(accessPrefix, token) {
		return account.Caller{}, nil, errAccess
	}
	t, g, err := s.cfg.Store.Token(ctx, digest(token))
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return account.Caller{}, nil, errAccess
	case err != nil:
		return account.Caller{}, nil, err
	case t.Refresh, g.Resource != resource, !g.Ended.IsZero(), !s.cfg.Now().Before(t.Expires):
		return account.Caller{}, nil, errAccess
	}
	if err := s.still(ctx, g.PersonID, g.OrgID); err != nil {
		if errors.Is(err, errPerson) {
			err = errAccess
		}
		return account.Caller{}, nil, err
	}
	c, err := s.cfg.Accounts.Application(ctx, g.KeyID)
	if fault.KindOf(err) == fault.Unauthenticated {
		return account.Caller{}, nil, errAccess
	}
	return c, t.Scopes, err
}

// errAccess does not say which of the reasons it is.
var errAccess = refuse(CodeInvalidToken, "the access token is not good: it is unknown, has expired, is for another endpoint, or the application was disconnected")

// isVerifier reports whether a text has the shape of a verifier (RFC 7636, section 4.1).
func isVerifier(v string) bool {
	return len(v) >= 43 && len(v) <= 128 && !strings.ContainsFunc(v, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~", r))
	})
}

// fits reports whether a verifier belongs to a challenge of S256.
func fits(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

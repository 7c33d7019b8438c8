// Package token makes single-use tokens: a program that has a key makes one, and a web page
// opens one socket with it, so that the page needs no key.
//
// A token belongs to the key that made it. What the socket speaks is charged to that key,
// under its limits, and the token is good only while the key is. Only a digest of the token
// is kept.
package token

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/ids"
	"vaak/voice"
)

// Bounds of what a token may allow.
const (
	// MaxOpen is how many tokens of a key may wait for their socket at a time.
	MaxOpen = 1000
	// MaxCharacters is how many code points a token may allow a socket.
	MaxCharacters = 100_000
	// MaxSession is how long a token may let a socket stay open, in seconds.
	MaxSession = 7200
	// MaxOrigins is how many origins a token may name.
	MaxOrigins = 20
	// MinExpiry, MaxExpiry and DefaultExpiry are how long a token waits for its socket, in
	// seconds.
	MinExpiry, MaxExpiry, DefaultExpiry = 10, 900, 300
	// KeptFor is how long a token is kept after its expiry, to say that it has expired or was
	// used rather than that it does not exist.
	KeptFor = 24 * time.Hour
)

// Codes of the errors of tokens. A foreign origin has [fault.CodeOriginNotAllowed].
const (
	CodeInvalid = "invalid_token"
	CodeExpired = "token_expired"
	CodeUsed    = "token_used"
	// CodeTooMany says that a key has [MaxOpen] open tokens.
	CodeTooMany = "too_many_tokens"
	// CodeNotAllowed says that a socket asks for another voice or language than its token has.
	CodeNotAllowed = "not_allowed_by_token"
)

// Limits are what a token allows a socket. The zero value of each field sets no limit.
type Limits struct {
	Voice         string   // id
	Language      string   // BCP 47 tag, such as "hi" or "en-IN"
	MaxCharacters int      // code points that the socket takes
	MaxSession    int      // seconds from the opening of the socket
	Origins       []string // of the pages that may use the token, as an Origin header has them
}

// Token is a token as it is kept: never its secret, only a digest.
type Token struct {
	Limits
	ID      string // "tok_" and 16 lower-case base32 characters
	OrgID   string
	KeyID   string // of the key that made it, or [account.ConsoleKey]
	Created time.Time
	Expires time.Time
	Used    time.Time // zero: it was not used
}

// Store keeps tokens. Its errors are those of [account.Store].
type Store interface {
	// Create adds a token with the digest of its secret. It returns false, and adds nothing,
	// when the key already has most tokens that are open at the creation of this one.
	Create(ctx context.Context, t Token, hash []byte, most int) (bool, error)
	// ByHash returns the token with a digest; NotFound when there is none.
	ByHash(ctx context.Context, hash []byte) (Token, error)
	// Use marks an open token as used at a time. It returns false when the token is not open
	// any more. Of all processes that call it for one token, one gets true.
	Use(ctx context.Context, id string, at time.Time) (bool, error)
	// Open returns the open tokens of an organisation at a time, the newest first: up to limit.
	Open(ctx context.Context, orgID string, at time.Time, limit int) ([]Token, error)
	// Delete deletes an open token of an organisation; false when there is none.
	Delete(ctx context.Context, orgID, id string, at time.Time) (bool, error)
	// Prune deletes tokens that expired before a time and returns how many.
	Prune(ctx context.Context, before time.Time) (int, error)
}

// Keys finds the callers that tokens belong to. [*account.Service] is the one of the product.
type Keys interface {
	CallerOf(ctx context.Context, orgID, keyID string) (account.Caller, error)
}

// Config is what a [Service] needs.
type Config struct {
	Store  Store            // required
	Keys   Keys             // required
	Voices *voice.Directory // finds the voices that tokens name; nil knows the roster
	Logger *slog.Logger     // nil discards
	Now    func() time.Time // nil is time.Now
}

// Service makes tokens and takes them. Its methods may be called from many goroutines.
type Service struct{ Config }

// New returns a service.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil || cfg.Keys == nil {
		return nil, errors.New("tokens need Store and Keys")
	}
	if cfg.Voices == nil {
		cfg.Voices = voice.BuiltIn()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Service{cfg}, nil
}

// instant is the present in the resolution that stores keep.
func (s *Service) instant() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

const (
	secretPrefix = "sutkn_"
	idPrefix     = "tok_"
	secretBytes  = 32
)

// digest returns what is kept of a secret. A plain digest is enough: 256 random bits cannot
// be guessed, however cheap the hash.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Make makes a token for a caller and returns its secret, which can never be read again.
// expiry is how many seconds the token waits for its socket; 0 is [DefaultExpiry]. The error
// is Invalid or NotFound for limits that cannot be, and RateLimited for a caller with
// [MaxOpen] open tokens.
func (s *Service) Make(ctx context.Context, c account.Caller, l Limits, expiry int) (secret string, t Token, err error) {
	if expiry == 0 {
		expiry = DefaultExpiry
	}
	if expiry < MinExpiry || expiry > MaxExpiry {
		return "", Token{}, fault.BadParameter("expires_in_seconds", "expires_in_seconds %d is outside %d to %d", expiry, MinExpiry, MaxExpiry)
	}
	if l, err = s.checked(l); err != nil {
		return "", Token{}, err
	}
	t = Token{Limits: l, ID: ids.New(idPrefix, ids.Bytes), OrgID: c.OrgID, KeyID: c.KeyID, Created: s.instant()}
	t.Expires = t.Created.Add(time.Duration(expiry) * time.Second)
	secret = ids.New(secretPrefix, secretBytes)
	switch ok, err := s.Store.Create(ctx, t, digest(secret), MaxOpen); {
	case err != nil:
		return "", Token{}, err
	case !ok:
		e := fault.New(fault.RateLimited, CodeTooMany, "", "this key has %d tokens that wait for their socket, and may have no more: use or revoke some, or wait until they expire", MaxOpen)
		e.RetryAfter = time.Minute
		return "", Token{}, e
	}
	s.Logger.InfoContext(ctx, "token made", "organisation", t.OrgID, "key", t.KeyID, "token", t.ID)
	return secret, t, nil
}

// Find returns the token with a secret, and the caller that it belongs to, for a page of an
// origin ("" for a client that names none). Nothing is used up. The error is Unauthenticated
// for a token that does not exist, has expired, was used or belongs to a key that is not
// good, and Forbidden for an origin that the token does not name.
func (s *Service) Find(ctx context.Context, secret, origin string) (Token, account.Caller, error) {
	if !ids.Is(secretPrefix, secretBytes, secret) {
		return Token{}, account.Caller{}, errInvalid()
	}
	t, err := s.Store.ByHash(ctx, digest(secret))
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Token{}, account.Caller{}, errInvalid()
	case err != nil:
		return Token{}, account.Caller{}, err
	case !t.Used.IsZero():
		return Token{}, account.Caller{}, errUsed()
	case !s.Now().Before(t.Expires):
		return Token{}, account.Caller{}, errExpired()
	}
	if !t.allowsOrigin(origin) {
		return Token{}, account.Caller{}, errOrigin(origin)
	}
	c, err := s.Keys.CallerOf(ctx, t.OrgID, t.KeyID)
	if fault.KindOf(err) == fault.Unauthenticated {
		return Token{}, account.Caller{}, fault.New(fault.Unauthenticated, CodeInvalid, "", "the key that made this token was revoked or has expired")
	}
	return t, c, err
}

// Use uses a token up that [Service.Find] has found, just before its socket opens. The error
// is Unauthenticated when another socket has used it, or it has expired or was revoked
// meanwhile.
func (s *Service) Use(ctx context.Context, t Token) error {
	now := s.instant()
	ok, err := s.Store.Use(ctx, t.ID, now)
	switch {
	case err != nil:
		return err
	case ok:
		return nil
	case !now.Before(t.Expires):
		return errExpired()
	}
	return errUsed()
}

// MaxListed is how many tokens [Service.Open] returns at most.
const MaxListed = 1000

// Open returns the tokens of an organisation that wait for their socket, the newest first:
// up to [MaxListed]. Those of keys that are not good any more are among them.
func (s *Service) Open(ctx context.Context, orgID string) ([]Token, error) {
	return s.Store.Open(ctx, orgID, s.instant(), MaxListed)
}

// Revoke ends an open token of an organisation. It is NotFound when there is none with that
// id: it was used, has expired, or belongs to another organisation.
func (s *Service) Revoke(ctx context.Context, orgID, id string) error {
	ok, err := false, error(nil)
	if ids.Is(idPrefix, ids.Bytes, id) {
		ok, err = s.Store.Delete(ctx, orgID, id, s.instant())
	}
	if err == nil && !ok {
		return fault.New(fault.NotFound, fault.CodeNotFound, "token_id", "there is no open token %.64q: it was used, has expired, or never was", id)
	}
	return err
}

// Prune deletes the tokens that expired more than [KeptFor] ago.
func Prune(ctx context.Context, s Store, now time.Time) (int, error) {
	return s.Prune(ctx, now.Add(-KeptFor))
}

func errInvalid() error {
	return fault.New(fault.Unauthenticated, CodeInvalid, "", "the single-use token is not valid: it does not exist or was revoked")
}

func errUsed() error {
	return fault.New(fault.Unauthenticated, CodeUsed, "", "the single-use token was used: a token opens one socket; make another")
}

func errExpired() error {
	return fault.New(fault.Unauthenticated, CodeExpired, "", "the single-use token has expired; make another")
}

func errOrigin(origin string) error {
	if origin == "" {
		return fault.New(fault.Forbidden, fault.CodeOriginNotAllowed, "", "this token is for web pages of certain origins, and the request names no Origin")
	}
	return fault.New(fault.Forbidden, fault.CodeOriginNotAllowed, "", "this token is not for pages of the origin %.100q", origin)
}

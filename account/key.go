package account

import (
	"context"
	"crypto/subtle"
	"fmt"
	"slices"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// MaxKeys is how many keys of an organisation may be good at a time.
const MaxKeys = 1000

// CodeTooManyKeys is the code of the Conflict error of [Service.CreateKey] in an
// organisation that has [MaxKeys].
const CodeTooManyKeys = "too_many_keys"

// KeyRequest asks for a key.
type KeyRequest struct {
	Label      string    // 1 to [MaxName] code points without control characters; need not be unique
	Expires    time.Time // zero: never
	MonthlyCap int64     // characters a UTC month; 0 and ledger.Unlimited are none
}

// CreateKey adds a key to an organisation and returns its secret, which can
// never be read again. An organisation that has [MaxKeys] gets no more; those that
// are made at the same time may go over that by their number.
func (s *Service) CreateKey(ctx context.Context, orgID string, r KeyRequest) (secret string, k Key, err error) {
	if err := s.checkKey(&r); err != nil {
		return "", Key{}, err
	}
	if _, err := s.Organisation(ctx, orgID); err != nil {
		return "", Key{}, err
	}
	if err := s.roomForKey(ctx, orgID); err != nil {
		return "", Key{}, err
	}
	secret = newSecret()
	hash := hashSecret(secret)
	k = Key{
		ID:         newID(keyPrefix),
		OrgID:      orgID,
		Label:      r.Label,
		Hash:       hash[:],
		LastFour:   secret[secretLength-shownLength:],
		MonthlyCap: r.MonthlyCap,
		Created:    s.instant(),
		Expires:    r.Expires,
	}
	if err := s.store.CreateKey(ctx, k); err != nil {
		return "", Key{}, fmt.Errorf("create key of %s: %w", orgID, err)
	}
	k.Display = display(k.LastFour)
	s.log.InfoContext(ctx, "key created", "organisation", orgID, "key", k.ID)
	return secret, k, nil
}

func (s *Service) roomForKey(ctx context.Context, orgID string) error {
	valid, err := s.validKeys(ctx, []string{orgID})
	if err != nil {
		return err
	}
	if n := valid[orgID]; n >= MaxKeys {
		return fault.New(fault.Conflict, CodeTooManyKeys, "", "the organisation has %d keys that are good, and may have %d: revoke one first", n, MaxKeys)
	}
	return nil
}

// validKeys counts the keys of organisations that are good now.
func (s *Service) validKeys(ctx context.Context, orgIDs []string) (map[string]int, error) {
	consoles := make([]string, len(orgIDs))
	for i, id := range orgIDs {
		consoles[i] = consoleKeyID(id)
	}
	valid, err := s.store.ValidKeys(ctx, orgIDs, s.instant(), consoles)
	if err != nil {
		return nil, fmt.Errorf("count keys: %w", err)
	}
	return valid, nil
}

func (s *Service) checkKey(r *KeyRequest) error {
	if err := checkName("label", r.Label); err != nil {
		return err
	}
	if !r.Expires.IsZero() && !r.Expires.After(s.now()) {
		return fault.BadParameter("expires", "expires %s is not in the future", r.Expires.Format(time.RFC3339))
	}
	if r.MonthlyCap < ledger.Unlimited || r.MonthlyCap > MaxGrant {
		return fault.BadParameter("cap", "cap %d is outside 1 to %d characters a month", r.MonthlyCap, int64(MaxGrant))
	}
	if r.MonthlyCap == 0 {
		r.MonthlyCap = ledger.Unlimited
	}
	r.Expires = r.Expires.UTC().Truncate(time.Microsecond)
	return nil
}

// Keys returns the keys of an organisation, revoked ones too, oldest first.
func (s *Service) Keys(ctx context.Context, orgID string) ([]Key, error) {
	if _, err := s.Organisation(ctx, orgID); err != nil {
		return nil, err
	}
	keys, err := s.store.Keys(ctx, orgID)
	if err != nil {
		return nil, fmt.Errorf("read keys of %s: %w", orgID, err)
	}
	keys = slices.DeleteFunc(keys, func(k Key) bool { return k.ID == consoleKeyID(orgID) })
	for i := range keys {
		keys[i].Display = display(keys[i].LastFour)
	}
	return keys, nil
}

// KeyOf returns the key of an organisation with an id. It is NotFound when there is
// none, or it is another's.
func (s *Service) KeyOf(ctx context.Context, orgID, keyID string) (Key, error) {
	if !isID(orgPrefix, orgID) || !isID(keyPrefix, keyID) {
		return Key{}, noKey(keyID)
	}
	k, err := s.store.Key(ctx, keyID)
	if fault.KindOf(err) == fault.NotFound || err == nil && k.OrgID != orgID {
		return Key{}, noKey(keyID)
	}
	if err != nil {
		return Key{}, fmt.Errorf("read key %s: %w", keyID, err)
	}
	k.Display = display(k.LastFour)
	return k, nil
}

// RevokeKeyOf is [Service.RevokeKey] for a key of an organisation, and returns it as it
// was; it is NotFound when the key is another's.
func (s *Service) RevokeKeyOf(ctx context.Context, orgID, keyID string) (Key, error) {
	k, err := s.KeyOf(ctx, orgID, keyID)
	if err != nil {
		return Key{}, err
	}
	return k, s.RevokeKey(ctx, keyID)
}

// RevokeKey makes a key invalid for every later request, in every process on
// the same store. Revoking it again changes nothing and is no error.
func (s *Service) RevokeKey(ctx context.Context, keyID string) error {
	if !isID(keyPrefix, keyID) {
		return noKey(keyID)
	}
	err := s.store.RevokeKey(ctx, keyID, s.instant())
	if fault.KindOf(err) == fault.NotFound {
		return noKey(keyID)
	}
	if err != nil {
		return fmt.Errorf("revoke key %s: %w", keyID, err)
	}
	s.sessions.end(keyID, errRevoked())
	s.log.InfoContext(ctx, "key revoked", "key", keyID)
	return nil
}

// Authenticate returns whom a secret stands for. The store is asked each time,
// so a revocation counts as soon as that sees it. Without a secret, or with one
// that is malformed, unknown, revoked or expired, the error is Unauthenticated;
// while the store is down it is Unavailable, never a claim about the key.
func (s *Service) Authenticate(ctx context.Context, secret string) (Caller, error) {
	if secret == "" {
		return Caller{}, fault.New(fault.Unauthenticated, fault.CodeMissingKey, "",
			"an API key is needed and none was sent")
	}
	if !wellFormed(secret) {
		return Caller{}, invalidKey()
	}
	hash := hashSecret(secret)
	c, err := s.store.Credential(ctx, hash[:])
	if fault.KindOf(err) == fault.NotFound {
		return Caller{}, invalidKey()
	}
	if err != nil {
		return Caller{}, fmt.Errorf("look up key: %w", err)
	}
	now := s.now()
	if subtle.ConstantTimeCompare(c.Hash, hash[:]) != 1 || c.Revoked || !alive(c.Expires, now) {
		return Caller{}, invalidKey()
	}
	return c.caller(now), nil
}

// caller returns whom a credential stands for at a time.
func (c Credential) caller(now time.Time) Caller {
	id := c.Terms.At(now).PlanID()
	plan, ok := c.Plans[id]
	if !ok { // cannot be: plans are never removed
		plan = ledger.Plan{ID: id, RequestsPerMinute: 1, MaxStreams: 1}
	}
	return Caller{
		OrgID: c.OrgID, KeyID: c.KeyID, Plan: id,
		Metered:     plan.MonthlyCharacters >= 0 || c.Capped,
		Requests:    max(plan.RequestsPerMinute, 0),
		Streams:     max(plan.MaxStreams, 0),
		OrgRequests: max(c.Ceilings.RequestsPerMinute, 0),
		OrgStreams:  max(c.Ceilings.MaxStreams, 0),
	}
}

// invalidKey does not tell a caller which of the reasons it is.
func invalidKey() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "",
		"the API key is not valid: it does not exist, was revoked or has expired")
}

func noKey(sent string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "key", "there is no key %s", quote(sent))
}

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

// MaxKeys is how many keys of an organisation may be valid at a time.
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

// CreateKey adds a key to an organisation and returns its secret, which can never be read
// again. An organisation with [MaxKeys] valid keys gets no more. Calls at the same time
// do not see each other's keys, so together they may exceed that number.
func (d *directory) CreateKey(ctx context.Context, orgID string, r KeyRequest) (secret string, k Key, err error) {
	if err := d.checkKey(&r); err != nil {
		return "", Key{}, err
	}
	if _, err := d.Organisation(ctx, orgID); err != nil {
		return "", Key{}, err
	}
	if err := d.roomForKey(ctx, orgID); err != nil {
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
		Created:    d.instant(),
		Expires:    r.Expires,
	}
	if err := d.store.CreateKey(ctx, k); err != nil {
		return "", Key{}, fmt.Errorf("create key of %s: %w", orgID, err)
	}
	k.Display = shown(k.LastFour)
	d.log.InfoContext(ctx, "key created", "organisation", orgID, "key", k.ID)
	return secret, k, nil
}

func (d *directory) roomForKey(ctx context.Context, orgID string) error {
	valid, err := d.validKeys(ctx, []string{orgID})
	if err != nil {
		return err
	}
	if n := valid[orgID]; n >= MaxKeys {
		return fault.New(fault.Conflict, CodeTooManyKeys, "", "the organisation has %d keys that are good, and may have %d: revoke one first", n, MaxKeys)
	}
	return nil
}

// validKeys counts the keys of organisations that are good now.
func (d *directory) validKeys(ctx context.Context, orgIDs []string) (map[string]int, error) {
	consoles := make([]string, len(orgIDs))
	for i, id := range orgIDs {
		consoles[i] = consoleKeyID(id)
	}
	valid, err := d.store.ValidKeys(ctx, orgIDs, d.instant(), consoles)
	if err != nil {
		return nil, fmt.Errorf("count keys: %w", err)
	}
	return valid, nil
}

func (d *directory) checkKey(r *KeyRequest) error {
	if err := checkName("label", r.Label); err != nil {
		return err
	}
	if !r.Expires.IsZero() && !r.Expires.After(d.now()) {
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
func (d *directory) Keys(ctx context.Context, orgID string) ([]Key, error) {
	if _, err := d.Organisation(ctx, orgID); err != nil {
		return nil, err
	}
	keys, err := d.store.Keys(ctx, orgID)
	if err != nil {
		return nil, fmt.Errorf("read keys of %s: %w", orgID, err)
	}
	keys = slices.DeleteFunc(keys, func(k Key) bool { return k.ID == consoleKeyID(orgID) })
	for i := range keys {
		keys[i].Display = shown(keys[i].LastFour)
	}
	return keys, nil
}

// KeyOf returns the key of an organisation with an id. It is NotFound when the key does
// not exist or belongs to another organisation.
func (d *directory) KeyOf(ctx context.Context, orgID, keyID string) (Key, error) {
	if !isID(orgPrefix, orgID) || !isID(keyPrefix, keyID) {
		return Key{}, noKey(keyID)
	}
	k, err := d.store.Key(ctx, keyID)
	if fault.KindOf(err) == fault.NotFound || err == nil && k.OrgID != orgID {
		return Key{}, noKey(keyID)
	}
	if err != nil {
		return Key{}, fmt.Errorf("read key %s: %w", keyID, err)
	}
	k.Display = shown(k.LastFour)
	return k, nil
}

// RevokeKeyOf is [Service.RevokeKey] for a key of an organisation, and returns the key as
// it was before. It is NotFound when the key belongs to another organisation.
func (d *directory) RevokeKeyOf(ctx context.Context, orgID, keyID string) (Key, error) {
	k, err := d.KeyOf(ctx, orgID, keyID)
	if err != nil {
		return Key{}, err
	}
	return k, d.RevokeKey(ctx, keyID)
}

// RevokeKey makes a key invalid for every later request, in every process on
// the same store. Revoking it again changes nothing and is no error.
func (d *directory) RevokeKey(ctx context.Context, keyID string) error {
	if !isID(keyPrefix, keyID) {
		return noKey(keyID)
	}
	err := d.store.RevokeKey(ctx, keyID, d.instant())
	if fault.KindOf(err) == fault.NotFound {
		return noKey(keyID)
	}
	if err != nil {
		return fmt.Errorf("revoke key %s: %w", keyID, err)
	}
	d.sessions.end(keyID, errRevoked())
	d.log.InfoContext(ctx, "key revoked", "key", keyID)
	return nil
}

// Authenticate returns the caller that a secret belongs to. It asks the store each time,
// so a revocation takes effect as soon as the store sees it. The error is Unauthenticated
// for a secret that is missing, malformed, unknown, revoked or expired, and Unavailable
// while the store is down, when nothing can be said about the key.
func (a *admission) Authenticate(ctx context.Context, secret string) (Caller, error) {
	if secret == "" {
		return Caller{}, fault.New(fault.Unauthenticated, fault.CodeMissingKey, "",
			"an API key is needed and none was sent")
	}
	if !wellFormed(secret) {
		return Caller{}, invalidKey()
	}
	hash := hashSecret(secret)
	c, err := a.store.Credential(ctx, hash[:])
	if fault.KindOf(err) == fault.NotFound {
		return Caller{}, invalidKey()
	}
	if err != nil {
		return Caller{}, fmt.Errorf("look up key: %w", err)
	}
	now := a.now()
	if subtle.ConstantTimeCompare(c.Hash, hash[:]) != 1 || c.Revoked || !alive(c.Expires, now) {
		return Caller{}, invalidKey()
	}
	return c.caller(now), nil
}

// caller returns the caller that a credential belongs to, within the limits of a time.
func (c Credential) caller(now time.Time) Caller {
	id := c.Terms.At(now).PlanID()
	plan, ok := c.Plans[id]
	if !ok { // impossible: plans are never removed
		plan = ledger.Plan{ID: id, RequestsPerMinute: 1, MaxStreams: 1}
	}
	return Caller{
		OrgID: c.OrgID, KeyID: c.KeyID, Plan: id,
		Metered:     plan.MonthlyCharacters >= 0 || c.Capped,
		Capped:      c.Capped,
		Requests:    max(plan.RequestsPerMinute, 0),
		Streams:     max(plan.MaxStreams, 0),
		OrgRequests: max(c.Ceilings.RequestsPerMinute, 0),
		OrgStreams:  max(c.Ceilings.MaxStreams, 0),
	}
}

// invalidKey does not say which of the reasons it is, so that a stranger who guesses keys
// learns nothing.
func invalidKey() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "",
		"the API key is not valid: it does not exist, was revoked or has expired")
}

func noKey(sent string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "key", "there is no key %s", quote(sent))
}

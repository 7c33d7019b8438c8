package account

import (
	"context"
	"crypto/sha256"
	"fmt"

	"vaak/internal/fault"
)

// noSecret stands for the last four characters of a key that has no secret.
const noSecret = "----"

// Application reports whether the key is that of a connected application: it has no secret, and
// only [Service.Application] finds it.
func (k Key) Application() bool { return k.LastFour == noSecret }

// CreateApplication adds the key of an application that a person has connected to an
// organisation. Limits, usage and revocation treat it as any other key. It has no secret, so
// nobody can send it: the application proves itself in another way, and [Service.Application]
// returns the caller. Label is what the application is called; Expires is not used.
func (d *directory) CreateApplication(ctx context.Context, orgID string, r KeyRequest) (Key, error) {
	if err := d.checkKey(&r); err != nil {
		return Key{}, err
	}
	if _, err := d.Organisation(ctx, orgID); err != nil {
		return Key{}, err
	}
	if err := d.roomForKey(ctx, orgID); err != nil {
		return Key{}, err
	}
	k := Key{ID: newID(keyPrefix), OrgID: orgID, Label: r.Label, LastFour: noSecret, MonthlyCap: r.MonthlyCap, Created: d.instant()}
	k.Hash = applicationHash(k.ID)
	if err := d.store.CreateKey(ctx, k); err != nil {
		return Key{}, fmt.Errorf("create key of an application of %s: %w", orgID, err)
	}
	k.Display = shown(k.LastFour)
	d.log.InfoContext(ctx, "application connected", "organisation", orgID, "key", k.ID)
	return k, nil
}

// applicationHash is the hash of the key of an application in place of that of a secret. No
// secret has it, since every secret begins with [SecretPrefix].
func applicationHash(keyID string) []byte {
	hash := sha256.Sum256([]byte("application:" + keyID))
	return hash[:]
}

// Application returns the caller for an application by the id of its key. It is Unauthenticated
// when the key was revoked. The error is as that of [Service.Authenticate].
func (a *admission) Application(ctx context.Context, keyID string) (Caller, error) {
	if !isID(keyPrefix, keyID) {
		return Caller{}, invalidKey()
	}
	c, err := a.store.Credential(ctx, applicationHash(keyID))
	if fault.KindOf(err) == fault.NotFound {
		return Caller{}, invalidKey()
	}
	if err != nil {
		return Caller{}, fmt.Errorf("look up the key of an application: %w", err)
	}
	now := a.now()
	if c.Revoked || !alive(c.Expires, now) {
		return Caller{}, invalidKey()
	}
	return c.caller(now), nil
}

// shown is what a person may see of a key: the ends of its secret, or that it has none.
func shown(lastFour string) string {
	if lastFour == noSecret {
		return "application"
	}
	return display(lastFour)
}

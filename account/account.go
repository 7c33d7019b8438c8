// Package account knows organisations and their keys; it admits callers, holds
// the characters of a request until they are spoken, and counts them.
package account

import "time"

// Organisation owns keys and pays for what they use.
type Organisation struct {
	ID      string // "org_" and 16 lower-case base32 characters
	Name    string
	Plan    string // id of its plan
	Created time.Time
}

// Key is an API key as it is kept: never the secret, only its hash.
type Key struct {
	ID      string // "key_" and 16 lower-case base32 characters
	OrgID   string
	Label   string
	Hash    []byte // SHA-256 of the secret
	Display string // what a person may see of the secret: its prefix and last four characters
	Created time.Time
	Revoked time.Time // zero while the key is valid
}

// Caller is who an authenticated request acts for.
type Caller struct {
	OrgID string
	KeyID string
	Plan  string
}

// Local is the caller of commands that run on the server's own machine, which
// need no key and are not counted.
var Local = Caller{OrgID: "local", KeyID: "local", Plan: "unlimited"}

// Receipt says what became of a hold.
type Receipt struct {
	Characters int           // code points whose audio was handed over
	Audio      time.Duration // of the audio that was handed over
}

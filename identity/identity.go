// Package identity knows the people who sign in to the console: what they may do,
// how they prove who they are, and what they have done.
//
// The first person is an operator, who shows with the setup token that the machine
// is theirs ([Service.SetUp]). An operator invites all others and gives each a link
// ([Service.Invite]). There the person chooses a password, and may later add one-time
// codes. An identity provider, where one is configured, can vouch for people who were
// invited ([Service.SignInAs]). Nobody can sign up without an invitation.
//
// Every attempt to sign in and every change is an [Event].
package identity

import (
	"context"
	"time"
)

// Role is what a person may do.
type Role string

// The roles.
const (
	Operator Role = "operator" // everything
	Member   Role = "member"   // everything of one organisation, and nothing else
)

// Limits.
const (
	MaxName     = 200 // code points
	MaxEmail    = 254 // bytes, as SMTP has it
	MinPassword = 12  // code points
	MaxPassword = 200 // code points
)

// Person is somebody who may sign in.
type Person struct {
	ID       string // "usr_" and 16 lower-case base32 characters
	Email    string // what they sign in with; in lower case, unique
	Name     string
	Role     Role
	OrgID    string // of a member; "" of an operator
	Created  time.Time
	SignedIn time.Time // last time; zero: never
	Disabled time.Time // since when they cannot sign in; zero: they can
	// Epoch grows when all sessions of the person have to end: with a new password, new
	// codes, a new role, or when the person is disabled. A session holds the epoch in
	// which it began, and is over when the person has a later one.
	Epoch int64
	Proof Proof
}

// Proof is what a person proves their identity with. It is never shown.
type Proof struct {
	Password string // argon2id in the PHC string format; "" until one was chosen
	// Codes is the secret of one-time codes, sealed with the secret of the deployment; ""
	// when the person uses none. CodesUsed is the last time step whose code was accepted.
	Codes     string
	CodesUsed int64
	Subject   string // "issuer subject" at the identity provider; "" until it vouched once
}

// machineID is the id of [Machine]. No person has it.
const machineID = "machine"

// Machine returns the actor for commands that run on the machine of a deployment. Whoever
// can run them can also change the database, so they may do what an operator may. That
// helps when no operator can sign in any more.
func Machine() Person { return Person{ID: machineID, Role: Operator} }

// IsMachine reports whether the actor of an event is [Machine].
func (e Event) IsMachine() bool { return e.Actor == machineID }

// Active reports whether the person may sign in.
func (p Person) Active() bool { return p.Disabled.IsZero() }

// Ready reports whether the person has chosen a password or was linked to a provider.
func (p Person) Ready() bool { return p.Proof.Password != "" || p.Proof.Subject != "" }

// HasCodes reports whether a one-time code is asked for beside the password.
func (p Person) HasCodes() bool { return p.Proof.Codes != "" }

// Operates reports whether the person may do everything.
func (p Person) Operates() bool { return p.Role == Operator }

// MayEnter reports whether the person may see and change what an organisation has.
func (p Person) MayEnter(orgID string) bool {
	return p.Operates() || p.Role == Member && orgID != "" && p.OrgID == orgID
}

// Invitation allows the holder of its token to choose the password of a person.
type Invitation struct {
	Hash     []byte // SHA-256 of the token
	PersonID string
	Expires  time.Time
}

// Event is a record of what was done in the console. It never changes, and is kept for
// [KeepEvents]. It holds no secret, no text that was spoken, and nothing that a person
// typed.
type Event struct {
	At      time.Time
	Actor   string // id of the person, or of [Machine]; "" when not known
	OrgID   string // that was acted on; "" when it was none
	Action  string // such as "key.create"
	Target  string // id of what was acted on, or ""
	Outcome string // OutcomeDone, or the stable code of the refusal
	Address string // of the client
}

// OutcomeDone is the outcome of what succeeded.
const OutcomeDone = "done"

// EventQuery asks for the latest events first.
type EventQuery struct {
	OrgID  string // "" is all
	Before int64  // Seq of the event after the page; 0 begins with the latest
	Limit  int    // 1 to 500
}

// Logged is a stored event.
type Logged struct {
	Event
	Seq int64 // grows from event to event
}

// Store keeps people, invitations, sessions and events. Errors are *fault.Error of kind
// NotFound when no row fits, Conflict when a row that must be unique exists, and
// Unavailable while the store is away; others are defects. Times are stored to the
// microsecond, in UTC.
type Store interface {
	PersonStore
	InvitationStore
	SessionStore
	EventStore
}

// PersonStore keeps people.
type PersonStore interface {
	// CreateFirst adds a person when no person exists; false when one exists. Of several
	// calls at the same time, by any process, one adds its person.
	CreateFirst(ctx context.Context, p Person) (bool, error)
	// CreatePerson adds a person. Id, e-mail and subject must be new, unless the subject
	// is "".
	CreatePerson(ctx context.Context, p Person) error
	// Person returns the one with an id.
	Person(ctx context.Context, id string) (Person, error)
	// PersonByEmail returns the one with an address, in lower case.
	PersonByEmail(ctx context.Context, email string) (Person, error)
	// PersonBySubject returns the one who is linked to a subject of an identity provider.
	PersonBySubject(ctx context.Context, subject string) (Person, error)
	// People returns all, in the order of the bytes of their addresses.
	People(ctx context.Context) ([]Person, error)
	// ChangePerson calls change with a person and stores the result, while no other call
	// can change the same person. Change may run more than once. When it returns an error,
	// nothing is stored.
	ChangePerson(ctx context.Context, id string, change func(*Person) error) (Person, error)
}

// InvitationStore keeps invitations: one a person.
type InvitationStore interface {
	// PutInvitation stores an invitation, in place of an earlier one of that person.
	PutInvitation(ctx context.Context, i Invitation) error
	// Invitation returns the one with a hash.
	Invitation(ctx context.Context, hash []byte) (Invitation, error)
	// TakeInvitation removes the one with a hash and returns it. Of several calls at the
	// same time one succeeds; the others are NotFound.
	TakeInvitation(ctx context.Context, hash []byte) (Invitation, error)
}

// SessionStore keeps sessions of browsers. It stores a token as it gets it, so the caller has
// to hash it first.
type SessionStore interface {
	// PutSession stores the data of a session until a time, in place of earlier data.
	PutSession(ctx context.Context, token string, data []byte, expires time.Time) error
	// UpdateSession does the same for a session that exists, and nothing for any other, so
	// that it does not bring back a session that was ended meanwhile.
	UpdateSession(ctx context.Context, token string, data []byte, expires time.Time) error
	// Session returns the data of a session; false when it does not exist or has expired.
	Session(ctx context.Context, token string) ([]byte, bool, error)
	// DeleteSession deletes a session; one that does not exist is no error.
	DeleteSession(ctx context.Context, token string) error
	// PruneSessions deletes the sessions and invitations that expired before a time and
	// returns how many.
	PruneSessions(ctx context.Context, before time.Time) (int, error)
}

// EventStore keeps events.
type EventStore interface {
	AddEvent(ctx context.Context, e Event) error
	Events(ctx context.Context, q EventQuery) ([]Logged, error)
	// PruneEvents deletes the events from before a time, in the order in which they were
	// added, and returns how many. It may stop at an event that was added while the clock
	// was ahead.
	PruneEvents(ctx context.Context, before time.Time) (int, error)
}

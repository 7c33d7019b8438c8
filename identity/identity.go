// Package identity knows the people who sign in to the console: what they may do,
// how they prove who they are, and what they have done.
//
// The first of them is an operator, who proves with the setup token that the machine
// is theirs ([Service.SetUp]). All others are invited by an operator, who hands them a
// link ([Service.Invite]); a person chooses a password there, and may add one-time
// codes. Where an identity provider is configured it can vouch for people who were
// invited ([Service.SignInAs]). Nobody can sign up.
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

// Person is somebody who may sign in. What proves who they are is in Proof.
type Person struct {
	ID       string // "usr_" and 16 lower-case base32 characters
	Email    string // what they sign in with; in lower case, unique
	Name     string
	Role     Role
	OrgID    string // of a member; "" of an operator
	Created  time.Time
	SignedIn time.Time // last time; zero: never
	Disabled time.Time // since when they cannot sign in; zero: they can
	// Epoch grows when all sessions of the person have to end: with a new password,
	// codes, role, or when they are disabled. A session of an earlier one is over.
	Epoch int64
	Proof Proof
}

// Proof is what a person can prove who they are with. It is never shown.
type Proof struct {
	Password string // argon2id in the PHC string format; "" until one was chosen
	// Codes is the secret of one-time codes, sealed by the deployment's secret; "" when
	// none are asked for. CodesUsed is the last time step of which a code was taken.
	Codes     string
	CodesUsed int64
	Subject   string // "issuer subject" at the identity provider; "" until it vouched once
}

// machineID is nobody's id.
const machineID = "machine"

// Machine returns who stands for whoever runs commands on the machine of a deployment.
// They have its database, so they may do what an operator may, when none can sign in any
// more.
func Machine() Person { return Person{ID: machineID, Role: Operator} }

// IsMachine reports whether the actor of an event is [Machine].
func (e Event) IsMachine() bool { return e.Actor == machineID }

// Active reports whether the person may sign in.
func (p Person) Active() bool { return p.Disabled.IsZero() }

// Ready reports whether the person has chosen a password or signed in otherwise.
func (p Person) Ready() bool { return p.Proof.Password != "" || p.Proof.Subject != "" }

// HasCodes reports whether a one-time code is asked for beside the password.
func (p Person) HasCodes() bool { return p.Proof.Codes != "" }

// Operates reports whether the person may do everything.
func (p Person) Operates() bool { return p.Role == Operator }

// MayEnter reports whether the person may see and change what an organisation has.
func (p Person) MayEnter(orgID string) bool {
	return p.Operates() || p.Role == Member && orgID != "" && p.OrgID == orgID
}

// Invitation lets whoever has its token choose a password for a person.
type Invitation struct {
	Hash     []byte // SHA-256 of the token
	PersonID string
	Expires  time.Time
}

// Event is a line of what was done in the console. It never changes, and is kept for
// [KeepEvents]. It holds no secret, no text that was spoken, and nothing that somebody
// typed as it was.
type Event struct {
	At      time.Time
	Actor   string // id of the person, or of [Machine]; "" of somebody who is not known
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

// Logged is an event as it is kept.
type Logged struct {
	Event
	Seq int64 // grows from event to event
}

// Store keeps people, invitations, sessions and events. Errors are *fault.Error of
// kind NotFound where no row fits, Conflict where a unique one is there already,
// Unavailable while the store is away; others are defects. Times are kept to the
// microsecond, in UTC.
type Store interface {
	PersonStore
	InvitationStore
	SessionStore
	EventStore
}

// PersonStore keeps people.
type PersonStore interface {
	// CreateFirst adds a person when there is nobody yet, whoever else tries at the
	// same time; false when there is somebody.
	CreateFirst(ctx context.Context, p Person) (bool, error)
	// CreatePerson adds a person; id, e-mail and subject must be new, but for the
	// subject "", which is nobody's.
	CreatePerson(ctx context.Context, p Person) error
	// Person returns the one with an id.
	Person(ctx context.Context, id string) (Person, error)
	// PersonByEmail returns the one with an address, in lower case.
	PersonByEmail(ctx context.Context, email string) (Person, error)
	// PersonBySubject returns the one for whom the identity provider has vouched.
	PersonBySubject(ctx context.Context, subject string) (Person, error)
	// People returns all, in the order of the bytes of their addresses.
	People(ctx context.Context) ([]Person, error)
	// ChangePerson has change alter a person and keeps that, while nobody else can
	// change the same person. Change may run more than once; its error changes nothing.
	ChangePerson(ctx context.Context, id string, change func(*Person) error) (Person, error)
}

// InvitationStore keeps invitations: one a person.
type InvitationStore interface {
	// PutInvitation keeps an invitation in place of an earlier one of that person.
	PutInvitation(ctx context.Context, i Invitation) error
	// Invitation returns the one with a hash.
	Invitation(ctx context.Context, hash []byte) (Invitation, error)
	// TakeInvitation removes the one with a hash; NotFound for all but one of those
	// who try.
	TakeInvitation(ctx context.Context, hash []byte) (Invitation, error)
}

// SessionStore keeps sessions of browsers. A token is kept as its caller hands it
// over: hash it first.
type SessionStore interface {
	// PutSession keeps what belongs to a session until a time, in place of what was
	// there.
	PutSession(ctx context.Context, token string, data []byte, expires time.Time) error
	// UpdateSession does the same to a session that is there, and nothing where it is
	// not: one that was ended meanwhile stays so.
	UpdateSession(ctx context.Context, token string, data []byte, expires time.Time) error
	// Session returns what was kept; false when nothing is, or it has expired.
	Session(ctx context.Context, token string) ([]byte, bool, error)
	// DeleteSession forgets a session; one that is not there is no error.
	DeleteSession(ctx context.Context, token string) error
	// PruneSessions forgets the sessions and invitations that expired before a time
	// and returns how many.
	PruneSessions(ctx context.Context, before time.Time) (int, error)
}

// EventStore keeps events.
type EventStore interface {
	AddEvent(ctx context.Context, e Event) error
	Events(ctx context.Context, q EventQuery) ([]Logged, error)
	// PruneEvents forgets the events from before a time, the oldest first, and returns
	// how many. It may stop at some that were added while the clock was ahead.
	PruneEvents(ctx context.Context, before time.Time) (int, error)
}

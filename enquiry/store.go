package enquiry

import (
	"context"
	"time"
)

// Limits are how many enquiries pass in any sixty minutes.
type Limits struct {
	Sender int // of one address, whatever its case and plus-tag
	Client int // of one client address
	All    int
}

// Scope is what a limit counts.
type Scope string

// The scopes.
const (
	SenderScope Scope = "sender"
	ClientScope Scope = "client"
	AllScope    Scope = "all"
)

// LinkLimits are how many mails with a link go out.
type LinkLimits struct {
	Address int // to one address, whatever its case and plus-tag, in any 24 hours
	Client  int // that one client address causes, in any sixty minutes
	All     int // in any sixty minutes
}

// Submission is what one transaction keeps.
type Submission struct {
	Enquiry Enquiry // Received is the store's to set
	// Sender and Client are digests of what limits count; an empty Client is not
	// counted.
	Sender, Client string
	Limits         Limits
	Mails          []Mail // each with its job
	Entry          Entry  // At is the store's to set, and Outcome where it was repeated
	// Burn is the digest of the question that the person said yes to, which gives one
	// enquiry and no more; "" is none. Entries with this State become those of the
	// enquiry.
	Burn string
}

// Kept says what became of a submission.
type Kept struct {
	Enquiry  Enquiry // as it is kept, of the first time when Repeated
	Repeated bool    // it was there already, by its id or by what was burnt: nothing was queued
	Full     Scope   // "", or the limit that left no room: nothing was kept
}

// Store keeps enquiries. Its errors are of package fault: Unavailable when the
// database is.
type Store interface {
	// KeepEnquiry keeps a submission, or nothing of it. Repeated is looked at before
	// the limits; then only the entry is kept, with the outcome Repeated, and folded with
	// those of the same enquiry, client and hour. Of submissions at the same moment, by
	// any process, none passes a limit.
	KeepEnquiry(ctx context.Context, s Submission) (Kept, error)
	// FullFor returns the limit that has no room now, "" when all have: what
	// KeepEnquiry would say of a new enquiry.
	FullFor(ctx context.Context, sender, client string, l Limits) (Scope, error)
	// Note keeps an entry of the journal that belongs to no transaction.
	Note(ctx context.Context, e Entry) error
	// WasDeclined reports whether the journal has a decline of that content.
	WasDeclined(ctx context.Context, content string) (bool, error)
	// WasCancelled reports whether the journal has a cancel of that question, by its
	// digest.
	WasCancelled(ctx context.Context, question string) (bool, error)
	// PutQuestion keeps a question, or nothing of it.
	PutQuestion(ctx context.Context, q Ask) (Asked, error)
	// Pending returns what waits at a link, by its digest; false when there is
	// nothing, or it has expired.
	Pending(ctx context.Context, digest string) (Pending, bool, error)
	// Enquiry returns one by its id; false when there is none.
	Enquiry(ctx context.Context, id string) (Enquiry, bool, error)
}

// Ask is what one transaction keeps of a question.
type Ask struct {
	Pending Pending
	Entry   Entry  // At is the store's to set
	Limits  Limits // of questions that were put in the last sixty minutes; Sender is not looked at
	// Mail takes the link to the person, with its job, where Pending has a Recipient;
	// Links are its limits.
	Mail  Mail
	Links LinkLimits
}

// Asked says what became of a question.
type Asked struct {
	Full   Scope // "", or the limit that left no room: nothing was kept
	OfMail bool  // the limit is one of [LinkLimits], whose Address is the sender's scope
	// There is what the same person was mailed before with the same Whole, and still
	// waits: nothing was kept, not even an entry; nil is none. State is that of its mail.
	// It is looked at before the limits.
	There *Pending
	State MailState
}

// Outbox has the mails, for whoever delivers them.
type Outbox interface {
	// Mail returns a mail; false when there is none (any more).
	Mail(ctx context.Context, id string) (Mail, bool, error)
	// MailSent notes that a server has taken a mail.
	MailSent(ctx context.Context, id string, at time.Time) error
	// MailFailed notes a failed attempt; final when it will not be tried again.
	MailFailed(ctx context.Context, id string, at time.Time, why string, final bool) error
}

// Records are what operators see and do.
type Records interface {
	// Enquiries lists enquiries, the newest first, and of those of one instant the
	// higher id. An id to go on from that cannot be one is refused.
	Enquiries(ctx context.Context, q ListQuery) ([]Summary, error)
	// Enquiry returns one by its id; false when there is none.
	Enquiry(ctx context.Context, id string) (Enquiry, bool, error)
	// Mails returns the mails of an enquiry, the oldest first.
	Mails(ctx context.Context, enquiry string) ([]Mail, error)
	// Entries returns the journal of an enquiry, or with "" of everything else, the
	// newest first; at most limit.
	Entries(ctx context.Context, enquiry string, limit int) ([]Entry, error)
	// RetryMail queues a failed mail once more, with a job and an entry; false when it
	// is not a failed one.
	RetryMail(ctx context.Context, id string, e Entry) (bool, error)
	// PutRelease keeps a release with its mail, the job of the mail and an entry.
	PutRelease(ctx context.Context, r Release, m Mail, e Entry) error
	// Releases returns the releases of an enquiry, the oldest first.
	Releases(ctx context.Context, enquiry string) ([]Release, error)
	// Release returns one by its id; false when there is none.
	Release(ctx context.Context, id string) (Release, bool, error)
	// TakeDownload counts a download with an entry; false when none is left, and then
	// nothing is kept.
	TakeDownload(ctx context.Context, id string, e Entry) (bool, error)
	// Purge deletes what persons typed in enquiries from before a moment: in the
	// enquiries, their mails and entries; and entries that belong to no enquiry, from
	// before it, declines among them. What was never sent it deletes in any case: what
	// waits at links that have expired, and what was shown then (Entry.Shown), two days
	// after it was. It returns how many enquiries it purged.
	Purge(ctx context.Context, before time.Time) (int, error)
	// Purgeable counts what Purge would purge.
	Purgeable(ctx context.Context, before time.Time) (int, error)
	// PurgeOne does the same to one enquiry, whenever it came; false when there is none
	// or it was purged before.
	PurgeOne(ctx context.Context, id string) (bool, error)
}

// ListQuery says which enquiries to list.
type ListQuery struct {
	Before time.Time // received before; zero is now
	// BeforeID goes on behind one enquiry that was received at Before: those received
	// then whose ids are lower are listed too. "" is none of them.
	BeforeID string
	Limit    int // 1 to 1000
}

// Summary is a line of a list.
type Summary struct {
	Enquiry
	Waiting, Delivered, Failed int // its mails, by state
	Released                   bool
}

// Release is the permission to download a sample bundle.
type Release struct {
	ID        string // "rel_" and 26 letters and digits
	Enquiry   string
	Dataset   string // its id
	Licence   string // the text of the licence that comes with it
	Released  time.Time
	Expires   time.Time
	Downloads int // so far
	Most      int // downloads in all
}

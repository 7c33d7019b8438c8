package enquiry

import (
	"context"
	"time"
)

// Limits are how many enquiries are accepted in any sixty minutes.
type Limits struct {
	Sender int // from one address, ignoring case and plus-tag
	Client int // from one client address
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

// LinkLimits are how many mails with a link are sent.
type LinkLimits struct {
	Address int // to one address, ignoring case and plus-tag, in any 24 hours
	Client  int // caused by one client address in any sixty minutes
	All     int // in any sixty minutes
}

// Submission is what one transaction stores for a new enquiry.
type Submission struct {
	Enquiry Enquiry // Received is set by the store
	// Sender and Client are digests of what the limits count. An empty Client is not
	// counted.
	Sender, Client string
	Limits         Limits
	Mails          []Mail // the store adds a job for each
	Entry          Entry  // At, and for a repetition Outcome, are set by the store
	// Burn is the digest of the question that the person answered with yes, or "". A question
	// gives one enquiry at most. Entries with this State become entries of the enquiry.
	Burn string
}

// Kept is the result of storing a submission.
type Kept struct {
	Enquiry  Enquiry // as it is stored; the earlier one if Repeated
	Repeated bool    // it was stored before, by its id or by Burn; no mail was queued
	Full     Scope   // the limit that has no room, so that nothing was stored; or ""
}

// Store stores enquiries. Its errors are *fault.Error, of kind Unavailable if the database is
// not reachable.
type Store interface {
	// KeepEnquiry stores all of a submission or nothing. It looks for a repetition before
	// it looks at the limits. Of a repetition it stores only the entry, with outcome
	// Repeated, folded by enquiry, client and hour. Limits hold also for submissions at the
	// same moment by several processes.
	KeepEnquiry(ctx context.Context, s Submission) (Kept, error)
	// FullFor returns the limit that has no room now, or "": what KeepEnquiry would return
	// for a new enquiry.
	FullFor(ctx context.Context, sender, client string, l Limits) (Scope, error)
	// Note stores an entry of the journal that belongs to no transaction.
	Note(ctx context.Context, e Entry) error
	// WasDeclined reports whether the journal has a decline with that Content.
	WasDeclined(ctx context.Context, content string) (bool, error)
	// WasCancelled reports whether the journal has a cancel of the question with that
	// digest.
	WasCancelled(ctx context.Context, question string) (bool, error)
	// PutQuestion stores all of a question or nothing.
	PutQuestion(ctx context.Context, q Ask) (Asked, error)
	// Pending returns what waits at the link with that digest, and false if there is nothing
	// or it has expired.
	Pending(ctx context.Context, digest string) (Pending, bool, error)
	// Enquiry returns an enquiry by its id, and false if there is none.
	Enquiry(ctx context.Context, id string) (Enquiry, bool, error)
}

// Ask is what one transaction stores for a question to a person.
type Ask struct {
	Pending Pending
	Entry   Entry  // At is set by the store
	Limits  Limits // of questions in the last sixty minutes; Sender is not used
	// Mail takes the link to the person; the store adds a job for it. It is used if Pending
	// has a Recipient, and limited by Links.
	Mail  Mail
	Links LinkLimits
}

// Asked is the result of storing a question.
type Asked struct {
	Full   Scope // the limit that has no room, so that nothing was stored; or ""
	OfMail bool  // Full is one of [LinkLimits], where SenderScope stands for Address
	// There is the earlier question with the same Whole that was mailed to the same person
	// and still waits, or nil. If there is one, nothing was stored, not even the entry. State
	// is that of its mail. The store looks for it before it looks at the limits.
	There *Pending
	State MailState
}

// Outbox gives mails to those who deliver them.
type Outbox interface {
	// Mail returns a mail by its id, and false if there is none any more.
	Mail(ctx context.Context, id string) (Mail, bool, error)
	// MailSent records that a server has accepted a mail.
	MailSent(ctx context.Context, id string, at time.Time) error
	// MailFailed records a failed attempt. final means that there will be no other.
	MailFailed(ctx context.Context, id string, at time.Time, why string, final bool) error
}

// Records is what operators see and change.
type Records interface {
	// Enquiries lists enquiries, the newest first; of those of the same instant, the higher
	// id first. A BeforeID that is not an id is refused.
	Enquiries(ctx context.Context, q ListQuery) ([]Summary, error)
	// Enquiry returns an enquiry by its id, and false if there is none.
	Enquiry(ctx context.Context, id string) (Enquiry, bool, error)
	// Mails returns the mails of an enquiry, the oldest first.
	Mails(ctx context.Context, enquiry string) ([]Mail, error)
	// Entries returns up to limit entries of the journal, the newest first: those of an
	// enquiry or, for "", those of none.
	Entries(ctx context.Context, enquiry string, limit int) ([]Entry, error)
	// RetryMail queues a failed mail again, with a job and an entry. It returns false if the
	// mail has not failed.
	RetryMail(ctx context.Context, id string, e Entry) (bool, error)
	// PutRelease stores a release with its mail, the job of the mail, and an entry.
	PutRelease(ctx context.Context, r Release, m Mail, e Entry) error
	// Releases returns the releases of an enquiry, the oldest first.
	Releases(ctx context.Context, enquiry string) ([]Release, error)
	// Release returns a release by its id, and false if there is none.
	Release(ctx context.Context, id string) (Release, bool, error)
	// TakeDownload counts a download and stores an entry. It returns false, and stores
	// nothing, if none remains.
	TakeDownload(ctx context.Context, id string, e Entry) (bool, error)
	// Purge deletes what people typed in enquiries from before a time: in the enquiries,
	// their mails and their entries. It deletes entries of that time that belong to no
	// enquiry, including declines. It also deletes what was never sent, whatever the time:
	// what waits at expired links, and what was shown then (Entry.Shown), two days after it
	// was shown. It returns how many enquiries it purged.
	Purge(ctx context.Context, before time.Time) (int, error)
	// Purgeable counts the enquiries that Purge would purge.
	Purgeable(ctx context.Context, before time.Time) (int, error)
	// PurgeOne purges one enquiry of any time. It returns false if there is none or if it is
	// purged already.
	PurgeOne(ctx context.Context, id string) (bool, error)
}

// ListQuery says which enquiries to list.
type ListQuery struct {
	Before time.Time // received before; zero is now
	// BeforeID continues a list after one enquiry that was received at Before: those of the
	// same instant with lower ids follow. "" lists only what is before Before.
	BeforeID string
	Limit    int // 1 to 1000
}

// Summary is one row of a list of enquiries.
type Summary struct {
	Enquiry
	Waiting, Delivered, Failed int // number of its mails by state
	Released                   bool
}

// Release is the permission to download a sample bundle.
type Release struct {
	ID        string // "rel_" and 26 letters and digits
	Enquiry   string
	Dataset   string // id
	Licence   string // text of the licence in the bundle
	Released  time.Time
	Expires   time.Time
	Downloads int // so far
	Most      int // downloads in all
}

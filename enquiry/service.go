package enquiry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/internal/seal"
)

// Addresses are those of the mails.
type Addresses struct {
	From     string // of the service itself
	Operator string // of the person who answers; told to whoever asks
	// Acknowledge sends a receipt to the person, too.
	Acknowledge bool
}

// check refuses addresses that mails cannot have.
func (a Addresses) check() error {
	for _, s := range []string{a.From, a.Operator} {
		if err := CheckOwnAddress(s); err != nil {
			return fmt.Errorf("the address of the sender or the operator of enquiries %w", err)
		}
	}
	return nil
}

// Config says what a [Service] works with.
type Config struct {
	Store     Store            // required
	Catalogue catalogue.Reader // required
	Secret    *seal.Secret     // the same on every server; required
	Addresses Addresses        // required, but for Acknowledge; the domain may be localhost
	PublicURL string           // where people reach the pages, such as https://data.example.org; "" makes no links
	Policy    Policy           // "" is ElicitationOrLink
	// MailsLinks says that mails reach people: a mail server takes them. Without it no
	// link is mailed, and agents whose host cannot ask are told of the form alone.
	MailsLinks bool
	Keep       time.Duration    // how long enquiries are kept; 0 is DefaultKeep
	Limits     Limits           // zero is DefaultLimits
	Links      LinkLimits       // zero is DefaultLinks
	Now        func() time.Time // nil is time.Now
	Log        *slog.Logger     // nil discards
}

// DefaultKeep is two years.
const DefaultKeep = 2 * 365 * 24 * time.Hour

// DefaultLimits are those of the product.
var DefaultLimits = Limits{Sender: 5, Client: 20, All: 1000}

// DefaultLinks are those of the product. Whoever asks an agent again and again, in other
// words each time, gets a handful of mails; a stranger whose address somebody typed gets
// no more.
var DefaultLinks = LinkLimits{Address: 5, Client: 20, All: 300}

// FormPath is the public form. Its query chooses a dataset and an intent.
const FormPath = "/enquiry"

// ConfirmPath is where links lead: a token follows.
const ConfirmPath = "/enquiry/confirm/"

// Service takes enquiries. Its methods may be called from many goroutines.
type Service struct {
	cfg  Config
	keys keys
}

// New returns a service. It fails when a required field is missing, an address is none,
// or the policy is not known.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil || cfg.Catalogue == nil || cfg.Secret == nil {
		return nil, errors.New("enquiries need Store, Catalogue and Secret")
	}
	if err := cfg.Addresses.check(); err != nil {
		return nil, err
	}
	switch cfg.Policy {
	case "":
		cfg.Policy = ElicitationOrLink
	case ElicitationOrLink, MailedLink, AllowAttested:
	default:
		return nil, fault.BadParameter("consent_policy", "consent_policy %q is none of %s, %s, %s", cfg.Policy, ElicitationOrLink, MailedLink, AllowAttested)
	}
	if cfg.Keep == 0 {
		cfg.Keep = DefaultKeep
	}
	if cfg.Limits == (Limits{}) {
		cfg.Limits = DefaultLimits
	}
	if cfg.Links == (LinkLimits{}) {
		cfg.Links = DefaultLinks
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.PublicURL = strings.TrimRight(cfg.PublicURL, "/")
	return &Service{cfg: cfg, keys: newKeys(cfg.Secret)}, nil
}

// Terms are what people are told before they send anything.
type Terms struct {
	Contact string
	Keep    time.Duration
	Limits  Limits
	// Questions are how many questions agents may have put to people in any sixty
	// minutes; Sender is not counted.
	Questions Limits
	// Links are how many mails with a link agents may cause.
	Links  LinkLimits
	Policy Policy
	// MailsLinks says that a person whose agent's host cannot ask gets a link by mail.
	MailsLinks bool
}

// Terms returns them.
func (s *Service) Terms() Terms {
	l := s.cfg.Limits
	return Terms{
		Contact: s.cfg.Addresses.Operator, Keep: s.cfg.Keep, Limits: l, Links: s.cfg.Links, Policy: s.cfg.Policy, MailsLinks: s.mailsLinks(),
		Questions: Limits{Client: l.Client * questionsPerEnquiry, All: l.All * questionsPerEnquiry},
	}
}

// Receipt returns the receipt of an enquiry that was sent, by its id, for the page that
// says so; NotFound when there is none.
func (s *Service) Receipt(ctx context.Context, id string) (Receipt, error) {
	e, found, err := s.cfg.Store.Enquiry(ctx, id)
	if err != nil {
		return Receipt{}, err
	}
	if !found {
		return Receipt{}, fault.New(fault.NotFound, fault.CodeNotFound, "id", "there is no enquiry %s", quoted(id))
	}
	return s.receipt(Kept{Enquiry: e}), nil
}

// receipt is what whoever sent it is told.
func (s *Service) receipt(k Kept) Receipt {
	return Receipt{
		ID: k.Enquiry.ID, Intent: k.Enquiry.Intent, Dataset: k.Enquiry.About, Method: k.Enquiry.Method, Repeated: k.Repeated, Purged: k.Enquiry.Purged,
		Next: next[k.Enquiry.Intent], Contact: s.cfg.Addresses.Operator,
	}
}

// next is what happens next.
var next = map[Intent]string{
	Quote:      "A person reads it and replies by e-mail with a quote. Nothing is priced or licensed automatically.",
	Sample:     "A person looks at it and, when the sample bundle is released, a link to it comes by e-mail, under the evaluation licence.",
	Collection: "A person reads the brief and replies by e-mail. Nothing is priced or ordered automatically.",
	Question:   "A person reads it and replies by e-mail.",
}

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

// Addresses are the addresses that mails have.
type Addresses struct {
	From     string // of the service itself
	Operator string // of the person who answers; public
	// Acknowledge also sends a receipt to the person.
	Acknowledge bool
}

// check refuses addresses that a mail cannot have.
func (a Addresses) check() error {
	for _, s := range []string{a.From, a.Operator} {
		if err := CheckOwnAddress(s); err != nil {
			return fmt.Errorf("the address of the sender or the operator of enquiries %w", err)
		}
	}
	return nil
}

// Config configures a [Service].
type Config struct {
	Store     Store            // required
	Catalogue catalogue.Reader // required
	Secret    *seal.Secret     // the same on every server; required
	Addresses Addresses        // From and Operator are required; their domain may be localhost
	PublicURL string           // address of the public pages, such as https://data.example.org; "" makes no links
	Policy    Policy           // "" means ElicitationOrLink
	// MailsLinks says that mails reach people because a mail server accepts them. Without
	// it no link is mailed, and an agent whose host cannot ask gets the form only.
	MailsLinks bool
	Keep       time.Duration    // how long enquiries are kept; 0 means DefaultKeep
	Limits     Limits           // zero means DefaultLimits
	Links      LinkLimits       // zero means DefaultLinks
	Now        func() time.Time // nil means time.Now
	Log        *slog.Logger     // nil logs nothing
}

// DefaultKeep is two years.
const DefaultKeep = 2 * 365 * 24 * time.Hour

// DefaultLimits are the limits of enquiries in any sixty minutes.
var DefaultLimits = Limits{Sender: 5, Client: 20, All: 1000}

// DefaultLinks are the limits of mails with a link. An agent that asks again and again in other
// words causes only a handful of mails, and so does a program that enters a stranger's
// address.
var DefaultLinks = LinkLimits{Address: 5, Client: 20, All: 300}

// FormPath is the path of the public form. Its query can preselect a dataset and an intent.
const FormPath = "/enquiry"

// ConfirmPath is the path of mailed links; a token follows.
const ConfirmPath = "/enquiry/confirm/"

// Service accepts enquiries. Safe for concurrent use.
type Service struct {
	cfg  Config
	keys keys
}

// New returns a service. It fails if a required field is missing, an address is not valid, or
// the policy is unknown.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil || cfg.Catalogue == nil || cfg.Secret == nil {
		return nil, errors.New("enquiries need Store, Catalogue and Secret")
	}
	if err := cfg.Addresses.check(); err != nil {
		return nil, err
	}
	// An unknown policy must not fall back to a weaker one.
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

// Terms are what people are told before they send an enquiry.
type Terms struct {
	Contact string
	Keep    time.Duration
	Limits  Limits
	// Questions limits the questions that agents may put to people in any sixty minutes.
	// Its Sender is not used.
	Questions Limits
	// Links limits the mails with a link that agents may cause.
	Links  LinkLimits
	Policy Policy
	// MailsLinks says that a person whose agent's host cannot ask is mailed a link.
	MailsLinks bool
}

// Terms returns the terms of this service.
func (s *Service) Terms() Terms {
	l := s.cfg.Limits
	return Terms{
		Contact: s.cfg.Addresses.Operator, Keep: s.cfg.Keep, Limits: l, Links: s.cfg.Links, Policy: s.cfg.Policy, MailsLinks: s.mailsLinks(),
		Questions: Limits{Client: l.Client * questionsPerEnquiry, All: l.All * questionsPerEnquiry},
	}
}

// Receipt returns the receipt of an enquiry that was sent, for the page that confirms it. The
// error is of kind NotFound if there is none.
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

// receipt returns the receipt for a stored enquiry.
func (s *Service) receipt(k Kept) Receipt {
	return Receipt{
		ID: k.Enquiry.ID, Intent: k.Enquiry.Intent, Dataset: k.Enquiry.About, Method: k.Enquiry.Method, Repeated: k.Repeated, Purged: k.Enquiry.Purged,
		Next: next[k.Enquiry.Intent], Contact: s.cfg.Addresses.Operator,
	}
}

// next says what happens next, by intent.
var next = map[Intent]string{
	Quote:      "A person reads it and replies by e-mail with a quote. Nothing is priced or licensed automatically.",
	Sample:     "A person looks at it and, when the sample bundle is released, a link to it comes by e-mail, under the evaluation licence.",
	Collection: "A person reads the brief and replies by e-mail. Nothing is priced or ordered automatically.",
	Question:   "A person reads it and replies by e-mail.",
}

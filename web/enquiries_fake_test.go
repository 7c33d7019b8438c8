package web_test

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/web"
)

const (
	sentID   = "enq_abcdefghijklmnopqrstuvwxyz"
	token    = "tok-1"
	sampleAt = "/enquiry/sample/rel_1?expires=2&signature=s"
)

// clerk takes enquiries and hands out samples, and remembers what it was asked to do.
type clerk struct {
	waits  enquiry.Waits
	offer  enquiry.Offer
	purged bool  // so is every enquiry
	fails  error // what Submit, Confirm and Bundle answer
	away   error // what everything else does

	mu        sync.Mutex
	submitted []enquiry.Form
	by        []enquiry.Method
	sources   []enquiry.Source
	confirmed []string
	refused   []string // method and code
	taken     []enquiry.Ticket
}

func newClerk() *clerk {
	about := &enquiry.Dataset{ID: "ds_1", Slug: "hindi-bank-calls", Title: "Hindi bank calls " + strings.Repeat("y", 120), URL: origin + "/catalogue/datasets/hindi-bank-calls"}
	day := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return &clerk{
		waits: enquiry.Waits{
			Draft: enquiry.Draft{Form: enquiry.Form{
				Name: "प्रिया शर्मा", Email: "priya@example.org", Company: "ध्वनि प्रयोगशाला", Intent: enquiry.Quote, Dataset: "hindi-bank-calls",
				Message: "नमस्ते,\nहमें दो सौ घंटे चाहिए।\n\nவணக்கம்! எங்களுக்கு உதவி தேவை.\nمرحبا، نحتاج إلى التسجيلات قبل نهاية العام.\n" + strings.Repeat("long", 80), Agent: "Finder",
			}, About: about},
			Agent: "finder 1.2 " + strings.Repeat("x", 200), Asked: day, Expires: day.Add(48 * time.Hour),
		},
		offer: enquiry.Offer{
			Dataset: *about, Licence: "Evaluation licence\n\nYou may listen and measure.\n" + strings.Repeat("And so on, in words that go on for a while. ", 90), Left: 5, Expires: day.Add(7 * 24 * time.Hour),
			Files: []catalogue.File{{Name: "sample/sample.wav", ContentType: "audio/wav", SizeBytes: 4_200_000}, {Name: "sample/segments.csv", ContentType: "text/csv", SizeBytes: 812}},
		},
	}
}

func (c *clerk) Terms() enquiry.Terms {
	return enquiry.Terms{Contact: "licensing@vaak.example", Keep: enquiry.DefaultKeep, Limits: enquiry.DefaultLimits, Policy: enquiry.ElicitationOrLink}
}

// did counts all that was sent, confirmed and taken.
func (c *clerk) did() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.submitted) + len(c.confirmed) + len(c.taken)
}

func (c *clerk) receipt(f enquiry.Form, about *enquiry.Dataset) enquiry.Receipt {
	return enquiry.Receipt{ID: sentID, Intent: f.Intent, Dataset: about, Next: "A person reads it and answers by e-mail, as a rule within two working days.", Contact: "licensing@vaak.example", Purged: c.purged}
}

// Submit checks a few fields, with the words that a service would use.
func (c *clerk) Submit(_ context.Context, src enquiry.Source, f enquiry.Form, by enquiry.Method) (enquiry.Receipt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.submitted, c.by, c.sources = append(c.submitted, f), append(c.by, by), append(c.sources, src)
	switch {
	case c.fails != nil:
		return enquiry.Receipt{}, c.fails
	case f.Name == "":
		return enquiry.Receipt{}, fault.BadParameter("name", "name is missing")
	case !strings.Contains(f.Email, "@"):
		return enquiry.Receipt{}, fault.BadParameter("email", "email is an address such as name@example.org, not %q", f.Email)
	case f.Intent == enquiry.Question && f.Message == "":
		return enquiry.Receipt{}, fault.BadParameter("message", "message is missing: a question needs one")
	case f.Dataset == "gone":
		return enquiry.Receipt{}, fault.BadParameter("dataset", "no dataset has the slug or id %q", f.Dataset)
	case len(f.Company) > enquiry.MaxLine:
		return enquiry.Receipt{}, fault.BadParameter("company", "company has at most 200 characters")
	}
	return c.receipt(f, nil), nil
}

func (c *clerk) Pending(_ context.Context, at string) (enquiry.Waits, error) {
	if at != token || c.away != nil {
		return enquiry.Waits{}, cmp.Or(c.away, error(fault.New(fault.NotFound, "enquiry_link_not_found", "", "nothing waits at this link")))
	}
	return c.waits, nil
}

func (c *clerk) Confirm(ctx context.Context, src enquiry.Source, at string) (enquiry.Receipt, error) {
	if _, err := c.Pending(ctx, at); err != nil {
		return enquiry.Receipt{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.confirmed, c.sources = append(c.confirmed, at), append(c.sources, src)
	return c.receipt(c.waits.Draft.Form, c.waits.Draft.About), c.fails
}

func (c *clerk) Receipt(_ context.Context, id string) (enquiry.Receipt, error) {
	if id != sentID || c.away != nil {
		return enquiry.Receipt{}, cmp.Or(c.away, error(fault.New(fault.NotFound, fault.CodeNotFound, "id", "no enquiry has this id")))
	}
	return c.receipt(c.waits.Draft.Form, c.waits.Draft.About), nil
}

func (c *clerk) Refuse(_ context.Context, src enquiry.Source, by enquiry.Method, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused, c.sources = append(c.refused, string(by)+" "+code), append(c.sources, src)
}

func (c *clerk) Offer(_ context.Context, t enquiry.Ticket) (enquiry.Offer, error) {
	if t != (enquiry.Ticket{ID: "rel_1", Expires: "2", Signature: "s"}) || c.away != nil {
		return enquiry.Offer{}, cmp.Or(c.away, error(fault.New(fault.NotFound, "sample_link_not_found", "", "this link leads to no sample")))
	}
	return c.offer, nil
}

func (c *clerk) Bundle(ctx context.Context, src enquiry.Source, t enquiry.Ticket) (*enquiry.Bundle, error) {
	if _, err := c.Offer(ctx, t); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken, c.sources = append(c.taken, t), append(c.sources, src)
	return &enquiry.Bundle{Name: "hindi-bank-calls-sample.zip"}, c.fails
}

// asking returns the pages of a catalogue with a clerk.
func asking(t testing.TB, c *clerk) *web.Handler {
	t.Helper()
	h, err := web.New(askingConfig(c, shelves()))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

func askingConfig(c *clerk, l catalogue.Reader) web.Config {
	cfg := config()
	cfg.PublicURL, cfg.Catalogue, cfg.Croissant = origin, l, publish.New(l, origin)
	cfg.Enquiries, cfg.Samples = c, c
	return cfg
}

package enquiry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// SamplePath is the path of links to sample bundles. The id of the release follows, and the
// parameters expires and signature.
const SamplePath = "/enquiry/sample/"

// ReleaseTerms are the terms under which a sample is released.
type ReleaseTerms struct {
	Licence   string        // text in the bundle; "" is a note that names the dataset's evaluation licence
	For       time.Duration // how long the link is valid; 0 is seven days, at most 90
	Downloads int           // how often it may be used; 0 is 5, at most 100
}

// MaxLicence is the size of the longest licence text, in bytes.
const MaxLicence = 64 << 10

// Bounds of releases.
const (
	MaxReleaseDays = 90
	MaxDownloads   = 100
)

func (t *ReleaseTerms) check() error {
	if t.For == 0 {
		t.For = 7 * 24 * time.Hour
	}
	if t.Downloads == 0 {
		t.Downloads = 5
	}
	switch {
	case t.For < time.Minute || t.For > MaxReleaseDays*24*time.Hour:
		return fault.BadParameter("for", "for %s is outside a minute to %d days", t.For, MaxReleaseDays)
	case t.Downloads < 1 || t.Downloads > MaxDownloads:
		return fault.BadParameter("downloads", "downloads %d is outside 1 to %d", t.Downloads, MaxDownloads)
	case len(t.Licence) > MaxLicence:
		return fault.BadParameter("licence", "the licence has %d bytes, and %d are the most", len(t.Licence), MaxLicence)
	case !utf8.ValidString(t.Licence) || strings.ContainsRune(t.Licence, 0):
		return fault.BadParameter("licence", "the licence is not a text in UTF-8")
	}
	return nil
}

// Release gives the person access to the sample bundle of the enquiry's dataset: it queues a
// mail with a link, and returns the link. It is refused if the enquiry has another intent or
// no dataset, or is purged; if the dataset has no sample; or if no licence is given and the
// dataset names no evaluation licence.
func (d *Desk) Release(ctx context.Context, id string, t ReleaseTerms) (link string, r Release, err error) {
	if d.links == nil || d.cfg.PublicURL == "" {
		return "", Release{}, errors.New("a release needs the secret and the public address of the server")
	}
	if err := t.check(); err != nil {
		return "", Release{}, err
	}
	e, err := d.releasable(ctx, id)
	if err != nil {
		return "", Release{}, err
	}
	stored, err := d.sampled(ctx, e.About.ID)
	if err != nil {
		return "", Release{}, err
	}
	now := d.cfg.Now()
	r = Release{
		ID: "rel_" + newToken(), Enquiry: id, Dataset: stored.Dataset.ID, Licence: t.Licence,
		Released: now, Expires: now.Add(t.For).Truncate(time.Second), Most: t.Downloads,
	}
	if r.Licence == "" {
		if r.Licence, err = licenceNote(&stored.Dataset, e); err != nil {
			return "", Release{}, err
		}
	}
	// The link is not stored: it can be made again from the release and the secret.
	link = d.link(r)
	m := d.cfg.Addresses.mail(id, r.ID, WithSample, now)
	m.To, m.ReplyTo, m.Subject = e.Email, d.cfg.Addresses.Operator, "The sample you asked for: "+stored.Dataset.Slug
	m.Text = sampleText(stored.Dataset.Slug, link, r)
	entry := Entry{At: now, Outcome: OutcomeReleased, Enquiry: id, State: r.ID, Times: 1}
	return link, r, d.cfg.Records.PutRelease(ctx, r, m, entry)
}

// releasable returns an enquiry whose sample may be released, or why it may not.
func (d *Desk) releasable(ctx context.Context, id string) (Enquiry, error) {
	e, err := d.enquiry(ctx, id)
	if err != nil {
		return Enquiry{}, err
	}
	why := ""
	switch {
	case e.Purged:
		why = "is purged: there is no address to send a link to"
	case e.Intent != Sample:
		why = fmt.Sprintf("asks for %s (%s), not for the sample bundle", meaning[e.Intent], e.Intent)
	case e.About == nil:
		why = "names no dataset"
	default:
		return e, nil
	}
	return Enquiry{}, fault.New(fault.Conflict, "not_releasable", "id", "enquiry %s %s", id, why)
}

// sampled returns a visible dataset, which must have a sample.
func (d *Desk) sampled(ctx context.Context, dataset string) (*catalogue.Stored, error) {
	stored, err := d.cfg.Catalogue.Filed(ctx, dataset)
	if err != nil {
		return nil, err
	}
	if len(samples(stored)) == 0 {
		return nil, fault.New(fault.Conflict, "no_sample", "", "dataset %q has no sample", stored.Dataset.Slug)
	}
	return stored, nil
}

// samples returns the files of a dataset's sample.
func samples(s *catalogue.Stored) []catalogue.File {
	var out []catalogue.File
	for _, f := range s.Files {
		if strings.HasPrefix(f.Name, "sample/") {
			out = append(out, f)
		}
	}
	return out
}

// licenceNote returns the text for a sample whose licence is published elsewhere: it names the
// licence and who the sample is given to.
func licenceNote(d *catalogue.Dataset, e Enquiry) (string, error) {
	if d.Licence == nil || d.Licence.Evaluation == nil {
		return "", fault.New(fault.Conflict, "no_evaluation_licence", "licence",
			"dataset %q names no evaluation licence; give the text of one", d.Slug)
	}
	terms := d.Licence.Evaluation
	var b strings.Builder
	fmt.Fprintf(&b, "Sample of %q (%s)\n\nLicence: %s\n", d.Title, d.Slug, terms.Name)
	if terms.URL != "" {
		fmt.Fprintf(&b, "Text: %s\n", terms.URL)
	}
	fmt.Fprintf(&b, "Given to: %s%s\nEnquiry: %s\n\n", e.Name, prefixed(", ", e.Company), e.ID)
	b.WriteString("The licence named above governs this sample. It lets you evaluate the dataset; it is not a licence of the dataset. Whatever it does not allow is not allowed.\n")
	return b.String(), nil
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// link returns the address at which a release can be downloaded.
func (d *Desk) link(r Release) string {
	expires := strconv.FormatInt(r.Expires.Unix(), 10)
	q := url.Values{"expires": {expires}, "signature": {d.links.Sign(r.ID, expires)}}
	return d.cfg.PublicURL + SamplePath + r.ID + "?" + q.Encode()
}

// sampleText returns the text of the mail with the link.
func sampleText(slug, link string, r Release) string {
	return fmt.Sprintf(`The sample bundle of %s is ready for you:

%s

The page shows the licence; the download begins when you accept it. The link is good until %s, for %d downloads, and for you alone.

Enquiry: %s
A reply to this mail reaches a person.
`, slug, link, r.Expires.UTC().Format("2 January 2006, 15:04 UTC"), r.Most, r.Enquiry)
}

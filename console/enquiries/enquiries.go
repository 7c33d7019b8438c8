// Package enquiries has the inbox of operators: what people asked, whether its mails went
// out, by whose word they consented, and the samples that were released.
package enquiries

import (
	"embed"
	"net/url"
	"time"

	"vaak/console/page"
	"vaak/enquiry"
	"vaak/internal/fault"
)

//go:embed *.html
var files embed.FS

// path is where the inbox is.
const path = "/enquiries"

// pages serves the pages.
type pages struct{ Desk *enquiry.Desk }

// New returns the section of enquiries.
func New(desk *enquiry.Desk) page.Section {
	const one = path + "/{id}"
	ps := &pages{desk}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get(path, page.Operators, ps.enquiries),
		page.Get(one, page.Operators, ps.enquiry),
		page.Post(one+"/mails/{mail}/retry", page.Operators, ps.retryMail, ps.enquiry),
		page.Post(one+"/release", page.Operators, ps.releaseSample, ps.enquiry),
		page.Post(one+"/purge", page.Operators, ps.purgeEnquiry, ps.enquiry),
	}}
}

// enquiryList is what the page of enquiries shows.
type enquiryList struct {
	enquiryWords
	Lines []enquiry.Summary // the newest first
	Pages page.Paging
}

// enquiries shows the inbox. The next page begins after the time and the id of the last
// line. With numbers of pages, enquiries that arrive meanwhile would shift the list.
func (ps *pages) enquiries(v *page.Visit) error {
	sent := v.R.URL.Query()
	// One more than the page shows, which tells whether there are older ones.
	q := enquiry.ListQuery{Limit: page.Lines + 1, BeforeID: sent.Get("id")}
	if s := sent.Get("before"); s != "" {
		var err error
		if q.Before, err = time.Parse(time.RFC3339Nano, s); err != nil {
			return fault.BadParameter("before", "before %.40q is not a time such as 2027-01-31T00:00:00Z", s)
		}
	}
	all, err := ps.Desk.List(v.R.Context(), q)
	if err != nil {
		return err
	}
	var p enquiryList
	if !q.Before.IsZero() {
		p.Pages.First = path
	}
	if len(all) > page.Lines {
		all = all[:page.Lines]
		last := all[page.Lines-1]
		p.Pages.Older = page.Address(path, url.Values{"before": {last.Received.UTC().Format(time.RFC3339Nano)}, "id": {last.ID}})
	}
	p.Lines = all
	return v.Show("enquiries", "Enquiries", p)
}

// enquiryPage is what the page of an enquiry shows.
type enquiryPage struct {
	enquiryWords
	enquiry.File
	Consent    string // how consent was given, in words; "" where it is not known
	Releasable bool   // a sample can be released
	// Link leads to a sample that was released just now. It is shown once.
	Link    string
	Release enquiry.Release
	// Bounds of a release.
	MaxDays, MaxDownloads int
	// Asked is what was sent in the form of a release that is shown again.
	Asked page.View
}

func (ps *pages) enquiry(v *page.Visit) error { return ps.showEnquiry(v, "", enquiry.Release{}) }

func (ps *pages) showEnquiry(v *page.Visit, link string, released enquiry.Release) error {
	f, err := ps.findEnquiry(v)
	if err != nil {
		return err
	}
	e := f.Enquiry
	return v.Show("enquiry", "Enquiry", enquiryPage{
		File: f, Consent: e.Method.Words(), Releasable: e.Intent == enquiry.Sample && e.About != nil && !e.Purged,
		Link: link, Release: released, MaxDays: enquiry.MaxReleaseDays, MaxDownloads: enquiry.MaxDownloads, Asked: v.Entered("/release"),
	})
}

// findEnquiry returns the enquiry of the path with all that belongs to it.
func (ps *pages) findEnquiry(v *page.Visit) (enquiry.File, error) {
	f, err := ps.Desk.Show(v.R.Context(), v.R.PathValue("id"))
	if fault.KindOf(err) == fault.NotFound {
		return f, page.NoSuch("enquiry")
	}
	return f, err
}

// enquiryPath returns the address of the page of an enquiry.
func enquiryPath(f enquiry.File) string { return path + "/" + url.PathEscape(f.Enquiry.ID) }

// retryMail queues a failed mail of the enquiry once more.
func (ps *pages) retryMail(v *page.Visit) error {
	f, err := ps.findEnquiry(v)
	if err != nil {
		return err
	}
	for _, m := range f.Mails {
		if m.ID != v.R.PathValue("mail") {
			continue
		}
		if m.State != enquiry.Failed {
			return fault.New(fault.Conflict, "mail_not_failed", "", "This mail is %s; only a failed one can be tried again.", m.State)
		}
		err := ps.Desk.Retry(v.R.Context(), m.ID)
		v.Note("enquiry.retry", m.ID, err)
		if err != nil {
			return err
		}
		return v.Done(enquiryPath(f), "The mail is queued again.")
	}
	return page.NoSuch("mail")
}

// Defaults of the form of a release.
const (
	defaultReleaseDays = 7
	defaultDownloads   = 5
)

// releaseSample releases the sample bundle to the person who asked, and shows the link. It
// does not redirect, since the link is shown once.
func (ps *pages) releaseSample(v *page.Visit) error {
	f, err := ps.findEnquiry(v)
	if err != nil {
		return err
	}
	terms, err := releaseTerms(v)
	if err != nil {
		return err
	}
	link, r, err := ps.Desk.Release(v.R.Context(), f.Enquiry.ID, terms)
	v.Note("enquiry.release", f.Enquiry.ID, err)
	if err != nil {
		return err
	}
	v.Sent = page.Form{} // the form is empty again
	return ps.showEnquiry(v, link, r)
}

// releaseTerms reads the form of a release. In a form each byte of a licence may take three
// (%XX).
func releaseTerms(v *page.Visit) (t enquiry.ReleaseTerms, err error) {
	if err := v.ReadForm(page.MaxForm + 3*enquiry.MaxLicence); err != nil {
		return t, err
	}
	days, err := v.Sent.Number("days", defaultReleaseDays)
	if err != nil {
		return t, err
	}
	if days < 1 || days > enquiry.MaxReleaseDays {
		return t, fault.BadParameter("days", "days %d is outside 1 to %d", days, enquiry.MaxReleaseDays)
	}
	downloads, err := v.Sent.Number("downloads", defaultDownloads)
	if err != nil {
		return t, err
	}
	if downloads < 1 || downloads > enquiry.MaxDownloads {
		return t, fault.BadParameter("downloads", "downloads %d is outside 1 to %d", downloads, enquiry.MaxDownloads)
	}
	t.For, t.Downloads = time.Duration(days)*24*time.Hour, int(downloads)
	if v.Sent.Field("licence") != "" {
		t.Licence = v.Sent.Get("licence")
	}
	return t, nil
}

// purgeEnquiry deletes what the person typed.
func (ps *pages) purgeEnquiry(v *page.Visit) error {
	f, err := ps.findEnquiry(v)
	if err == nil {
		err = v.ReadForm(page.MaxForm)
	}
	if err == nil {
		err = v.Sent.Sure()
	}
	if err != nil {
		return err
	}
	err = ps.Desk.PurgeOne(v.R.Context(), f.Enquiry.ID)
	v.Note("enquiry.purge", f.Enquiry.ID, err)
	if err != nil {
		return err
	}
	return v.Done(enquiryPath(f), "What the person typed is deleted.")
}

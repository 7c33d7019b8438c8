package console

import (
	"net/url"
	"time"

	"vaak/enquiry"
	"vaak/internal/fault"
)

const enquiriesPath = "/enquiries"

func (c *Console) enquiryRoutes() []route {
	if c.Desk == nil {
		return nil
	}
	const one = enquiriesPath + "/{id}"
	return []route{
		get(enquiriesPath, operators, (*visit).enquiries),
		get(one, operators, (*visit).enquiry),
		post(one+"/mails/{mail}/retry", operators, (*visit).retryMail, (*visit).enquiry),
		post(one+"/release", operators, (*visit).releaseSample, (*visit).enquiry),
		post(one+"/purge", operators, (*visit).purgeEnquiry, (*visit).enquiry),
	}
}

// enquiryList is what the page of enquiries shows.
type enquiryList struct {
	enquiryWords
	Lines []enquiry.Summary // the newest first
	Pages paging
}

// enquiries shows the inbox. Pages go on from the time and the id of the last line, as
// new enquiries come in above.
func (v *visit) enquiries() error {
	sent := v.r.URL.Query()
	q := enquiry.ListQuery{Limit: pageSize + 1, BeforeID: sent.Get("id")}
	if s := sent.Get("before"); s != "" {
		var err error
		if q.Before, err = time.Parse(time.RFC3339Nano, s); err != nil {
			return fault.BadParameter("before", "before %.40q is not a time such as 2027-01-31T00:00:00Z", s)
		}
	}
	all, err := v.Desk.List(v.r.Context(), q)
	if err != nil {
		return err
	}
	var p enquiryList
	if !q.Before.IsZero() {
		p.Pages.First = enquiriesPath
	}
	if len(all) > pageSize {
		all = all[:pageSize]
		last := all[pageSize-1]
		p.Pages.Older = address(enquiriesPath, url.Values{"before": {last.Received.UTC().Format(time.RFC3339Nano)}, "id": {last.ID}})
	}
	p.Lines = all
	return v.show("enquiries", "Enquiries", p)
}

// enquiryPage is what the page of an enquiry shows.
type enquiryPage struct {
	enquiryWords
	enquiry.File
	Consent    string // how it was given, in words; "" where it is not known
	Releasable bool   // whether a sample can be released
	// Link to a sample that was released just now, which is shown once.
	Link    string
	Release enquiry.Release
	// Bounds of a release.
	MaxDays, MaxDownloads int
	// What was sent of the form of a release.
	Asked view
}

func (v *visit) enquiry() error { return v.showEnquiry("", enquiry.Release{}) }

func (v *visit) showEnquiry(link string, released enquiry.Release) error {
	f, err := v.findEnquiry()
	if err != nil {
		return err
	}
	e := f.Enquiry
	return v.show("enquiry", "Enquiry", enquiryPage{
		File: f, Consent: e.Method.Words(), Releasable: e.Intent == enquiry.Sample && e.About != nil && !e.Purged,
		Link: link, Release: released, MaxDays: enquiry.MaxReleaseDays, MaxDownloads: enquiry.MaxDownloads, Asked: v.entered("/release"),
	})
}

// findEnquiry returns the enquiry of the path with all that belongs to it.
func (v *visit) findEnquiry() (enquiry.File, error) {
	f, err := v.Desk.Show(v.r.Context(), v.r.PathValue("id"))
	if fault.KindOf(err) == fault.NotFound {
		return f, noSuch("enquiry")
	}
	return f, err
}

// enquiryPath is where the page of an enquiry is.
func enquiryPath(f enquiry.File) string { return enquiriesPath + "/" + url.PathEscape(f.Enquiry.ID) }

// retryMail queues a failed mail of the enquiry once more.
func (v *visit) retryMail() error {
	f, err := v.findEnquiry()
	if err != nil {
		return err
	}
	for _, m := range f.Mails {
		if m.ID != v.r.PathValue("mail") {
			continue
		}
		if m.State != enquiry.Failed {
			return fault.New(fault.Conflict, "mail_not_failed", "", "This mail is %s; only a failed one can be tried again.", m.State)
		}
		err := v.Desk.Retry(v.r.Context(), m.ID)
		v.note("enquiry.retry", m.ID, err)
		if err != nil {
			return err
		}
		return v.done(enquiryPath(f), "The mail is queued again.")
	}
	return noSuch("mail")
}

// What a release is when the form does not say.
const (
	defaultReleaseDays = 7
	defaultDownloads   = 5
)

// releaseSample lets the person have the sample bundle, and answers with the link.
func (v *visit) releaseSample() error {
	f, err := v.findEnquiry()
	if err != nil {
		return err
	}
	terms, err := v.releaseTerms()
	if err != nil {
		return err
	}
	link, r, err := v.Desk.Release(v.r.Context(), f.Enquiry.ID, terms)
	v.note("enquiry.release", f.Enquiry.ID, err)
	if err != nil {
		return err
	}
	v.sent = nil // the form is empty again
	return v.showEnquiry(link, r)
}

// releaseTerms reads the form of a release. Each byte of a licence may take three.
func (v *visit) releaseTerms() (t enquiry.ReleaseTerms, err error) {
	if err := v.form(maxForm + 3*enquiry.MaxLicence); err != nil {
		return t, err
	}
	days, err := v.number("days", defaultReleaseDays)
	if err != nil {
		return t, err
	}
	if days < 1 || days > enquiry.MaxReleaseDays {
		return t, fault.BadParameter("days", "days %d is outside 1 to %d", days, enquiry.MaxReleaseDays)
	}
	downloads, err := v.number("downloads", defaultDownloads)
	if err != nil {
		return t, err
	}
	if downloads < 1 || downloads > enquiry.MaxDownloads {
		return t, fault.BadParameter("downloads", "downloads %d is outside 1 to %d", downloads, enquiry.MaxDownloads)
	}
	t.For, t.Downloads = time.Duration(days)*24*time.Hour, int(downloads)
	if v.field("licence") != "" {
		t.Licence = v.sent.Get("licence")
	}
	return t, nil
}

// purgeEnquiry deletes what the person typed.
func (v *visit) purgeEnquiry() error {
	f, err := v.findEnquiry()
	if err == nil {
		err = v.form(maxForm)
	}
	if err == nil {
		err = v.sure()
	}
	if err != nil {
		return err
	}
	err = v.Desk.PurgeOne(v.r.Context(), f.Enquiry.ID)
	v.note("enquiry.purge", f.Enquiry.ID, err)
	if err != nil {
		return err
	}
	return v.done(enquiryPath(f), "What the person typed is deleted.")
}

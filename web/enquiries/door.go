package enquiries

import (
	"errors"
	"fmt"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vaak/internal/fault"
	"vaak/web/site"
)

// door checks where forms come from, and answers with pages of errors. It is safe for
// concurrent use.
type door struct {
	*site.Site
	guard *http.CrossOriginProtection
}

func newDoor(s *site.Site) (*door, error) {
	d := &door{Site: s, guard: http.NewCrossOriginProtection()}
	u, err := url.Parse(s.PublicURL())
	if err != nil {
		return nil, fmt.Errorf("read the public address: %w", err)
	}
	// Behind a proxy the Host header may differ from the name that people use.
	if err := d.guard.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fmt.Errorf("trust the pages of %s: %w", u, err)
	}
	return d, nil
}

// ours reports whether a form was sent from a page of this site, or by a program that is no
// browser. Otherwise it answers with a page that says so.
//
// Secret means that the address of the page holds a secret. Such a page has the referrer
// policy no-referrer, so its form has the origin "null", and over plain HTTP there is no
// Sec-Fetch-Site that says more. A page of another site can send that origin too, but it
// does not know the address. Somebody who knows the address can send the form without
// another person's browser.
func (d *door) ours(w http.ResponseWriter, r *http.Request, secret bool) bool {
	if secret && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "null" {
		return true
	}
	if d.guard.Check(r) == nil {
		return true
	}
	d.SendTrouble(w, r, http.StatusForbidden, site.Trouble{
		Heading: "Sent from another site",
		Words:   "This form came from a page that is not one of ours, so nothing was done with it. If you want to send it, open our own page, and fill in the form there.",
		Ask:     true,
	})
	return false
}

// isForm reports whether a request has the content type of a form as browsers send it.
// Otherwise it answers with a page that says so.
func (d *door) isForm(w http.ResponseWriter, r *http.Request) bool {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	// A form in another character set would be read as other words than the person typed.
	if err == nil && media == "application/x-www-form-urlencoded" && (charset == "" || charset == "utf-8") && r.Header.Get("Content-Encoding") == "" {
		return true
	}
	d.SendTrouble(w, r, http.StatusUnsupportedMediaType, site.Trouble{
		Heading: "This is no form that we know",
		Words:   "Only forms of the type application/x-www-form-urlencoded are taken, in UTF-8 and not compressed. Nothing was sent.",
		Ask:     true,
	})
	return false
}

// blame returns the status of an error, sets the headers that go with it, and logs the error
// if the fault is ours.
func (d *door) blame(w http.ResponseWriter, r *http.Request, err error) int {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		f = &fault.Error{Kind: fault.Internal}
	}
	// What has no status here is a fault of ours.
	status, known := statuses()[f.Kind]
	if !known {
		status = http.StatusInternalServerError
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(f.RetryAfter.Seconds())))))
	}
	if status >= http.StatusInternalServerError && r.Context().Err() == nil {
		d.Log().ErrorContext(r.Context(), "cannot serve an enquiry", "error", err)
	}
	return status
}

// statuses are the statuses of the kinds of errors that these pages answer with.
func statuses() map[fault.Kind]int {
	return map[fault.Kind]int{
		fault.Invalid: http.StatusBadRequest, fault.Unprocessable: http.StatusBadRequest, fault.NotFound: http.StatusNotFound,
		fault.TooLarge: http.StatusRequestEntityTooLarge, fault.RateLimited: http.StatusTooManyRequests, fault.Conflict: http.StatusConflict,
		fault.Unavailable: http.StatusServiceUnavailable, fault.Cancelled: site.StatusClientGone,
	}
}

// fail answers with a page for an error.
func (d *door) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := d.blame(w, r, err)
	t := site.Trouble{Heading: "Something broke on our side", Words: "The page could not be made. What went wrong is in our log; trying again in a moment may help."}
	switch {
	case status == http.StatusServiceUnavailable:
		t.Heading, t.Words = "This page is away for a moment", "A part of the service is being restarted. Please try again in a few seconds."
	case status < http.StatusInternalServerError:
		t.Heading, t.Words = "This cannot be done", sentence(messageOf(err))
	}
	d.SendTrouble(w, r, status, t)
}

// messageOf returns the words of an error for people, or "" where it has none.
func messageOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return site.Clip(f.Msg, site.TitleMax)
	}
	return ""
}

// fieldOf returns the field at fault, or "".
func fieldOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Field
	}
	return ""
}

// sentence returns the words of an error with a capital and a full stop.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	if !strings.HasSuffix(words, ".") && !strings.HasSuffix(words, "…") {
		words += "."
	}
	if first := words[0]; first >= 'a' && first <= 'z' {
		words = string(first-'a'+'A') + words[1:]
	}
	return words
}

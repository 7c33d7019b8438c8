// Package enquiries has the pages on which people ask: the form, what an agent prepared
// for a person to send, and the sample bundle that a person may fetch. Showing a page
// changes nothing. Sending takes a form of this site, and a box that the person ticked.
package enquiries

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"vaak/catalogue"
	"vaak/edge"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/web/site"
)

// receivedPrefix is where the pages of enquiries that were sent are.
const receivedPrefix = "/enquiry/received/"

//go:embed *.html
var files embed.FS

// Service takes what people ask. [*enquiry.Service] is the one of the product. Its
// methods may be called from many goroutines.
type Service interface {
	Terms() enquiry.Terms
	Submit(ctx context.Context, src enquiry.Source, f enquiry.Form, by enquiry.Method) (enquiry.Receipt, error)
	Receipt(ctx context.Context, id string) (enquiry.Receipt, error)
	// Refuse writes to the journal that a form was refused before Submit or Confirm. The
	// code names what was wrong.
	Refuse(ctx context.Context, src enquiry.Source, by enquiry.Method, code string)
	Confirmations
}

// Confirmations has the enquiries that agents prepared for people to send.
type Confirmations interface {
	Pending(ctx context.Context, token string) (enquiry.Waits, error)
	Confirm(ctx context.Context, src enquiry.Source, token string) (enquiry.Receipt, error)
}

// Datasets has the datasets that people ask about. [catalogue.Reader] includes it.
type Datasets interface {
	Dataset(ctx context.Context, slug string) (*catalogue.Dataset, error)
	Similar(slug string) []string
}

// Config is what the pages need.
type Config struct {
	Site     *site.Site
	Datasets Datasets
	Service  Service // nil leaves the form out
	Samples  Samples // nil leaves the page of samples out
}

// New returns the routes of the pages.
func New(cfg Config) ([]site.Route, error) {
	door, err := newDoor(cfg.Site)
	if err != nil {
		return nil, err
	}
	var routes []site.Route
	if cfg.Service != nil {
		d := &desk{door: door, service: cfg.Service, datasets: cfg.Datasets}
		if err := d.parse(); err != nil {
			return nil, err
		}
		routes = append(routes,
			site.Route{Path: site.AskPath, Page: http.HandlerFunc(d.serveForm), Post: http.HandlerFunc(d.submit)},
			site.Route{Path: receivedPrefix, Name: "id", Page: http.HandlerFunc(d.serveReceived)},
			site.Route{Path: enquiry.ConfirmPath, Name: "token", Page: http.HandlerFunc(d.serveConfirm), Post: http.HandlerFunc(d.confirm)})
	}
	if cfg.Samples != nil {
		b := &bundles{door: door, service: cfg.Samples}
		if b.page, err = site.Parse(files, "sample.html"); err != nil {
			return nil, err
		}
		routes = append(routes, site.Route{Path: enquiry.SamplePath, Name: "id", Page: http.HandlerFunc(b.serveOffer), Post: http.HandlerFunc(b.download)})
	}
	return routes, nil
}

// desk serves the pages on which people ask. It is safe for concurrent use.
type desk struct {
	*door
	service                    Service
	datasets                   Datasets
	form, received, confirming *template.Template
}

func (e *desk) parse() (err error) {
	for _, page := range []struct {
		t    **template.Template
		file string
	}{
		{&e.form, "enquiry.html"},
		{&e.received, "received.html"},
		{&e.confirming, "confirm.html"},
	} {
		if *page.t, err = site.Parse(files, "ask.html", page.file); err != nil {
			return err
		}
	}
	return nil
}

// serveForm answers with the form, about the dataset that the query names.
func (e *desk) serveForm(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var about *catalogue.Dataset
	if slug := site.Value(query, "dataset"); slug != "" {
		d, err := e.datasets.Dataset(r.Context(), slug)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			e.SendNoDataset(w, r, slug, e.datasets.Similar(site.Clip(slug, site.TitleMax)))
			return
		case err != nil:
			e.CatalogueFailed(w, r, err)
			return
		}
		about = d
	}
	v := NewAsk(e.service.Terms(), about)
	v.choose(enquiry.Intent(site.Value(query, "intent")))
	// A brief that the list has written; whoever sends it reads it first.
	if message := query.Get("message"); message != "" {
		v.fill(sheet{"message": site.Clip(strings.ToValidUTF8(enquiry.Inert(message), ""), enquiry.MaxMessage)})
	}
	e.sendForm(w, r, http.StatusOK, v)
}

func (e *desk) sendForm(w http.ResponseWriter, r *http.Request, status int, v *Ask) {
	v.Heading = "Ask a person"
	if v.About != nil {
		v.Heading = "Ask about this dataset"
	}
	title := v.Heading
	if status != http.StatusOK {
		title = "Not sent: " + strings.ToLower(title[:1]) + title[1:]
	}
	e.Send(w, r, site.Answer{
		Status: status, Title: title, Path: site.AskPath, Hidden: true, Form: true, Page: e.form, View: v,
		Description: "Ask for a licence quote, a sample, a collection recorded to a brief, or anything else. A person answers.",
	})
}

// submit sends a form that was filled in, or shows it again with what is wrong.
func (e *desk) submit(w http.ResponseWriter, r *http.Request) {
	if !e.admits(w, r, enquiry.ByPage) {
		return
	}
	sent, err := e.read(w, r, enquiry.ByPage, "below the message")
	var receipt enquiry.Receipt
	if err == nil {
		receipt, err = e.service.Submit(r.Context(), source(r), sent.form(), enquiry.ByPage)
	}
	if err != nil {
		e.refuse(w, r, sent, err)
		return
	}
	e.goToReceived(w, r, receipt.ID)
}

// admits reports whether a request is a form of this site that a browser sent. Otherwise it
// answers with a page that says so. A program can pretend to be a browser, but it cannot
// use the form by mistake as if it were the API: consent that is given here is that of a
// person.
func (e *desk) admits(w http.ResponseWriter, r *http.Request, by enquiry.Method) bool {
	// Before the origin: a program that sends neither header would pass the check of origins.
	if !byBrowser(r) {
		e.service.Refuse(r.Context(), source(r), by, "browser")
		e.SendTrouble(w, r, http.StatusForbidden, site.Trouble{
			Heading: "This form is for people",
			Words: "It is taken from a browser alone, since what it asks for is a person's own consent, and this request has neither of the headers Origin and Sec-Fetch-Site that browsers send. Nothing was sent. " +
				"A program sends an enquiry with POST /api/catalogue/enquiry, and attests there that its person has agreed.",
		})
		return false
	}
	if !e.ours(w, r, by == enquiry.ByMail) {
		e.service.Refuse(r.Context(), source(r), by, "origin")
		return false
	}
	return e.isForm(w, r)
}

// byBrowser reports whether a form has a header that every browser sends with a form.
func byBrowser(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != ""
}

// read reads a form whose box of consent must be ticked. The place says where on the page
// the box is. When there is an error, nothing of the form may be sent.
func (e *desk) read(w http.ResponseWriter, r *http.Request, by enquiry.Method, place string) (sheet, error) {
	sent, err := readSheet(w, r)
	if err == nil && !sent.agreed() {
		err = notAgreed("Tick the box %s: without your consent nothing is sent.", place)
	}
	if field := fieldOf(err); field != "" {
		e.service.Refuse(r.Context(), source(r), by, field)
	}
	return sent, err
}

// refuse shows the form again and says why it was not sent.
func (e *desk) refuse(w http.ResponseWriter, r *http.Request, sent sheet, err error) {
	status := e.blame(w, r, err)
	v := NewAsk(e.service.Terms(), nil)
	v.fill(sent)
	if slug := sent["dataset"]; slug != "" {
		// The form keeps the dataset unless it is known not to exist: a form about such
		// a dataset could never be sent.
		d, missing := e.datasets.Dataset(r.Context(), site.Plain(slug))
		switch {
		case missing == nil:
			v.about(d)
		case fault.KindOf(missing) != fault.NotFound:
			v.About = &subject{Slug: slug}
		}
	}
	v.choose(enquiry.Intent(sent["intent"]))
	v.wrong(err)
	e.sendForm(w, r, status, v)
}

// goToReceived redirects to a page that can be reloaded without sending the form again.
func (e *desk) goToReceived(w http.ResponseWriter, r *http.Request, id string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, receivedPrefix+url.PathEscape(id), http.StatusSeeOther)
}

// receivedView is the page that says that an enquiry was received. It shows nothing that the
// person typed, since everybody who has its address can see it.
type receivedView struct {
	Intent  string
	Dataset *subject
	Next    string
	Terms   terms
	ID      string
	Purged  bool // what the person typed is deleted
}

// serveReceived shows that an enquiry was received.
func (e *desk) serveReceived(w http.ResponseWriter, r *http.Request) {
	receipt, err := e.service.Receipt(r.Context(), site.Clip(r.PathValue("id"), site.WordMax))
	if fault.KindOf(err) == fault.NotFound {
		e.SendTrouble(w, r, http.StatusNotFound, site.Trouble{
			Heading: "There is no such enquiry",
			Words:   "No enquiry has this address. It may be misspelt: the page that you saw after sending has the right one.",
			Ask:     true,
		})
		return
	}
	if err != nil {
		e.fail(w, r, err)
		return
	}
	e.Send(w, r, site.Answer{
		Status: http.StatusOK, Title: "Enquiry received", Hidden: true, Private: true, Page: e.received,
		View: receivedView{
			Intent: intentName(receipt.Intent), Dataset: newSubject(receipt.Dataset), Next: site.Clip(receipt.Next, site.ProseMax),
			Terms: newTerms(e.service.Terms(), receipt.Contact), ID: receipt.ID, Purged: receipt.Purged,
		},
	})
}

// source returns where a request comes from, for the limits and the journal. All clients
// whose address is not known share one limit.
func source(r *http.Request) enquiry.Source {
	scope, ok := edge.ClientScope(r.Context())
	if !ok {
		scope = "unknown"
	}
	return enquiry.Source{Client: scope, RequestID: edge.RequestID(r.Context())}
}

// notAgreed is the error of a form whose box was not ticked.
func notAgreed(format string, args ...any) error {
	return fault.New(fault.Invalid, "consent_required", consentField, "%s", fmt.Sprintf(format, args...))
}

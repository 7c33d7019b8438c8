package enquiries

import (
	"context"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"vaak/edge"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/web/site"
)

// Samples hands out the sample bundles that operators released. [*enquiry.Desk] is
// the one of the product. Its methods may be called from many goroutines.
type Samples interface {
	Offer(ctx context.Context, t enquiry.Ticket) (enquiry.Offer, error)
	Bundle(ctx context.Context, src enquiry.Source, t enquiry.Ticket) (*enquiry.Bundle, error)
}

// bundles serves the pages of samples that were released. It is safe for concurrent use.
type bundles struct {
	*door
	service Samples
	page    *template.Template
}

// offerView is the page on which a person accepts the licence of a sample.
type offerView struct {
	Dataset *subject
	Licence string
	Files   []offeredFile
	Left    string
	Expires *site.Moment
	Problem string // why the bundle was not sent; ""
	Action  string // where the form is sent: the page itself
}

type offeredFile struct{ Name, Type, Size string }

func newOffer(action string, o enquiry.Offer) offerView {
	v := offerView{
		Dataset: newSubject(&o.Dataset), Licence: enquiry.Inert(o.Licence), Expires: site.NewMoment(o.Expires), Action: action,
		Left: site.Plural(o.Left, "download", "downloads"),
	}
	for _, f := range o.Files[:min(len(o.Files), site.ListMax)] {
		v.Files = append(v.Files, offeredFile{site.Clip(f.Name, site.TitleMax), site.Clip(f.ContentType, site.WordMax), site.Size(f.SizeBytes)})
	}
	return v
}

// ticket returns the parts of the link, and its path and query, to which the form is sent.
func ticket(r *http.Request) (enquiry.Ticket, string) {
	query := r.URL.Query()
	t := enquiry.Ticket{ID: r.PathValue("id"), Expires: query.Get("expires"), Signature: query.Get("signature")}
	again := url.Values{"expires": {t.Expires}, "signature": {t.Signature}}
	return t, enquiry.SamplePath + url.PathEscape(t.ID) + "?" + again.Encode()
}

// serveOffer shows what a link leads to. It counts no download, since mail filters open links
// before people do.
func (b *bundles) serveOffer(w http.ResponseWriter, r *http.Request) {
	b.sendOffer(w, r, http.StatusOK, "")
}

func (b *bundles) sendOffer(w http.ResponseWriter, r *http.Request, status int, problem string) {
	t, here := ticket(r)
	offer, err := b.service.Offer(r.Context(), t)
	if err != nil {
		b.failLink(w, r, err)
		return
	}
	v := newOffer(here, offer)
	v.Problem = problem
	b.Send(w, r, site.Answer{Status: status, Title: "Sample bundle", Hidden: true, Private: true, Page: b.page, View: v})
}

// download sends the bundle to a person who accepted the licence.
func (b *bundles) download(w http.ResponseWriter, r *http.Request) {
	if !b.ours(w, r, true) || !b.isForm(w, r) {
		return
	}
	sent, err := readSheet(w, r)
	if err == nil && !sent.agreed() {
		err = notAgreed("Tick the box above the button: the bundle is given under this licence alone.")
	}
	if err != nil {
		b.sendOffer(w, r, b.blame(w, r, err), sentence(messageOf(err)))
		return
	}
	t, _ := ticket(r)
	bundle, err := b.service.Bundle(r.Context(), source(r), t)
	if err != nil {
		b.failLink(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", disposition(bundle.Name))
	h.Set("Content-Security-Policy", site.FilePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Cache-Control", "no-store")
	if _, err := bundle.WriteTo(w); err != nil {
		edge.Note(r.Context(), err)
		panic(http.ErrAbortHandler) // break the connection, so that half an archive is not taken for a whole one
	}
}

// disposition returns the Content-Disposition of a download.
func disposition(name string) string {
	// A name must not lead into another directory, on any system.
	name = path.Base(strings.ReplaceAll(site.Plain(name), `\`, "/"))
	if name == "" || name == "." || name == "/" {
		name = "sample.zip"
	}
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// failLink answers an error of a link to a sample.
func (b *bundles) failLink(w http.ResponseWriter, r *http.Request, err error) {
	if fault.KindOf(err) != fault.NotFound {
		b.fail(w, r, err)
		return
	}
	b.SendTrouble(w, r, http.StatusNotFound, site.Trouble{
		Heading: "This link leads to no sample",
		Words:   "The link may be misspelt, its time may be over, or it was used as often as it may be. The mail that it came with says whom to ask for another.",
		Ask:     true,
	})
}

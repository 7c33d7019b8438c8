package page

import (
	"bytes"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/identity"
	"vaak/internal/fault"
	"vaak/internal/ui"
)

// Policy is the Content-Security-Policy of the pages: files of this server alone, and
// sound that their scripts have made (blob:).
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// AllowFormsTo lets the forms of the page lead to an address of another site, beside this server:
// browsers hold a redirect after a form against the policy of its page.
func (v *Visit) AllowFormsTo(address string) { v.formsTo = address }

// policy returns the policy of the page.
func (v *Visit) policy() string {
	u, err := url.Parse(v.formsTo)
	if err != nil || u.Scheme == "" {
		return Policy
	}
	source := u.Scheme + ":" // of a program
	if u.Scheme == "https" || u.Scheme == "http" {
		source += "//" + u.Host
	}
	return strings.Replace(Policy, "form-action 'self'", "form-action 'self' "+source, 1)
}

// Addresses that the frame links to. A section of the console serves them.
const (
	SignInPath = "/signin"
	SelfPath   = "/me" // the person's own account
)

// InvitationLink returns the address where an invited person chooses a password, in the
// console at an address.
func InvitationLink(console, token string) string {
	return console + "/invitation/" + url.PathEscape(token)
}

// View is what the templates of a page see as their dot.
type View struct {
	Person  identity.Person       // ID is "" where nobody is signed in
	Org     *account.Organisation // nil on pages of no organisation
	At      string                // where the pages of the organisation begin
	Menu    []Menu
	Title   string // heading of the page
	Self    bool   // the page is about the person's own account
	Notice  string // what was done
	Problem string // what is wrong with what was sent
	Field   string // the field at fault, or ""
	Sent    url.Values
	Once    string // for a form that makes something
	Now     time.Time
	Data    any // of the page's own
}

// Was returns what was sent in a field, to be shown again, or else another value.
func (v View) Was(name, otherwise string) string {
	if s, there := v.Sent[name]; there && len(s) > 0 {
		return s[0]
	}
	return otherwise
}

// Bad reports whether a field is at fault.
func (v View) Bad(name string) bool { return v.Field != "" && v.Field == name }

// view returns what a template sees.
func (v *Visit) view(title string, data any) View {
	out := View{
		Person: v.Person, Menu: v.menu(), Title: title, Self: strings.HasPrefix(v.R.URL.Path, SelfPath), Once: newOnce(), Now: time.Now(), Sent: v.Sent.Values, Data: data,
	}
	if v.Org.ID != "" {
		out.Org, out.At = &v.Org, v.At("")
	}
	if v.Wrong != nil {
		out.Problem, out.Field = Sentence(v.Wrong)
	}
	return out
}

// Show answers with a page. Its status is [Visit.Status].
func (v *Visit) Show(page, title string, data any) error {
	return v.ShowAs(v.Status(), page, title, data)
}

// Status returns the status of a page: that of [Visit.Wrong], or 200 when nothing is.
func (v *Visit) Status() int {
	if v.Wrong == nil {
		return http.StatusOK
	}
	return StatusOf(v.Wrong)
}

// ShowAs answers with a page under a status.
func (v *Visit) ShowAs(status int, page, title string, data any) error {
	seen := v.view(title, data)
	// Only a whole page takes the notice: a part that a script asks for meanwhile must not use it
	// up.
	seen.Notice = v.Session().Pop(noticeKey)
	class := "console"
	if len(seen.Menu) == 0 {
		class = "console alone"
	}
	body, err := v.site.kit.Render(v.site.templates.pages[page], ui.Page{Title: title, Path: v.R.URL.Path, Class: class, Version: v.site.cfg.Version, Data: seen})
	if err != nil {
		return err
	}
	v.write(status, body)
	return nil
}

// Part answers with one template of a page, to be put in place by a script.
func (v *Visit) Part(page, name string, data any) error {
	var b bytes.Buffer
	if err := v.site.templates.pages[page].ExecuteTemplate(&b, name, v.view("", data)); err != nil {
		return err
	}
	v.write(v.Status(), b.Bytes())
	return nil
}

// write answers with a page or a part of one. Both are rendered before, so an error of a
// template never breaks off half a page.
func (v *Visit) write(status int, body []byte) {
	h := v.W.Header()
	ui.Guard(h, v.policy())
	h.Set("Referrer-Policy", "same-origin") // forms say where they were sent from
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "HX-Request")
	RetryAfter(h, v.Wrong)
	v.W.WriteHeader(status)
	// Writing the head saves the session. When that fails the browser was told so, and a
	// page behind those words would only confuse.
	if v.R.Method != http.MethodHead && !loadedOf(v.R.Context()).lost {
		_, _ = v.W.Write(body) // a browser that left is no fault of ours
	}
}

// RetryAfter sets the header that says when trying again may help, where an error knows.
func RetryAfter(h http.Header, err error) {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
}

// refuse answers a request of no route with a page that says what is wrong.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	v := &Visit{site: s, W: w, R: r}
	if rerr := v.recognise(); rerr != nil { // then the page is that of nobody
		edge.Note(r.Context(), rerr)
	}
	v.fail(err)
}

// trouble is what the page of an error shows.
type trouble struct{ Heading, Words, ID string }

// fail answers with what is wrong: a page, or a sentence to be put in place by a script.
// A person who is not signed in is redirected to where they can.
func (v *Visit) fail(err error) {
	if errors.Is(err, errSignIn) {
		v.away()
		return
	}
	words, _ := Sentence(err)
	t := trouble{Heading: headings[fault.KindOf(err)], Words: words, ID: edge.RequestID(v.R.Context())}
	if t.Heading == "" {
		t.Heading = "That did not work"
	}
	v.Wrong = err
	var rerr error
	if v.Partial() {
		rerr = v.Part("trouble", "problem", t)
	} else {
		rerr = v.Show("trouble", t.Heading, t)
	}
	if rerr != nil {
		edge.Note(v.R.Context(), rerr)
		http.Error(v.W, "internal error", http.StatusInternalServerError)
	}
}

// away redirects to the page to sign in, which leads back to this address if it showed
// something.
func (v *Visit) away() {
	if v.Partial() {
		v.W.Header().Set("HX-Redirect", SignInPath)
		v.W.WriteHeader(http.StatusUnauthorized)
		return
	}
	to := SignInPath
	if v.R.Method == http.MethodGet {
		to += "?to=" + url.QueryEscape(v.R.URL.RequestURI())
	}
	http.Redirect(v.W, v.R, to, http.StatusSeeOther)
}

// headings are the headings of the page of an error.
var headings = map[fault.Kind]string{
	fault.NotFound:    "Nothing here",
	fault.Forbidden:   "Not allowed",
	fault.Unavailable: "Not just now",
	fault.RateLimited: "Too many attempts",
	fault.Internal:    "Something went wrong here",
}

// statuses are the statuses of the kinds of errors.
var statuses = map[fault.Kind]int{
	fault.Invalid: http.StatusBadRequest, fault.Unprocessable: http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized, fault.Forbidden: http.StatusForbidden,
	fault.NotFound: http.StatusNotFound, fault.NotAllowed: http.StatusMethodNotAllowed,
	fault.Conflict: http.StatusConflict, fault.TooLarge: http.StatusRequestEntityTooLarge,
	fault.Unsupported: http.StatusUnsupportedMediaType, fault.QuotaExceeded: http.StatusPaymentRequired,
	fault.RateLimited: http.StatusTooManyRequests, fault.TooManyStreams: http.StatusTooManyRequests,
	fault.Unavailable: http.StatusServiceUnavailable, fault.Cancelled: StatusClientGone,
}

// StatusClientGone is what the log, the metrics and the list of requests have for a
// request whose client left before it was answered. It is no status of HTTP, and no
// client reads it.
const StatusClientGone = 499

// StatusOf returns the status of an error.
func StatusOf(err error) int {
	if s, ok := statuses[fault.KindOf(err)]; ok {
		return s
	}
	return http.StatusInternalServerError
}

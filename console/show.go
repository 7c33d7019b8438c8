package console

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

// policy is the Content-Security-Policy of the pages: files of this server alone, and
// sound that their scripts have made.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// view is what the templates of a page see as their dot.
type view struct {
	Person  identity.Person       // ID is "" where nobody is signed in
	Org     *account.Organisation // nil on pages of no organisation
	At      string                // where the pages of the organisation begin
	Menu    []menu
	Title   string // heading of the page
	Self    bool   // it is about the person's own account
	Notice  string // what was done
	Problem string // what is wrong with what was sent
	Field   string // the field at fault, or ""
	Sent    url.Values
	Once    string // for a form that makes something
	Now     time.Time
	Speaks  bool // whether there are pages of speech
	Data    any  // of the page's own
}

// Was returns what was sent of a field, to be shown again, or another value.
func (v view) Was(name, otherwise string) string {
	if s, there := v.Sent[name]; there && len(s) > 0 {
		return s[0]
	}
	return otherwise
}

// Bad reports whether a field is at fault.
func (v view) Bad(name string) bool { return v.Field != "" && v.Field == name }

// view returns what a template sees.
func (v *visit) view(title string, data any) view {
	out := view{
		Person: v.person, Menu: v.menu(), Title: title, Self: strings.HasPrefix(v.r.URL.Path, selfPath), Once: newOnce(), Now: time.Now(), Speaks: v.Speech != nil, Sent: v.sent, Data: data,
	}
	if v.org.ID != "" {
		out.Org, out.At = &v.org, v.at("")
	}
	if v.wrong != nil {
		out.Problem, out.Field = sentence(v.wrong)
	}
	return out
}

// show answers with a page of its own address, status 200, or that of what was wrong
// with the form.
func (v *visit) show(page, title string, data any) error {
	return v.showAs(v.status(), page, title, data)
}

// status is that of a page: of what was wrong, if anything was.
func (v *visit) status() int {
	if v.wrong == nil {
		return http.StatusOK
	}
	return statusOf(v.wrong)
}

func (v *visit) showAs(status int, page, title string, data any) error {
	seen := v.view(title, data)
	seen.Notice = v.sessions.PopString(v.r.Context(), noticeKey)
	class := "console"
	if len(seen.Menu) == 0 {
		class = "console alone"
	}
	body, err := v.kit.Render(v.pages.pages[page], ui.Page{Title: title, Path: v.r.URL.Path, Class: class, Version: v.Version, Data: seen})
	if err != nil {
		return err
	}
	v.write(status, body)
	return nil
}

// write answers with a page or a part of one.
func (v *visit) write(status int, body []byte) {
	v.head(status)
	if v.r.Method != http.MethodHead && !loadedOf(v.r.Context()).lost {
		_, _ = v.w.Write(body) // a browser that left is no fault of ours
	}
}

// part answers with one template of a page, to be put in place.
func (v *visit) part(page, name string, data any) error {
	var b bytes.Buffer
	if err := v.pages.pages[page].ExecuteTemplate(&b, name, v.view("", data)); err != nil {
		return err
	}
	v.write(v.status(), b.Bytes())
	return nil
}

// head sends the head of a page.
func (v *visit) head(status int) {
	h := v.w.Header()
	ui.Guard(h, policy)
	h.Set("Referrer-Policy", "same-origin") // forms say where they were sent from
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "HX-Request")
	retryAfter(h, v.wrong)
	v.w.WriteHeader(status)
}

// retryAfter says when trying again may help, where that is known.
func retryAfter(h http.Header, err error) {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
}

// refuse answers with a page that says what is wrong.
func (c *Console) refuse(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	v := &visit{Console: c, w: w, r: r}
	if rerr := v.recognise(); rerr != nil { // then the page is that of nobody
		edge.Note(r.Context(), rerr)
	}
	v.fail(err)
}

// trouble is what the page of an error shows.
type trouble struct{ Heading, Words, ID string }

// fail answers with what is wrong: a page, or a sentence to be put in place. Whoever
// is not signed in is sent where they can.
func (v *visit) fail(err error) {
	if errors.Is(err, errSignIn) {
		v.away()
		return
	}
	words, _ := sentence(err)
	t := trouble{Heading: headings[fault.KindOf(err)], Words: words, ID: edge.RequestID(v.r.Context())}
	if t.Heading == "" {
		t.Heading = "That did not work"
	}
	v.wrong = err
	var rerr error
	if v.partial() {
		rerr = v.part("trouble", "problem", t)
	} else {
		rerr = v.show("trouble", t.Heading, t)
	}
	if rerr != nil {
		edge.Note(v.r.Context(), rerr)
		http.Error(v.w, "internal error", http.StatusInternalServerError)
	}
}

// away sends whoever is not signed in to the page where they can, which brings them
// back to what they wanted to see.
func (v *visit) away() {
	if v.partial() {
		v.w.Header().Set("HX-Redirect", signInPath)
		v.w.WriteHeader(http.StatusUnauthorized)
		return
	}
	to := signInPath
	if v.r.Method == http.MethodGet {
		to += "?to=" + url.QueryEscape(v.r.URL.RequestURI())
	}
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
}

// headings are those of the page of an error.
var headings = map[fault.Kind]string{
	fault.NotFound:    "Nothing here",
	fault.Forbidden:   "Not allowed",
	fault.Unavailable: "Not just now",
	fault.RateLimited: "Too many attempts",
	fault.Internal:    "Something went wrong here",
}

// statuses are those of the kinds of errors.
var statuses = map[fault.Kind]int{
	fault.Invalid: http.StatusBadRequest, fault.Unprocessable: http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized, fault.Forbidden: http.StatusForbidden,
	fault.NotFound: http.StatusNotFound, fault.NotAllowed: http.StatusMethodNotAllowed,
	fault.Conflict: http.StatusConflict, fault.TooLarge: http.StatusRequestEntityTooLarge,
	fault.Unsupported: http.StatusUnsupportedMediaType, fault.QuotaExceeded: http.StatusPaymentRequired,
	fault.RateLimited: http.StatusTooManyRequests, fault.TooManyStreams: http.StatusTooManyRequests,
	fault.Unavailable: http.StatusServiceUnavailable, fault.Cancelled: statusClientGone,
}

// statusClientGone is what the log and the figures have of a request whose client left
// before it was answered. It is no status of HTTP: nobody reads it.
const statusClientGone = 499

func statusOf(err error) int {
	if s, ok := statuses[fault.KindOf(err)]; ok {
		return s
	}
	return http.StatusInternalServerError
}

package enquiries

import (
	"errors"
	"net/http"
	"net/url"

	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/web/site"
)

// confirmView is the page on which a person sends what a program prepared.
type confirmView struct {
	// The enquiry as it would be sent, made inert: a program wrote it.
	Name, Email, Company, Intent, Message, Product string
	Dataset                                        *subject

	Agent          string // what the program that prepared it calls itself
	Asked, Expires *site.Moment
	Sent           string // id of the enquiry if it was sent already; else ""
	SentHref       string
	Problem, Alert string // why it was not sent: the box is not ticked (Problem), or something else (Alert)
	Terms          terms
	Action         string // where the form is sent: the page itself
}

func (e *desk) newConfirm(token string, x enquiry.Waits) confirmView {
	d := x.Draft
	v := confirmView{
		Name: enquiry.Inert(d.Name), Email: enquiry.Inert(d.Email), Company: enquiry.Inert(d.Company), Intent: intentName(d.Intent), Message: enquiry.Inert(d.Message),
		Product: enquiry.Inert(d.Agent), Dataset: newSubject(d.About), Agent: enquiry.Inert(site.Clip(x.Agent, site.TitleMax)),
		Asked: site.NewMoment(x.Asked), Expires: site.NewMoment(x.Expires), Sent: x.Sent, SentHref: receivedPrefix + url.PathEscape(x.Sent),
		Terms: newTerms(e.service.Terms(), ""), Action: enquiry.ConfirmPath + url.PathEscape(token),
	}
	if v.Dataset != nil {
		v.Dataset.Title = enquiry.Inert(v.Dataset.Title)
	}
	return v
}

// serveConfirm shows what waits at a link. It changes nothing, since mail filters open links
// before people do.
func (e *desk) serveConfirm(w http.ResponseWriter, r *http.Request) {
	token := r.PathValue("token")
	waits, err := e.service.Pending(r.Context(), token)
	if err != nil {
		e.failLink(w, r, err)
		return
	}
	e.sendConfirm(w, r, http.StatusOK, e.newConfirm(token, waits))
}

func (e *desk) sendConfirm(w http.ResponseWriter, r *http.Request, status int, v confirmView) {
	title := "Send this enquiry?"
	switch {
	case v.Sent != "":
		title = "Sent already"
	case status != http.StatusOK:
		title = "Not sent: " + title
	}
	e.Send(w, r, site.Answer{Status: status, Title: title, Hidden: true, Private: true, Page: e.confirming, View: v})
}

// confirm sends what waits at a link, if the person ticked the box.
func (e *desk) confirm(w http.ResponseWriter, r *http.Request) {
	if !e.admits(w, r, enquiry.ByMail) {
		return
	}
	token := r.PathValue("token")
	_, err := e.read(w, r, enquiry.ByMail, "above the button")
	var receipt enquiry.Receipt
	if err == nil {
		receipt, err = e.service.Confirm(r.Context(), source(r), token)
	}
	if err != nil {
		e.refuseConfirm(w, r, token, err)
		return
	}
	e.goToReceived(w, r, receipt.ID)
}

// refuseConfirm shows again what waits, and says why it was not sent. If it was sent
// meanwhile, it redirects to the page that says so, and the error does not matter.
func (e *desk) refuseConfirm(w http.ResponseWriter, r *http.Request, token string, err error) {
	if fault.KindOf(err) == fault.NotFound {
		e.failLink(w, r, err)
		return
	}
	waits, missing := e.service.Pending(r.Context(), token)
	if fault.KindOf(missing) == fault.Cancelled {
		e.fail(w, r, err) // the browser left, so only the log gets what was wrong
		return
	}
	if missing != nil {
		e.failLink(w, r, missing)
		return
	}
	if waits.Sent != "" {
		e.goToReceived(w, r, waits.Sent)
		return
	}
	status, v := e.blame(w, r, err), e.newConfirm(token, waits)
	v.Alert = sentence(messageOf(err))
	switch {
	case fieldOf(err) == consentField:
		v.Problem, v.Alert = v.Alert, ""
	case v.Alert == "":
		v.Alert = "Something broke on our side, and what went wrong is in our log. You may press Send again: it is sent once, however often you do."
	}
	e.sendConfirm(w, r, status, v)
}

// failLink answers an error of a link to confirm.
func (e *desk) failLink(w http.ResponseWriter, r *http.Request, err error) {
	t := site.Trouble{
		Heading: "Nothing waits at this link",
		Words:   "The link may be misspelt, or its time may be over. Nothing was sent through it just now. Ask the program for a new one, or write the enquiry yourself.",
		Ask:     true,
	}
	switch fault.KindOf(err) {
	case fault.NotFound:
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == enquiry.CodeLinkUnmailed {
			t.Heading, t.Words = "Nothing can be sent from this link", "It went through the program that prepared the enquiry, as links of an older version of this service did, so pressing Send here would not show that it was you. Nothing was sent. Ask the program to send the enquiry again: then a link comes by mail to your own address. Or write the enquiry yourself."
		}
	case fault.Invalid: // it was valid once, but its dataset is not offered any more
		t.Heading, t.Words = "This cannot be sent any more", "What was prepared here no longer fits: "+messageOf(err)+". Nothing was sent. You may write another enquiry yourself."
	default:
		e.fail(w, r, err)
		return
	}
	e.SendTrouble(w, r, http.StatusNotFound, t)
}

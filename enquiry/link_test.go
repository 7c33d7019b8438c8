package enquiry_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/internal/seal"
)

// mailed has a host that cannot ask call, and returns the token of the link that the
// person got by mail.
func (c client) mailed(f enquiry.Form) string {
	c.t.Helper()
	step := c.call(f, enquiry.AgentInput{})
	if step.Status != enquiry.Waiting || step.Mailed != enquiry.MailQueued {
		c.t.Fatalf("Advance = %+v, want a mail with a link", step)
	}
	token, ours := strings.CutPrefix(c.LastLink(c.service), "https://data.example/enquiry/confirm/")
	if !ours || len(token) != 26 {
		c.t.Fatalf("the link of the mail is %q", c.LastLink(c.service))
	}
	return token
}

// TestLinkIsMailed: a host that cannot ask has a link mailed to the person, who sees all
// of it there and sends it. What the agent gets, and what is kept, has no token.
func TestLinkIsMailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	step := w.agent(t).call(ravi(), enquiry.AgentInput{})
	if step.Status != enquiry.Waiting || step.Mailed != enquiry.MailQueued || step.Form != "" || !step.Expires.Equal(start.Add(24*time.Hour)) || len(w.Sent)+len(w.Letters) > 0 {
		t.Fatalf("Advance = %+v, %d sent, %d mails", step, len(w.Sent), len(w.Letters))
	}
	token := strings.TrimPrefix(w.LastLink(w.service), "https://data.example"+enquiry.ConfirmPath)
	if len(token) != 26 || strings.Contains(fmt.Sprintf("%+v", step), token) || strings.Contains(fmt.Sprintf("%+v", []any{w.Questions, w.Journal, w.Links}), token) {
		t.Errorf("token %q is told or kept", token)
	}
	if e := w.Journal[0]; e.Outcome != enquiry.OutcomeMailed || e.Method != enquiry.ByMail || !strings.Contains(e.Shown, "> We train a recogniser.") {
		t.Errorf("the entry is %+v", e)
	}
	seen, err := w.service.Pending(t.Context(), token)
	if diff := cmp.Diff(enquiry.Waits{Draft: step.Draft, Agent: "host 1.2", Asked: start, Expires: step.Expires}, seen); diff != "" || err != nil {
		t.Errorf("Pending (-want +got), %v:\n%s", err, diff)
	}
	for _, bad := range []string{"", token[1:], token + "a", strings.ToUpper(token), "%00", w.Questions[0].Digest} {
		if _, err := w.service.Confirm(t.Context(), from("b"), bad); fault.KindOf(err) != fault.NotFound {
			t.Errorf("Confirm(%q) = %v, want NotFound", bad, err)
		}
	}
	first, err := w.service.Confirm(t.Context(), from("b"), token)
	if err != nil || len(w.Sent) != 1 || w.Sent[0].Enquiry.Method != enquiry.ByMail || first.Method != enquiry.ByMail {
		t.Fatalf("Confirm = %+v, %v", first, err)
	}
	w.clock = w.clock.Add(23 * time.Hour) // another day
	second, err := w.service.Confirm(t.Context(), from("b"), token)
	if err != nil || second.ID != first.ID || !second.Repeated || len(w.Sent) != 1 {
		t.Errorf("the second Confirm = %+v, %v", second, err)
	}
	if seen, err := w.service.Pending(t.Context(), token); err != nil || seen.Sent != first.ID {
		t.Errorf("then Pending = %+v, %v", seen, err)
	}
	w.clock = start.Add(24 * time.Hour)
	if _, err := w.service.Confirm(t.Context(), from("b"), token); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after a day Confirm = %v", err)
	}
}

// TestLinkMailHoldsNothingTyped: the mail with a link names the service and what is asked
// for, and nobody can have their own words mailed to a stranger.
func TestLinkMailHoldsNothingTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := ravi()
	f.Name, f.Company, f.Message, f.Agent = "BUY-NAME http://evil.example", "BUY-COMPANY", "BUY-MESSAGE http://evil.example", "BUY-AGENT"
	a := w.agent(t)
	a.src.Agent = "BUY-PROGRAM"
	a.mailed(f)
	sealed := w.Links[0].Mail
	open, ok := w.service.Reveal(sealed)
	if !ok || strings.Contains(sealed.Text, "enquiry") {
		t.Fatalf("Reveal = %v; kept is %q", ok, sealed.Text)
	}
	if open.To != "ravi@example.org" || open.ReplyTo != "desk@data.example" || open.From != "service@data.example" || open.Enquiry != "" || open.Kind != enquiry.WithLink || open.Subject != "Do you want to send this enquiry to data.example?" {
		t.Errorf("the mail is %+v", open)
	}
	for _, want := range []string{"https://data.example", "a licence quote, dataset hi-cc", "Nothing has been sent", "5 March 2026, 22:30 UTC", "desk@data.example", "do nothing", w.LastLink(w.service)} {
		if !strings.Contains(open.Text, want) {
			t.Errorf("the mail lacks %q:\n%s", want, open.Text)
		}
	}
	if strings.Contains(open.Subject+open.Text+open.MessageID, "BUY-") || strings.Contains(open.Text, "evil") {
		t.Errorf("the mail holds what was typed:\n%s", open.Text)
	}
	other := newWorld(t, func(c *enquiry.Config) { c.Secret = seal.New(bytes.Repeat([]byte{2}, seal.MinBytes)) })
	if _, ok := other.service.Reveal(sealed); ok {
		t.Error("a server with another secret opens the mail")
	}
	moved := sealed
	moved.ID = "mail_other_link"
	if _, ok := w.service.Reveal(moved); ok {
		t.Error("the text opens as that of another mail")
	}
}

// TestLinkMailsAreLimited: the same again sends no second mail; an address gets five a
// day, whatever its case and plus-tag and whoever asks; a client and all have limits.
func TestLinkMailsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *enquiry.Config) { c.Links = enquiry.LinkLimits{Address: 5, Client: 8, All: 12} })
	a := w.agent(t)
	form := func(email string, n int) enquiry.Form {
		f := ravi()
		f.Email, f.Message = email, fmt.Sprint("Text ", n)
		return f
	}
	refused := func(what string, f enquiry.Form, after time.Duration, word string) {
		t.Helper()
		step, err := w.service.Advance(t.Context(), a.src, f, enquiry.AgentInput{})
		var e *fault.Error
		if !errors.As(err, &e) || e.Kind != fault.RateLimited || e.RetryAfter != after || !strings.Contains(e.Msg, word) {
			t.Errorf("%s: %+v, %v; want RateLimited for %v", what, step, err, after)
		}
	}
	a.mailed(form("ravi@example.org", 0))
	for range 3 {
		step := a.call(form("ravi@example.org", 0), enquiry.AgentInput{})
		if step.Status != enquiry.Waiting || step.Mailed != enquiry.MailAgain || !step.Expires.Equal(start.Add(24*time.Hour)) || len(w.Links) != 1 {
			t.Errorf("the same again: %+v, %d mails", step, len(w.Links))
		}
	}
	for i := 1; i < 5; i++ {
		a.mailed(form([]string{"ravi@example.org", "RAVI+shop@example.org"}[i%2], i))
	}
	a.src.Client = "192.0.2.99"
	refused("a sixth of the address from another client", form("Ravi+x@example.org", 9), 24*time.Hour, "at most 5 in 24 hours")
	w.clock = start.Add(23 * time.Hour)
	refused("after 23 hours", form("ravi@example.org", 9), 24*time.Hour, "at most 5 in 24 hours")
	w.clock = start.Add(24 * time.Hour)
	a.mailed(form("ravi@example.org", 9))
	for i := range 7 {
		a.mailed(form(fmt.Sprintf("victim%d@example.org", i), i))
	}
	refused("a ninth of a client", form("victim8@example.org", 8), time.Hour, "from your network address come at most 8 mails with a link an hour")
	a.src.Client = "192.0.2.100"
	for i := range 4 {
		a.mailed(form(fmt.Sprintf("other%d@example.org", i), i))
	}
	a.src.Client = "192.0.2.101"
	refused("a thirteenth of all", form("last@example.org", 0), time.Hour, "at most 12 mails with a link an hour are taken in all")
	w.clock = w.clock.Add(time.Hour)
	a.mailed(form("last@example.org", 0))
}

// TestLinkMailFailed: an address that no mail server takes is told to the agent, and no
// other mail goes there with the same.
func TestLinkMailFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	a.mailed(ravi())
	if err := w.LinkMails().MailFailed(t.Context(), w.Links[0].ID, start, "RCPT TO was refused: 550", true); err != nil {
		t.Fatal(err)
	}
	if step := a.call(ravi(), enquiry.AgentInput{}); step.Status != enquiry.Waiting || step.Mailed != enquiry.MailFailed || step.Form != formURL || len(w.Links) != 1 {
		t.Errorf("after the failure: %+v, %d mails", step, len(w.Links))
	}
}

// TestLinkOfTheAgentIsRefused: a link that was not mailed, as those of older versions and
// the questions of hosts, sends nothing, and says what to do.
func TestLinkOfTheAgentIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.agent(t).mailed(ravi())
	w.Questions[0].Recipient, w.Questions[0].Whole = "", ""
	for name, err := range map[string]error{
		"Pending": func() error { _, err := w.service.Pending(t.Context(), token); return err }(),
		"Confirm": func() error { _, err := w.service.Confirm(t.Context(), from("b"), token); return err }(),
	} {
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.NotFound || f.Code != enquiry.CodeLinkUnmailed || !strings.Contains(f.Msg, "send the enquiry again") {
			t.Errorf("%s = %v, want code %s", name, err, enquiry.CodeLinkUnmailed)
		}
	}
	if len(w.Sent) > 0 || !strings.Contains(fmt.Sprint(w.Journal), "stale unmailed") {
		t.Errorf("%d sent, journal %+v", len(w.Sent), w.Journal)
	}
}

// TestNobodyCanBeAsked: without a mail server, or a public address, the agent is told of
// the form or of nothing, no question waits anywhere, and nothing typed is kept.
func TestNobodyCanBeAsked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*enquiry.Config)
		form   string
	}{
		"no mail server": {func(c *enquiry.Config) { c.MailsLinks = false }, formURL},
		"no address":     {func(c *enquiry.Config) { c.PublicURL = "" }, ""},
	} {
		w := newWorld(t, tt.change)
		step := w.agent(t).call(ravi(), enquiry.AgentInput{})
		if step.Status != enquiry.Waiting || step.Mailed != enquiry.NotMailed || step.Form != tt.form || step.Token != "" || len(w.Questions)+len(w.Links)+len(w.Sent) > 0 {
			t.Errorf("%s: %+v", name, step)
		}
		if len(w.Journal) != 1 || w.Journal[0].Outcome != enquiry.OutcomePointed || w.Journal[0].Shown != "" {
			t.Errorf("%s: the journal is %+v", name, w.Journal)
		}
	}
}

// TestMailedLinkPolicy: where the operator takes nothing but a mailed link, a host that
// says that it asks is not asked, and its word counts for nothing.
func TestMailedLinkPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	state := a.asked(ravi())
	strict := newWorld(t, func(c *enquiry.Config) { c.Store, c.Policy = w.Memory, enquiry.MailedLink })
	strict.Memory, strict.clock = w.Memory, start
	b := strict.agent(t)
	for name, s := range map[string]enquiry.AgentInput{"asks": {CanAsk: true}, "a yes of before": said(state, enquiry.Accept, true)} {
		if step := b.call(ravi(), s); step.Status != enquiry.Waiting || step.Mailed == enquiry.NotMailed || step.Question != "" || len(w.Sent) > 0 {
			t.Errorf("%s: %+v, %d sent", name, step, len(w.Sent))
		}
	}
	if len(w.Links) != 1 || !strings.Contains(fmt.Sprint(w.Journal), "stale policy") {
		t.Errorf("%d mails, journal %+v", len(w.Links), w.Journal)
	}
}

// TestOperatorReadsWhoseWordItIs: the mail to the operator tells a host's word from that
// of a person who reads the mail of the address.
func TestOperatorReadsWhoseWordItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	a.call(ravi(), said(a.asked(ravi()), enquiry.Accept, true))
	other := ravi()
	other.Message = "Another text."
	if _, err := w.service.Confirm(t.Context(), from("b"), a.mailed(other)); err != nil {
		t.Fatal(err)
	}
	texts := map[enquiry.Method]string{}
	for i, s := range w.Sent {
		texts[s.Enquiry.Method] = w.Sent[i].Mails[0].Text
	}
	if !strings.Contains(texts[enquiry.ByHost], "Consent: attested by the agent's host") || !strings.Contains(texts[enquiry.ByMail], "Consent: given by somebody who reads the mail of this address") {
		t.Errorf("the mails say %q", texts)
	}
}

package enquiry_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/internal/seal"
)

// client is an agent whose host can, or cannot, show a question.
type client struct {
	*world
	t   *testing.T
	src enquiry.Source
}

func (w *world) agent(t *testing.T) client {
	return client{w, t, enquiry.Source{Client: "192.0.2.1", RequestID: "req_1", Agent: "host", AgentVersion: "1.2", Protocol: "2026-07-28"}}
}

func (c client) call(f enquiry.Form, said enquiry.AgentInput) enquiry.Step {
	c.t.Helper()
	step, err := c.service.Advance(c.t.Context(), c.src, f, said)
	if err != nil {
		c.t.Fatal(err)
	}
	return step
}

// asked is the state of a question that is put.
func (c client) asked(f enquiry.Form) string {
	c.t.Helper()
	step := c.call(f, enquiry.AgentInput{CanAsk: true})
	if step.Status != enquiry.Asking || step.State == "" || step.Form != "" || step.Mailed != enquiry.NotMailed || step.Receipt != nil {
		c.t.Fatalf("Advance = %+v, want a question", step)
	}
	return step.State
}

func said(state string, a enquiry.Action, send bool) enquiry.AgentInput {
	return enquiry.AgentInput{CanAsk: true, State: state, Answer: &enquiry.Answer{Action: a, Send: send}}
}

// TestAdvanceAsks: the person sees all of it, says yes, and it is sent with that on
// record; the same yes again sends nothing.
func TestAdvanceAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	f := ravi()
	f.Message, f.Agent = "first\nName: Somebody else", "Example agent"
	step := a.call(f, enquiry.AgentInput{CanAsk: true})
	want := "Send this enquiry to desk@data.example? A person there replies by e-mail. It is kept for 2 years at most.\n\nName: Ravi Kumar\nE-mail: ravi@example.org\n" +
		"Company: Example Ltd.\nAsks for: a licence quote (quote)\nDataset: " + fmt.Sprintf("%q", w.dataset.Title) + ", hi-cc\nSent with: Example agent\nMessage:\n> first\n> Name: Somebody else"
	if step.Question != want {
		t.Errorf("the question (-want +got):\n%s", cmp.Diff(want, step.Question))
	}
	if strings.Contains(step.State, "ravi") || len(w.Sent) > 0 {
		t.Errorf("state %q, %d sent", step.State, len(w.Sent))
	}
	w.clock = w.clock.Add(5 * time.Minute)
	sent := a.call(f, said(step.State, enquiry.Accept, true))
	if sent.Status != enquiry.Sent || sent.Receipt == nil || sent.Receipt.Repeated || len(w.Sent) != 1 || w.Sent[0].Enquiry.Method != enquiry.ByHost {
		t.Fatalf("after a yes: %+v, %d sent", sent, len(w.Sent))
	}
	if e := w.Journal[0]; e.Outcome != enquiry.OutcomeAsked || e.Shown != want || e.Enquiry != sent.Receipt.ID || e.Source.Agent != "host" {
		t.Errorf("the entry of the question is %+v", e)
	}
	if e := w.Journal[1]; e.Outcome != enquiry.OutcomeSent || e.Method != enquiry.ByHost || e.State != w.Journal[0].State || !e.Asked.Equal(start) || e.Answered != w.clock {
		t.Errorf("the entry of the answer is %+v", e)
	}
	w.clock = start.Add(10 * time.Minute)
	for _, s := range []enquiry.AgentInput{said(step.State, enquiry.Accept, true), {CanAsk: true}, {}} {
		again := a.call(f, s)
		if again.Status != enquiry.Sent || again.Receipt.ID != sent.Receipt.ID || !again.Receipt.Repeated || len(w.Sent) != 1 || len(w.Letters) != 2 {
			t.Errorf("once more with %+v: %+v, %d sent", s, again, len(w.Sent))
		}
	}
}

// TestAdvanceOverMidnight: one yes gives one enquiry, though the day has changed.
func TestAdvanceOverMidnight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	w.clock = time.Date(2026, 3, 4, 23, 55, 0, 0, time.UTC)
	state := a.asked(ravi())
	first := a.call(ravi(), said(state, enquiry.Accept, true))
	w.clock = w.clock.Add(10 * time.Minute)
	second := a.call(ravi(), said(state, enquiry.Accept, true))
	if len(w.Sent) != 1 || second.Receipt == nil || second.Receipt.ID != first.Receipt.ID || !second.Receipt.Repeated {
		t.Errorf("after midnight: %+v, %d sent; want the first again", second, len(w.Sent))
	}
}

// formURL is the public form about what ravi asks for.
const formURL = "https://data.example/enquiry?dataset=hi-cc&intent=quote"

// TestAdvanceNo: a no is final for that text. No mail goes out after it, and nothing that
// the agent gets sends it; the person has the form.
func TestAdvanceNo(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]enquiry.Answer{
		"decline": {Action: enquiry.Decline}, "decline with a tick": {Action: enquiry.Decline, Send: true}, "accept without a tick": {Action: enquiry.Accept},
	} {
		w := newWorld(t, func(c *enquiry.Config) { c.Policy = enquiry.AllowAttested })
		a := w.agent(t)
		token := a.call(ravi(), enquiry.AgentInput{}).Token
		state, spare := a.asked(ravi()), a.asked(ravi())
		no := a.call(ravi(), enquiry.AgentInput{CanAsk: true, State: state, Answer: &answer})
		if no.Status != enquiry.Declined || no.Form != formURL || no.Token != "" || token == "" {
			t.Errorf("%s: %+v, token %q", name, no, token)
		}
		for what, s := range map[string]enquiry.AgentInput{
			"a new call": {CanAsk: true}, "a host that cannot ask": {}, "a token": {Token: token}, "the same state with a yes": said(state, enquiry.Accept, true), "another state with a yes": said(spare, enquiry.Accept, true),
		} {
			if step := a.call(ravi(), s); step.Status != enquiry.Declined || step.Token != "" || step.Question != "" || step.Form != formURL || len(w.Sent)+len(w.Links) > 0 {
				t.Errorf("%s, then %s: %+v, %d sent", name, what, step, len(w.Sent))
			}
		}
		for what, change := range map[string]func(*enquiry.Form){
			"name": func(f *enquiry.Form) { f.Name = "R. Kumar" }, "company": func(f *enquiry.Form) { f.Company = "" }, "agent": func(f *enquiry.Form) { f.Agent = "another" },
			"case": func(f *enquiry.Form) { f.Email = "RAVI@example.org" }, "white space": func(f *enquiry.Form) { f.Message += " \n" }, "id": func(f *enquiry.Form) { f.Dataset = w.dataset.ID },
		} {
			f := ravi()
			change(&f)
			for _, s := range []enquiry.AgentInput{{CanAsk: true}, {}} {
				if step := a.call(f, s); step.Status != enquiry.Declined || step.Token != "" {
					t.Errorf("%s, then another %s: %+v", name, what, step)
				}
			}
		}
		other := ravi()
		other.Message = "Another text."
		if step := a.call(other, enquiry.AgentInput{CanAsk: true}); step.Status != enquiry.Asking {
			t.Errorf("%s: another text is %+v, want a question", name, step)
		}
	}
}

// TestAdvanceCancel: what was dismissed may be asked again.
func TestAdvanceCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	step := a.call(ravi(), said(a.asked(ravi()), enquiry.Cancel, true))
	if step.Status != enquiry.Cancelled || step.Form != formURL || len(w.Sent)+len(w.Links) > 0 {
		t.Errorf("after a cancel: %+v", step)
	}
	first := a.asked(ravi())
	a.call(ravi(), said(first, enquiry.Cancel, false))
	if step := a.call(ravi(), said(first, enquiry.Accept, true)); step.Status != enquiry.Asking || len(w.Sent) > 0 {
		t.Errorf("a yes to the question that was cancelled: %+v", step)
	}
	if step := a.call(ravi(), said(a.asked(ravi()), enquiry.Accept, true)); step.Status != enquiry.Sent {
		t.Errorf("asked again: %+v", step)
	}
}

// TestAdvanceStale: what comes back wrong is as nothing, and told.
func TestAdvanceStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	other := ravi()
	other.Email = "eve@example.net"
	state := a.asked(ravi())
	for name, tt := range map[string]struct {
		form  enquiry.Form
		said  enquiry.AgentInput
		after time.Duration
		code  string
	}{
		"forged":  {ravi(), said("x"+state, enquiry.Accept, true), 0, "forged"},
		"empty":   {ravi(), enquiry.AgentInput{CanAsk: true, Answer: &enquiry.Answer{Action: enquiry.Accept, Send: true}}, 0, "unasked"},
		"changed": {other, said(state, enquiry.Accept, true), 0, "changed"},
		"expired": {ravi(), said(state, enquiry.Accept, true), 20*time.Minute + time.Second, "expired"},
		"future":  {ravi(), said(state, enquiry.Accept, true), -2 * time.Minute, "expired"},
		"a token": {ravi(), enquiry.AgentInput{CanAsk: true, Token: state}, 0, "unasked"},
	} {
		w.clock = start.Add(tt.after)
		step := a.call(tt.form, tt.said)
		stale := w.Journal[len(w.Journal)-2]
		if step.Status != enquiry.Asking || len(w.Sent) > 0 {
			t.Errorf("%s: %+v, %d sent; want the question again", name, step, len(w.Sent))
		}
		if folded := strings.Contains(fmt.Sprint(w.Journal), "stale "+tt.code); !folded {
			t.Errorf("%s: the journal has no such entry, the last is %+v", name, stale)
		}
	}
	w.clock = start
	asked := len(w.Questions)
	for _, no := range []enquiry.Action{enquiry.Decline, enquiry.Cancel, enquiry.Accept, "none"} {
		if step := a.call(ravi(), said("x"+state, no, false)); step.Status != enquiry.Cancelled || len(w.Links) > 0 || len(w.Questions) != asked {
			t.Errorf("%s with a forged state: %+v; want that nobody is asked again", no, step)
		}
	}
	if step := a.call(ravi(), said(state, enquiry.Accept, true)); step.Status != enquiry.Sent {
		t.Errorf("the good state: %+v", step)
	}
}

// TestAdvanceAttested: a token sends where the operator allows it, once, and for the
// text that it was given for.
func TestAdvanceAttested(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *enquiry.Config) { c.Policy = enquiry.AllowAttested })
	a := w.agent(t)
	token := a.call(ravi(), enquiry.AgentInput{}).Token
	other := ravi()
	other.Message = "Something else."
	if step := a.call(other, enquiry.AgentInput{Token: token}); step.Status != enquiry.Waiting || len(w.Sent) > 0 {
		t.Errorf("for another text: %+v", step)
	}
	if step := a.call(ravi(), said(token, enquiry.Accept, true)); step.Status != enquiry.Asking || len(w.Sent) > 0 {
		t.Errorf("as a state: %+v", step)
	}
	for range 2 {
		if step := a.call(ravi(), enquiry.AgentInput{Token: token}); step.Status != enquiry.Sent || len(w.Sent) != 1 || w.Sent[0].Enquiry.Method != enquiry.ByAgent {
			t.Errorf("with the token: %+v, %d sent", step, len(w.Sent))
		}
	}
}

// TestAdvanceLimits: nobody is asked when there is no room, and questions are limited.
func TestAdvanceLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *enquiry.Config) { c.Limits = enquiry.Limits{Sender: 1, Client: 2, All: 10} })
	a := w.agent(t)
	refused := func(what string, f enquiry.Form) {
		t.Helper()
		if step, err := w.service.Advance(context.Background(), a.src, f, enquiry.AgentInput{CanAsk: true}); fault.KindOf(err) != fault.RateLimited || step.State != "" {
			t.Errorf("%s: %+v, %v; want RateLimited", what, step, err)
		}
	}
	a.call(ravi(), said(a.asked(ravi()), enquiry.Accept, true))
	f := ravi()
	f.Message = "More."
	refused("a second of the address", f)
	for i := range 5 {
		f.Email = fmt.Sprintf("r%d@example.org", i)
		a.asked(f)
	}
	refused("a seventh question", f)
	w.clock = w.clock.Add(time.Hour)
	a.asked(f)
}

// TestSourceIsBounded: what a client says of itself is kept as a short line.
func TestSourceIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	a.src.Agent, a.src.AgentVersion = "host\r\n\u202eName: x"+strings.Repeat("a", 1<<20), "\xff\x00"
	a.asked(ravi())
	for _, src := range []enquiry.Source{w.Journal[0].Source, w.Questions[0].Source} {
		if got := src.Agent; !strings.HasPrefix(got, "host Name: xaaa") || len(got) > 110 || src.AgentVersion != "" || src.Client != "" {
			t.Errorf("source is %.200q", src)
		}
	}
}

// TestAdvanceTellsNobody: that somebody wrote is told only to who knows all of it.
func TestAdvanceTellsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByPage); err != nil {
		t.Fatal(err)
	}
	a := w.agent(t)
	guess := ravi()
	guess.Name = "X"
	for _, s := range []enquiry.AgentInput{{CanAsk: true}, {}} {
		if step := a.call(guess, s); step.Receipt != nil || step.Status == enquiry.Sent {
			t.Errorf("a guess with %+v: %+v", s, step)
		}
	}
	if step := a.call(ravi(), enquiry.AgentInput{}); step.Status != enquiry.Sent || !step.Receipt.Repeated {
		t.Errorf("all of it: %+v", step)
	}
}

// TestLinkOfWhatWasSent: it says so, though the dataset is not offered any more.
func TestLinkOfWhatWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.agent(t).mailed(ravi())
	sent, err := w.service.Confirm(t.Context(), from("b"), token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.shelf.Move(t.Context(), "hi-cc", catalogue.Suspended); err != nil {
		t.Fatal(err)
	}
	seen, err := w.service.Pending(t.Context(), token)
	if err != nil || seen.Sent != sent.ID || seen.Draft.Name != "Ravi Kumar" || seen.Draft.About == nil {
		t.Errorf("Pending = %+v, %v", seen, err)
	}
	if again, err := w.service.Confirm(t.Context(), from("b"), token); err != nil || again.ID != sent.ID || !again.Repeated {
		t.Errorf("Confirm = %+v, %v", again, err)
	}
	other := ravi()
	other.Dataset = "bare"
	waiting := w.agent(t).mailed(other)
	if _, err := w.shelf.Move(t.Context(), "bare", catalogue.Suspended); err != nil {
		t.Fatal(err)
	}
	if _, err := w.service.Confirm(t.Context(), from("b"), waiting); fault.KindOf(err) != fault.Invalid || len(w.Sent) != 1 {
		t.Errorf("Confirm of what waits = %v, %d sent; want a refusal", err, len(w.Sent))
	}
}

// TestSecretChanges: links and a no outlive a new secret before the old.
func TestSecretChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent(t)
	token := a.mailed(ravi())
	other := ravi()
	other.Message = "No, thanks."
	a.call(other, said(a.asked(other), enquiry.Decline, false))
	next := newWorld(t, func(c *enquiry.Config) {
		c.Store, c.Secret = w.Memory, seal.New(bytes.Repeat([]byte{2}, seal.MinBytes), bytes.Repeat([]byte{1}, seal.MinBytes))
	})
	step, err := next.service.Advance(t.Context(), a.src, other, enquiry.AgentInput{CanAsk: true})
	if err != nil || step.Status != enquiry.Declined {
		t.Errorf("after a no: %+v, %v", step, err)
	}
	if r, err := next.service.Confirm(t.Context(), from("b"), token); err != nil || len(w.Sent) != 1 {
		t.Errorf("Confirm = %+v, %v", r, err)
	}
}

package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vaak/enquiry"
)

// consents are what people and their hosts answer, and what comes of it.
var consents = []struct {
	name, answer string
	status       string
	entry        enquiry.Outcome // the last of the journal
}{
	{"accept", `{"action":"accept","content":{"send":true}}`, "sent", enquiry.OutcomeSent},
	{"not ticked", `{"action":"accept","content":{"send":false}}`, "declined", enquiry.OutcomeDeclined},
	{"nothing filled in", `{"action":"accept","content":{}}`, "declined", enquiry.OutcomeDeclined},
	{"decline", `{"action":"decline"}`, "declined", enquiry.OutcomeDeclined},
	{"cancel", `{"action":"cancel"}`, "cancelled", enquiry.OutcomeCancelled},
}

// check holds an outcome against what is kept.
func (w takesEnquiries) check(t *testing.T, o outcome, status string, entry enquiry.Outcome) {
	t.Helper()
	sent := status == "sent"
	if o.IsError || o.Status != status || o.Received != sent || (o.EnquiryID != "") != sent || (len(w.Sent) == 1) != sent {
		t.Errorf("send_enquiry = %s, %d are kept; want %s", o.StructuredContent, len(w.Sent), status)
	}
	if last := w.Journal[len(w.Journal)-1]; last.Outcome != entry {
		t.Errorf("the journal ends with %q, want %q", last.Outcome, entry)
	}
	if o.Contact != operator || o.Next == "" || o.Dataset["slug"] != typical()[0].Slug {
		t.Errorf("send_enquiry = %s, want the contact, what is next, and the dataset", o.StructuredContent)
	}
	if formed := strings.HasPrefix(o.Form, catalogueURL+enquiry.FormPath+"?"); formed != (o.Status == "declined" || o.Status == "cancelled") || (o.Consent != "") != sent {
		t.Errorf("form = %q, consent %q after %s", o.Form, o.Consent, status)
	}
	if link := w.LastLink(w.service); (link != "") != (status == "confirmation_required") || (o.Expires != "") != (link != "") ||
		link != "" && strings.Contains(fmt.Sprintf("%s %s", o.text(), o.StructuredContent), link[strings.LastIndexByte(link, '/')+1:]) {
		t.Errorf("after %s the link %q was mailed, and the agent got %s", status, link, o.StructuredContent)
	}
	for _, part := range []string{o.EnquiryID, o.Next} {
		if !strings.Contains(o.text(), part) {
			t.Errorf("text = %q, which lacks %q", o.text(), part)
		}
	}
}

// checkQuestion wants the whole enquiry in a question, and a box that is not ticked.
func checkQuestion(t *testing.T, q asked) {
	t.Helper()
	for _, value := range form() {
		if !strings.Contains(q.Message, value.(string)) {
			t.Errorf("the question lacks %q:\n%s", value, q.Message)
		}
	}
	var schema struct {
		Type       string
		Properties map[string]struct {
			Type, Title, Description string
			Default                  any
		}
		Required []string
	}
	if err := json.Unmarshal(q.RequestedSchema, &schema); err != nil {
		t.Fatal(err)
	}
	box := schema.Properties["send"]
	if schema.Type != "object" || len(schema.Properties) != 1 || len(schema.Required) != 1 || box.Type != "boolean" || box.Title == "" || box.Description == "" || box.Default != false {
		t.Errorf("form = %s, want one box, required and not ticked", q.RequestedSchema)
	}
}

func TestModernConsent(t *testing.T) {
	t.Parallel()
	for _, capability := range []string{`{}`, `{"form":{}}`, `{"form":{},"url":{}}`} {
		for _, tt := range consents {
			t.Run(tt.name+" "+capability, func(t *testing.T) {
				t.Parallel()
				w := newEnquiries(t, "")
				q, state := questionOf(t, w.modern(t, form(), capability, retry{}))
				checkQuestion(t, q)
				o := outcomeOf(t, w.modern(t, form(), capability, retry{state, `{"consent":` + tt.answer + `}`}))
				w.check(t, o, tt.status, tt.entry)
				if s := w.Journal[0].Source; s.Agent != "modern" || s.AgentVersion != "7" || s.Protocol != "2026-07-28" || s.RequestID == "" {
					t.Errorf("source = %+v", s)
				}
				if w.Journal[0].Client == "" {
					t.Error("the journal does not know the client's address")
				}
			})
		}
	}
}

func TestLegacyConsent(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		for _, tt := range consents {
			t.Run(tt.name+" "+version, func(t *testing.T) {
				t.Parallel()
				w := newEnquiries(t, "")
				o := w.legacy(t, version, `{"elicitation":{}}`).call(form(), says(tt.answer))
				w.check(t, o, tt.status, tt.entry)
				if len(o.asked) != 1 {
					t.Fatalf("%d questions, want one", len(o.asked))
				}
				checkQuestion(t, o.asked[0])
				if s := w.Journal[0].Source; s.Agent != "older" || s.AgentVersion != "3" || s.Protocol != version {
					t.Errorf("source = %+v", s)
				}
			})
		}
	}
}

func TestStdioConsent(t *testing.T) {
	t.Parallel()
	for _, tt := range consents {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newEnquiries(t, "")
			o := w.overStdio(t, "2025-06-18", `{"elicitation":{}}`, form(), says(tt.answer))
			w.check(t, o, tt.status, tt.entry)
			if len(o.asked) != 1 {
				t.Fatalf("%d questions, want one", len(o.asked))
			}
			if s := w.Journal[0].Source; s.Agent != "local" || s.Protocol != "2025-06-18" || w.Journal[0].Client != "" {
				t.Errorf("source = %+v, client %q", s, w.Journal[0].Client)
			}
			w = newEnquiries(t, "")
			_, state := questionOf(t, askCatalogue(t, w.tools, modernEnquiry(1, form(), `{}`, retry{}))[0])
			o = outcomeOf(t, askCatalogue(t, w.tools, modernEnquiry(1, form(), `{}`, retry{state, `{"consent":` + tt.answer + `}`}))[0])
			w.check(t, o, tt.status, tt.entry)
		})
	}
}

// TestCannotAsk has clients that cannot show a form, or that no question reaches.
func TestCannotAsk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		call func(t *testing.T, w takesEnquiries) outcome
	}{
		{"modern", func(t *testing.T, w takesEnquiries) outcome {
			return outcomeOf(t, w.modern(t, form(), "", retry{}))
		}},
		{"modern with pages alone", func(t *testing.T, w takesEnquiries) outcome {
			return outcomeOf(t, w.modern(t, form(), `{"url":{}}`, retry{}))
		}},
		{"legacy", func(t *testing.T, w takesEnquiries) outcome {
			return w.legacy(t, "2025-06-18", `{}`).call(form(), nil)
		}},
		{"legacy with pages alone", func(t *testing.T, w takesEnquiries) outcome {
			return w.legacy(t, "2025-11-25", `{"elicitation":{"url":{}}}`).call(form(), nil)
		}},
		{"legacy without a session", func(t *testing.T, w takesEnquiries) outcome {
			w.legacy(t, "2025-11-25", `{"elicitation":{}}`)
			return callEnquiry(t, w, nil)
		}},
		{"legacy without streams", func(t *testing.T, w takesEnquiries) outcome {
			h := w.legacy(t, "2025-11-25", `{"elicitation":{}}`).header()
			h.Set("Accept", "application/json")
			return callEnquiry(t, w, h)
		}},
		{"a server that stops", func(t *testing.T, w takesEnquiries) outcome {
			c := w.legacy(t, "2025-11-25", `{"elicitation":{}}`)
			w.tools.StopAsking()
			return c.call(form(), nil)
		}},
		{"stdio", func(t *testing.T, w takesEnquiries) outcome {
			return w.overStdio(t, "2025-06-18", `{}`, form(), nil)
		}},
		{"stdio without a greeting", func(t *testing.T, w takesEnquiries) outcome {
			return outcomeOf(t, askCatalogue(t, w.tools, request(1, "send_enquiry", form()))[0])
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newEnquiries(t, "")
			o := tt.call(t, w)
			w.check(t, o, "confirmation_required", enquiry.OutcomeMailed)
			if o.Token != "" || len(o.asked) > 0 {
				t.Errorf("send_enquiry = %s after %d questions, want a mail alone", o.StructuredContent, len(o.asked))
			}
		})
	}
}

// callEnquiry sends one message and no more.
func callEnquiry(t *testing.T, w takesEnquiries, header map[string][]string) outcome {
	t.Helper()
	_, body := post(t, w.url, request(1, "send_enquiry", form()), header)
	return outcomeOf(t, body)
}

// TestRefusesToAnswer has legacy clients that declare forms and then show none: they
// are told of the form.
func TestRefusesToAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ member, value string }{
		{"error", `{"code":-32601,"message":"Method not found"}`}, {"error", `{}`}, {"result", `{}`}, {"result", `null`}, {"result", `7`},
		{"result", `{"action":7}`}, {"result", `{"action":"ACCEPT","content":{"send":true}}`}, {"result", `{"Action":"accept","content":{"send":true}}`},
	} {
		t.Run(c.member+" "+c.value, func(t *testing.T) {
			t.Parallel()
			w := newEnquiries(t, "")
			answer := func(asked) (string, string) { return c.member, c.value }
			w.check(t, w.legacy(t, "2025-06-18", `{"elicitation":{}}`).call(form(), answer), "cancelled", enquiry.OutcomeCancelled)
			w = newEnquiries(t, "")
			w.check(t, w.overStdio(t, "2025-06-18", `{"elicitation":{}}`, form(), answer), "cancelled", enquiry.OutcomeCancelled)
		})
	}
}

// TestDeclineIsFinal asks nobody twice for a text that was declined.
func TestDeclineIsFinal(t *testing.T) {
	t.Parallel()
	w := newEnquiries(t, enquiry.AllowAttested)
	c := w.legacy(t, "2025-06-18", `{"elicitation":{}}`)
	c.call(form(), says(`{"action":"decline"}`))
	o := c.call(form(), says(`{"action":"accept","content":{"send":true}}`))
	w.check(t, o, "declined", enquiry.OutcomeRefused)
	if len(o.asked) != 0 || o.Token != "" {
		t.Errorf("after a decline: %d questions, token %q", len(o.asked), o.Token)
	}
	if o := c.call(form("message", "Another text."), says(`{"action":"accept","content":{"send":true}}`)); o.Status != "sent" {
		t.Errorf("another text = %s, want it sent", o.StructuredContent)
	}
}

func TestAttested(t *testing.T) {
	t.Parallel()
	w := newEnquiries(t, enquiry.AllowAttested)
	o := outcomeOf(t, w.modern(t, form(), "", retry{}))
	if o.Token == "" || !strings.Contains(o.text(), "confirmation_token") {
		t.Fatalf("send_enquiry = %s %s, want a token", o.text(), o.StructuredContent)
	}
	w.check(t, outcomeOf(t, w.modern(t, form("confirmation_token", o.Token), "", retry{})), "sent", enquiry.OutcomeSent)
	if m := w.Sent[0].Enquiry.Method; m != enquiry.ByAgent {
		t.Errorf("method = %s", m)
	}
	again := outcomeOf(t, w.modern(t, form(), "", retry{}))
	if again.Status != "sent" || !strings.HasPrefix(again.text(), "Sent before: ") || len(w.Sent) != 1 {
		t.Errorf("the same again = %s, %d kept", again.text(), len(w.Sent))
	}
}

// TestNoPublicAddress has no page to send people to.
func TestNoPublicAddress(t *testing.T) {
	t.Parallel()
	w := newEnquiriesAt(t, "", "")
	o := outcomeOf(t, w.modern(t, form(), "", retry{}))
	if o.Status != "confirmation_required" || o.Form != "" || o.Expires != "" || !strings.Contains(o.text(), operator) {
		t.Errorf("send_enquiry = %s %s, want the address to write to", o.text(), o.StructuredContent)
	}
	o = outcomeOf(t, w.modern(t, form(), `{}`, retry{w.ask(t, form()), `{"consent":{"action":"decline"}}`}))
	if o.Status != "declined" || strings.Contains(o.text(), "page") {
		t.Errorf("declined = %s", o.text())
	}
}

func TestEnquiryRefusals(t *testing.T) {
	t.Parallel()
	w := newEnquiries(t, "")
	for _, tt := range []struct {
		args map[string]any
		want string
	}{
		{form("name", " "), "invalid_parameter (name): name is missing: it says who asks. Nothing was sent. Ask the person; make nothing up."},
		{form("email", "asha@"), "invalid_parameter (email): "},
		{form("intent", "buy"), `invalid_parameter (intent): intent "buy" is not one of quote, sample, collection, question.`},
		{form("intent", "question", "message", ""), "invalid_parameter (message): message is missing"},
		{form("dataset", "no-such"), "search_datasets finds the slugs."},
		{form("message", strings.Repeat("x", 5001)), "invalid_parameter (message): message has 5001 characters, and 5000 are the most."},
		{form("company", strings.Repeat("x", 201)), "invalid_parameter (company): "},
		{form("price", 7), `unknown argument "price"`},
		{form("confirmation_token", "x"), `unknown argument "confirmation_token"`},
	} {
		o := outcomeOf(t, w.modern(t, tt.args, `{}`, retry{}))
		if !o.IsError || !strings.Contains(o.text(), tt.want) {
			t.Errorf("send_enquiry(%v) = %s, want %s", tt.args, o.text(), tt.want)
		}
	}
	if len(w.Sent)+len(w.Questions) > 0 || len(w.Journal) == 0 {
		t.Errorf("%d sent, %d asked, %d in the journal", len(w.Sent), len(w.Questions), len(w.Journal))
	}
	c := w.legacy(t, "2025-06-18", `{"elicitation":{}}`)
	for i := range 6 {
		o := c.call(form("message", strings.Repeat("x", i+1)), says(`{"action":"accept","content":{"send":true}}`))
		if i < 5 && o.Status != "sent" {
			t.Errorf("enquiry %d = %s", i, o.text())
		}
		if i == 5 && (!o.IsError || !strings.Contains(o.text(), "too_many_enquiries") || !strings.HasSuffix(o.text(), "Try again in an hour.") || len(o.asked) > 0) {
			t.Errorf("enquiry %d = %s after %d questions, want a refusal before any", i, o.text(), len(o.asked))
		}
	}
}

// TestEnquiryFaultsTogether has an agent mend all of an enquiry at once: what the schema
// refuses and what the service does is told in one answer, each argument once.
func TestEnquiryFaultsTogether(t *testing.T) {
	t.Parallel()
	w := newEnquiries(t, "")
	long := strings.Repeat("x", 5001)
	for _, tt := range []struct {
		args map[string]any
		want []string // the beginnings of lines
	}{
		{map[string]any{"intent": "question", "dataset": "no-such", "email": "asha@"}, []string{
			"4 arguments are wrong:", "invalid_parameter (name): name is required.", "invalid_parameter (email): email is not an address",
			"invalid_parameter (message): message is missing", `invalid_parameter (dataset): dataset "no-such" is not known`,
		}},
		{form("name", " ", "email", "", "intent", "question", "message", ""), []string{
			"3 arguments are wrong:", "invalid_parameter (name): name is missing", "invalid_parameter (email): email is missing", "invalid_parameter (message): ",
		}},
		{form("name", 7, "intent", "buy", "price", 7, "message", long), []string{
			"4 arguments are wrong:", `invalid_parameter (intent): intent "buy" is not one of`, "invalid_parameter (name): name must be a string",
			`invalid_parameter (price): unknown argument "price"`, "invalid_parameter (message): message has 5001 characters",
		}},
	} {
		o := outcomeOf(t, w.modern(t, tt.args, `{}`, retry{}))
		lines := strings.Split(o.text(), "\n")
		if !o.IsError || len(lines) != len(tt.want) {
			t.Fatalf("send_enquiry(%.200v) = %s, want %d lines", tt.args, o.text(), len(tt.want))
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, tt.want[i]) {
				t.Errorf("line %d of send_enquiry(%.200v) = %s, want %s", i, tt.args, line, tt.want[i])
			}
		}
		if n := strings.Count(o.text(), "Ask the person; make nothing up."); n != 1 {
			t.Errorf("the advice stands %d times, want once:\n%s", n, o.text())
		}
	}
	if len(w.Sent)+len(w.Questions) > 0 {
		t.Errorf("%d sent, %d asked, want none", len(w.Sent), len(w.Questions))
	}
}

// TestSentBefore tells those who know all of an enquiry that it was sent, and asks the
// others; once the person agrees they are told that the first one stands.
func TestSentBefore(t *testing.T) {
	t.Parallel()
	for field, is := range map[string]string{"name": "A. Rao", "company": "", "agent": "Other", "email": "Asha@Example.org"} {
		w := newEnquiries(t, "")
		c := w.legacy(t, "2025-06-18", `{"elicitation":{}}`)
		accept := says(`{"action":"accept","content":{"send":true}}`)
		first := c.call(form(), accept)
		if same := c.call(form(), nil); same.Status != "sent" || len(same.asked) > 0 || same.EnquiryID != first.EnquiryID {
			t.Errorf("the same again = %d questions, %s", len(same.asked), same.StructuredContent)
		}
		o := c.call(form(field, is), accept)
		if len(o.asked) != 1 {
			t.Errorf("with another %s: %d questions, want one", field, len(o.asked))
		}
		const stands = "e-mail address, intent, dataset and message are those of an earlier one, whose name and company stand"
		if o.EnquiryID != first.EnquiryID || len(w.Sent) != 1 || !strings.HasPrefix(o.text(), "Sent before: ") || !strings.Contains(o.text(), stands) || !strings.Contains(o.Next, stands) {
			t.Errorf("with another %s = %s %s, want the first", field, o.text(), o.StructuredContent)
		}
	}
}

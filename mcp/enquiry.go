package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"vaak/edge"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/mcp/plain"
	"vaak/mcp/schema"
)

// enquiryInstructions follow those of the catalogue where enquiries are taken.
const enquiryInstructions = `
send_enquiry writes to the people who license them, for a person who agrees to it.`

// enquiries are the tool, the resource and the prompt by which an agent writes to the
// people behind the catalogue. Everything that a person must consent to is judged by
// the service: here it is only carried.
type enquiries struct {
	service  Enquiries
	datasets *datasets
}

// enquiryInput are the arguments of send_enquiry.
type enquiryInput struct {
	Name    string `json:"name" doc:"The person's name."`
	Email   string `json:"email" doc:"Where the person gets the reply."`
	Company string `json:"company,omitempty" doc:"The person's."`
	Intent  string `json:"intent" doc:"quote: licence quote; sample: sample bundle by e-mail; collection: recordings to a brief; question: anything else." enum:"quote,sample,collection,question"`
	Dataset string `json:"dataset,omitempty" doc:"Slug or id, where it is about one."`
	Message string `json:"message,omitempty" doc:"Use, hours, languages, deadline; at most 5000 characters. Required for question."`
	Agent   string `json:"agent,omitempty" doc:"Your name or product."`
	Token   string `json:"confirmation_token,omitempty" doc:"From an earlier result, once the person has agreed to all of it."`
}

// enquiryOutput is the structured result of send_enquiry.
type enquiryOutput struct {
	Status   string `json:"status" doc:"sent, confirmation_required, declined or cancelled"`
	Received bool   `json:"received"`
	ID       string `json:"enquiry_id,omitempty"`
	Intent   string `json:"intent"`
	Dataset  any    `json:"dataset" doc:"id, slug, title, url; or null"`
	Next     string `json:"next" doc:"What happens next, or what to do"`
	Contact  string `json:"contact,omitempty"`
	Link     string `json:"confirm_url,omitempty" doc:"For the person alone"`
	Token    string `json:"confirmation_token,omitempty"`
	Expires  string `json:"expires_at,omitempty" doc:"Of confirm_url"`
}

// tool is the tool send_enquiry.
func (q *enquiries) tool() entry {
	return judgedTool(definition{
		name:  "send_enquiry",
		title: "Send an enquiry",
		description: "Writes to the people who license the datasets, for a person who wants it: with that person's own name, address and words, never made up. " +
			"The person is asked first and sees all of it; without their consent nothing is sent. The same enquiry is sent once.",
		hints:  Hints{Idempotent: true, OpenWorld: true},
		advise: q.advise,
		refine: func(in, out *schema.Schema) {
			if q.service.Terms().Policy != enquiry.AllowAttested {
				in.Remove("confirmation_token")
				out.Remove("confirmation_token")
			}
		},
	}, func(ctx context.Context, in enquiryInput) error {
		_, err := q.service.Check(ctx, in.form())
		return err
	}, q.send)
}

// form is the enquiry as it was sent.
func (in enquiryInput) form() enquiry.Form {
	return enquiry.Form{
		Name: in.Name, Email: in.Email, Company: in.Company, Intent: enquiry.Intent(in.Intent),
		Dataset: in.Dataset, Message: in.Message, Agent: in.Agent,
	}
}

// send takes an enquiry one step further.
func (q *enquiries) send(ctx context.Context, c call, in enquiryInput) (answer[enquiryOutput], error) {
	said := enquiry.Said{CanAsk: c.client.Asks, State: c.state, Token: in.Token}
	if raw, ok := c.answers[consentKey]; ok {
		a := readAnswer(raw)
		said.Answer = &a
	}
	step, err := q.service.Advance(ctx, sourceOf(ctx, c), in.form(), said)
	if err != nil {
		return answer[enquiryOutput]{}, err
	}
	if step.Status == enquiry.Asking {
		return answer[enquiryOutput]{question: &question{consentKey, step.Question, consentForm, step.State}}, nil
	}
	out := q.report(step)
	return answer[enquiryOutput]{value: out, text: q.tell(step, out)}, nil
}

// sourceOf says where a call comes from. The service makes lines of what the client says
// of itself.
func sourceOf(ctx context.Context, c call) enquiry.Source {
	client, _ := edge.ClientScope(ctx) // none on standard input, which is not counted
	return enquiry.Source{
		Client: client, RequestID: edge.RequestID(ctx), KeyID: c.KeyID,
		Agent: c.client.Name, AgentVersion: c.client.Version, Protocol: c.client.Protocol,
	}
}

// report is the structured result of a step that asks nothing.
func (q *enquiries) report(step enquiry.Step) enquiryOutput {
	out := enquiryOutput{
		Status: string(step.Status), Intent: string(step.Draft.Intent), Dataset: shown(step.Draft.About),
		Contact: q.service.Terms().Contact, Link: step.Link, Token: step.Token,
	}
	if step.Link != "" {
		out.Expires = instant(step.Expires)
	}
	if r := step.Receipt; r != nil {
		out.Received, out.ID, out.Intent, out.Dataset = true, r.ID, string(r.Intent), shown(r.Dataset)
		out.Next, out.Contact = r.Next, r.Contact
		if r.Repeated {
			out.Next = firstStands + " " + r.Next
		}
		return out
	}
	out.Next = q.todo(step)
	return out
}

// firstStands says what an enquiry was that is there already.
const firstStands = "It was not sent again: e-mail address, intent, dataset and message are those of an earlier one, whose name and company stand; the contact can correct them."

// shown is a dataset with a title that is harmless to a model; nil is none.
func shown(d *enquiry.Dataset) any {
	if d == nil {
		return nil
	}
	here := *d
	here.Title = plain.Line(d.Title, maxTitle)
	return here
}

// tell says in words how an enquiry stands.
func (q *enquiries) tell(step enquiry.Step, out enquiryOutput) string {
	r := step.Receipt
	if r == nil {
		return "Not sent (" + out.Status + "). " + out.Next
	}
	about := out.Intent
	if r.Dataset != nil {
		about += ", " + r.Dataset.Slug
	}
	text := fmt.Sprintf("Sent: enquiry %s (%s). ", r.ID, about)
	if r.Repeated {
		text = fmt.Sprintf("Sent before: enquiry %s (%s). ", r.ID, about)
	}
	return text + strings.TrimSpace(out.Next+" "+contact(out.Contact))
}

func contact(address string) string {
	if address == "" {
		return ""
	}
	return "Contact: " + address + "."
}

// todo says what to do about an enquiry that was not sent.
func (q *enquiries) todo(step enquiry.Step) string {
	link := ""
	if step.Link != "" {
		link = fmt.Sprintf("%s (until %s)", step.Link, instant(step.Expires))
	}
	var b strings.Builder
	switch step.Status {
	case enquiry.Declined:
		b.WriteString("The person said no. Do not ask again, and do not send it in other words.")
		if link != "" {
			fmt.Fprintf(&b, " Should they change their mind, this page is theirs to send it from: %s.", link)
		}
	case enquiry.Cancelled:
		b.WriteString("The question was closed without an answer. Call again when the person wants to.")
		if link != "" {
			fmt.Fprintf(&b, " They can also send it themselves at %s.", link)
		}
	default:
		q.confirm(&b, step, link)
	}
	return b.String()
}

// confirm says how the person of a client that cannot ask can consent.
func (q *enquiries) confirm(b *strings.Builder, step enquiry.Step, link string) {
	switch {
	case link != "":
		fmt.Fprintf(b, "Give the person this link, and do not open it yourself: %s. It shows them the enquiry; nothing is sent until they press Send there.", link)
	case step.Token == "":
		b.WriteString("The person cannot be asked here.")
		if address := q.service.Terms().Contact; address != "" {
			fmt.Fprintf(b, " They can write to %s.", address)
		}
	}
	if step.Token != "" {
		lead := " Or show them"
		if link == "" {
			lead = "Show the person"
		}
		b.WriteString(lead + " the whole enquiry, and only when they have agreed to it, within a few minutes, call send_enquiry again with the same arguments and confirmation_token.")
	}
}

// advise says what to do next about an error of send_enquiry.
func (q *enquiries) advise(f *fault.Error) string {
	switch {
	case f.Kind == fault.RateLimited:
		return "Nothing was sent. Try again in an hour."
	case f.Kind == fault.Invalid && f.Field == "dataset":
		return "Nothing was sent. search_datasets finds the slugs."
	case f.Kind == fault.Invalid && f.Field != "intent" && f.Field != "":
		return "Nothing was sent. Ask the person; make nothing up."
	}
	return q.datasets.advise(f)
}

// consentKey names the answer to the question of an enquiry.
const consentKey = "consent"

// consentForm has one box, which is not ticked.
var consentForm = json.RawMessage(`{"type":"object","properties":{"send":{"type":"boolean","title":"Send this enquiry","description":"Tick to send it as it is shown. Without the tick nothing is sent.","default":false}},"required":["send"]}`)

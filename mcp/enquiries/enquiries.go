// Package enquiries lets agents send enquiries to the people who license the datasets. An agent
// writes for a person, who must consent.
package enquiries

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"vaak/edge"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/mcp/catalogue"
	"vaak/mcp/plain"
	"vaak/mcp/schema"
	"vaak/mcp/tool"
)

// Enquiries asks a person for consent and sends what the person consented to.
// [*enquiry.Service] is the one of the product.
type Enquiries interface {
	// Check says what Advance would refuse, and keeps nothing.
	Check(ctx context.Context, f enquiry.Form) (enquiry.Draft, error)
	Advance(ctx context.Context, src enquiry.Source, f enquiry.Form, said enquiry.AgentInput) (enquiry.Step, error)
	Terms() enquiry.Terms
}

// enquiryInstructions follows the instructions of the catalogue where enquiries can be sent.
const enquiryInstructions = `
send_enquiry writes to the people who license them, for a person who agrees to it.`

// enquiries holds the tool, the resource and the prompt for enquiries. The service decides
// everything about consent. This package only carries questions and answers.
type enquiries struct {
	service  Enquiries
	datasets *catalogue.Datasets
}

// Offer returns what an agent needs to send enquiries about datasets.
func Offer(service Enquiries, datasets *catalogue.Datasets) tool.Offer {
	q := &enquiries{service, datasets}
	return tool.Offer{
		Instructions: enquiryInstructions, Tools: []tool.Entry{q.tool()}, Resources: []tool.Resource{q.resource()}, Prompts: []tool.Prompt{q.prompt()},
	}
}

// enquiryInput holds the arguments of send_enquiry.
type enquiryInput struct {
	Name    string `json:"name" doc:"The person's own name."`
	Email   string `json:"email" doc:"E-mail address where the person gets the reply."`
	Company string `json:"company,omitempty" doc:"The person's company."`
	Intent  string `json:"intent" doc:"quote: licence quote; sample: sample bundle by e-mail; collection: recordings to a brief; question: anything else." enum:"quote,sample,collection,question"`
	Dataset string `json:"dataset,omitempty" doc:"Slug or id of the dataset that it is about, if any."`
	Message string `json:"message,omitempty" doc:"Use, hours, languages, deadline; at most 5000 characters. Required for question."`
	Agent   string `json:"agent,omitempty" doc:"Your name or product, as the agent."`
	Token   string `json:"confirmation_token,omitempty" doc:"Token of an earlier result, once the person has agreed to all of it."`
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
	Consent  string `json:"consent,omitempty" doc:"Whose word is on record, such as host_attested or mailed_link"`
	Form     string `json:"form_url,omitempty" doc:"Public form, for the person to fill in"`
	Token    string `json:"confirmation_token,omitempty"`
	Expires  string `json:"expires_at,omitempty" doc:"When the link mailed to the person ends"`
}

// tool is the tool send_enquiry.
func (q *enquiries) tool() tool.Entry {
	return tool.NewJudged(tool.Definition{
		Name:  "send_enquiry",
		Title: "Send an enquiry",
		Description: "Writes to the people who license the datasets, for a person who wants it: with that person's own name, address and words, never made up. " +
			"The person is asked first and sees all of it; without their consent nothing is sent. The same enquiry is sent once.",
		Hints:  tool.Hints{Idempotent: true, OpenWorld: true},
		Advise: q.advise,
		Refine: func(in, out *schema.Schema) {
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

// form returns the enquiry as it was sent.
func (in enquiryInput) form() enquiry.Form {
	return enquiry.Form{
		Name: in.Name, Email: in.Email, Company: in.Company, Intent: enquiry.Intent(in.Intent),
		Dataset: in.Dataset, Message: in.Message, Agent: in.Agent,
	}
}

// send takes an enquiry one step further.
func (q *enquiries) send(ctx context.Context, c tool.Call, in enquiryInput) (tool.Answer[enquiryOutput], error) {
	said := enquiry.AgentInput{CanAsk: c.Client.Asks, State: c.State, Token: in.Token}
	if raw, ok := c.Answers[consentKey]; ok {
		a := readAnswer(raw)
		said.Answer = &a
	}
	step, err := q.service.Advance(ctx, sourceOf(ctx, c), in.form(), said)
	if err != nil {
		return tool.Answer[enquiryOutput]{}, err
	}
	if step.Status == enquiry.Asking {
		return tool.Answer[enquiryOutput]{Question: &tool.Question{Key: consentKey, Message: step.Question, Form: consentForm, State: step.State}}, nil
	}
	out := q.report(step)
	return tool.Answer[enquiryOutput]{Value: out, Text: q.tell(step, out)}, nil
}

// sourceOf says where a call comes from. It passes on what the client says about itself; the
// service puts that on one line.
func sourceOf(ctx context.Context, c tool.Call) enquiry.Source {
	client, _ := edge.ClientScope(ctx) // "" on standard input, where enquiries are not counted
	return enquiry.Source{
		Client: client, RequestID: edge.RequestID(ctx), KeyID: c.KeyID,
		Agent: c.Client.Name, AgentVersion: c.Client.Version, Protocol: c.Client.Protocol,
	}
}

// report returns the structured result of a step that asks no question.
func (q *enquiries) report(step enquiry.Step) enquiryOutput {
	out := enquiryOutput{
		Status: string(step.Status), Intent: string(step.Draft.Intent), Dataset: shown(step.Draft.About),
		Contact: q.service.Terms().Contact, Form: step.Form, Token: step.Token,
	}
	if step.Mailed != enquiry.NotMailed && step.Mailed != enquiry.MailFailed {
		out.Expires = tool.Instant(step.Expires)
	}
	if r := step.Receipt; r != nil {
		out.Received, out.ID, out.Intent, out.Dataset = true, r.ID, string(r.Intent), shown(r.Dataset)
		out.Next, out.Contact, out.Consent = r.Next, r.Contact, string(r.Method)
		if r.Repeated {
			out.Next = firstStands + " " + r.Next
		}
		return out
	}
	out.Next = q.todo(step)
	return out
}

// firstStands explains why an enquiry was not sent again.
const firstStands = "It was not sent again: e-mail address, intent, dataset and message are those of an earlier one, whose name and company stand; the contact can correct them."

// shown returns a dataset with a title made harmless to a model; nil for none.
func shown(d *enquiry.Dataset) any {
	if d == nil {
		return nil
	}
	here := *d
	here.Title = plain.Line(d.Title, catalogue.MaxTitle)
	return here
}

// tell says in words what became of an enquiry.
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
	switch {
	case step.Status == enquiry.Declined:
		return "The person said no. Do not ask again, and do not send it in other words." + q.themselves(step, "Should they change their mind, they")
	case step.Status == enquiry.Cancelled:
		return "The question was closed without an answer. Call again when the person wants to." + q.themselves(step, "They")
	case step.Token != "":
		return strings.TrimSpace(q.themselves(step, "The person") +
			" Or show them the whole enquiry, and only when they have agreed to it, within a few minutes, call send_enquiry again with the same arguments and confirmation_token.")
	case step.Mailed == enquiry.MailQueued:
		return fmt.Sprintf("A mail with a link goes to the e-mail address of the enquiry. The person opens it, reads all of it and presses Send there, until %s; before that nothing is sent, and nobody else can send it. "+
			"Tell them so. The link is theirs alone: do not ask for it.", tool.Instant(step.Expires))
	case step.Mailed == enquiry.MailAgain:
		return fmt.Sprintf("The mail with a link for this went to the e-mail address of the enquiry before, and no other goes out. The person presses Send there, until %s. Tell them to look for it; do not ask for the link.", tool.Instant(step.Expires))
	case step.Mailed == enquiry.MailFailed:
		return "The mail with a link for this could not be delivered. Ask the person whether the e-mail address is right." + q.themselves(step, "They")
	}
	return "The person cannot be asked here." + q.themselves(step, "They")
}

// themselves says where a person can write without an agent. Who is the beginning of the sentence.
func (q *enquiries) themselves(step enquiry.Step, who string) string {
	if step.Form != "" {
		return fmt.Sprintf(" %s can write it themselves on this page, which is the public form: %s. It is for them to fill in, not for you.", who, step.Form)
	}
	if address := q.service.Terms().Contact; address != "" {
		return fmt.Sprintf(" %s can write to %s.", who, address)
	}
	return ""
}

// advise returns what to do next about an error of send_enquiry.
func (q *enquiries) advise(f *fault.Error) string {
	switch {
	case f.Kind == fault.RateLimited:
		return "Nothing was sent. Try again in an hour."
	case f.Kind == fault.Invalid && f.Field == "dataset":
		return "Nothing was sent. search_datasets finds the slugs."
	case f.Kind == fault.Invalid && f.Field != "intent" && f.Field != "":
		return "Nothing was sent. Ask the person; make nothing up."
	}
	return q.datasets.Advise(f)
}

// consentKey is the key of the question of an enquiry, and of its answer.
const consentKey = "consent"

// consentForm has one box, which is not ticked.
var consentForm = json.RawMessage(`{"type":"object","properties":{"send":{"type":"boolean","title":"Send this enquiry","description":"Tick to send it as it is shown. Without the tick nothing is sent.","default":false}},"required":["send"]}`)

package enquiries

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/mcp/tool"
)

// resource returns the resource with the terms of enquiries.
func (q *enquiries) resource() tool.Resource {
	const mimeMarkdown = "text/markdown"
	return tool.Resource{
		Uri: "catalogue://enquiry-terms", Name: "enquiry-terms", Title: "Terms of enquiries", MimeType: mimeMarkdown,
		Description: "Who answers an enquiry, what each intent means, how a person consents, limits, and how long it is kept.",
		Read: func(context.Context, tool.Call) (tool.Content, error) {
			return tool.Content{MimeType: mimeMarkdown, Text: termsText(q.service.Terms())}, nil
		},
	}
}

// meanings explains the intents.
var meanings = map[enquiry.Intent]string{
	enquiry.Quote:      "a licence quote on a dataset",
	enquiry.Sample:     "the sample bundle of a dataset by e-mail, under the evaluation licence, once a person here has released it",
	enquiry.Collection: "recordings made to a brief",
	enquiry.Question:   "anything else; the message is required",
}

// termsText returns terms as text.
func termsText(t enquiry.Terms) string {
	var b strings.Builder
	b.WriteString("# Enquiries\n\nA person reads each enquiry and answers by e-mail, to the address that it gives.")
	if t.Contact != "" {
		fmt.Fprintf(&b, " The address is %s.", t.Contact)
	}
	b.WriteString(" Nothing is priced or licensed automatically.\n\n## Intents\n\n")
	for _, i := range enquiry.Intents {
		fmt.Fprintf(&b, "- %s: %s\n", i, meanings[i])
	}
	b.WriteString("\n## Consent\n\n" +
		"An enquiry is a person's. It is sent when that person has seen all of it and agreed" + consentText(t) + ".\n" +
		"The person agrees to all that is shown: with anything changed they are asked anew. A no is final for the e-mail address, intent, dataset and message: the person is not asked again, whatever the name, company or agent.\n")
	if t.Policy == enquiry.AllowAttested {
		b.WriteString("Where the host cannot ask, the agent may say that the person agreed, with the confirmation_token of a result.\n")
	} else {
		b.WriteString("That an agent says so is no consent.\n")
	}
	b.WriteString(limitsText(t))
	fmt.Fprintf(&b, "\n## How long it is kept\n\nWhat the person typed is kept for %s at most.\n", enquiry.Period(t.Keep))
	return b.String()
}

// consentText says how a person consents.
func consentText(t enquiry.Terms) string {
	const (
		host   = "in a form that the agent's host shows, with a box that they tick, which is on record as the host's word"
		mailed = "on a page whose link is mailed to the address of the enquiry and told to nobody else, with a box and a button"
	)
	switch {
	case t.Policy == enquiry.AllowAttested, t.Policy == enquiry.ElicitationOrLink && !t.MailsLinks:
		return ": " + host + ". A person whose host cannot ask uses the public form of the site"
	case t.Policy == enquiry.ElicitationOrLink:
		return ": " + host + ", or, where the host cannot ask, " + mailed
	case t.MailsLinks:
		return ": " + mailed
	}
	return " on the public form of the site; nothing that an agent or its host says is taken for it"
}

// limitsText says how many enquiries are accepted, and which of them count as the same.
func limitsText(t enquiry.Terms) string {
	asked := t.Questions
	return fmt.Sprintf("\n## Limits\n\nIn any hour %d enquiries of one e-mail address, %d of one client (a network address) and %d in all. "+
		"Questions count for themselves, whatever is answered: %d of one client, %d in all. "+mailsText(t)+
		"A message has at most %d characters; name, company and agent %d.\n"+
		"The same e-mail address, intent, dataset and message twice in a day (UTC) are one enquiry. The name, company and agent that came first stand; whoever answers it can correct them.\n",
		t.Limits.Sender, t.Limits.Client, t.Limits.All, asked.Client, asked.All, enquiry.MaxMessage, enquiry.MaxLine)
}

// mailsText says how many mails with a link are sent; "" where none are.
func mailsText(t enquiry.Terms) string {
	if !t.MailsLinks {
		return ""
	}
	return fmt.Sprintf("Mails with a link: %d to one e-mail address in any 24 hours, and in any hour %d of one client and %d in all. ", t.Links.Address, t.Links.Client, t.Links.All)
}

// prompt returns the prompt that drafts an enquiry together with the person.
func (q *enquiries) prompt() tool.Prompt {
	return tool.Prompt{
		Name: "draft_enquiry", Title: "Draft an enquiry", Description: "Writes an enquiry with you, and sends it when you agree.",
		Arguments: []tool.PromptArgument{
			{Name: "dataset", Description: "Slug, where it is about one dataset.", Complete: q.datasets.CompleteSlug},
			{Name: "intent", Description: "quote, sample, collection or question.", Required: true, Complete: completeIntent},
		},
		Render: draftPrompt,
	}
}

// completeIntent suggests intents.
func completeIntent(_ context.Context, _ tool.Call, typed string) []string {
	var values []string
	for _, i := range enquiry.Intents {
		if strings.HasPrefix(string(i), strings.ToLower(typed)) {
			values = append(values, string(i))
		}
	}
	return values
}

// draftPrompt asks the model for a draft.
func draftPrompt(arguments map[string]string) (string, error) {
	intent := enquiry.Intent(strings.TrimSpace(arguments["intent"]))
	if !slices.Contains(enquiry.Intents[:], intent) {
		return "", fault.BadParameter("intent", "intent %.90q is not one of quote, sample, collection, question", intent)
	}
	slug, about := strings.TrimSpace(arguments["dataset"]), "no dataset in particular"
	if slug != "" {
		if !catalogue.IsSlug(slug) && !catalogue.IsID(slug) {
			return "", fault.BadParameter("dataset", "a slug is words of a-z and 0-9 joined by hyphens; %.90q is none", slug)
		}
		about = "the dataset " + slug
	}
	return fmt.Sprintf(`Draft an enquiry about %s, for %s.

1. Read catalogue://enquiry-terms%s.
2. Ask me for what you do not know: my name, my e-mail address, my company, the use, the hours, the languages, the deadline. Make nothing up.
3. Show me the draft and change it until I am content.
4. Then call send_enquiry. I am asked there once more; if I say no, leave it at that.`, about, meanings[intent], withRecord(slug)), nil
}

func withRecord(slug string) string {
	if slug == "" {
		return ""
	}
	return ", and get_dataset for what is known of it and what is not"
}

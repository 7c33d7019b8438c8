package enquiries

import (
	"fmt"

	"vaak/enquiry"
)

// enquiryWords gives templates the words for what enquiries are made of.
type enquiryWords struct{}

// Words returns the words for an intent, a method of consent, an outcome or a kind of mail.
// A value without words is written as it is, made inert.
func (enquiryWords) Words(of any) string {
	words := ""
	switch known := of.(type) {
	case enquiry.Intent:
		words = intentWords[known]
	case enquiry.Method:
		words = methodWords[known]
	case enquiry.Outcome:
		words = outcomeWords[known]
	case enquiry.MailKind:
		words = mailWords[known]
	}
	if words == "" {
		words = enquiry.Inert(fmt.Sprint(of))
	}
	return words
}

var intentWords = map[enquiry.Intent]string{
	enquiry.Quote:      "Licence quote",
	enquiry.Sample:     "Sample bundle",
	enquiry.Collection: "Collection recorded to a brief",
	enquiry.Question:   "Answer to a question",
}

var methodWords = map[enquiry.Method]string{
	enquiry.ByREST:        "Attested by a program",
	enquiry.ByPage:        "On the form of the site",
	enquiry.ByHost:        "Attested by the agent's host",
	enquiry.ByMail:        "By a link mailed to the person",
	enquiry.ByAgent:       "Attested by an agent",
	enquiry.ByElicitation: "Attested by the agent's host",
	enquiry.ByLink:        "By a link that the agent was given",
}

var outcomeWords = map[enquiry.Outcome]string{
	enquiry.OutcomeSent:      "Sent",
	enquiry.OutcomeRepeated:  "Sent again, and kept once",
	enquiry.OutcomeRefused:   "Refused",
	enquiry.OutcomeLimited:   "Refused, as there were too many",
	enquiry.OutcomeAsked:     "The agent's host was to ask the person",
	enquiry.OutcomeMailed:    "A link was mailed to the person",
	enquiry.OutcomePointed:   "The agent was told of the form",
	enquiry.OutcomeLinked:    "The agent was given a link",
	enquiry.OutcomeDeclined:  "The host said that the person said no",
	enquiry.OutcomeCancelled: "The question was closed",
	enquiry.OutcomeStale:     "An answer that was not taken",
	enquiry.OutcomeReleased:  "Sample released",
	enquiry.OutcomeAccepted:  "Licence accepted, sample downloaded",
	enquiry.OutcomeRetried:   "Mail queued again",
}

var mailWords = map[enquiry.MailKind]string{
	enquiry.ToOperator: "The enquiry, to the operator",
	enquiry.ToPerson:   "Receipt, to the person",
	enquiry.WithSample: "Link to the sample",
	enquiry.WithLink:   "Link to send it, to the person",
}

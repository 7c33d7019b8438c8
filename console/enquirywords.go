package console

import (
	"fmt"

	"vaak/enquiry"
)

// enquiryWords has pages say in words what enquiries are made of.
type enquiryWords struct{}

// Words says an intent, a method of consent, an outcome or a kind of mail in a few
// words. What it does not know it writes as it is, made inert; "" stays.
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
	enquiry.ByElicitation: "Asked by the agent's host",
	enquiry.ByLink:        "On a page that a link led to",
	enquiry.ByAgent:       "Attested by an agent",
}

var outcomeWords = map[enquiry.Outcome]string{
	enquiry.OutcomeSent:      "Sent",
	enquiry.OutcomeRepeated:  "Sent again, and kept once",
	enquiry.OutcomeRefused:   "Refused",
	enquiry.OutcomeLimited:   "Refused, as there were too many",
	enquiry.OutcomeAsked:     "The person was asked",
	enquiry.OutcomeLinked:    "The person was given a link",
	enquiry.OutcomeDeclined:  "The person said no",
	enquiry.OutcomeCancelled: "The person left the question",
	enquiry.OutcomeStale:     "An answer that was not taken",
	enquiry.OutcomeReleased:  "Sample released",
	enquiry.OutcomeAccepted:  "Licence accepted, sample downloaded",
	enquiry.OutcomeRetried:   "Mail queued again",
}

var mailWords = map[enquiry.MailKind]string{
	enquiry.ToOperator: "The enquiry, to the operator",
	enquiry.ToPerson:   "Receipt, to the person",
	enquiry.WithSample: "Link to the sample",
}

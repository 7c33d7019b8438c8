// Package enquiry takes a person's question about datasets, with the person's
// consent, and sees that it is delivered.
//
// An enquiry is kept, together with the mails that deliver it and a line in the
// journal, in one transaction: what was answered with a [Receipt] is never lost.
// The mails go out later, again and again until a server has taken them.
//
// Nothing is kept as an enquiry without consent that is on record, together with whose
// word it is ([Method]). Programs and the form of the site attest it by sending
// ([Service.Submit]). Over an agent the person is asked ([Service.Advance]): by the
// agent's host, which attests the answer, or on a page whose link is mailed to the
// person and shown to nobody else ([Service.Confirm]).
package enquiry

import (
	"time"

	"vaak/catalogue"
)

// Intent is what a person wants.
type Intent string

// The intents.
const (
	Quote      Intent = "quote"      // a licence quote on a dataset
	Sample     Intent = "sample"     // the sample bundle of a dataset, under the evaluation licence
	Collection Intent = "collection" // a collection recorded to a brief
	Question   Intent = "question"   // anything else
)

// Intents are all intents, in the order in which they are offered.
var Intents = [...]Intent{Quote, Sample, Collection, Question}

// Most Unicode code points of what a person writes.
const (
	MaxMessage = 5000
	MaxLine    = 200 // of name, company and agent
	MaxEmail   = 254 // as SMTP has it
)

// Form is what a person fills in, as it was sent.
type Form struct {
	Name    string
	Email   string // where the reply goes
	Company string
	Intent  Intent
	Dataset string // slug or id; "" is none
	Message string // required when the intent is a question
	Agent   string // which agent or product is sending
}

// Dataset is what an enquiry is about.
type Dataset struct {
	ID    string `json:"id"`
	Slug  string `json:"slug"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// about names a dataset.
func about(d *catalogue.Dataset) *Dataset {
	return &Dataset{ID: d.ID, Slug: d.Slug, Title: d.Title, URL: d.URL}
}

// Draft is a form that may be sent: every field is valid and tidy.
type Draft struct {
	Form           // Dataset is the slug
	About *Dataset // nil without a dataset
}

// Method is how a person consented, and so whose word there is for it.
type Method string

// The methods.
const (
	ByREST  Method = "rest"           // a program attests it by sending
	ByPage  Method = "page"           // the box of the site's form was ticked
	ByHost  Method = "host_attested"  // the agent's host says that it asked the person
	ByMail  Method = "mailed_link"    // Send was pressed on a page whose link was mailed to the address of the enquiry
	ByAgent Method = "agent_attested" // an agent says that the person agreed
)

// The methods of older versions, which are in their rows still.
const (
	ByElicitation Method = "elicitation_form" // as ByHost
	ByLink        Method = "link"             // Send was pressed on a page whose link the agent was given
)

// Enquiry is one that was sent.
type Enquiry struct {
	ID string // "enq_" and 26 letters and digits; of its content, so that the same one again has the same
	Draft
	Method   Method
	Received time.Time
	Purged   bool // what the person typed is deleted; only id, intent, dataset and times are left
}

// Receipt is what whoever sent an enquiry is told.
type Receipt struct {
	ID      string
	Intent  Intent
	Dataset *Dataset // nil without one
	Method  Method   // of the consent that is on record
	Next    string   // what happens next, in a sentence or two
	Contact string   // the address that answers
	// Repeated says that the same enquiry was there already: nothing was sent again.
	Repeated bool
	// Purged says that what the person typed is deleted by now.
	Purged bool
}

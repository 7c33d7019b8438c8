// Package enquiry accepts a person's question about datasets, with the person's consent, and
// makes sure that it is delivered.
//
// An enquiry is stored in one transaction, together with the mails that deliver it and with an
// entry in the journal. So an enquiry that was answered with a [Receipt] is never lost. The
// mails are sent afterwards, and again until a server has accepted them.
//
// Nothing is stored as an enquiry without consent on record, and the record says who attests
// it ([Method]). Programs and the form of the site attest it by sending ([Service.Submit]).
// When an agent calls, the person is asked ([Service.Advance]): either by the agent's host,
// which attests the answer, or on a page whose link is mailed to the person and shown to
// nobody else ([Service.Confirm]).
package enquiry

import (
	"time"

	"vaak/catalogue"
)

// Intent is what a person wants.
type Intent string

// The intents.
const (
	Quote      Intent = "quote"      // a quote for a licence of a dataset
	Sample     Intent = "sample"     // the sample bundle of a dataset, under its evaluation licence
	Collection Intent = "collection" // a collection recorded to a brief
	Question   Intent = "question"   // anything else
)

// Intents lists all intents in the order in which they are offered.
var Intents = [...]Intent{Quote, Sample, Collection, Question}

// The longest texts that a person may write, in Unicode code points.
const (
	MaxMessage = 5000
	MaxLine    = 200 // of name, company and agent
	MaxEmail   = 254 // limit of SMTP
)

// Form is what a person fills in, before it is checked.
type Form struct {
	Name    string
	Email   string // where the reply goes
	Company string
	Intent  Intent
	Dataset string // slug or id; "" is no dataset
	Message string // required when the intent is a question
	Agent   string // name of the agent or product that sends the form
}

// Dataset is what an enquiry is about.
type Dataset struct {
	ID    string `json:"id"`
	Slug  string `json:"slug"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// about returns the dataset that an enquiry is about.
func about(d *catalogue.Dataset) *Dataset {
	return &Dataset{ID: d.ID, Slug: d.Slug, Title: d.Title, URL: d.URL}
}

// Draft is a form that passed [Service.Check]: every field is valid, without white space
// around it.
type Draft struct {
	Form           // Dataset is the slug
	About *Dataset // nil if there is no dataset
}

// Method is how a person consented, which says who attests it.
type Method string

// The methods.
const (
	ByREST  Method = "rest"           // a program attests it by sending the enquiry
	ByPage  Method = "page"           // the box on the site's form was ticked
	ByHost  Method = "host_attested"  // the agent's host says that it asked the person
	ByMail  Method = "mailed_link"    // Send was pressed on a page whose link was mailed to the person
	ByAgent Method = "agent_attested" // the agent itself says that the person agreed
)

// Methods of older versions. Stored enquiries still have them.
const (
	ByElicitation Method = "elicitation_form" // the same as ByHost
	ByLink        Method = "link"             // Send was pressed on a page whose link was given to the agent
)

// Enquiry is an enquiry that was sent.
type Enquiry struct {
	ID string // "enq_" and 26 letters and digits; the same enquiry on one day has the same id
	Draft
	Method   Method
	Received time.Time
	Purged   bool // personal data is deleted; id, intent, dataset and times remain
}

// Receipt is the answer to somebody who has sent an enquiry.
type Receipt struct {
	ID      string
	Intent  Intent
	Dataset *Dataset // nil if there is none
	Method  Method   // of the consent on record
	Next    string   // what happens next, in one or two sentences
	Contact string   // address of the person who answers
	// Repeated says that the same enquiry was stored before, so nothing was sent again.
	Repeated bool
	// Purged says that its personal data is deleted already.
	Purged bool
}

// Package enquiries takes enquiries about datasets over HTTP: questions of people to those who
// license the datasets.
package enquiries

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/edge"
	"vaak/enquiry"
	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/rest/frame"
)

// api has the handlers.
type api struct {
	Enquiries Enquiries
	Catalogue frame.Similar
}

// Register declares the operation that sends an enquiry. It is described but not served
// when service is nil.
func Register(desc huma.API, service Enquiries, catalogue frame.Similar) {
	(&api{service, catalogue}).registerEnquiry(desc)
	frame.DescribeNulls(desc, reflect.TypeFor[EnquiryReceipt]())
}

// Enquiries checks and accepts the enquiries of people. [*enquiry.Service] is the one of the product.
type Enquiries interface {
	// Submit sends an enquiry for which the caller attests the person's consent.
	Submit(ctx context.Context, src enquiry.Source, f enquiry.Form, by enquiry.Method) (enquiry.Receipt, error)
	// Check says what Submit would refuse, and keeps nothing.
	Check(ctx context.Context, f enquiry.Form) (enquiry.Draft, error)
	// Refuse writes a line into the journal about an enquiry that was refused before Submit.
	// Code names what was wrong.
	Refuse(ctx context.Context, src enquiry.Source, by enquiry.Method, code string)
}

// EnquiryPath is where programs send enquiries.
const EnquiryPath = "/api/catalogue/enquiry"

// maxEnquiry is the most bytes of the body of an enquiry. It has room for the longest enquiry in
// UTF-8, and for the longest message with every character escaped. It has no room for all fields
// at their longest with every character escaped as a surrogate pair.
const maxEnquiry = 64 << 10

// EnquiryRequest is the body of POST /api/catalogue/enquiry. The tags are its public
// description. Package enquiry holds the rules. Values are checked in the order of the fields.
type EnquiryRequest struct {
	Name    string  `json:"name" minLength:"1" maxLength:"200" doc:"The person's name." example:"Asha Rao"`
	Email   string  `json:"email" format:"email" maxLength:"254" doc:"Where the reply goes: one address, without a display name." example:"asha@example.org"`
	Intent  string  `json:"intent" enum:"quote,sample,collection,question" doc:"quote: a licence quote on a dataset. sample: the dataset's sample bundle by e-mail, under the evaluation licence. collection: a collection recorded to a brief. question: anything else."`
	Message *string `json:"message,omitempty" nullable:"true" maxLength:"5000" doc:"The use, the hours, the languages, the deadline. Required when intent is question." example:"We train a voice assistant for banks and need 200 hours by March."`
	Dataset *string `json:"dataset,omitempty" nullable:"true" doc:"Slug or id of the dataset that it is about, whatever the intent." example:"hi-in-call-centre-banking-dual"`
	Company *string `json:"company,omitempty" nullable:"true" maxLength:"200" doc:"The person's organisation." example:"Example Bank"`
	Agent   *string `json:"agent,omitempty" nullable:"true" maxLength:"200" doc:"Which agent or product is sending, for the record." example:"example-procurement-agent/1.2"`
}

// enquiryInput is the body as it came.
type enquiryInput struct {
	RawBody []byte `contentType:"application/json"`
}

var enquiryBinder = document.NewBinder[EnquiryRequest]()

// EnquiryReceipt is the answer of 202.
type EnquiryReceipt struct {
	Received bool            `json:"received" enum:"true" doc:"True: the enquiry is kept and will be delivered."`
	Intent   string          `json:"intent" enum:"quote,sample,collection,question" doc:"As it was sent."`
	Dataset  *EnquiryDataset `json:"dataset" doc:"What it is about; null when no dataset was named."`
	Next     string          `json:"next" doc:"What happens next, to be told to the person." example:"A person reads it and replies by e-mail."`
	Contact  string          `json:"contact" doc:"The address that answers." example:"data@example.org"`
}

// EnquiryDataset names a dataset.
type EnquiryDataset struct {
	ID    string `json:"id" doc:"Its id." example:"ds_k3v9x2m7q4w8t1zc"`
	Slug  string `json:"slug" doc:"Its name in addresses." example:"hi-in-call-centre-banking-dual"`
	Title string `json:"title" doc:"Its title."`
	URL   string `json:"url" format:"uri" doc:"Its page."`
}

// sendEnquiry serves POST /api/catalogue/enquiry.
func (a *api) sendEnquiry(w http.ResponseWriter, r *http.Request, in *enquiryInput) error {
	ctx := r.Context()
	var body EnquiryRequest
	err := enquiryBinder.Bind(document.Of(in.RawBody), &body)
	form := body.form()
	if err != nil {
		err = a.firstFault(ctx, form, err)
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Field != "" {
			a.Enquiries.Refuse(ctx, enquirySource(ctx), enquiry.ByREST, f.Field)
		}
		return err
	}
	receipt, err := a.Enquiries.Submit(ctx, enquirySource(ctx), form, enquiry.ByREST)
	if err != nil {
		return frame.Gone(ctx, a.unknownIn(form, err))
	}
	w.Header().Set("X-Enquiry-Id", receipt.ID)
	return frame.AnswerJSONAs(w, r, http.StatusAccepted, EnquiryReceipt{
		Received: true, Intent: string(receipt.Intent), Dataset: (*EnquiryDataset)(receipt.Dataset),
		Next: receipt.Next, Contact: receipt.Contact,
	})
}

// enquirySource says where a request comes from. Its client is "" where connections
// have no address.
func enquirySource(ctx context.Context) enquiry.Source {
	client, _ := edge.ClientScope(ctx)
	return enquiry.Source{Client: client, RequestID: edge.RequestID(ctx)}
}

// form returns the enquiry as it was sent.
func (b *EnquiryRequest) form() enquiry.Form {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return enquiry.Form{
		Name: b.Name, Email: b.Email, Intent: enquiry.Intent(b.Intent), Message: text(b.Message),
		Dataset: text(b.Dataset), Company: text(b.Company), Agent: text(b.Agent),
	}
}

// firstFault returns the first fault of a body in which a field has a wrong type: either that
// fault, or a fault of a field that is checked before it. The fields of f from the wrong one on
// are empty, because reading stopped there. Lengths are checked after all types, so firstFault
// cuts texts that are too long before it checks them.
func (a *api) firstFault(ctx context.Context, f enquiry.Form, mistyped error) error {
	at := rank(mistyped)
	if at <= 0 {
		return mistyped
	}
	// Otherwise a name that is too long would be told before an intent of a wrong type.
	f.Name, f.Message, f.Company = cut(f.Name, enquiry.MaxLine), cut(f.Message, enquiry.MaxMessage), cut(f.Company, enquiry.MaxLine)
	_, err := a.Enquiries.Check(ctx, f)
	if before := rank(err); before >= 0 && before < at {
		return a.unknownIn(f, err)
	}
	return mistyped
}

// rank returns the position of the field that an error is about, in the order in which fields are
// checked; -1 when the error is about no field.
func rank(err error) int {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Invalid {
		return -1
	}
	return enquiryBinder.Rank(f.Field)
}

// cut returns at most the first n code points of s, without the space around it.
func cut(s string, n int) string {
	s = strings.TrimSpace(s)
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// unknownIn returns the error of an enquiry. If its dataset does not exist, the error has the
// slugs that may be meant.
func (a *api) unknownIn(f enquiry.Form, err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Field == "dataset" && fault.KindOf(e.Err) == fault.NotFound {
		return frame.UnknownDataset(err, f.Dataset, a.Catalogue.Similar(f.Dataset))
	}
	return err
}

// ownPages refuses requests that a page of another origin makes in a visitor's browser, because
// the visitor did not consent to them. It passes on requests of programs. It stands behind
// [edge.Locate] and the limit by address, because each refusal is written to the journal.
func (a *api) ownPages(refuse edge.Refuse) edge.Middleware {
	same := http.NewCrossOriginProtection()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if same.Check(r) != nil {
				a.Enquiries.Refuse(r.Context(), enquirySource(r.Context()), enquiry.ByREST, "origin")
				refuse(w, r, fault.New(fault.Forbidden, fault.CodeOriginNotAllowed, "", "pages of other origins may not send enquiries"))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

package enquiries

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"vaak/enquiry"
	"vaak/rest/frame"
)

// enquiryDoc says what a caller must know before it sends one.
var enquiryDoc = fmt.Sprintf(`Sends a person's question to the people who license the datasets. One of them replies by e-mail; nothing is priced or licensed automatically.

**Consent.** Send only after the person has seen what will be sent and has agreed to it: name, address and text reach the operator, and by sending you attest that agreement, which goes on record as your program's word, not the person's. An agent that cannot ask its person uses `+"`send_enquiry`"+` over MCP instead, which does. What was typed is deleted after the period that the form on the site names.

**Delivery.** 202 means that the enquiry is kept: it is delivered even if the server fails in the next moment. An enquiry that was not answered with 202 may be sent again as it is.

**Idempotency.** The same e-mail address, intent, dataset and message on one UTC day are one enquiry: sent again they give the same answer and no second mail, and count to no limit; the name and company of the first stand.

**Limits.** %d enquiries in any hour from one e-mail address, whatever its case and plus-tag, %d from one client address, and %d in all; beyond that 429 `+"`too_many_enquiries`"+`, to be tried again in an hour. What is refused does not count.

Fields are looked at in this order, and the first that is wrong is the one that is named: name, email, intent, message when the intent is question, dataset, then lengths. Lengths are in Unicode code points.`,
	enquiry.DefaultLimits.Sender, enquiry.DefaultLimits.Client, enquiry.DefaultLimits.All)

// registerEnquiry declares how an enquiry is sent. It is described also where it is
// not served.
func (a *api) registerEnquiry(desc huma.API) {
	op := huma.Operation{
		OperationID: "sendEnquiry", Method: http.MethodPost, Path: EnquiryPath, Tags: []string{frame.TagCatalogue},
		Summary: "Send an enquiry for a person", Description: enquiryDoc,
		DefaultStatus: http.StatusAccepted,
		Metadata:      map[string]any{frame.MetaDialect: frame.InEnquiry, frame.MetaRepeats: true, frame.MetaGuard: a.ownPages(frame.InEnquiry.Refuse), frame.MetaMaxBody: int64(maxEnquiry)},
		RequestBody: &huma.RequestBody{
			Required:    true,
			Description: "Up to 64 KiB: texts at their longest fit in UTF-8, but not always with every character written as `\\uXXXX`, which takes 6 bytes, or 12 beyond U+FFFF. Properties that are not listed are ignored, and null is as absent.",
			Content: map[string]*huma.MediaType{"application/json": {
				Schema: frame.SchemaOf[EnquiryRequest](desc), Examples: enquiryExamples(),
			}},
		},
		Responses: enquiryResponses(desc),
	}
	if a.Enquiries == nil {
		op.Metadata[frame.MetaAbsent] = true
	}
	frame.Operate(desc, op, a.sendEnquiry)
}

// enquiryExamples are bodies that are taken.
func enquiryExamples() map[string]*huma.Example {
	const dataset = "hi-in-call-centre-banking-dual"
	person := func(more map[string]any) map[string]any {
		more["name"], more["email"] = "Asha Rao", "asha@example.org"
		return more
	}
	return map[string]*huma.Example{
		"quote": {Summary: "A licence quote", Value: person(map[string]any{
			"company": "Example Bank", "intent": "quote", "dataset": dataset,
			"message": "For a voice assistant, 200 hours, by March.", "agent": "example-procurement-agent/1.2",
		})},
		"sample":     {Summary: "The sample bundle of a dataset", Value: person(map[string]any{"intent": "sample", "dataset": dataset})},
		"collection": {Summary: "A collection to a brief", Value: person(map[string]any{"intent": "collection", "message": "50 hours of Konkani phone calls between farmers and their bank."})},
		"question":   {Summary: "Anything else", Value: person(map[string]any{"intent": "question", "message": "Do speakers of the Tamil sets consent to speech synthesis?"})},
	}
}

// enquiryResponses lists the answers.
func enquiryResponses(desc huma.API) map[string]*huma.Response {
	good := frame.JsonOf[EnquiryReceipt](desc, "The enquiry is kept and will be delivered, or was already.")
	good.Content["application/json"].Example = map[string]any{
		"received": true, "intent": "quote",
		"dataset": map[string]any{
			"id": "ds_k3v9x2m7q4w8t1zc", "slug": "hi-in-call-centre-banking-dual", "title": "Hindi call-centre conversations, banking",
			"url": "https://data.example.org/catalogue/datasets/hi-in-call-centre-banking-dual",
		},
		"next": "A person reads it and replies by e-mail with a quote. Nothing is priced or licensed automatically.", "contact": "data@example.org",
	}
	good.Headers = map[string]*huma.Param{
		"x-request-id": frame.HeaderOf("string", "The id of the request."),
		"x-enquiry-id": frame.HeaderOf("string", "The id of the enquiry, to quote in correspondence. The same when it is sent again."),
	}
	out := map[string]*huma.Response{"202": good}
	for status, text := range map[int]string{
		403: "A web page of another origin sent it (`origin_not_allowed`).",
		404: "This server takes no enquiries (`not_found`).",
		413: "The body is over 64 KiB (`body_too_large`), as long texts can be when their characters are written as `\\uXXXX`: send them in UTF-8.",
		415: "The body is not JSON, or compressed (`unsupported_media_type`).",
		429: "There were too many enquiries (`too_many_enquiries`): try again in an hour. Or too many requests from this address in the last minute (`rate_limit_exceeded`).",
		500: frame.CatalogueTexts[500],
		503: "The store is down (`store_unavailable`), and nothing was kept. Try again after Retry-After.",
	} {
		out[strconv.Itoa(status)] = enquiryProblem(desc, status, text)
	}
	out["400"] = badEnquiry(desc)
	return out
}

// enquiryProblem describes an error in the catalogue's shape.
func enquiryProblem(desc huma.API, status int, text string) *huma.Response {
	p := frame.CatalogueProblem(desc, status)
	p.Description = text
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		p.Headers["retry-after"] = frame.HeaderOf("integer", "Seconds to wait.")
		p.Headers["retry-after-ms"] = frame.HeaderOf("integer", "The same in milliseconds, finer.")
	}
	if status == http.StatusTooManyRequests {
		p.Content["application/json"].Example = map[string]any{
			"error": "too_many_enquiries", "code": "too_many_enquiries",
			"message": "too many enquiries: from this e-mail address, whatever its plus-tag, come at most 5 enquiries an hour; try again in an hour, or write to data@example.org", "retryAfterSeconds": 3600,
		}
	}
	return p
}

// badEnquiry describes 400, whose error is a sentence.
func badEnquiry(desc huma.API) *huma.Response {
	example := func(summary string, value map[string]any, sentence string) *huma.Example {
		value["error"], value["message"] = sentence, sentence
		return &huma.Example{Summary: summary, Value: value}
	}
	return &huma.Response{
		Description: "A field is missing or not what it must be, the dataset is unknown, or the body is not well-formed JSON (`invalid_body`). Nothing was kept.",
		Headers:     map[string]*huma.Param{"x-request-id": frame.HeaderOf("string", "The id of the request.")},
		Content: map[string]*huma.MediaType{"application/json": {
			Schema: frame.SchemaOf[frame.EnquiryError](desc),
			Examples: map[string]*huma.Example{
				"field":   example("A field has a wrong type", map[string]any{"code": "invalid_parameter", "field": "name"}, "name must be a string, not a number"),
				"dataset": example("The dataset is unknown", map[string]any{"code": "invalid_parameter", "field": "dataset", "slug": "hindi-banking", "didYouMean": []string{"hi-in-call-centre-banking-dual"}}, `dataset "hindi-banking" is not known; it is the slug or the id of a dataset of this catalogue`),
				"body":    example("The body cannot be read", map[string]any{"code": "invalid_body"}, "the body is empty; a JSON value is expected"),
			},
		}},
	}
}

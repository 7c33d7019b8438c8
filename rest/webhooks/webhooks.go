// Package webhooks serves the webhook endpoints of an organisation over HTTP: make, list, change and
// delete them, rotate their secrets, see deliveries and send events again.
package webhooks

import (
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/rest/frame"
	"vaak/webhook"
)

// Where the endpoints are.
const (
	EndpointsPath  = "/v1/webhooks"
	EndpointPath   = EndpointsPath + "/{id}"
	DeliveriesPath = EndpointPath + "/deliveries"
)

// api has the handlers.
type api struct{ webhooks *webhook.Service }

// Register declares the operations on webhooks. The service may be nil where they are only described.
func Register(desc huma.API, service *webhook.Service) { (&api{service}).register(desc) }

// EndpointInput holds the id in the path. The type is exported because huma ignores embedded types
// that are not.
type EndpointInput struct {
	ID string `path:"id" doc:"Of an endpoint of your organisation." example:"whe_m4k2h6v8x3c5b7n9"`
}

// DeliveryInput names a delivery of an endpoint.
type DeliveryInput struct {
	EndpointInput
	Delivery string `path:"delivery_id" doc:"Of a delivery of the endpoint." example:"whd_c3b5n7m9k2h4g6f8"`
}

// listInput says which deliveries to list. Handlers read the query themselves.
type listInput struct {
	EndpointInput
	State  string `query:"state" enum:"waiting,delivered,failed" doc:"Only those in this state."`
	Before string `query:"before" doc:"Only those before the delivery with this id: the next_before of the page before." example:"whd_c3b5n7m9k2h4g6f8"`
	Limit  string `query:"limit" doc:"How many a page has at most, 1 to 100; 50 when left out." example:"50"`
}

type createInput struct {
	RawBody []byte `contentType:"application/json"`
}

// bodyInput names an endpoint and holds a body.
type bodyInput struct {
	EndpointInput
	RawBody []byte `contentType:"application/json"`
}

func (a *api) create(w http.ResponseWriter, r *http.Request, in *createInput) error {
	var body createRequest
	if err := createBinder.Bind(document.Of(in.RawBody), &body); err != nil {
		return err
	}
	d := body.draft()
	d.Secret = body.Secret
	e, secret, err := a.webhooks.Create(r.Context(), frame.Caller(r).OrgID, d)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, EndpointWithSecret{endpointOf(e), secret.String()})
}

func (a *api) list(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	all, err := a.webhooks.Endpoints(r.Context(), frame.Caller(r).OrgID)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	list := EndpointList{Webhooks: []WebhookRecord{}}
	for _, e := range all {
		list.Webhooks = append(list.Webhooks, endpointOf(e))
	}
	return frame.AnswerJSON(w, r, list)
}

func (a *api) get(w http.ResponseWriter, r *http.Request, in *EndpointInput) error {
	e, err := a.webhooks.Endpoint(r.Context(), frame.Caller(r).OrgID, in.ID)
	return answerEndpoint(w, r, e, err)
}

func answerEndpoint(w http.ResponseWriter, r *http.Request, e webhook.Endpoint, err error) error {
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, endpointOf(e))
}

func (a *api) change(w http.ResponseWriter, r *http.Request, in *bodyInput) error {
	var body changeRequest
	if err := changeBinder.Bind(document.Of(in.RawBody), &body); err != nil {
		return err
	}
	e, err := a.webhooks.Change(r.Context(), frame.Caller(r).OrgID, in.ID, body.draft())
	return answerEndpoint(w, r, e, err)
}

func (a *api) remove(w http.ResponseWriter, r *http.Request, in *EndpointInput) error {
	if err := a.webhooks.Delete(r.Context(), frame.Caller(r).OrgID, in.ID); err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, DeletedEndpoint{ID: in.ID, Deleted: true})
}

func (a *api) rotate(w http.ResponseWriter, r *http.Request, in *bodyInput) error {
	var body rotateRequest
	if err := rotateBinder.Bind(document.Of(in.RawBody), &body); err != nil {
		return err
	}
	overlap := webhook.DefaultOverlap
	if body.Overlap != nil {
		// Bounded before it is multiplied, which a larger number would overflow.
		overlap = time.Duration(min(max(*body.Overlap, -1), maxSeconds)) * time.Second
	}
	e, secret, err := a.webhooks.Rotate(r.Context(), frame.Caller(r).OrgID, in.ID, overlap)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, EndpointWithSecret{endpointOf(e), secret.String()})
}

// maxSeconds is more than any number of seconds that is taken.
const maxSeconds = 1 << 30

func (a *api) test(w http.ResponseWriter, r *http.Request, in *EndpointInput) error {
	d, err := a.webhooks.Test(r.Context(), frame.Caller(r).OrgID, in.ID)
	return answerDelivery(w, r, d, err)
}

func answerDelivery(w http.ResponseWriter, r *http.Request, d webhook.Delivery, err error) error {
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, deliveryOf(d))
}

// defaultPage is how many deliveries a page has when the request does not say.
const defaultPage = 50

func (a *api) deliveries(w http.ResponseWriter, r *http.Request, in *listInput) error {
	sent := r.URL.Query()
	q := webhook.Query{Outcome: webhook.Outcome(sent.Get("state")), Before: sent.Get("before"), Limit: defaultPage}
	if text := sent.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return frame.ErrParameter("limit", "limit %.32q is not a whole number from 1 to %d", text, webhook.MaxPage)
		}
		q.Limit = n
	}
	all, err := a.webhooks.Deliveries(r.Context(), frame.Caller(r).OrgID, in.ID, q)
	if err != nil {
		return frame.InQuery(frame.Gone(r.Context(), err))
	}
	list := DeliveryList{Deliveries: []DeliveryRecord{}}
	for _, d := range all {
		list.Deliveries = append(list.Deliveries, deliveryOf(d))
	}
	if len(all) == q.Limit {
		list.Next = &all[len(all)-1].ID
	}
	return frame.AnswerJSON(w, r, list)
}

func (a *api) delivery(w http.ResponseWriter, r *http.Request, in *DeliveryInput) error {
	d, err := a.webhooks.Delivery(r.Context(), frame.Caller(r).OrgID, in.ID, in.Delivery)
	return answerDelivery(w, r, d, err)
}

func (a *api) replay(w http.ResponseWriter, r *http.Request, in *DeliveryInput) error {
	d, err := a.webhooks.Replay(r.Context(), frame.Caller(r).OrgID, in.ID, in.Delivery)
	return answerDelivery(w, r, d, err)
}

func (a *api) replayFailed(w http.ResponseWriter, r *http.Request, in *bodyInput) error {
	var body replayRequest
	if err := replayBinder.Bind(document.Of(in.RawBody), &body); err != nil {
		return err
	}
	// Before the body is judged: an endpoint of others is not there, whatever was sent.
	if _, err := a.webhooks.Endpoint(r.Context(), frame.Caller(r).OrgID, in.ID); err != nil {
		return frame.Gone(r.Context(), err)
	}
	since, err := time.Parse(time.RFC3339, body.Since)
	if err != nil {
		return fault.BadParameter("since", "since %.64q is not a time such as 2027-01-31T00:00:00Z", body.Since)
	}
	n, err := a.webhooks.ReplayFailed(r.Context(), frame.Caller(r).OrgID, in.ID, since)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, ReplayedDeliveries{Replayed: n})
}

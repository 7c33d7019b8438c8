package webhooks

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/rest/frame"
)

const signed = "What is sent is signed as Standard Webhooks says; docs/webhooks.md tells how to receive it."

func (a *api) register(desc huma.API) {
	example := map[string]any{"url": "https://example.org/hooks/vaak", "types": []string{"usage.threshold_reached"}, "thresholds": []int{80, 100}}
	frame.Operate(desc, withBody[createRequest](desc, operation("createWebhook", http.MethodPost, EndpointsPath, "Make a webhook endpoint",
		"An address that gets events of your organisation. The answer has its secret, once. "+signed+" An organisation has at most 20 endpoints (`webhook_limit_exceeded`).",
		frame.JsonOf[EndpointWithSecret](desc, "The endpoint, with its secret."), 400, 409, 413, 415), example), a.create)
	frame.Operate(desc, operation("listWebhooks", http.MethodGet, EndpointsPath, "List the webhook endpoints",
		"Those of the organisation.", frame.JsonOf[EndpointList](desc, "The endpoints.")), a.list)
	frame.Operate(desc, operation("getWebhook", http.MethodGet, EndpointPath, "Get a webhook endpoint", "",
		frame.JsonOf[WebhookRecord](desc, "The endpoint."), 404), a.get)
	frame.Operate(desc, withBody[changeRequest](desc, operation("changeWebhook", http.MethodPatch, EndpointPath, "Change a webhook endpoint",
		"What is left out stays as it is.", frame.JsonOf[WebhookRecord](desc, "The endpoint as it is now."), 400, 404, 413, 415),
		map[string]any{"enabled": true}), a.change)
	frame.Operate(desc, operation("deleteWebhook", http.MethodDelete, EndpointPath, "Delete a webhook endpoint",
		"With the record of its deliveries. What waits is not sent.", frame.JsonOf[DeletedEndpoint](desc, "It is deleted."), 404), a.remove)
	frame.Operate(desc, withBody[rotateRequest](desc, operation("rotateWebhookSecret", http.MethodPost, EndpointPath+"/rotate-secret", "Make a new secret",
		"For the overlap, what is sent is signed with the secret before, too, so that the receiver can be changed meanwhile.",
		frame.JsonOf[EndpointWithSecret](desc, "The endpoint, with its new secret."), 400, 404, 413, 415), map[string]any{"overlap_seconds": 86400}), a.rotate)
	frame.Operate(desc, operation("testWebhook", http.MethodPost, EndpointPath+"/test", "Send a test event",
		"Queues an event of the type webhook.test, whatever types the endpoint gets.", frame.JsonOf[DeliveryRecord](desc, "Its delivery, which waits."), 404, 409), a.test)
	frame.Operate(desc, operation("listWebhookDeliveries", http.MethodGet, DeliveriesPath, "List the deliveries of a webhook endpoint",
		"They are kept for 30 days.", frame.JsonOf[DeliveryList](desc, "A page of deliveries."), 400, 404), a.deliveries)
	frame.Operate(desc, operation("getWebhookDelivery", http.MethodGet, DeliveriesPath+"/{delivery_id}", "Get a delivery", "",
		frame.JsonOf[DeliveryRecord](desc, "The delivery."), 404), a.delivery)
	frame.Operate(desc, operation("replayWebhookDelivery", http.MethodPost, DeliveriesPath+"/{delivery_id}/replay", "Send an event again",
		"With the same webhook-id, so that a receiver that has it can tell. A delivery that still waits is refused (`webhook_delivery_waits`).",
		frame.JsonOf[DeliveryRecord](desc, "The new delivery, which waits."), 404, 409), a.replay)
	frame.Operate(desc, withBody[replayRequest](desc, operation("replayFailedWebhookDeliveries", http.MethodPost, EndpointPath+"/replay-failed", "Send again what failed",
		"In the order in which it happened, as after an outage of the receiver. What was delivered or queued since is left out.",
		frame.JsonOf[ReplayedDeliveries](desc, "How many were queued."), 400, 404, 409, 413, 415), map[string]any{"since": "2027-01-31T00:00:00Z"}), a.replayFailed)
}

// operation is an operation on webhooks, for callers with a key.
func operation(id, method, path, summary, text string, answer *huma.Response, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{frame.TagWebhooks}, Summary: summary, Description: text,
		Security: frame.WithKey, Responses: frame.Responses(answer, append(errors, 401, 429, 503)...),
	}
}

// withBody gives an operation a body of type T.
func withBody[T any](desc huma.API, op huma.Operation, example map[string]any) huma.Operation {
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: frame.SchemaOf[T](desc), Examples: map[string]*huma.Example{"minimal": {Summary: op.Summary, Value: example}}},
	}}
	return op
}

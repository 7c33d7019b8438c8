package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/account"
	"vaak/rest/elevenlabs"
)

func (a *api) registerUsage(desc huma.API) {
	operate(desc, huma.Operation{
		OperationID: "getUsage", Method: http.MethodGet, Path: "/v1/usage", Tags: []string{tagUsage},
		Summary: "See what was used and what is left",
		Description: "Plan, month and balance of the key's organisation: every key of it reads the same numbers. They change only when text is " +
			"spoken, or something is granted or expires. A request here counts to the minute like any other.",
		Security:  withKey,
		Responses: responses(jsonOf[usageRecord](desc, "How the organisation stands."), 401, 429, 503),
	}, a.getUsage)
	operate(desc, huma.Operation{
		OperationID: "getDailyUsage", Method: http.MethodGet, Path: "/v1/usage/daily", Tags: []string{tagUsage},
		Summary:     "See what was used day by day",
		Description: "Sums of the organisation for each UTC day, told apart by key, voice or language: what a chart needs.",
		Security:    withKey,
		Responses:   responses(jsonOf[dailyUsageRecord](desc, "The days."), 400, 401, 429, 503),
	}, a.getDailyUsage)
	operate(desc, huma.Operation{
		OperationID: "getUser", Method: http.MethodGet, Path: "/v1/user", Tags: []string{tagUsage},
		Metadata:    inElevenLabs(),
		Summary:     "See whose key it is",
		Description: "For clients of the ElevenLabs dialect, which ask this to learn whether a key is good.",
		Security:    withKey,
		Responses:   responses(jsonOf[elevenlabs.User](desc, "The organisation."), 401, 429, 503),
	}, a.getUser)
	operate(desc, huma.Operation{
		OperationID: "getUserSubscription", Method: http.MethodGet, Path: "/v1/user/subscription", Tags: []string{tagUsage},
		Metadata:    inElevenLabs(),
		Summary:     "See what is left, in the ElevenLabs dialect",
		Description: "The numbers of GET /v1/usage as clients of that dialect read them.",
		Security:    withKey,
		Responses:   responses(jsonOf[elevenlabs.Subscription](desc, "The subscription."), 401, 429, 503),
	}, a.getUserSubscription)
}

func (a *api) getUsage(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	return reported(a, w, r, usageOf)
}

func (a *api) getUser(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	return reported(a, w, r, elevenlabs.UserOf)
}

func (a *api) getUserSubscription(w http.ResponseWriter, r *http.Request, _ *noInput) error {
	return reported(a, w, r, elevenlabs.SubscriptionOf)
}

// reported answers with how the caller's organisation stands, in some shape.
func reported[T any](a *api, w http.ResponseWriter, r *http.Request, shape func(account.Report) T) error {
	caller := callerOf(r)
	report, err := a.Accounts.Report(r.Context(), caller.OrgID)
	if err != nil {
		return gone(r.Context(), err)
	}
	return answerJSON(w, r, shape(report))
}

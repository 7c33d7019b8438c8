// Package usage tells organisations over HTTP what they used and what is left, natively
// and in the ElevenLabs dialect.
package usage

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/account"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
	"vaak/voice"
)

// Reports returns what organisations used and have left. [*account.Service] is the one of the
// product.
type Reports interface {
	Report(ctx context.Context, orgID string) (account.Report, error)
	Daily(ctx context.Context, orgID string, q account.DailyQuery) (account.DailyQuery, []account.DailyUsage, error)
	Keys(ctx context.Context, orgID string) ([]account.Key, error)
}

// api has the handlers.
type api struct {
	Accounts Reports
	Voices   *voice.Directory
}

// Register declares the operations on usage, in which voices have their names of the directory.
// Reports may be nil where they are only described.
func Register(desc huma.API, reports Reports, voices *voice.Directory) {
	(&api{reports, voices}).registerUsage(desc)
}

func (a *api) registerUsage(desc huma.API) {
	frame.Operate(desc, huma.Operation{
		OperationID: "getUsage", Method: http.MethodGet, Path: "/v1/usage", Tags: []string{frame.TagUsage},
		Summary: "See what was used and what is left",
		Description: "Plan, month and balance of the key's organisation: every key of it reads the same numbers. They change only when text is " +
			"spoken, or something is granted or expires. A request here counts to the minute like any other.",
		Security:  frame.WithKey,
		Responses: frame.Responses(frame.JsonOf[usageRecord](desc, "How the organisation stands."), 401, 429, 503),
	}, a.getUsage)
	frame.Operate(desc, huma.Operation{
		OperationID: "getDailyUsage", Method: http.MethodGet, Path: "/v1/usage/daily", Tags: []string{frame.TagUsage},
		Summary:     "See what was used day by day",
		Description: "Sums of the organisation for each UTC day, told apart by key, voice or language: what a chart needs.",
		Security:    frame.WithKey,
		Responses:   frame.Responses(frame.JsonOf[dailyUsageRecord](desc, "The days."), 400, 401, 429, 503),
	}, a.getDailyUsage)
	frame.Operate(desc, huma.Operation{
		OperationID: "getUser", Method: http.MethodGet, Path: "/v1/user", Tags: []string{frame.TagUsage},
		Metadata:    frame.InElevenLabs(),
		Summary:     "See whose key it is",
		Description: "For clients of the ElevenLabs dialect, which ask this to learn whether a key is good.",
		Security:    frame.WithKey,
		Responses:   frame.Responses(frame.JsonOf[elevenlabs.User](desc, "The organisation."), 401, 429, 503),
	}, a.getUser)
	frame.Operate(desc, huma.Operation{
		OperationID: "getUserSubscription", Method: http.MethodGet, Path: "/v1/user/subscription", Tags: []string{frame.TagUsage},
		Metadata:    frame.InElevenLabs(),
		Summary:     "See what is left, in the ElevenLabs dialect",
		Description: "The numbers of GET /v1/usage as clients of that dialect read them.",
		Security:    frame.WithKey,
		Responses:   frame.Responses(frame.JsonOf[elevenlabs.Subscription](desc, "The subscription."), 401, 429, 503),
	}, a.getUserSubscription)
}

func (a *api) getUsage(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	return reported(a, w, r, usageOf)
}

func (a *api) getUser(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	return reported(a, w, r, elevenlabs.UserOf)
}

func (a *api) getUserSubscription(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	return reported(a, w, r, elevenlabs.SubscriptionOf)
}

// reported answers with the report on the caller's organisation, in the form that shape returns.
func reported[T any](a *api, w http.ResponseWriter, r *http.Request, shape func(account.Report) T) error {
	caller := frame.Caller(r)
	report, err := a.Accounts.Report(r.Context(), caller.OrgID)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, shape(report))
}

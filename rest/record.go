package rest

import (
	"context"
	"net/http"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/speech"
)

type spokenKey struct{}

// record keeps what became of each request to an operation that speaks, be it
// refused or answered: who asked when, and what came of it; never the text.
func (a *api) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		var spoken speech.Result
		panicked := true
		defer func() {
			x := edge.From(r.Context())
			rec := recordOfRequest(x, began, spoken)
			if panicked && x.Err == nil {
				rec.Status, rec.Code = http.StatusInternalServerError, internal.Code
			}
			a.Accounts.Record(rec)
		}()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), spokenKey{}, &spoken)))
		panicked = false
	})
}

// keep leaves to [api.record] what was spoken for a request.
func keep(ctx context.Context, res speech.Result) {
	if spoken, ok := ctx.Value(spokenKey{}).(*speech.Result); ok {
		*spoken = res
	}
}

func recordOfRequest(x *edge.Exchange, began time.Time, spoken speech.Result) account.RequestRecord {
	rec := account.RequestRecord{
		ID: x.ID, At: began, OrgID: x.Caller.OrgID, KeyID: x.Caller.KeyID, Route: x.Route,
		Voice: string(spoken.Voice), Language: string(spoken.Language),
		Characters: int64(spoken.Charged), FirstAudio: spoken.FirstAudio, Audio: spoken.Duration,
		Status: http.StatusOK,
	}
	if x.Err != nil {
		f := faultOf(x.Err)
		rec.Status, rec.Code = table[f.Kind].status, f.Code
	}
	return rec
}

package frame

import (
	"context"
	"net/http"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/speech"
)

type spokenKey struct{}

// record keeps a record of each request to an operation that speaks, whether it was answered or
// refused: who asked, when, and with what outcome. The record never holds the text.
func (f *Frame) record(d dialect) edge.Middleware {
	return func(next http.Handler) http.Handler { return f.recorded(d, next) }
}

func (f *Frame) recorded(d dialect, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		var spoken speech.Result
		panicked := true // until next returns; edge.Recover, outside of this, notes the panic later
		defer func() {
			// Read here and not before: the error is noted while the request is answered.
			x := edge.From(r.Context())
			rec := recordOfRequest(d, x, began, spoken)
			if panicked && x.Err == nil {
				rec.Status, rec.Code = http.StatusInternalServerError, internal.Code
			}
			f.accounts.Record(rec)
		}()
		// The handler fills in spoken through the context, see Spoken.
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), spokenKey{}, &spoken)))
		panicked = false
	})
}

// Spoken adds what was spoken to the record of a request, see [Frame.record]. Handlers of
// requests and of sockets call it.
func Spoken(ctx context.Context, res speech.Result) {
	if spoken, ok := ctx.Value(spokenKey{}).(*speech.Result); ok {
		*spoken = res
	}
}

func recordOfRequest(d dialect, x *edge.Exchange, began time.Time, spoken speech.Result) account.RequestRecord {
	rec := account.RequestRecord{
		ID: x.ID, At: began, OrgID: x.Caller.OrgID, KeyID: x.Caller.KeyID, Route: x.Route,
		Voice: string(spoken.Voice), Language: string(spoken.Language), Engine: spoken.Engine,
		Characters: int64(spoken.Charged), FirstAudio: spoken.FirstAudio, Audio: spoken.Duration,
		Status: http.StatusOK,
	}
	// The status that the dialect answers, which may differ from that of the table.
	if x.Err != nil {
		rec.Status, _ = d.answer(x.Err, http.Header{})
		rec.Code = Public(x.Err).Code
	}
	return rec
}

// Caller returns the caller of a request that needs a key.
func Caller(r *http.Request) account.Caller {
	caller, _ := edge.Caller(r.Context())
	return caller
}

package edge

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"vaak/internal/fault"
)

// Recover turns a panic of next into an internal error. If nothing was sent yet, refuse answers
// it. Otherwise Recover breaks the connection, so that no client takes half an answer for a
// whole one. It belongs inside [Access].
func Recover(refuse Refuse) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				v := recover()
				if v == nil {
					return
				}
				// net/http ends the connection on this value, and logs nothing.
				if v == http.ErrAbortHandler { // a handler breaks the connection on purpose
					panic(v)
				}
				err := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
				if rec, ok := w.(*recorder); ok && rec.wrote() {
					Note(r.Context(), err)
					panic(http.ErrAbortHandler)
				}
				refuse(w, r, err)
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// codeOf returns the stable code of an error.
func codeOf(err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Code
	}
	return fault.CodeInternal
}

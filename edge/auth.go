package edge

import (
	"context"
	"net/http"
	"strings"

	"vaak/account"
	"vaak/internal/fault"
)

// Authenticator finds the caller that a key belongs to. An error of kind Unauthenticated says
// that there is no such key.
type Authenticator interface {
	Authenticate(ctx context.Context, secret string) (account.Caller, error)
}

// Authenticate passes on only requests with a valid key, and puts the [Caller] into the
// exchange. The key comes as "Authorization: Bearer KEY" or as "xi-api-key: KEY". A request may
// have both when they are equal.
func Authenticate(keys Authenticator, refuse Refuse) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			secret, err := Key(r.Header)
			if err != nil {
				refuse(w, r, err)
				return
			}
			caller, err := keys.Authenticate(r.Context(), secret)
			if err != nil {
				refuse(w, r, err)
				return
			}
			From(r.Context()).Caller = caller
			next.ServeHTTP(w, r)
		})
	}
}

// Connect finds the caller of a request whose key is an access token of a connected application,
// and what the application may do. Other requests go through otherwise.
func Connect(isToken func(string) bool, find func(context.Context, string) (account.Caller, []string, error), otherwise []Middleware, refuse Refuse) Middleware {
	return func(next http.Handler) http.Handler {
		others := Chain(next, otherwise...)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			token, err := Key(r.Header)
			if err != nil || !isToken(token) {
				others.ServeHTTP(w, r)
				return
			}
			caller, scopes, err := find(r.Context(), token)
			if err != nil {
				refuse(w, r, err)
				return
			}
			x := From(r.Context())
			x.Caller = caller
			// Never nil, which would be everything.
			x.Scopes = append([]string{}, scopes...)
			next.ServeHTTP(w, r)
		})
	}
}

// Key returns the key in the headers of a request. The error is a *fault.Error with the code
// missing_api_key when there is none, or invalid_api_key when there are several that differ.
func Key(h http.Header) (string, error) {
	var key string
	for _, v := range h["Authorization"] {
		// The keys of a header map are canonical, so this finds every spelling. Other schemes, such
		// as Basic, are skipped: the key may be in xi-api-key.
		k, ok := bearer(v)
		if !ok {
			continue
		}
		// To choose one of two keys would be a guess about who pays.
		if key != "" && k != key {
			return "", errDifferentKeys()
		}
		key = k
	}
	for _, v := range h["Xi-Api-Key"] {
		k := strings.TrimSpace(v)
		if k == "" {
			continue
		}
		if key != "" && k != key {
			return "", errDifferentKeys()
		}
		key = k
	}
	if key == "" {
		return "", ErrNoKey
	}
	return key, nil
}

// ErrNoKey is the error of a request that needs a key and has none.
var ErrNoKey = fault.New(fault.Unauthenticated, fault.CodeMissingKey, "",
	"this needs an API key: send it as Authorization: Bearer KEY or as xi-api-key: KEY")

func errDifferentKeys() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "",
		"the request carries different API keys: send one, or the same in both headers")
}

// bearer returns the key of an Authorization header of the scheme Bearer, in any case of
// letters.
func bearer(v string) (key string, ok bool) {
	scheme, rest, found := strings.Cut(strings.TrimSpace(v), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	rest = strings.TrimSpace(rest)
	return rest, rest != ""
}

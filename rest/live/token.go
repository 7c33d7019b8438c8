package live

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/rest/live/message"
	"vaak/token"
)

// Tokens takes single-use tokens. [*token.Service] is the one of the product.
type Tokens interface {
	// Find returns a token and its caller, for a page of an origin.
	Find(ctx context.Context, secret, origin string) (token.Token, account.Caller, error)
	// Settle returns the voice and language of a socket that asks for some.
	Settle(t token.Token, voice, language string) (string, string, error)
	// Use uses a token up. Of several calls for one token, one succeeds.
	Use(ctx context.Context, t token.Token) error
}

// tokenParameter is the parameter of the query that has a single-use token. A browser cannot
// set headers of a handshake.
const tokenParameter = "single_use_token"

// ticket is the token with which a socket is opened.
type ticket struct {
	token.Token
	by Tokens
}

type ticketKey struct{}

// ticketOf returns the token of a handshake; nil for one with a key.
func ticketOf(ctx context.Context) *ticket {
	t, _ := ctx.Value(ticketKey{}).(*ticket)
	return t
}

// Authenticate finds the caller of a handshake by its single-use token, if it has one. Other
// requests go to withKey. A token that is refused is not used up, and its key does not count
// the request: others may have the token.
func Authenticate(tokens Tokens, withKey edge.Middleware, refuse edge.Refuse) edge.Middleware {
	return func(next http.Handler) http.Handler {
		keyed := withKey(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// A malformed query has no token here; the handler refuses it.
			query, _ := url.ParseQuery(r.URL.RawQuery)
			secrets, sent := query[tokenParameter]
			if !sent {
				keyed.ServeHTTP(w, r)
				return
			}
			t, caller, err := find(r, tokens, secrets)
			if err != nil {
				refuse(w, r, err)
				return
			}
			edge.From(r.Context()).Caller = caller
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), ticketKey{}, &ticket{t, tokens})))
		})
	}
}

func find(r *http.Request, tokens Tokens, secrets []string) (token.Token, account.Caller, error) {
	// To choose one of two would be a guess about who pays.
	if _, err := edge.Key(r.Header); len(secrets) > 1 || err != edge.ErrNoKey {
		return token.Token{}, account.Caller{}, fault.New(fault.Unauthenticated, token.CodeInvalid, "",
			"send one %s, or an API key, and not several of them", tokenParameter)
	}
	return tokens.Find(r.Context(), secrets[0], r.Header.Get("Origin"))
}

// settle fills in the voice and language of a token.
func (t *ticket) settle(p *parameters) (err error) {
	p.request.Voice, p.request.Language, err = t.by.Settle(t.Token, p.request.Voice, p.request.Language)
	return err
}

// use uses the token up. A nil ticket has none. After it the upgrade must not be refused for
// what the client has sent, so use first checks what package websocket would refuse.
func (t *ticket) use(r *http.Request) error {
	if t == nil {
		return nil
	}
	if v := r.Header.Get("Sec-Websocket-Version"); v != "13" {
		return errNoHandshake(fmt.Sprintf("the request has the version %.20q", v))
	}
	if key, err := base64.StdEncoding.DecodeString(r.Header.Get("Sec-Websocket-Key")); err != nil || len(key) != 16 {
		return errNoHandshake("Sec-WebSocket-Key is not 16 bytes in base64")
	}
	return t.by.Use(r.Context(), t.Token)
}

// allowance is what the token of a socket still allows it. The conductor alone uses it.
type allowance struct {
	most int // code points of all sessions of the socket
	left int
}

// take takes code points of text. A nil allowance has no limit.
func (a *allowance) take(n int) error {
	if a == nil {
		return nil
	}
	if n > a.left {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "",
			"the token of this socket allows %d characters; %d are taken, and %d more were sent", a.most, a.most-a.left, n)
	}
	a.left -= n
	return nil
}

// allow sets the limits of the token of a connection, whose time begins now. The caller stops
// the timer.
func (c *connection) allow(t *ticket) (stop func()) {
	if t == nil {
		return func() {}
	}
	if t.MaxCharacters > 0 {
		c.allowed = &allowance{t.MaxCharacters, t.MaxCharacters}
	}
	if t.MaxSession == 0 {
		return func() {}
	}
	c.seconds = t.MaxSession
	timer := time.NewTimer(time.Duration(t.MaxSession) * time.Second)
	c.late = timer.C
	return func() { timer.Stop() }
}

// errLate is the error of a socket that was open for as long as its token allows.
func (c *connection) errLate() error {
	return fault.New(fault.Invalid, message.CodeSessionTime, "", "the token of this socket allows it to be open for %d s, which are over", c.seconds)
}

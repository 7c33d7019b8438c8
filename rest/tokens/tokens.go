// Package tokens serves single-use tokens over HTTP: natively, and in the ElevenLabs dialect.
package tokens

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/rest/frame"
	"vaak/token"
)

// Paths of the operations.
const (
	path        = "/v1/audio/speech/tokens"
	dialectPath = "/v1/single-use-token/{token_type}"
)

// forSockets is the one type of token of the dialect that is made here.
const forSockets = "tts_websocket"

// api has the handlers.
type api struct{ Tokens *token.Service }

// Register declares the operations. Without a service they are only described.
func Register(desc huma.API, service *token.Service) {
	a := &api{service}
	a.registerNative(desc)
	a.registerDialect(desc)
}

// tokenRequest is the body of POST /v1/audio/speech/tokens.
type tokenRequest struct {
	Voice         string           `json:"voice,omitempty" doc:"The one voice that the socket may use, by id, alias or name. When left out, the socket chooses." example:"sv_xwiwiz5du5tnesyx"`
	Lang          string           `json:"lang,omitempty" doc:"The one language that the socket may use, in any form. When left out, the socket chooses." example:"hi"`
	MaxCharacters *int             `json:"max_characters,omitempty" minimum:"1" maximum:"100000" doc:"How many characters (Unicode code points) the socket takes, over all its contexts."`
	ExpiresIn     *int             `json:"expires_in_seconds,omitempty" minimum:"10" maximum:"900" default:"300" doc:"How long the token waits for its socket. A socket that is open may stay open for longer."`
	MaxSession    *int             `json:"max_session_seconds,omitempty" minimum:"1" maximum:"7200" doc:"How long the socket may stay open."`
	Origins       document.Strings `json:"origins,omitempty" nullable:"false" maxItems:"20" doc:"Origins of the pages that may use the token: scheme, host and port as browsers send them in Origin. Any page and program may use a token without origins."`
}

var binder = document.NewBinder[tokenRequest]()

// TokenRecord says what a token allows.
type TokenRecord struct {
	ID            string   `json:"token_id" doc:"Names the token; it opens nothing." example:"tok_ajx5wq3k2m7n4p6r"`
	KeyID         string   `json:"key_id" doc:"The key that made it; console for one that the console made." example:"key_ajx5wq3k2m7n4p6r"`
	CreatedAt     int64    `json:"created_at" doc:"Unix seconds."`
	ExpiresAt     int64    `json:"expires_at" doc:"Until when a socket may be opened with it, in Unix seconds."`
	Voice         *string  `json:"voice" doc:"The id of the one voice; null is any."`
	Lang          *string  `json:"lang" doc:"The tag of the one language; null is any."`
	MaxCharacters *int     `json:"max_characters" doc:"null sets no limit of its own."`
	MaxSession    *int     `json:"max_session_seconds" doc:"null sets no limit."`
	Origins       []string `json:"origins" nullable:"false" doc:"None is any."`
}

// NewToken is a token that was made just now.
type NewToken struct {
	Token string `json:"token" doc:"The token. It is told once, and only a digest of it is kept." example:"sutkn_5kq3..."`
	TokenRecord
}

// TokenList is the answer of GET /v1/audio/speech/tokens.
type TokenList struct {
	Tokens []TokenRecord `json:"tokens" nullable:"false" doc:"The newest first: at most 1,000."`
}

// RevokedToken is the answer of DELETE /v1/audio/speech/tokens/{token_id}.
type RevokedToken struct {
	ID      string `json:"token_id"`
	Revoked bool   `json:"revoked" doc:"Always true."`
}

// DialectToken is a token in the ElevenLabs dialect.
type DialectToken struct {
	Token string `json:"token" doc:"The token: it opens one socket, within 15 minutes." example:"sutkn_5kq3..."`
}

func recordOf(t token.Token) TokenRecord {
	r := TokenRecord{
		ID: t.ID, KeyID: t.KeyID, CreatedAt: t.Created.Unix(), ExpiresAt: t.Expires.Unix(),
		Voice: set(t.Voice), Lang: set(t.Language), MaxCharacters: set(t.MaxCharacters), MaxSession: set(t.MaxSession),
		Origins: t.Origins,
	}
	if r.Origins == nil {
		r.Origins = []string{}
	}
	return r
}

// set returns a limit, or nil for the zero value, which sets none.
func set[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// createInput holds the body of a request for a token, which may be empty.
type createInput struct {
	RawBody []byte `contentType:"application/json"`
}

// tokenInput names a token.
type tokenInput struct {
	ID string `path:"token_id" doc:"Of an open token of your organisation." example:"tok_ajx5wq3k2m7n4p6r"`
}

// dialectInput names a type of token.
type dialectInput struct {
	Type string `path:"token_type" enum:"tts_websocket" doc:"What the token is for."`
}

func (a *api) registerNative(desc huma.API) {
	operation := func(id, method, path, summary, text string, responses map[string]*huma.Response) huma.Operation {
		op := huma.Operation{
			OperationID: id, Method: method, Path: path, Tags: []string{frame.TagSpeech}, Summary: summary, Description: text,
			Security: frame.WithKey, Responses: responses, Metadata: map[string]any{},
		}
		if a.Tokens == nil {
			op.Metadata[frame.MetaAbsent] = true
		}
		return op
	}
	made := frame.Responses(frame.JsonOf[NewToken](desc, "The token was made."), 400, 401, 404, 413, 415, 429, 503)
	made["201"] = made["200"]
	delete(made, "200")
	create := operation("createSpeechToken", http.MethodPost, path, "Make a single-use token",
		"A web page opens one of the three sockets with it, as `single_use_token` in the query, and needs no key. What the socket speaks is charged to the "+
			"key that makes the token, under its limits. The token is good for one socket and only while its key is; a handshake that is refused does not use it up. "+
			"A key may have 1,000 tokens that wait (`too_many_tokens`). The body may be left out.", made)
	create.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{
		"application/json": {Schema: frame.SchemaOf[tokenRequest](desc), Examples: map[string]*huma.Example{
			"page": {Summary: "For a page", Value: map[string]any{"lang": "hi", "max_characters": 2000, "max_session_seconds": 600, "origins": []string{"https://app.example.org"}}},
		}},
	}}
	create.Metadata[frame.MetaOptional] = true
	frame.Operate(desc, create, a.create)
	frame.Operate(desc, operation("listSpeechTokens", http.MethodGet, path, "List the open tokens",
		"Those of the organisation that wait for their socket. Tokens that were used, revoked or have expired are not listed, and no token is told again.",
		frame.Responses(frame.JsonOf[TokenList](desc, "The tokens."), 401, 429, 503)), a.list)
	frame.Operate(desc, operation("revokeSpeechToken", http.MethodDelete, path+"/{token_id}", "Revoke an open token",
		"No socket can be opened with it from then on. A socket that is open stays open. Revoking a key ends all its tokens.",
		frame.Responses(frame.JsonOf[RevokedToken](desc, "The token is revoked."), 401, 404, 429, 503)), a.revoke)
}

func (a *api) registerDialect(desc huma.API) {
	op := huma.Operation{
		OperationID: "createSingleUseToken", Method: http.MethodPost, Path: dialectPath, Tags: []string{frame.TagEleven},
		Summary:     "Make a single-use token, in the ElevenLabs dialect",
		Description: "A token without limits of its own, which waits 15 minutes for its socket. POST /v1/audio/speech/tokens makes one with limits.",
		Security:    frame.WithKey, Metadata: frame.InElevenLabs(),
		Responses: frame.Responses(frame.JsonOf[DialectToken](desc, "The token."), 401, 422, 429, 503),
	}
	frame.DescribeDialect(op.Responses["200"].Headers)
	if a.Tokens == nil {
		op.Metadata[frame.MetaAbsent] = true
	}
	frame.Operate(desc, op, a.createInDialect)
}

// create serves POST /v1/audio/speech/tokens.
func (a *api) create(w http.ResponseWriter, r *http.Request, in *createInput) error {
	var body tokenRequest
	if len(in.RawBody) > 0 {
		ignored, err := binder.BindNoting(document.Of(in.RawBody), &body)
		frame.NoteIgnored(w.Header(), ignored...)
		if err != nil {
			return err
		}
	}
	limits := token.Limits{Voice: body.Voice, Language: body.Lang, Origins: body.Origins}
	var expiry int
	for _, n := range []struct {
		sent        *int
		to          *int
		name        string
		least, most int
	}{
		{body.MaxCharacters, &limits.MaxCharacters, "max_characters", 1, token.MaxCharacters},
		{body.MaxSession, &limits.MaxSession, "max_session_seconds", 1, token.MaxSession},
		{body.ExpiresIn, &expiry, "expires_in_seconds", token.MinExpiry, token.MaxExpiry},
	} {
		if n.sent == nil {
			continue
		}
		// The service would take 0 for no limit.
		if *n.to = *n.sent; *n.sent == 0 {
			return fault.BadParameter(n.name, "%s 0 is outside %d to %d; leave it out for the default", n.name, n.least, n.most)
		}
	}
	secret, t, err := a.Tokens.Make(r.Context(), frame.Caller(r), limits, expiry)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSONAs(w, r, http.StatusCreated, NewToken{secret, recordOf(t)})
}

// list serves GET /v1/audio/speech/tokens.
func (a *api) list(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	open, err := a.Tokens.Open(r.Context(), frame.Caller(r).OrgID)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	answer := TokenList{Tokens: []TokenRecord{}}
	for _, t := range open {
		answer.Tokens = append(answer.Tokens, recordOf(t))
	}
	return frame.AnswerJSON(w, r, answer)
}

// revoke serves DELETE /v1/audio/speech/tokens/{token_id}.
func (a *api) revoke(w http.ResponseWriter, r *http.Request, in *tokenInput) error {
	if err := a.Tokens.Revoke(r.Context(), frame.Caller(r).OrgID, in.ID); err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, RevokedToken{in.ID, true})
}

// createInDialect serves POST /v1/single-use-token/{token_type}.
func (a *api) createInDialect(w http.ResponseWriter, r *http.Request, in *dialectInput) error {
	if in.Type != forSockets {
		return frame.InPath(fault.BadParameter("token_type", "token_type %.64q is not one of %s", in.Type, forSockets))
	}
	secret, _, err := a.Tokens.Make(r.Context(), frame.Caller(r), token.Limits{}, token.MaxExpiry)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	return frame.AnswerJSON(w, r, DialectToken{secret})
}

// Package oauth serves the endpoints with which applications get access tokens for the tools for
// agents: where the endpoints are (RFC 8414, RFC 9728), registration (RFC 7591), tokens (RFC 6749)
// and revocation (RFC 7009). People are asked in the console.
//
// Their answers are those of the protocol, so they are no operations of package frame. Scripts of
// any origin may call them: what they hand out is bound to a code or token that the script must
// have.
package oauth

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vaak/edge"
	"vaak/identity"
	"vaak/internal/fault"
	"vaak/oauth"
)

// Where the endpoints are.
const (
	MetadataPath  = "/.well-known/oauth-authorization-server"
	ResourcePaths = "/.well-known/oauth-protected-resource"
	tokenPath     = "/oauth/token"
	registerPath  = "/oauth/register"
	revokePath    = "/oauth/revoke"
)

// ResourceMetadata returns the address of the document about an endpoint at a path.
func ResourceMetadata(base, path string) string { return base + ResourcePaths + path }

// Routes are the lists of routes to which [Mount] adds.
type Routes interface {
	Add(method, path string, public bool, h http.Handler)
}

// Mount adds the endpoints. The middlewares of before stand in front of each; they must find the
// address of the client and limit how often it calls.
func Mount(routes Routes, s *oauth.Service, before ...edge.Middleware) {
	e := &endpoints{s}
	get := func(path string, document any) {
		body, err := json.Marshal(document)
		if err != nil {
			panic(err) // cannot be: texts and lists of texts
		}
		routes.Add(http.MethodGet, path, true, edge.Chain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "public, max-age=300")
			write(w, http.StatusOK, json.RawMessage(body))
		}), append([]edge.Middleware{edge.Public}, before...)...))
	}
	get(MetadataPath, e.server())
	for _, r := range s.Resources() {
		get(ResourcePaths+strings.TrimPrefix(r.URL, s.Issuer()), e.resource(r))
	}
	for path, serve := range map[string]http.HandlerFunc{tokenPath: e.token, registerPath: e.register, revokePath: e.revoke} {
		routes.Add(http.MethodPost, path, false, edge.Chain(serve, append([]edge.Middleware{anywhere}, append(before, edge.Bytes(oauth.MaxRegistration, Refuse))...)...))
		routes.Add(http.MethodOptions, path, false, anywhere(http.HandlerFunc(preflight)))
	}
}

// anywhere lets scripts of any origin read the answers.
func anywhere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
		next.ServeHTTP(w, r)
	})
}

func preflight(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Allow", "OPTIONS, POST")
	w.Header().Set("Access-Control-Allow-Methods", "POST")
	w.Header().Set("Access-Control-Allow-Headers", "*")
	w.Header().Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// endpoints serves the endpoints.
type endpoints struct{ service *oauth.Service }

// serverMetadata describes the authorization server (RFC 8414).
type serverMetadata struct {
	Issuer             string   `json:"issuer"`
	Authorization      string   `json:"authorization_endpoint"`
	Token              string   `json:"token_endpoint"`
	Registration       string   `json:"registration_endpoint"`
	Revocation         string   `json:"revocation_endpoint"`
	Scopes             []string `json:"scopes_supported"`
	ResponseTypes      []string `json:"response_types_supported"`
	ResponseModes      []string `json:"response_modes_supported"`
	GrantTypes         []string `json:"grant_types_supported"`
	TokenAuth          []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth     []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges         []string `json:"code_challenge_methods_supported"`
	NamesIssuer        bool     `json:"authorization_response_iss_parameter_supported"`
	Documents          bool     `json:"client_id_metadata_document_supported"`
	ProtectedResources []string `json:"protected_resources"`
}

func (e *endpoints) server() serverMetadata {
	base := e.service.Issuer()
	m := serverMetadata{
		Issuer: base, Authorization: e.service.AuthorizeURL(), Token: base + tokenPath, Registration: base + registerPath, Revocation: base + revokePath,
		ResponseTypes: []string{"code"}, ResponseModes: []string{"query"}, GrantTypes: oauth.GrantTypes(),
		TokenAuth: []string{"none"}, RevocationAuth: []string{"none"}, Challenges: []string{"S256"}, NamesIssuer: true, Documents: e.service.ReadsDocuments(),
	}
	for _, r := range e.service.Resources() {
		m.ProtectedResources = append(m.ProtectedResources, r.URL)
		m.Scopes = append(m.Scopes, r.Scopes...)
	}
	return m
}

// resourceMetadata describes an endpoint (RFC 9728).
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Name     string   `json:"resource_name"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
}

func (e *endpoints) resource(r oauth.Resource) resourceMetadata {
	return resourceMetadata{r.URL, r.Title, []string{e.service.Issuer()}, r.Scopes, []string{"header"}}
}

// tokens is an answer with tokens.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"` // seconds
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

func (e *endpoints) token(w http.ResponseWriter, r *http.Request) {
	form, err := read(r)
	var issued oauth.Issued
	if err == nil {
		issued, err = e.service.Issue(r.Context(), client(r), form)
	}
	if err != nil {
		Refuse(w, r, err)
		return
	}
	write(w, http.StatusOK, tokens{issued.Access, "Bearer", int(oauth.AccessLife.Seconds()), issued.Refresh, strings.Join(issued.Scopes, " ")})
}

// registered is an answer about an application that has registered.
type registered struct {
	ID            string   `json:"client_id"`
	Issued        int64    `json:"client_id_issued_at"`
	Name          string   `json:"client_name"`
	URI           string   `json:"client_uri,omitempty"`
	Redirects     []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
}

func (e *endpoints) register(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		Refuse(w, r, fault.New(fault.Invalid, oauth.CodeInvalidMetadata, "", "the registration is not application/json"))
		return
	}
	var c oauth.Client
	if err == nil {
		c, err = e.service.Register(r.Context(), client(r), body)
	}
	if err != nil {
		Refuse(w, r, err)
		return
	}
	write(w, http.StatusCreated, registered{
		c.ID, c.Created.Unix(), c.Name, c.URI, c.Redirects, oauth.GrantTypes(), []string{"code"}, "none",
	})
}

func (e *endpoints) revoke(w http.ResponseWriter, r *http.Request) {
	form, err := read(r)
	if err == nil {
		err = e.service.Revoke(r.Context(), client(r), form)
	}
	if err != nil {
		Refuse(w, r, err)
		return
	}
	write(w, http.StatusOK, struct{}{})
}

// read reads the form of a request. Parameters in the address do not count: addresses are logged.
func read(r *http.Request) (url.Values, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return nil, fault.New(fault.Invalid, oauth.CodeInvalidRequest, "", "the parameters are not application/x-www-form-urlencoded")
	}
	if r.Header.Get("Authorization") != "" {
		return nil, fault.New(fault.Unauthenticated, oauth.CodeInvalidClient, "", "clients have no secret here; send client_id alone, without Authorization")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fault.New(fault.Invalid, oauth.CodeInvalidRequest, "", "the form could not be read")
	}
	return form, nil
}

// client is who sends a request.
func client(r *http.Request) identity.Client {
	scope, _ := edge.ClientScope(r.Context())
	return identity.Client{Address: edge.From(r.Context()).Address, Scope: scope}
}

// refusal is an error of the protocol (RFC 6749, section 5.2).
type refusal struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// Refuse answers with an error of the protocol.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		f = fault.New(fault.Internal, "server_error", "", "internal error")
	}
	status, code := http.StatusBadRequest, f.Code
	switch f.Kind {
	case fault.Internal:
		status, code = http.StatusInternalServerError, "server_error"
	case fault.Unauthenticated:
		status = http.StatusUnauthorized
		if r.Header.Get("Authorization") != "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="vaak"`)
		}
	case fault.TooLarge:
		status, code = http.StatusRequestEntityTooLarge, oauth.CodeInvalidRequest
	case fault.Unsupported:
		status, code = http.StatusUnsupportedMediaType, oauth.CodeInvalidRequest
	case fault.RateLimited:
		status, code = http.StatusTooManyRequests, oauth.CodeTemporarily
	case fault.Unavailable, fault.Stopping:
		status, code = http.StatusServiceUnavailable, oauth.CodeTemporarily
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		wait := max(f.RetryAfter, time.Second)
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	write(w, status, refusal{code, oauth.Describe(f)})
}

// write writes an answer in JSON, which no cache keeps unless the caller has said so.
func write(w http.ResponseWriter, status int, body any) {
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}

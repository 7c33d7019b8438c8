package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/edge"
	"vaak/internal/fault"
)

// bodyTimeout is how long a client may take to send its message.
const bodyTimeout = 10 * time.Second

// Handler serves the protocol at the one address it is mounted at. The
// middlewares of package edge must stand before it, but for the one that reads
// bodies: it takes the caller from the request's context and refuses a request
// without one.
//
// The server keeps nothing between requests, so any replica may answer any of
// them. It takes POST alone, JSON of at most 1 MiB, no foreign Origin, and on
// a loopback connection no foreign Host.
func (s *Server) Handler() http.Handler {
	streamable := server.NewStreamableHTTPServer(s.protocol(HTTP),
		server.WithStateLess(true),
		server.WithDisableLocalhostProtection(true), // guard does it, and knows the public address
		server.WithStreamableHTTPLogger(s.log),
		server.WithHTTPContextFunc(func(ctx context.Context, r *http.Request) context.Context {
			if c, ok := edge.Caller(r.Context()); ok {
				return withCaller(ctx, c)
			}
			return ctx
		}),
	)
	message := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			refuse(w, r, fmt.Errorf("read checked body: %w", err))
			return
		}
		if cancels(body) {
			// Without sessions every client numbers its requests alike, and
			// one could end the calls of another. A call over HTTP is
			// cancelled by closing its connection.
			w.WriteHeader(http.StatusAccepted)
			return
		}
		r = r.Clone(r.Context())
		r.Header.Set("Content-Type", "application/json")
		r.Body = io.NopCloser(bytes.NewReader(body))
		streamable.ServeHTTP(w, r)
	})
	return s.guard(edge.Body(edge.MaxBody, bodyTimeout, refuse)(message))
}

// guard lets a request through to next when everything but its body is right.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, known := edge.Caller(r.Context())
		switch {
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			writeError(w, http.StatusMethodNotAllowed, "method_not_allowed", "only POST is served here, got "+shorten(r.Method))
		case !s.hostAllowed(r):
			writeError(w, http.StatusForbidden, "host_not_allowed", "the Host header names another server than this one")
		case !s.originAllowed(r):
			writeError(w, http.StatusForbidden, "origin_not_allowed", "pages of this Origin may not call the server")
		case !known:
			refuse(w, r, errNoKey)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// statuses are the HTTP statuses of the kinds of error. They answer a request
// that stops before the protocol sees it, and stand in the records of others.
var statuses = map[fault.Kind]int{
	"":                    http.StatusOK,
	fault.Invalid:         http.StatusBadRequest,
	fault.Unprocessable:   http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.QuotaExceeded:   http.StatusPaymentRequired,
	fault.RateLimited:     http.StatusTooManyRequests,
	fault.TooManyStreams:  http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.Cancelled:       statusClientGone,
	fault.Internal:        http.StatusInternalServerError,
}

// statusClientGone is what is recorded of a call whose caller left.
const statusClientGone = 499

// refuse answers a request that fails before the protocol sees it, in the
// error shape of the service; a message that is not JSON gets the protocol's
// own.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		f = errInternal
	}
	if f.Code == fault.CodeInvalidBody {
		writeJSON(w, http.StatusBadRequest, mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.PARSE_ERROR, f.Msg, nil))
		return
	}
	if f.Kind == fault.Unauthenticated {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeError(w, statuses[f.Kind], f.Code, f.Msg)
}

// writeError sends an error in the shape of the service.
func writeError(w http.ResponseWriter, status int, code, message string) {
	type detail struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	type failure struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	kind := "invalid_request_error"
	switch status {
	case http.StatusUnauthorized:
		kind = "authentication_error"
	case http.StatusForbidden:
		kind = "permission_error"
	case http.StatusInternalServerError:
		kind = "server_error"
	}
	writeJSON(w, status, struct {
		Detail detail  `json:"detail"`
		Error  failure `json:"error"`
	}{detail{code, message}, failure{message, kind, nil, code}})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}

// originAllowed lets through requests that come from no web page, from a page
// of this server or from one of the allowed origins.
func (s *Server) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false // "null" among them
	}
	return strings.EqualFold(u.Host, r.Host) || slices.Contains(s.origins, originOf(u))
}

// hostAllowed guards servers on a person's own machine: a web page may point
// its own name at 127.0.0.1, and then its requests carry that name as Host.
func (s *Server) hostAllowed(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !loopback(local.String()) || loopback(r.Host) {
		return true
	}
	return s.public != nil && strings.EqualFold(r.Host, s.public.Host)
}

// loopback reports whether a host, with or without a port, is this machine.
func loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// originOf is the scheme and host of an address as an Origin header has them.
func originOf(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// cancels reports whether a message asks to end another request.
func cancels(body []byte) bool {
	if !bytes.Contains(body, []byte("cancelled")) && !bytes.Contains(body, []byte(`\u`)) {
		return false
	}
	var m struct {
		Method string `json:"method"`
	}
	return json.Unmarshal(body, &m) == nil && m.Method == "notifications/cancelled"
}

package frame

import (
	"encoding/json"
	"net/http"
	"strings"

	"vaak/edge"
	"vaak/internal/fault"
	"vaak/rest/openai"
)

// Codes of requests that are refused before any handler sees them.
const (
	codeMalformedRequest   = "malformed_request"
	codeHeadersTooLarge    = "headers_too_large"
	codeTooManyConnections = "too_many_connections"
)

// RefuseUnheard returns the body of the answer to a request that is refused before any handler
// sees it, the content type of the body, and a new id for the request. The body has the native
// shape, because the path is not known yet.
func RefuseUnheard(status int, reason string) (body []byte, contentType, requestID string) {
	code, typ := codeMalformedRequest, table[fault.Invalid].typ
	sentence := "the request is not well-formed HTTP/1.1: " + strings.ToLower(reason)
	// The statuses that net/http and package connection answer by themselves.
	switch status {
	case http.StatusRequestHeaderFieldsTooLarge:
		code, sentence = codeHeadersTooLarge, "the head of the request, its first line and its headers together, is over 16 KiB"
	case http.StatusNotImplemented:
		sentence = "this Transfer-Encoding is not taken: send the body with a Content-Length, or chunked"
	case http.StatusHTTPVersionNotSupported:
		sentence = "this version of HTTP is not spoken here: send HTTP/1.1"
	case http.StatusTooManyRequests:
		code, typ, sentence = codeTooManyConnections, table[fault.RateLimited].typ, reason
	case http.StatusServiceUnavailable:
		code, typ, sentence = fault.CodeOverloaded, table[fault.Unavailable].typ, reason
	}
	text, err := json.Marshal(&ErrorBody{Detail: detail{code, sentence}, Err: openai.Error{Message: sentence, Type: typ, Code: code}})
	if err != nil {
		panic(err) // cannot be: the body holds strings
	}
	return text, "application/json", edge.NewRequestID()
}

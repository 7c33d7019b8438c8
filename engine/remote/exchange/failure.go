package exchange

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vaak/engine/remote/wire"
)

// longestWait is the longest Retry-After that is believed.
const longestWait = time.Hour

// refusal is the failure for a status other than 200.
func refusal(resp *http.Response, body []byte, text string) *wire.Failure {
	f := &wire.Failure{Status: resp.StatusCode, Detail: "status " + strconv.Itoa(resp.StatusCode)}
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusProxyAuthRequired:
		f.Reason = wire.Denied
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == 529: // overloaded
		f.Reason = wire.Busy
		f.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	case status == http.StatusRequestTimeout:
		f.Reason = wire.Failed
	case status >= 500:
		f.Reason = wire.Failed
	case status >= 400:
		f.Reason = wire.Refused
	default:
		f.Reason = wire.Broken
	}
	if m := Message(body, text); m != "" {
		f.Detail = bounded(f.Detail + ": " + m)
	}
	return f
}

// retryAfter reads seconds or a date. Anything else is 0.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		if math.IsNaN(s) || s <= 0 {
			return 0
		}
		return time.Duration(min(s, longestWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), longestWait)
	}
	return 0
}

// Message returns what a server says about an error, in a body or an event, for a failure's
// detail: at most 160 bytes of ASCII. Servers repeat what they were to speak, so words that occur
// in text are left out, as is everything that could be a piece of it in another form.
func Message(body []byte, text string) string {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return ""
	}
	return wire.Redact(message(value, 0), text)
}

// message finds the message in the forms of errors: {"error":{"message"}}, {"error":""},
// {"detail":""}, {"detail":[{"loc","msg"}]}, {"detail":{"message"}}, {"message":""}.
func message(value any, depth int) string {
	if depth > 4 {
		return ""
	}
	switch v := value.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 {
			return message(v[0], depth+1)
		}
	case map[string]any:
		for _, name := range []string{"error", "detail", "message", "msg"} {
			if s := message(v[name], depth+1); s != "" {
				if param, ok := v["param"].(string); ok && param != "" {
					s = param + ": " + s
				} else if loc, ok := v["loc"].([]any); ok && len(loc) > 0 {
					s = message(loc[len(loc)-1], depth+1) + ": " + s
				}
				return s
			}
		}
	}
	return ""
}

// bounded cuts a detail to what is allowed.
func bounded(s string) string { return s[:min(len(s), 200)] }

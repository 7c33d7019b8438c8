package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// TestLogHoldsNothingOfStrangers puts a word into every place of a request that a caller
// is free to fill, to every listener, on paths that lead somewhere and on those that do
// not: tokens of invitations and links, addresses and texts get there. Neither the log nor
// the figures nor the traces hold it.
func TestLogHoldsNothingOfStrangers(t *testing.T) {
	t.Parallel()
	const word = "asha.rao-q7x4"
	collector, taken := tracesTaken(t)
	s := startCatalogue(t, "", "--console-listen", "127.0.0.1:0", "--otlp-endpoint", collector, "--trace-sample", "1")
	sent := 0
	for _, at := range []string{s.public, s.admin, s.console} {
		for _, line := range []string{
			"GET /invitation/%s", "GET /invitation/%s/", "GET /invitation/%s/more", "POST /invitation/%s", "PUT /invitation/%s",
			"GET /enquiry/confirm/%s", "GET /enquiry/confirm/%s/", "PUT /enquiry/confirm/%s", "GET /enquiry/received/%s/x", "GET /enquiry/sample/%s?signature=%[1]s",
			"GET /%s@example.org", "GET //%s", "GET /a/../%s", "GET /a/./%s", "GET /a/%%2e%%2e/%s", "GET /%%00%s", "GET /v1/%s", "GET /v1/v1/%s", "GET /v1/voices/%s", "GET /v2/%s",
			"POST /v1/audio/speech/%s", "GET /v1/audio/speech/stream-input?text=%s", "GET /api/catalogue/%s", "GET /api/catalogue/datasets/%s", "DELETE /api/catalogue/datasets/%s",
			"GET /catalogue/datasets/%s/croissant.json", "GET /signin?to=/%s", "GET /o/%s/keys", "GET /static/%s", "GET /debug/pprof/%s", "GET /metrics/%s", "GET /?%s;%[1]s", "GET /?%[1]s=%[1]s",
			"%s /health", "GET-%s /", "OPTIONS /%s", "OPTIONS *?%s", "CONNECT %s:443", "GET http://%s.example.org/%[1]s", "TRACE /%s",
		} {
			sent++
			request := fmt.Sprintf(line, word)
			strange(t, strings.TrimPrefix(at, "http://"), request+" HTTP/1.1\r\n", word)
		}
		strange(t, strings.TrimPrefix(at, "http://"), word+"\r\n", word) // no request
		strange(t, strings.TrimPrefix(at, "http://"), "GET / "+word+"/1.1\r\n", word)
	}
	_, figures := s.get("/metrics")
	s.stop()
	if n := strings.Count(s.log.String(), `"msg":"request"`); n < sent/3 { // the listener for operators logs none
		t.Errorf("%d of %d requests are in the log", n, sent)
	}
	for where, what := range map[string]string{"log": s.log.String(), "figures": figures, "traces": taken.String()} {
		if what == "" {
			t.Errorf("there is nothing in the %s", where)
		}
		if strings.Contains(what, word) || strings.Contains(what, strings.ToUpper(word)) {
			t.Errorf("the %s hold %q:\n%s", where, word, linesWith(what, word))
		}
	}
}

// strange sends a request line with headers that hold the word, too, and reads what is
// answered, which does not matter. The id of a request is for its caller to choose.
func strange(t *testing.T, at, line, word string) {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = fmt.Fprintf(c, "%sHost: %s\r\nReferer: http://%s/%[3]s\r\nOrigin: http://%[3]s.example.org\r\nUser-Agent: %[3]s\r\nCookie: vaak_console=%[3]s\r\nAuthorization: Bearer %[3]s\r\n"+
		"X-%[3]s: %[3]s\r\nX-Forwarded-For: %[3]s\r\nForwarded: for=%[3]s\r\nTraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nTracestate: v=%[3]s\r\nBaggage: v=%[3]s\r\n"+
		"Mcp-Session-Id: %[3]s\r\nMcp-Name: %[3]s\r\nContent-Type: %[3]s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", line, at, word)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, c)
}

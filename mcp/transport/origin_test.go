package transport

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vaak/edge"
	"vaak/internal/fault"
)

// TestBrowsers has pages of several origins ask whether they may call, and
// call, with and without a key.
func TestBrowsers(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Sessions: true, NeedsKey: true, PublicURL: "https://vaak.example.org", Origins: []string{"https://app.example.org", "app://notes"}})
	refuseKeys := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Test-Key") == "" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	guarded := h.Guard(refuseKeys(h))
	for _, tt := range []struct {
		origin  string
		allowed bool
	}{
		{"https://app.example.org", true},
		{"https://vaak.example.org", true},
		{"HTTPS://APP.example.org", true},
		{"http://localhost:8080", true}, // the host that the test's requests name
		{"https://localhost:8080", false},
		{"http://localhost", false},
		{"https://app.example.org:443", true},
		{"https://app.example.org/", false},
		{"https://x@app.example.org", false},
		{"ftp://localhost:8080", false},
		{"app://notes", true},
		{"app://others", false},
		{"//localhost:8080", false},
		{"http://evil.test@localhost:8080", false},
		{"http://localhost:8080/p", false},
		{"http://localhost:8080?q", false},
		{"http://localhost:8080#f", false},
		{"https://app.example.org.evil.test", false},
		{"https://evil.test", false},
		{"http://app.example.org", false},
		{"https://app.example.org:8443", false},
		{"null", false},
		{"file://", false},
		{"%", false},
	} {
		for _, sent := range []struct {
			method, key string
			status      int
		}{{"OPTIONS", "", 204}, {"POST", "alpha", 200}, {"POST", "", 401}, {"GET", "alpha", 405}} {
			a := record(guarded, sent.method, ping, "Host", "localhost:8080", "Origin", tt.origin, "X-Test-Key", sent.key)
			want, echo := sent.status, tt.origin
			if !tt.allowed {
				want, echo = 403, ""
			}
			if a.status != want || a.header.Get("Access-Control-Allow-Origin") != echo || a.header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s from %s, key %q = %d, allow %q; want %d, %q", sent.method, tt.origin, sent.key, a.status, a.header.Get("Access-Control-Allow-Origin"), want, echo)
			}
			if got := a.header.Values("Vary"); len(got) != 1 || got[0] != "Origin" {
				t.Errorf("%s from %s: Vary = %q, want Origin once", sent.method, tt.origin, got)
			}
			if exposed := a.header.Get("Access-Control-Expose-Headers"); strings.Contains(exposed, "Mcp-Session-Id") != tt.allowed {
				t.Errorf("%s from %s exposes %q", sent.method, tt.origin, exposed)
			}
			if headers := a.header.Get("Access-Control-Allow-Headers"); strings.Contains(headers, "Mcp-Session-Id") != (tt.allowed && sent.method == "OPTIONS") {
				t.Errorf("%s from %s allows the headers %q", sent.method, tt.origin, headers)
			}
		}
	}
	if a := record(guarded, "OPTIONS", "", "Host", "localhost"); a.status != 204 || a.header.Get("Allow") != "DELETE, POST, OPTIONS" || a.header.Get("Access-Control-Allow-Headers") != "" {
		t.Errorf("OPTIONS of no page = %d %v", a.status, a.header)
	}
}

// TestHosts sends requests under many names, on a network and on this machine.
func TestHosts(t *testing.T) {
	t.Parallel()
	const public = "https://vaak.example.org"
	for _, tt := range []struct {
		public, local, host, origin string
		allowed                     bool
	}{
		{"", "192.0.2.2:80", "evil.test", "http://evil.test", false},
		{"", "192.0.2.2:80", "evil.test", "", true}, // no page, and nobody says what the name is
		{"", "192.0.2.2:80", "192.0.2.2", "http://192.0.2.2", true},
		{"", "192.0.2.2:80", "192.0.2.2:8080", "http://192.0.2.2:8080", true},
		{"", "192.0.2.2:80", "192.0.2.2:80", "http://192.0.2.2", true},
		{"", "192.0.2.2:80", "[2001:db8::1]", "http://[2001:db8::1]", true},
		{"", "127.0.0.1:80", "evil.test", "", false},
		{"", "127.0.0.1:80", "localhost:80", "http://localhost", true},
		{"", "[::1]:80", "evil.test", "", false},
		{"", "[::1]:80", "[::1]", "", true},
		{public, "192.0.2.2:80", "vaak.example.org", "", true},
		{public, "192.0.2.2:80", "Vaak.example.org:443", public, true},
		{public, "192.0.2.2:80", "vaak.example.org:80", public, true},
		{public, "192.0.2.2:80", "vaak.example.org", "http://vaak.example.org", false},
		{public, "192.0.2.2:80", "vaak.example.org:8080", "", false},
		{public, "192.0.2.2:80", "vaak.example.org.evil.test", "", false},
		{public, "192.0.2.2:80", "evil.test", "", false},
		{public, "192.0.2.2:80", "evil.test", "http://evil.test", false},
		{public, "192.0.2.2:80", "192.0.2.2", "", true},
		{public, "192.0.2.2:80", "192.0.2.2", public, true},
		{public, "127.0.0.1:80", "vaak.example.org", public, true},
		{public, "127.0.0.1:80", "evil.test", "", false},
		{public, "127.0.0.1:80", "localhost:8080", "http://localhost:8080", true},
		{"https://vaak.example.org:443", "192.0.2.2:80", "vaak.example.org", public, true},
	} {
		h := newHandler(t, Config{PublicURL: tt.public})
		local, err := net.ResolveTCPAddr("tcp", tt.local)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(ping))
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(local)))
		setHeaders(r, []string{"Host", tt.host, "Origin", tt.origin})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Code == 200; got != tt.allowed || w.Code != 200 && w.Code != 403 {
			t.Errorf("public %q, at %s: Host %s, Origin %q = %d, want it let through: %t", tt.public, tt.local, tt.host, tt.origin, w.Code, tt.allowed)
		}
	}
}

// TestGuardedOnce has what Guard let through not looked at again, and only by the
// handler whose guard it was.
func TestGuardedOnce(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	let := false
	served := h.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		let = h.guarded(r) && !newHandler(t, Config{}).guarded(r)
		h.ServeHTTP(w, r)
	}))
	if a := record(served, http.MethodPost, ping); a.status != 200 || !let {
		t.Errorf("ping = %d %s, let through: %t", a.status, a.last(), let)
	}
}

func TestTwoOrigins(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(ping))
	r.Host = "localhost"
	r.Header["Origin"] = []string{"http://localhost", "https://evil.test"}
	w := httptest.NewRecorder()
	newHandler(t, Config{}).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("two origins = %d, want 403", w.Code)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{{PublicURL: "vaak.example.org"}, {PublicURL: "://"}, {Origins: []string{"app"}}, {Origins: []string{"https://a.test/path"}}} {
		cfg.Server = protocol(newGate())
		if _, err := New(cfg); err == nil {
			t.Errorf("New(%q, %q) succeeds", cfg.PublicURL, cfg.Origins)
		}
	}
}

// TestSlowBody sends the beginning of a message and waits.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(edge.Arrive(t.Context(), 100*time.Millisecond)(edge.Identify(newHandler(t, Config{}))))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second)) // a connection of ours takes deadlines
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\":")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest || !resp.Close {
		t.Errorf("answer = %d, closes %t; want 400 and the end of the connection", resp.StatusCode, resp.Close)
	}
}

func TestChallenge(t *testing.T) {
	t.Parallel()
	a := record(newHandler(t, Config{NeedsKey: true, Sessions: true}), http.MethodPost, hello)
	if got := a.header.Get("WWW-Authenticate"); a.status != 401 || got != `Bearer realm="vaak"` || a.header.Get(sessionName) != "" {
		t.Errorf("answer without a key = %d, %q", a.status, got)
	}
}

// TestChallengeOfMiddlewares has the check of keys before the handler refuse.
func TestChallengeOfMiddlewares(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{NeedsKey: true})
	for _, tt := range []struct {
		err  error
		want string
	}{
		{edge.ErrNoKey, `Bearer realm="vaak"`},
		{fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "no"), `Bearer realm="vaak", error="invalid_token"`},
	} {
		w := httptest.NewRecorder()
		h.Refuse(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(ping)), tt.err)
		if got := w.Header().Get("WWW-Authenticate"); w.Code != 401 || got != tt.want {
			t.Errorf("%v = %d, WWW-Authenticate %q, want %q", tt.err, w.Code, got, tt.want)
		}
	}
}

func TestLargeMessage(t *testing.T) {
	t.Parallel()
	a := record(newHandler(t, Config{}), http.MethodPost, call(1, "say", map[string]any{"text": strings.Repeat("x", 2<<20)}))
	if a.status != http.StatusRequestEntityTooLarge || !strings.Contains(a.last(), "body_too_large") {
		t.Errorf("2 MiB = %d %.100s, want 413", a.status, a.last())
	}
}

// hostile are messages that get no result and break nothing, with what the
// answer says.
func hostile() map[string]struct{ body, says string } {
	deep := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}}`
	}
	of := func(id, method, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
	}
	const badID = "an id must be a string, or a whole number"
	return map[string]struct{ body, says string }{
		"deep":                {deep(100_000), "-32700"},
		"a batch":             {"[" + ping + "," + ping + "]", "-32600,\"message\":\"send one message at a time"},
		"a batch of one":      {"[" + ping + "]", "-32600,\"message\":\"send one message at a time"},
		"empty batch":         {"[]", "send one message at a time"},
		"null":                {"null", "a message is a JSON object"},
		"a string":            {`"initialize"`, "a message is a JSON object"},
		"a number":            {"1", "-32600"},
		"cut":                 {ping[:20], "-32700"},
		"method is 7":         {`{"jsonrpc":"2.0","id":1,"method":7}`, `"id":1,"error":{"code":-32600,"message":"method must be a string`},
		"only a method":       {`{"method":"ping"}`, "jsonrpc must be"},
		"version is 2":        {`{"jsonrpc":2,"id":4,"method":"ping"}`, `"id":4,"error":{"code":-32600,"message":"jsonrpc must be`},
		"version is 1.0":      {`{"jsonrpc":"1.0","id":4,"method":"ping"}`, `"id":4,"error":{"code":-32600,"message":"jsonrpc must be`},
		"nothing asked":       {`{"jsonrpc":"2.0","id":4}`, "needs a method"},
		"unknown method":      {`{"jsonrpc":"2.0","id":1,"method":"sing"}`, "-3260"},
		"long method":         {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("s", 900_000) + `"}`, "-32601"},
		"params are a list":   {of("1", "tools/call", "[]"), `-32602,"message":"params must be an object`},
		"params are text":     {of("1", "ping", `"x"`), "params must be an object"},
		"meta is 5":           {of("1", "ping", `{"_meta":5}`), "-32602"},
		"name is 5":           {of("1", "tools/call", `{"name":5}`), "params.name must be a string"},
		"arguments are 5":     {of("1", "tools/call", `{"name":"nobody","arguments":5}`), "-3260"},
		"bad cursor":          {of("1", "tools/list", `{"cursor":"?"}`), "the cursor is none of this server's"},
		"cursor is 5":         {of("1", "tools/list", `{"cursor":5}`), "must be a string"},
		"prompt argument":     {of("1", "prompts/get", `{"name":"x","arguments":{"a":5}}`), "must be a string"},
		"uri is 5":            {of("1", "resources/read", `{"uri":5}`), "must be a string"},
		"id is an object":     {of("{}", "ping", "{}"), badID},
		"id is a list":        {of("[1]", "ping", "{}"), badID},
		"id is true":          {of("true", "ping", "{}"), badID},
		"id is 1.5":           {of("1.5", "ping", "{}"), badID},
		"id over 2^53":        {of("9007199254740993", "ping", "{}"), badID},
		"id under -2^53":      {of("-9007199254740993", "ping", "{}"), badID},
		"huge id":             {of("1e400", "ping", "{}"), badID},
		"long id":             {of(`"`+strings.Repeat("x", 10_000)+`"`, "ping", "{}"), "the id has 10000 bytes"},
		"listens to null":     {of("1", "subscriptions/listen", "null"), ""},
		"listens to a list":   {of("1", "subscriptions/listen", "[]"), "params must be an object"},
		"listens to nothing":  {`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`, ""},
		"greets with numbers": {of("1", "initialize", `{"protocolVersion":7}`), ""},
	}
}

func TestHostileMessages(t *testing.T) {
	t.Parallel()
	log := &sink{}
	e := listen(t, newHandler(t, Config{Sessions: true, Log: log.logger()}))
	session := e.initialize()
	for name, tt := range hostile() {
		for _, header := range [][]string{nil, {sessionName, session}, {"Mcp-Protocol-Version", "2026-07-28"}} {
			a := e.send(http.MethodPost, tt.body, header...)
			if a.status >= 500 || strings.Contains(a.last(), `"result"`) || leaks(a.last()) || len(a.last()) > 1000 {
				t.Errorf("%s with %v = %d %.200s", name, header, a.status, a.last())
			}
			if len(header) == 0 && !strings.Contains(a.last(), tt.says) {
				t.Errorf("%s = %.300s, want %s in it", name, a.last(), tt.says)
			}
		}
	}
	for name, tt := range map[string]struct {
		body   string
		header []string
		status int
	}{
		"nothing":                       {"", nil, 400},
		"a key twice":                   {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"initialize"}`, nil, 400},
		"answer to none":                {`{"jsonrpc":"2.0","id":99,"result":{"action":"accept"}}`, nil, 400},
		"error to none":                 {`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, nil, 400},
		"answer to none in a session":   {`{"jsonrpc":"2.0","id":99,"result":{"action":"accept"}}`, []string{sessionName, session}, 404},
		"answer by a word":              {`{"jsonrpc":"2.0","id":"x","error":{"code":1}}`, []string{sessionName, session}, 400},
		"answer of 2026":                {`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, []string{"Mcp-Protocol-Version", "2026-07-28"}, 400},
		"version of no protocol":        {ping, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400},
		"version of no protocol, long":  {ping, []string{"Mcp-Protocol-Version", strings.Repeat("9", 5000)}, 400},
		"cancels oddly":                 {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":[]}}}`, nil, 202},
		"cancels oddly in a session":    {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":[]}}}`, []string{sessionName, session}, 202},
		"notification of no parameters": {`{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}`, nil, 400},
	} {
		a := e.send(http.MethodPost, tt.body, tt.header...)
		if a.status != tt.status || a.status != 202 && (a.header.Get("Content-Type") != "application/json" || !strings.HasPrefix(a.last(), `{"jsonrpc":"2.0","id":`)) || len(a.last()) > 1000 {
			t.Errorf("%s = %d %s %.300s, want %d in the protocol's JSON", name, a.status, a.header.Get("Content-Type"), a.last(), tt.status)
		}
	}
	if a := e.send(http.MethodPost, ping, sessionName, session); a.status != 200 {
		t.Errorf("ping afterwards = %d %s", a.status, a.last())
	}
	if said := log.String(); strings.Contains(said, "level=ERROR") || strings.Contains(said, "level=WARN") {
		t.Errorf("strangers wrote to the log: %s", said)
	}
}

// TestIDsComeBack sends ids of every kind that is taken.
func TestIDsComeBack(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, id := range []string{"0", "-1", "1000000", "9007199254740992", "-9007199254740992", `""`, `"9007199254740993"`, `"` + strings.Repeat("x", 256) + `"`} {
		body := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
		if a := record(h, http.MethodPost, body); !strings.Contains(a.last(), `"id":`+id+`,"result"`) {
			t.Errorf("ping %s = %s", id, a.last())
		}
	}
}

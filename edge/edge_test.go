package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/internal/fault"
)

// plainly answers an error with its code and a status that shows it was refused.
func plainly(w http.ResponseWriter, r *http.Request, err error) {
	Note(r.Context(), err)
	w.WriteHeader(http.StatusTeapot)
	_, _ = io.WriteString(w, codeOf(err))
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestIdentify(t *testing.T) {
	for _, tt := range []struct {
		name, sent string
		echoed     bool
	}{
		{"one character", "a", true},
		{"every visible character", `!"#$%&'()*+,-./09:;<=>?@AZ[\]^_az{|}~` + "`", true},
		{"256 characters", strings.Repeat("x", 256), true},
		{"257 characters", strings.Repeat("x", 257), false},
		{"none", "", false},
		{"space", "a b", false},
		{"tab", "a\tb", false},
		{"not ASCII", "é", false},
		{"delete", "a\x7f", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var inside string
			h := Identify(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = RequestID(r.Context()) }))
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("X-Request-Id", tt.sent)
			got := serve(h, r).Header().Get("X-Request-Id")
			if (got == tt.sent) != tt.echoed {
				t.Errorf("x-request-id %q is answered with %q, want echoed = %v", tt.sent, got, tt.echoed)
			}
			if !tt.echoed && len(got) != 26 {
				t.Errorf("made id %q, want 26 characters", got)
			}
			if inside != got {
				t.Errorf("RequestID = %q inside, header %q", inside, got)
			}
		})
	}
}

func TestNewRequestID(t *testing.T) {
	at := time.UnixMilli(1469918176385) // the example of the ULID spec
	if got := newRequestID(at); got[:10] != "01ARYZ6S41" {
		t.Errorf("newRequestID begins with %q, want 01ARYZ6S41", got[:10])
	}
	seen := map[string]bool{}
	for range 1000 {
		id := newRequestID(at)
		if seen[id] || !goodRequestID(id) {
			t.Fatalf("id %q is not good or not new", id)
		}
		seen[id] = true
	}
}

func TestExchangeOutside(t *testing.T) {
	Note(t.Context(), io.EOF) // must not panic
	if id := RequestID(t.Context()); id != "" {
		t.Errorf("RequestID without an exchange = %q", id)
	}
	if _, ok := Caller(t.Context()); ok {
		t.Error("Caller without an exchange is known")
	}
}

type oneKey string

func (k oneKey) Authenticate(_ context.Context, secret string) (account.Caller, error) {
	if secret != string(k) {
		return account.Caller{}, fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "no")
	}
	return account.Caller{OrgID: "org", KeyID: "key"}, nil
}

func TestAuthenticate(t *testing.T) {
	for _, tt := range []struct {
		name          string
		authorization []string
		xi            []string
		want          string
	}{
		{"bearer", []string{"Bearer sk"}, nil, ""},
		{"scheme in any case", []string{"bEARER sk"}, nil, ""},
		{"spaces", []string{"  Bearer   sk  "}, nil, ""},
		{"xi-api-key", nil, []string{"sk"}, ""},
		{"both equal", []string{"Bearer sk"}, []string{" sk "}, ""},
		{"basic beside xi-api-key", []string{"Basic abc"}, []string{"sk"}, ""},
		{"none", nil, nil, fault.CodeMissingKey},
		{"empty", []string{""}, []string{""}, fault.CodeMissingKey},
		{"scheme alone", []string{"Bearer "}, nil, fault.CodeMissingKey},
		{"another scheme", []string{"Basic sk"}, nil, fault.CodeMissingKey},
		{"no scheme", []string{"sk"}, nil, fault.CodeMissingKey},
		{"wrong", []string{"Bearer other"}, nil, fault.CodeInvalidKey},
		{"both, different", []string{"Bearer sk"}, []string{"other"}, fault.CodeInvalidKey},
		{"twice, different", []string{"Bearer sk", "Bearer other"}, nil, fault.CodeInvalidKey},
		{"xi-api-key twice, different", nil, []string{"sk", "other"}, fault.CodeInvalidKey},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var caller account.Caller
			h := Identify(Authenticate(oneKey("sk"), plainly)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				caller, _ = Caller(r.Context())
			})))
			r := httptest.NewRequest("GET", "/", nil)
			r.Header["Authorization"], r.Header["Xi-Api-Key"] = tt.authorization, tt.xi
			if got := serve(h, r).Body.String(); got != tt.want {
				t.Errorf("code %q, want %q", got, tt.want)
			}
			if (caller.KeyID == "key") != (tt.want == "") {
				t.Errorf("caller = %+v", caller)
			}
		})
	}
}

func TestBody(t *testing.T) {
	for _, tt := range []struct {
		name, contentType, encoding, body, want string
	}{
		{"json", "application/json", "", `{"a":1}`, ""},
		{"charset", "Application/JSON; charset=utf-8", "", `{"a":1}`, ""},
		{"no type", "", "", `{"a":1}`, ""},
		{"json by suffix", "application/vnd.x+json", "", `{"a":1}`, ""},
		{"identity", "application/json", "identity", `{"a":1}`, ""},
		{"at the cap", "", "", `"` + strings.Repeat("x", 62) + `"`, ""},
		{"over the cap", "", "", `"` + strings.Repeat("x", 63) + `"`, fault.CodeBodyTooLarge},
		{"form", "application/x-www-form-urlencoded", "", "a=1", fault.CodeUnsupportedMedia},
		{"text", "text/plain", "", `{"a":1}`, fault.CodeUnsupportedMedia},
		{"gzip", "application/json", "gzip", `{"a":1}`, fault.CodeUnsupportedMedia},
		{"not json", "application/json", "", `{`, fault.CodeInvalidBody},
		{"empty", "application/json", "", ``, fault.CodeInvalidBody},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				var read []byte
				h := Body(64, plainly)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					read, _ = io.ReadAll(r.Body)
				}))
				r := httptest.NewRequest("POST", "/", strings.NewReader(tt.body))
				if chunked {
					r.ContentLength = -1
				}
				r.Header.Set("Content-Type", tt.contentType)
				r.Header.Set("Content-Encoding", tt.encoding)
				if got := serve(h, r).Body.String(); got != tt.want {
					t.Errorf("chunked %v: code %q, want %q", chunked, got, tt.want)
				}
				if tt.want == "" && string(read) != tt.body {
					t.Errorf("chunked %v: handler read %q, want %q", chunked, read, tt.body)
				}
			})
		}
	}
}

// TestBytes checks that bytes come through as they are, up to the cap.
func TestBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, contentType, encoding, body, want string }{
		{"json", "application/json", "", `{"a":1}`, ""},
		{"no json", "application/json", "", "\x00{\xff", ""},
		{"form", "application/x-www-form-urlencoded", "identity", "a=1", ""},
		{"odd type", "; ;", "", "x", ""},
		{"empty", "", "", "", ""},
		{"at the cap", "", "", strings.Repeat("x", 64), ""},
		{"over the cap", "", "", strings.Repeat("x", 65), fault.CodeBodyTooLarge},
		{"gzip", "", "gzip", "x", fault.CodeUnsupportedMedia},
	} {
		read := "nothing"
		h := Bytes(64, plainly)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			read = string(b)
		}))
		r := httptest.NewRequest("POST", "/", strings.NewReader(tt.body))
		r.Header.Set("Content-Type", tt.contentType)
		r.Header.Set("Content-Encoding", tt.encoding)
		if got := serve(h, r).Body.String(); got != tt.want || tt.want == "" && read != tt.body {
			t.Errorf("%s: code %q and %q was read, want %q and %q", tt.name, got, read, tt.want, tt.body)
		}
	}
	r := httptest.NewRequest("POST", "/", failing{})
	if got := serve(Bytes(64, plainly)(http.NotFoundHandler()), r).Body.String(); got != fault.CodeInvalidBody {
		t.Errorf("a body that breaks off: code %q, want %q", got, fault.CodeInvalidBody)
	}
}

func TestBodyBrokenOff(t *testing.T) {
	r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(`{"a"`), failing{}))
	h := Body(64, plainly)(http.NotFoundHandler())
	if got := serve(h, r).Body.String(); got != fault.CodeInvalidBody {
		t.Errorf("code %q, want %q", got, fault.CodeInvalidBody)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestRecover(t *testing.T) {
	var log bytes.Buffer
	stack := func(h http.HandlerFunc) http.Handler {
		return Chain(h, Identify, Access(slog.New(slog.NewJSONHandler(&log, nil)), 0), Recover(plainly))
	}
	w := serve(stack(func(http.ResponseWriter, *http.Request) { panic("ouch") }), httptest.NewRequest("GET", "/x", nil))
	if w.Code != http.StatusTeapot || w.Body.String() != fault.CodeInternal || w.Header().Get("X-Request-Id") == "" {
		t.Errorf("panic is answered with %d %q %v", w.Code, w.Body, w.Header())
	}
	if !strings.Contains(log.String(), "ouch") {
		t.Errorf("the log does not tell the panic: %s", &log)
	}

	for name, h := range map[string]http.HandlerFunc{
		"after the first byte": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic("ouch")
		},
		"on purpose": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		func() {
			log.Reset()
			defer func() {
				if v := recover(); v != http.ErrAbortHandler {
					t.Errorf("%s: recovered %v, want http.ErrAbortHandler", name, v)
				}
				if !strings.Contains(log.String(), `"aborted":true`) {
					t.Errorf("%s: the log does not say aborted: %s", name, &log)
				}
			}()
			serve(stack(h), httptest.NewRequest("GET", "/x", nil))
		}()
	}
}

func TestAccess(t *testing.T) {
	var log bytes.Buffer
	h := Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := From(r.Context())
		x.Caller = account.Caller{OrgID: "org_1", KeyID: "key_1"}
		w.WriteHeader(http.StatusPaymentRequired)
		_, _ = io.WriteString(w, "twelve bytes")
		Note(r.Context(), fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "secret words"))
		Note(r.Context(), io.EOF) // the first one stays
	}), Identify, Access(slog.New(slog.NewJSONHandler(&log, nil)), time.Minute))
	r := httptest.NewRequest("POST", "/a/sk_live_abcdef/b?xi-api-key=hidden", nil)
	r.Header.Set("X-Request-Id", "id-1")
	r.Header.Set("Authorization", "Bearer sk_live_123")
	serve(h, r)

	var got map[string]any
	if err := json.Unmarshal(log.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "time")
	if took, ok := got["took"].(float64); !ok || took <= 0 {
		t.Errorf("took = %v", got["took"])
	}
	delete(got, "took")
	want := map[string]any{
		"level": "INFO", "msg": "request", "method": "POST", "route": "other", "status": 402.0, "bytes": 12.0,
		"request_id": "id-1", "org": "org_1", "key": "key_1", "code": fault.CodeInsufficientQuota,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log line (-want +got):\n%s", diff)
	}
}

func TestOptions(t *testing.T) {
	w := serve(Options("GET, HEAD", true), httptest.NewRequest("OPTIONS", "/", nil))
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("public: %d %v", w.Code, w.Header())
	}
	w = serve(Options("POST", false), httptest.NewRequest("OPTIONS", "/", nil))
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("keyed: %d %v", w.Code, w.Header())
	}
}

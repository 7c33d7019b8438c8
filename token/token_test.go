package token

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/voice"
)

// memory keeps tokens for a test. The suite of package storetest has what a real one must do.
type memory map[string]Token // by digest

func (m memory) Create(_ context.Context, t Token, hash []byte, most int) (bool, error) {
	if len(m) >= most {
		return false, nil
	}
	m[string(hash)] = t
	return true, nil
}

func (m memory) ByHash(_ context.Context, hash []byte) (Token, error) {
	t, ok := m[string(hash)]
	if !ok {
		return t, fault.New(fault.NotFound, fault.CodeNotFound, "", "no such token")
	}
	return t, nil
}

func (m memory) Use(_ context.Context, id string, at time.Time) (bool, error) {
	for hash, t := range m {
		if t.ID == id && t.Used.IsZero() && at.Before(t.Expires) {
			t.Used = at
			m[hash] = t
			return true, nil
		}
	}
	return false, nil
}

func (memory) Open(context.Context, string, time.Time, int) ([]Token, error) { return nil, nil }

func (memory) Delete(context.Context, string, string, time.Time) (bool, error) { return false, nil }

func (memory) Prune(context.Context, time.Time) (int, error) { return 0, nil }

// keys knows one key.
type keys struct{ err error }

func (k keys) CallerOf(context.Context, string, string) (account.Caller, error) {
	return account.Local, k.err
}

// wantCode checks the kind and the code of an error.
func wantCode(t *testing.T, what string, err error, kind fault.Kind, code string) {
	t.Helper()
	f, _ := errors.AsType[*fault.Error](err)
	if f == nil || f.Kind != kind || f.Code != code {
		t.Errorf("%s: %v, want %s %s", what, err, kind, code)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	m, k := memory{}, &keys{}
	s, err := New(Config{Store: m, Keys: k, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	make := func(l Limits) string {
		t.Helper()
		secret, v, err := s.Make(ctx, account.Local, l, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(secret, "sutkn_") || strings.Contains(secret, v.ID) || v.Expires.Sub(v.Created) != 5*time.Minute {
			t.Errorf("Make = %q, %+v", secret, v)
		}
		for hash := range m {
			if strings.Contains(hash, secret) {
				t.Error("the store has the secret")
			}
		}
		return secret
	}
	open, bound := make(Limits{}), make(Limits{Origins: []string{"https://a.example", "http://localhost:3000"}})
	for _, origin := range []string{"", "https://anywhere.example", "null"} {
		if _, c, err := s.Find(ctx, open, origin); err != nil || c != account.Local {
			t.Errorf("Find of a token for any page, from %q: %v", origin, err)
		}
	}
	for _, origin := range []string{"", "null", "http://a.example", "https://a.example:444", "https://a.example/", "https://b.a.example", "https://a.example.evil.example", "https://A.example"} {
		_, _, err := s.Find(ctx, bound, origin)
		wantCode(t, "Find from "+origin, err, fault.Forbidden, fault.CodeOriginNotAllowed)
	}
	v, _, err := s.Find(ctx, bound, "http://localhost:3000")
	if err != nil { // what was refused has not used it up
		t.Fatal(err)
	}
	for _, secret := range []string{"", "sutkn_", "sk_live_x", open[:len(open)-1], open + "a", strings.ToUpper(open), open[:len(open)-1] + "\x00", "sutkn_" + strings.Repeat("a", 52)} {
		_, _, err := s.Find(ctx, secret, "")
		wantCode(t, "Find of "+secret, err, fault.Unauthenticated, CodeInvalid)
	}
	if err := s.Use(ctx, v); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "second Use", s.Use(ctx, v), fault.Unauthenticated, CodeUsed)
	_, _, err = s.Find(ctx, bound, "http://localhost:3000")
	wantCode(t, "Find of a used token", err, fault.Unauthenticated, CodeUsed)

	k.err = fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "revoked")
	_, _, err = s.Find(ctx, open, "")
	wantCode(t, "Find with a revoked key", err, fault.Unauthenticated, CodeInvalid)
	k.err = fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "away")
	_, _, err = s.Find(ctx, open, "")
	wantCode(t, "Find while the store is away", err, fault.Unavailable, fault.CodeStoreUnavailable)
	k.err = nil

	v, _, err = s.Find(ctx, open, "")
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(5 * time.Minute)
	wantCode(t, "Use of an expired token", s.Use(ctx, v), fault.Unauthenticated, CodeExpired)
	_, _, err = s.Find(ctx, open, "")
	wantCode(t, "Find of an expired token", err, fault.Unauthenticated, CodeExpired)
}

func TestMakeRefuses(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Store: memory{}, Keys: keys{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		limits Limits
		expiry int
		field  string
	}{
		{"voice", Limits{Voice: "nobody"}, 0, "voice"},
		{"language", Limits{Language: "tlh"}, 0, "lang"},
		{"characters", Limits{MaxCharacters: MaxCharacters + 1}, 0, "max_characters"},
		{"fewer characters", Limits{MaxCharacters: -1}, 0, "max_characters"},
		{"session", Limits{MaxSession: MaxSession + 1}, 0, "max_session_seconds"},
		{"long expiry", Limits{}, MaxExpiry + 1, "expires_in_seconds"},
		{"short expiry", Limits{}, MinExpiry - 1, "expires_in_seconds"},
		{"origins", Limits{Origins: slices.Repeat([]string{"https://a.example"}, MaxOrigins+1)}, 0, "origins"},
		{"origin", Limits{Origins: []string{"https://a.example", "a.example"}}, 0, "origins"},
	} {
		_, _, err := s.Make(t.Context(), account.Local, tt.limits, tt.expiry)
		if f, _ := errors.AsType[*fault.Error](err); f == nil || f.Field != tt.field {
			t.Errorf("%s: %v, want an error about %s", tt.name, err, tt.field)
		}
	}
	for range MaxOpen {
		if _, _, err := s.Make(t.Context(), account.Local, Limits{}, 0); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err = s.Make(t.Context(), account.Local, Limits{}, 0)
	wantCode(t, "one more", err, fault.RateLimited, CodeTooMany)
}

func TestSettle(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Store: memory{}, Keys: keys{}})
	if err != nil {
		t.Fatal(err)
	}
	v := voice.DefaultVoice()
	var other voice.Voice
	for _, o := range voice.BuiltIn().All() {
		if o.ID != v.ID {
			other = o
		}
	}
	fixed := Token{Limits: Limits{Voice: string(v.ID), Language: "en-IN"}}
	for _, tt := range []struct {
		t               Token
		voice, language string
		wantV, wantL    string
		refused         bool
	}{
		{Token{}, "anything", "at all", "anything", "at all", false},
		{fixed, "", "", string(v.ID), "en-IN", false},
		{fixed, string(v.ID), "auto", string(v.ID), "en-IN", false},
		{fixed, v.Name, "English", string(v.ID), "en-IN", false},
		{fixed, "", "en-US", string(v.ID), "en-IN", false},
		{fixed, string(other.ID), "", "", "", true},
		{fixed, "nobody", "", "", "", true},
		{fixed, "", "hi", "", "", true},
		{fixed, "", "nonsense", "", "", true},
	} {
		gotV, gotL, err := s.Settle(tt.t, tt.voice, tt.language)
		if tt.refused {
			wantCode(t, tt.voice+tt.language, err, fault.Forbidden, CodeNotAllowed)
		} else if err != nil || gotV != tt.wantV || gotL != tt.wantL {
			t.Errorf("Settle(%q, %q) = %q, %q, %v, want %q, %q", tt.voice, tt.language, gotV, gotL, err, tt.wantV, tt.wantL)
		}
	}
}

func TestOriginOf(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"https://app.example.org":             "https://app.example.org",
		"HTTPS://App.Example.org":             "https://app.example.org",
		"https://app.example.org:443":         "https://app.example.org",
		"http://app.example.org:80":           "http://app.example.org",
		"https://app.example.org:80":          "https://app.example.org:80",
		"http://localhost:3000":               "http://localhost:3000",
		"http://127.0.0.1:1":                  "http://127.0.0.1:1",
		"http://[::1]:8080":                   "http://[::1]:8080",
		"https://xn--bcher-kva.example":       "https://xn--bcher-kva.example",
		"https://bücher.example":              "",
		"https://app.example.org/":            "",
		"https://app.example.org/a":           "",
		"https://app.example.org?":            "",
		"https://app.example.org#":            "",
		"https://u@app.example.org":           "",
		"https://app.example.org:":            "",
		"https://app.example.org:0":           "",
		"https://app.example.org:080":         "",
		"https://app.example.org:70000":       "",
		"https://*.example.org":               "",
		"https://":                            "",
		"app.example.org":                     "",
		"//app.example.org":                   "",
		"ftp://app.example.org":               "",
		"file:///a":                           "",
		"null":                                "",
		"*":                                   "",
		"":                                    "",
		"http://[::0001]":                     "",
		"http://[fe80::1%25eth0]":             "",
		"https://" + strings.Repeat("a", 300): "",
	} {
		if got, ok := originOf(sent); got != want || ok != (want != "") {
			t.Errorf("originOf(%q) = %q, %v, want %q", sent, got, ok, want)
		}
	}
}

// FuzzOriginOf: what is taken is written in one way, which is taken again as it is.
func FuzzOriginOf(f *testing.F) {
	for _, seed := range []string{"https://a.example:443", "HTTP://[::1]:80", "http://a:b@c", "https://a%2fb", "https://\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		got, ok := originOf(sent)
		if again, ok2 := originOf(got); ok && (!ok2 || again != got || got != strings.ToLower(got)) {
			t.Errorf("originOf(%q) = %q, of which it makes %q, %v", sent, got, again, ok2)
		}
	})
}

package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"vaak/account/ledger"
	"vaak/identity"
	"vaak/internal/fault"
	"vaak/oauth"
)

// attack is one thing that must be refused. It returns what was answered, as a line.
type attack struct {
	name string
	try  func(w *world) string
}

// line writes an error as the code and the sentence, and says when the application may hear of it.
func line(err error) string {
	r, returns := errors.AsType[*oauth.Refusal](err)
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		return "allowed"
	case !ok:
		return err.Error()
	case returns:
		u, _ := url.Parse(r.To)
		return "returned " + u.Scheme + "://" + u.Host + " " + f.Code + ": " + f.Msg
	}
	return f.Code + ": " + f.Msg
}

// asks changes one parameter of a good request.
func asks(change ...string) func(*world) string {
	return func(w *world) string {
		_, err := w.Ask(w.t.Context(), w.query(change...))
		return line(err)
	}
}

// repeats sends a parameter twice.
func repeats(name, value string) func(*world) string {
	return func(w *world) string {
		q := w.query()
		q.Add(name, value)
		_, err := w.Ask(w.t.Context(), q)
		return line(err)
	}
}

// exchanges changes one parameter of the exchange of a good code, which must be good afterwards.
func exchanges(change ...string) func(*world) string {
	return func(w *world) string {
		_, form := w.code()
		got := w.token(form, change...)
		if after := w.token(form); !strings.HasPrefix(after, "issued") {
			return got + "; and the code is spent: " + after
		}
		return got
	}
}

// renews changes one parameter of the use of a good refresh token, which must be good afterwards.
func renews(change ...string) func(*world) string {
	return func(w *world) string {
		form := w.refreshForm(w.connected())
		got := w.token(form, change...)
		if after := w.token(form); !strings.HasPrefix(after, "issued") {
			return got + "; and the token is spent: " + after
		}
		return got
	}
}

// registers sends a registration.
func registers(body string, header ...string) func(*world) string {
	return func(w *world) string {
		got, _ := w.send("/oauth/register", "application/json", body, header...)
		return got
	}
}

// redirects registers an application with an address of return.
func redirects(address string) func(*world) string {
	return registers(`{"client_name":"x","redirect_uris":[` + quoted(address) + `]}`)
}

func quoted(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

// documents asks with the address of a document that holds body.
func documents(address, body string) func(*world) string {
	return func(w *world) string {
		w.documents[address] = body
		return asks("client_id", address)(w)
	}
}

// about is a document with more members.
func about(address, members string) string {
	return `{"client_id":"` + address + `","redirect_uris":["` + back + `"]` + members + `}`
}

// another is an application of somebody else, with the same address of return.
func (w *world) another() oauth.Client {
	w.t.Helper()
	c, err := w.Register(w.t.Context(), identity.Client{Scope: "attack"}, []byte(`{"client_name":"Evil","redirect_uris":["`+back+`"]}`))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// approves changes what a person sends from the page of consent.
func approves(change func(w *world, p *identity.Person, y *oauth.Approval)) func(*world) string {
	return func(w *world) string {
		asked, err := w.Ask(w.t.Context(), w.query())
		if err != nil {
			w.t.Fatal(err)
		}
		p, y := w.member, oauth.Approval{OrgID: w.org.ID, Scopes: asked.Scopes, MonthlyCap: ledger.Unlimited}
		change(w, &p, &y)
		_, err = w.Approve(w.t.Context(), identity.Client{}, p, asked, y)
		return line(err)
	}
}

var attacks = []attack{
	// What an application asks for: before it is known who asks, nobody is sent anywhere.
	{"no client", asks("client_id", "")},
	{"a client that does not exist", asks("client_id", "app_aaaaaaaaaaaaaaaaaaaaaaaaaa")},
	{"a client id with other characters", asks("client_id", "app_'; DROP TABLE oauth_clients --")},
	{"a client id that is an http address", asks("client_id", "http://client.example.com/about/client.json")},
	{"no address of return", asks("redirect_uri", "")},
	{"another address of return", asks("redirect_uri", "https://evil.example.com/callback")},
	{"an address of return with more path", asks("redirect_uri", back+"/more")},
	{"an address of return with a query", asks("redirect_uri", back+"?next=https://evil.example.com")},
	{"an address of return with a fragment", asks("redirect_uri", back+"#")},
	{"an address of return with a user", asks("redirect_uri", "https://app.example.com@evil.example.com/callback")},
	{"an address of return in capitals", asks("redirect_uri", "https://APP.example.com/callback")},
	{"an address of return with another port", asks("redirect_uri", "https://app.example.com:8443/callback")},
	{"an address of return over http", asks("redirect_uri", "http://app.example.com/callback")},
	{"an address of return with dots", asks("redirect_uri", "https://app.example.com/x/../callback")},
	{"an address of return with escapes", asks("redirect_uri", "https://app.example.com/%63allback")},
	{"an address of return with a backslash", asks("redirect_uri", `https://app.example.com\@evil.example.com/callback`)},
	{"an address of return with a line feed", asks("redirect_uri", back+"\nLocation: https://evil.example.com")},
	{"an address of return that is a path", asks("redirect_uri", "//evil.example.com/callback")},
	{"a script as address of return", asks("redirect_uri", "javascript:alert(1)")},
	{"the own machine by another name", asks("redirect_uri", "http://localhost:9999/callback")},
	{"the own machine with another path", asks("redirect_uri", "http://127.0.0.1:9999/other")},
	{"a name that looks like the own machine", asks("redirect_uri", "http://127.0.0.1.evil.example.com/callback")},
	{"two addresses of return", repeats("redirect_uri", "https://evil.example.com/callback")},
	{"two clients", repeats("client_id", "app_aaaaaaaaaaaaaaaaaaaaaaaaaa")},
	{"two challenges", repeats("code_challenge", challenge)},
	{"a long state", asks("state", strings.Repeat("s", 1001))},
	// From here on the application may hear of it, when the person says so.
	{"no kind of answer", asks("response_type", "")},
	{"tokens in the address", asks("response_type", "token")},
	{"a hybrid answer", asks("response_type", "code id_token")},
	{"an answer in the fragment", asks("response_mode", "fragment")},
	{"a request as a token", asks("request", "eyJhbGciOiJub25lIn0.e30.")},
	{"a request at an address", asks("request_uri", "https://evil.example.com/request")},
	{"no challenge", asks("code_challenge", "")},
	{"no method of the challenge", asks("code_challenge_method", "")},
	{"a plain challenge", asks("code_challenge_method", "plain")},
	{"a short challenge", asks("code_challenge", challenge[:42])},
	{"a challenge with padding", asks("code_challenge", challenge+"=")},
	{"no resource", asks("resource", "")},
	{"a resource of somebody else", asks("resource", "https://evil.example.com/v1/mcp")},
	{"a resource with a slash more", asks("resource", speechAt+"/")},
	{"two resources", repeats("resource", otherAt)},
	{"a scope that does not exist", asks("scope", "speech admin")},
	{"a scope of another resource", asks("scope", "speech catalogue:read")},
	{"a scope with a tab", asks("scope", "speech\tusage:read")},
	// What a person sends.
	{"more scopes than were asked for", approves(func(_ *world, _ *identity.Person, y *oauth.Approval) {
		y.Scopes = append(y.Scopes, oauth.DictionariesWrite)
	})},
	{"no scope", approves(func(_ *world, _ *identity.Person, y *oauth.Approval) { y.Scopes = nil })},
	{"an organisation of others", approves(func(w *world, _ *identity.Person, y *oauth.Approval) { y.OrgID = w.elsewhere.ID })},
	{"no organisation", approves(func(_ *world, _ *identity.Person, y *oauth.Approval) { y.OrgID = "" })},
	{"a question that somebody else was asked", func(w *world) string {
		asked, _ := w.Ask(w.t.Context(), w.query())
		sealed, _ := w.Carry(asked, w.stranger.ID)
		_, err := w.Carried(sealed, w.member.ID)
		return line(err)
	}},
	{"a question of eleven minutes ago", func(w *world) string {
		asked, _ := w.Ask(w.t.Context(), w.query())
		sealed, _ := w.Carry(asked, w.member.ID)
		w.now = w.now.Add(11 * time.Minute)
		_, err := w.Carried(sealed, w.member.ID)
		return line(err)
	}},
	{"a question that nobody asked", func(w *world) string {
		_, err := w.Carried(base64.RawURLEncoding.EncodeToString(make([]byte, 200)), w.member.ID)
		return line(err)
	}},
	{"a question that was changed", func(w *world) string {
		asked, _ := w.Ask(w.t.Context(), w.query())
		sealed, _ := w.Carry(asked, w.member.ID)
		_, err := w.Carried(sealed[:len(sealed)-4]+"AAAA", w.member.ID)
		return line(err)
	}},
	// What a code is exchanged with.
	{"another verifier", exchanges("code_verifier", strings.Repeat("w", 43))},
	{"no verifier", exchanges("code_verifier", "")},
	{"the challenge as verifier", exchanges("code_verifier", challenge)},
	{"a short verifier", exchanges("code_verifier", strings.Repeat("v", 42))},
	{"a long verifier", exchanges("code_verifier", strings.Repeat("v", 129))},
	{"a verifier with a space", exchanges("code_verifier", strings.Repeat("v", 42)+" ")},
	{"another address of return", exchanges("redirect_uri", local)},
	{"an address of return that is empty", func(w *world) string {
		_, form := w.code()
		form.Set("redirect_uri", "")
		line, _ := w.send("/oauth/token", "application/x-www-form-urlencoded", form.Encode())
		return line
	}},
	{"another resource", exchanges("resource", otherAt)},
	{"no client", exchanges("client_id", "")},
	{"a client that does not exist", exchanges("client_id", "app_aaaaaaaaaaaaaaaaaaaaaaaaaa")},
	{"the code of another client", func(w *world) string { return exchanges("client_id", w.another().ID)(w) }},
	{"the code of another client, known by a document", exchanges("client_id", document)},
	{"a secret of the client", exchanges("client_secret", "hunter2")},
	{"an assertion of the client", exchanges("client_assertion", "eyJhbGciOiJub25lIn0.e30.")},
	{"another code", exchanges("code", "vcode_"+strings.Repeat("A", 43))},
	{"a code of another shape", exchanges("code", "1")},
	{"no code", exchanges("code", "")},
	{"the code of another server (mix-up)", exchanges("code", "SplxlOBeZQQYbYS6WxSbIA")},
	{"another way to get a token", exchanges("grant_type", "client_credentials")},
	{"the password of a person", exchanges("grant_type", "password")},
	{"a code as a refresh token", func(w *world) string {
		code, form := w.code()
		return w.token(form, "grant_type", "refresh_token", "refresh_token", code)
	}},
	{"a code twice", func(w *world) string {
		_, form := w.code()
		p := w.issued(form)
		got := w.token(form)
		return got + " | " + w.enter(p.Access, speechAt) + " | " + w.token(w.refreshForm(p))
	}},
	{"a code twice, by another client", func(w *world) string {
		_, form := w.code()
		p := w.issued(form)
		got := w.token(form, "client_id", w.another().ID)
		return got + " | " + w.enter(p.Access, speechAt)
	}},
	{"a code after a minute", func(w *world) string {
		_, form := w.code()
		w.now = w.now.Add(oauth.CodeLife)
		return w.token(form)
	}},
	{"a code of a person who was disabled meanwhile", func(w *world) string {
		_, form := w.code()
		w.disable()
		return w.token(form)
	}},
	{"a code in the address", func(w *world) string {
		_, form := w.code()
		got, _ := w.send("/oauth/token?"+form.Encode(), "application/x-www-form-urlencoded", "grant_type=authorization_code&client_id="+w.app.ID+"&code_verifier="+verifier)
		return got
	}},
	{"a code in JSON", func(w *world) string {
		code, _ := w.code()
		got, _ := w.send("/oauth/token", "application/json", `{"grant_type":"authorization_code","code":"`+code+`"}`)
		return got
	}},
	{"two codes", func(w *world) string {
		code, form := w.code()
		got, _ := w.send("/oauth/token", "application/x-www-form-urlencoded", form.Encode()+"&code="+code)
		return got
	}},
	{"a form that is too long", func(w *world) string {
		got, _ := w.send("/oauth/token", "application/x-www-form-urlencoded", "code="+strings.Repeat("c", 17<<10))
		return got
	}},
	{"a form with broken escapes", func(w *world) string {
		got, _ := w.send("/oauth/token", "application/x-www-form-urlencoded", "code=%zz")
		return got
	}},
	{"a client with a password", func(w *world) string {
		_, form := w.code()
		got, _ := w.send("/oauth/token", "application/x-www-form-urlencoded", form.Encode(), "Authorization", "Basic YTpi")
		return got
	}},
	// What is renewed.
	{"the refresh token of another client", func(w *world) string { return renews("client_id", w.another().ID)(w) }},
	{"a refresh token with more scopes", renews("scope", "speech voices:read dictionaries:write")},
	{"a refresh token with scopes of another resource", renews("scope", "catalogue:read")},
	{"a refresh token for another resource", renews("resource", otherAt)},
	{"another refresh token", renews("refresh_token", "vrt_"+strings.Repeat("A", 43))},
	{"no refresh token", renews("refresh_token", "")},
	{"an access token as refresh token", func(w *world) string {
		p := w.connected()
		return w.token(w.refreshForm(p), "refresh_token", p.Access) + " | " + w.token(w.refreshForm(p), "refresh_token", "vrt_"+p.Access[4:])
	}},
	{"a refresh token twice", func(w *world) string {
		first := w.connected()
		next := w.issued(w.refreshForm(first))
		return w.token(w.refreshForm(first)) + " | " + w.enter(next.Access, speechAt) + " | " + w.token(w.refreshForm(next))
	}},
	{"a refresh token after a month", func(w *world) string {
		p := w.connected()
		w.now = w.now.Add(oauth.RefreshLife)
		return w.token(w.refreshForm(p))
	}},
	{"a refresh token of a person who was disabled", func(w *world) string {
		p := w.connected()
		w.disable()
		return w.token(w.refreshForm(p))
	}},
	{"a refresh token that was revoked", func(w *world) string {
		p := w.connected()
		revoked, _ := w.send("/oauth/revoke", "application/x-www-form-urlencoded", url.Values{"token": {p.Refresh}, "client_id": {w.app.ID}}.Encode())
		return revoked + " | " + w.token(w.refreshForm(p)) + " | " + w.enter(p.Access, speechAt)
	}},
	// What calls the tools.
	{"no such access token", func(w *world) string { return w.enter("vat_"+strings.Repeat("A", 43), speechAt) }},
	{"an access token of another shape", func(w *world) string { return w.enter("vat_1", speechAt) }},
	{"a refresh token as access token", func(w *world) string { return w.enter(w.connected().Refresh, speechAt) }},
	{"a refresh token with the prefix of an access token", func(w *world) string { return w.enter("vat_"+w.connected().Refresh[4:], speechAt) }},
	{"a code as access token", func(w *world) string {
		code, _ := w.code()
		return w.enter(code, speechAt)
	}},
	{"an access token at another endpoint", func(w *world) string { return w.enter(w.connected().Access, otherAt) }},
	{"an access token at another server", func(w *world) string { return w.enter(w.connected().Access, "https://evil.example.com/v1/mcp") }},
	{"an access token after an hour", func(w *world) string {
		p := w.connected()
		w.now = w.now.Add(oauth.AccessLife)
		return w.enter(p.Access, speechAt)
	}},
	{"an access token that was revoked", func(w *world) string {
		p := w.connected()
		revoked, _ := w.send("/oauth/revoke", "application/x-www-form-urlencoded", url.Values{"token": {p.Access}, "client_id": {w.app.ID}}.Encode())
		return revoked + " | " + w.enter(p.Access, speechAt)
	}},
	{"an access token of a person who was disabled", func(w *world) string {
		p := w.connected()
		w.disable()
		return w.enter(p.Access, speechAt)
	}},
	{"an access token whose key was revoked", func(w *world) string {
		p := w.connected()
		keys, _ := w.accounts.Keys(w.t.Context(), w.org.ID)
		_ = w.accounts.RevokeKey(w.t.Context(), keys[len(keys)-1].ID)
		return w.enter(p.Access, speechAt)
	}},
	{"an access token as an API key", func(w *world) string {
		_, err := w.accounts.Authenticate(w.t.Context(), w.connected().Access)
		return line(err)
	}},
	{"the id of the key of an application as a key", func(w *world) string {
		w.connected()
		keys, _ := w.accounts.Keys(w.t.Context(), w.org.ID)
		_, err := w.accounts.Authenticate(w.t.Context(), keys[0].ID)
		return line(err)
	}},
	// What revokes, and what disconnects.
	{"the revocation of a token of another client", func(w *world) string {
		p := w.connected()
		got, _ := w.send("/oauth/revoke", "application/x-www-form-urlencoded", url.Values{"token": {p.Refresh}, "client_id": {w.another().ID}}.Encode())
		return got + " | " + w.enter(p.Access, speechAt)
	}},
	{"a revocation by nobody", func(w *world) string {
		p := w.connected()
		got, _ := w.send("/oauth/revoke", "application/x-www-form-urlencoded", url.Values{"token": {p.Refresh}}.Encode())
		return got + " | " + w.enter(p.Access, speechAt)
	}},
	{"a revocation of nothing", func(w *world) string {
		got, _ := w.send("/oauth/revoke", "application/x-www-form-urlencoded", "client_id="+w.app.ID)
		return got
	}},
	{"to disconnect what another organisation has", func(w *world) string {
		w.connected()
		grants, _ := w.Grants(w.t.Context(), w.org.ID)
		_, err := w.Disconnect(w.t.Context(), identity.Client{}, w.stranger, w.elsewhere.ID, grants[0].ID)
		return line(err)
	}},
	{"to disconnect what is no id", func(w *world) string {
		_, err := w.Disconnect(w.t.Context(), identity.Client{}, w.member, w.org.ID, "grant_' OR ''='")
		return line(err)
	}},
	// What registers.
	{"a registration that is too long", registers(`{"client_name":"` + strings.Repeat("x", 17<<10) + `"}`)},
	{"a registration that is no JSON", registers(`client_name=x`)},
	{"a registration with a key twice", registers(`{"redirect_uris":["` + back + `"],"redirect_uris":["https://evil.example.com/"]}`)},
	{"a registration with a number for a name", registers(`{"client_name":1,"redirect_uris":["` + back + `"]}`)},
	{"a registration as a form", func(w *world) string {
		got, _ := w.send("/oauth/register", "application/x-www-form-urlencoded", "redirect_uris="+back)
		return got
	}},
	{"a registration without an address of return", registers(`{"client_name":"x"}`)},
	{"a registration with eleven addresses of return", registers(`{"redirect_uris":["` + strings.Repeat(back+`","`, 10) + back + `"]}`)},
	{"a registration for http", redirects("http://app.example.com/callback")},
	{"a registration for a script", redirects("javascript:alert(1)")},
	{"a registration for data", redirects("data:text/html,x")},
	{"a registration for a file", redirects("file:///etc/passwd")},
	{"a registration for a fragment", redirects(back + "#x")},
	{"a registration for a user", redirects("https://a:b@app.example.com/")},
	{"a registration for no host", redirects("https:///callback")},
	{"a registration for a name in Cyrillic", redirects("https://аpp.example.com/callback")},
	{"a registration for a backslash", redirects(`https://app.example.com\.evil.example.com/`)},
	{"a registration for a long address", redirects("https://app.example.com/" + strings.Repeat("x", 500))},
	{"a registration for a private address over http", redirects("http://169.254.169.254/latest")},
	{"a name that is turned round", registers(`{"client_name":"x\u202egnp","redirect_uris":["` + back + `"]}`)},
	{"a name of two lines", registers(`{"client_name":"x\ny","redirect_uris":["` + back + `"]}`)},
	{"a name that is too long", registers(`{"client_name":"` + strings.Repeat("x", 101) + `","redirect_uris":["` + back + `"]}`)},
	{"a name that holds a key", registers(`{"client_name":"sk_live_x","redirect_uris":["` + back + `"]}`)},
	{"a home page that is a script", registers(`{"client_uri":"javascript:alert(1)","redirect_uris":["` + back + `"]}`)},
	{"a registration for tokens in the address", registers(`{"grant_types":["implicit"],"redirect_uris":["` + back + `"]}`)},
	{"a registration for refresh tokens alone", registers(`{"grant_types":["refresh_token"],"redirect_uris":["` + back + `"]}`)},
	{"a registration for a hybrid answer", registers(`{"response_types":["code id_token"],"redirect_uris":["` + back + `"]}`)},
	{"a registration for assertions", registers(`{"token_endpoint_auth_method":"private_key_jwt","redirect_uris":["` + back + `"]}`)},
	{"thirty-one registrations in a minute", func(w *world) (got string) {
		for range 31 {
			got, _ = w.send("/oauth/register", "application/json", `{"redirect_uris":["`+back+`"]}`)
		}
		return got
	}},
	// Documents about clients.
	{"a document that is not there", asks("client_id", "https://client.example.com/none.json")},
	{"a document without a path", documents("https://client.example.com", about("https://client.example.com", ""))},
	{"a document with a query", documents(document+"?a=b", about(document+"?a=b", ""))},
	{"a document with a fragment", documents(document+"#a", about(document+"#a", ""))},
	{"a document with a user", documents("https://a@client.example.com/c", about("https://a@client.example.com/c", ""))},
	{"a document behind dots", documents("https://client.example.com/a/../c", about("https://client.example.com/a/../c", ""))},
	{"a document behind escaped dots", documents("https://client.example.com/a/%2E%2e/c", about("https://client.example.com/a/%2E%2e/c", ""))},
	{"a document at an address of this machine", documents("https://127.0.0.1/c", about("https://127.0.0.1/c", ""))},
	{"a document of the cloud", documents("https://169.254.169.254/c", about("https://169.254.169.254/c", ""))},
	{"a document at a name without a dot", documents("https://localhost/c", about("https://localhost/c", ""))},
	{"a document at another port", documents("https://client.example.com:22/c", about("https://client.example.com:22/c", ""))},
	{"a document about somebody else", documents("https://evil.example.com/c", about(document, ""))},
	{"a document that is too long", documents("https://client.example.com/c", about("https://client.example.com/c", strings.Repeat(" ", 6<<10)))},
	{"a document that is no JSON", documents("https://client.example.com/c", "<html>")},
	{"a document with a secret", documents("https://client.example.com/c", about("https://client.example.com/c", `,"client_secret":"x"`))},
	{"a document for assertions", documents("https://client.example.com/c", about("https://client.example.com/c", `,"token_endpoint_auth_method":"private_key_jwt"`))},
	{"a document with another address of return", documents("https://client.example.com/c", `{"client_id":"https://client.example.com/c","redirect_uris":["https://client.example.com/other"]}`)},
}

// disable keeps the member from signing in.
func (w *world) disable() {
	w.t.Helper()
	_, err := w.db.Identity().ChangePerson(w.t.Context(), w.member.ID, func(p *identity.Person) error {
		p.Disabled = w.now
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// attacksGolden has what each attack is answered, a line each.
const attacksGolden = "testdata/attacks.golden"

// TestLengthyAttacks tries what must be refused, with exact answers. Run with VAAK_UPDATE=1 to write them
// anew, and read what changed.
func TestLengthyAttacks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("opens a database for each attack")
	}
	var got strings.Builder
	for _, a := range attacks {
		w := newWorld(t, "sqlite::memory:")
		answer := a.try(w)
		if strings.HasPrefix(answer, "issued") || strings.HasPrefix(answer, "allowed") || strings.HasPrefix(answer, "in:") || strings.HasPrefix(answer, "201") {
			t.Errorf("%s: %s", a.name, answer)
		}
		fmt.Fprintf(&got, "%s\t%s\n", a.name, strings.ReplaceAll(answer, w.app.ID, "APP"))
	}
	if os.Getenv("VAAK_UPDATE") != "" {
		if err := os.WriteFile(attacksGolden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(attacksGolden)
	if err != nil {
		t.Fatal(err)
	}
	wants := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(wants) || line != wants[i] {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, line, wants[min(i, len(wants)-1)])
		}
	}
	if len(attacks) < 100 {
		t.Errorf("%d attacks, want 100", len(attacks))
	}
}

// TestLoopback: a program on the person's own machine may listen at any port.
func TestLoopback(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite::memory:")
	if p := w.connected("redirect_uri", local); p.Access == "" {
		t.Errorf("tokens = %+v", p)
	}
	if p := w.connected("client_id", document); w.enter(p.Access, speechAt) != "in: speech voices:read" {
		t.Error("a client that is known by its document gets no token")
	}
}

// FuzzRegister: whatever is registered, the answer is one of the protocol, and what was accepted
// leads people only where it may.
func FuzzRegister(f *testing.F) {
	f.Add(`{"redirect_uris":["https://a.example/b"]}`)
	f.Add(`{"redirect_uris":["com.example.app:/x","http://[::1]:1/"],"client_name":"é"}`)
	w := (*world)(nil)
	f.Fuzz(func(t *testing.T, body string) {
		if w == nil {
			w = newWorld(t, "sqlite::memory:")
		}
		c, err := w.Register(t.Context(), identity.Client{Scope: fmt.Sprintf("%x", sha256.Sum256([]byte(body)))}, []byte(body))
		if _, ok := errors.AsType[*fault.Error](err); err != nil && !ok {
			t.Fatalf("Register(%q) = %v", body, err)
		}
		for _, r := range c.Redirects {
			if u, err := url.Parse(r); err != nil || u.Scheme == "javascript" || u.Scheme == "data" || u.User != nil || u.Fragment != "" {
				t.Errorf("%q may be returned to", r)
			}
		}
	})
}

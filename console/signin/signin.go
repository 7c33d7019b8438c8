// Package signin has the pages by which people come in, and those on which they look
// after their own account: setup, password, one-time code, invitation, identity provider.
package signin

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"vaak/console/page"
	"vaak/identity"
	"vaak/identity/oidc"
	"vaak/internal/fault"
	"vaak/internal/ratelimit"
)

// Where people come in, beside [page.SignInPath].
const (
	codePath  = "/signin/code"
	setupPath = "/setup"
)

// What a session holds between the steps of signing in.
const (
	pendingKey = "pending" // id of the person who gave the password and still needs a code
	passedKey  = "passed"  // epoch of that person when they gave it
	flightKey  = "flight"  // what the answer of the identity provider is compared with (JSON)
)

// AnswerPath is where the identity provider redirects people back to.
const AnswerPath = "/signin/provider/answer"

//go:embed *.html
var files embed.FS

// Provider is an identity provider that vouches for people.
type Provider interface {
	Begin(ctx context.Context) (address string, f oidc.Flight, err error)
	Finish(ctx context.Context, f oidc.Flight, answer url.Values) (identity.Vouched, error)
}

// Config is what the pages need.
type Config struct {
	Identity     *identity.Service
	Provider     Provider // nil without an identity provider
	ProviderName string   // shown on the button that leads to it
}

// pages serves the pages.
type pages struct {
	Config
	vouching *ratelimit.Limiter // limits how often a client is redirected to the provider
}

// New returns the section of signing in.
func New(cfg Config) page.Section {
	ps := &pages{cfg, ratelimit.NewLimiter(maxClients)}
	routes := []page.Route{
		page.Get("/{$}", page.Anybody, ps.start),
		page.Get(setupPath, page.Anybody, ps.setupPage), page.Post(setupPath, page.Anybody, ps.setup, ps.setupPage),
		page.Get(page.SignInPath, page.Anybody, ps.signInPage), page.Post(page.SignInPath, page.Anybody, ps.signInWithPassword, ps.signInPage),
		page.Get(codePath, page.Anybody, ps.codePage), page.Post(codePath, page.Anybody, ps.signInWithCode, ps.codePage),
		page.Get("/invitation/{token}", page.Anybody, ps.invitationPage),
		page.Post("/invitation/{token}", page.Anybody, ps.accept, ps.invitationPage),
		page.Post("/signout", page.SignedIn, ps.signOut, nil),
		page.Get(page.SelfPath, page.SignedIn, ps.self),
		page.Post(page.SelfPath+"/password", page.SignedIn, ps.changePassword, ps.self),
		page.Get(page.SelfPath+"/codes", page.SignedIn, ps.offerCodes),
		page.Post(page.SelfPath+"/codes", page.SignedIn, ps.turnOnCodes, ps.offerCodes),
		page.Post(page.SelfPath+"/codes/off", page.SignedIn, ps.turnOffCodes, ps.self),
		page.Post(page.SelfPath+"/signout-everywhere", page.SignedIn, ps.signOutEverywhere, ps.self),
	}
	if ps.Provider != nil {
		routes = append(routes,
			page.Get("/signin/provider", page.Anybody, ps.beginVouching), page.Get(AnswerPath, page.Anybody, ps.finishVouching))
	}
	return page.Section{Files: files, Routes: routes}
}

// start redirects people to the page that they most likely want: the setup, the page to
// sign in, the organisations, or their own organisation.
func (ps *pages) start(v *page.Visit) error {
	fresh, err := ps.fresh(v)
	switch {
	case err != nil:
		return err
	case fresh:
		return v.Done(setupPath, "")
	case v.Person.ID == "":
		return v.Done(page.SignInPath, "")
	case v.Person.Operates():
		return v.Done("/organisations", "")
	}
	return v.Done("/o/"+v.Person.OrgID, "")
}

// fresh reports whether nobody has set the console up.
func (ps *pages) fresh(v *page.Visit) (bool, error) {
	done, err := ps.Identity.IsSetUp(v.R.Context())
	return !done, err
}

func (ps *pages) setupPage(v *page.Visit) error {
	fresh, err := ps.fresh(v)
	if err != nil {
		return err
	}
	// Two forms may have been sent at the same time. The second one hears why it failed.
	if !fresh {
		if v.Wrong != nil {
			return v.Wrong
		}
		return fault.New(fault.NotFound, fault.CodeNotFound, "", "The console is set up already. An operator can invite you.")
	}
	return v.Show("setup", "Set up the console", nil)
}

// setup creates the first operator. The form must hold the setup token.
func (ps *pages) setup(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	p, err := ps.Identity.SetUp(v.R.Context(), v.Client(), v.Sent.Field("token"), identity.Draft{
		Name: v.Sent.Field("name"), Email: v.Sent.Field("email"), Password: v.Sent.Get("password"),
	})
	if err != nil {
		return err
	}
	return v.Session().SignIn(p, "")
}

// entry is what the page to sign in shows.
type entry struct {
	Provider string // its name; "" where there is none
	To       string // the address to go to after signing in
}

func (ps *pages) signInPage(v *page.Visit) error {
	if v.Person.ID != "" {
		return v.Done("/", "")
	}
	if fresh, err := ps.fresh(v); err != nil || fresh {
		if err != nil {
			return err
		}
		return v.Done(setupPath, "")
	}
	// Where to go is in the form, so it is checked again when the form comes back: see
	// Session.SignIn.
	e := entry{To: page.Inward(cmp.Or(v.Sent.Get("to"), v.R.URL.Query().Get("to")))}
	if ps.Provider != nil {
		e.Provider = ps.ProviderName
	}
	return v.Show("signin", "Sign in", e)
}

func (ps *pages) signInWithPassword(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	p, needsCode, err := ps.Identity.SignIn(v.R.Context(), v.Client(), v.Sent.Field("email"), v.Sent.Get("password"))
	if err != nil {
		return err
	}
	if !needsCode {
		return v.Session().SignIn(p, v.Sent.Get("to"))
	}
	// Nobody is signed in yet. The session only remembers who gave the password, and the epoch in
	// which it was right.
	if err := v.Session().Await(v.Sent.Get("to"), map[string]any{pendingKey: p.ID, passedKey: p.Epoch}); err != nil {
		return err
	}
	return v.Done(codePath, "")
}

func (ps *pages) codePage(v *page.Visit) error {
	if v.Session().String(pendingKey) == "" {
		return v.Done(page.SignInPath, "")
	}
	return v.Show("code", "One-time code", nil)
}

func (ps *pages) signInWithCode(v *page.Visit) error {
	pending := v.Session().String(pendingKey)
	if pending == "" {
		return v.Done(page.SignInPath, "")
	}
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	// Of the person of the session and not of the form: a code must not sign in somebody else than
	// who gave the password.
	p, err := ps.Identity.CheckCode(v.R.Context(), v.Client(), pending, v.Sent.Field("code"))
	if err != nil {
		return err
	}
	if p.Epoch != v.Session().Int64(passedKey) {
		// The password was changed after it was given, so it counts no more.
		return v.Done(page.SignInPath, "")
	}
	return v.Session().SignIn(p, v.Session().Back())
}

func (ps *pages) invitationPage(v *page.Visit) error {
	p, err := ps.Identity.Invited(v.R.Context(), v.R.PathValue("token"))
	if err != nil {
		return err
	}
	return v.Show("invitation", "Welcome", p)
}

func (ps *pages) accept(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	if v.Sent.Get("password") != v.Sent.Get("again") {
		return fault.BadParameter("again", "the two passwords differ; type the same one twice")
	}
	p, err := ps.Identity.Accept(v.R.Context(), v.Client(), v.R.PathValue("token"), v.Sent.Get("password"))
	if err != nil {
		return err
	}
	return v.Session().SignIn(p, "")
}

func (ps *pages) signOut(v *page.Visit) error {
	v.Note("sign_out", v.Person.ID, nil)
	if err := v.Session().End(); err != nil {
		return err
	}
	http.Redirect(v.W, v.R, page.SignInPath, http.StatusSeeOther)
	return nil
}

// Limits of the identity provider: how many clients are remembered, and how often a
// minute each may be redirected to it.
const (
	maxClients    = 1 << 12
	vouchesMinute = 20
)

// beginVouching redirects a person to the identity provider. It replaces the session of the
// browser, so it serves only requests that a page of the console led to. Otherwise any site
// could interrupt somebody who is signing in.
func (ps *pages) beginVouching(v *page.Visit) error {
	if v.Person.ID != "" || v.R.Method != http.MethodGet || !v.FromHere() {
		return v.Done(page.SignInPath, "")
	}
	if d := ps.vouching.Take(v.Client().Scope, time.Now(), vouchesMinute); !d.Allowed {
		err := fault.New(fault.RateLimited, fault.CodeRateLimited, "", "You have been sent to the provider %d times in a minute. Wait a moment.", vouchesMinute)
		err.RetryAfter = d.RetryAfter
		return err
	}
	address, flight, err := ps.Provider.Begin(v.R.Context())
	if err != nil {
		return err
	}
	// As text, because a session holds only texts and numbers.
	packed, err := json.Marshal(flight)
	if err != nil {
		return err
	}
	if err := v.Session().Await(v.R.URL.Query().Get("to"), map[string]any{flightKey: string(packed)}); err != nil {
		return err
	}
	http.Redirect(v.W, v.R, address, http.StatusSeeOther)
	return nil
}

// finishVouching signs in the person that the provider vouches for. What was kept for the
// answer is removed from the session first, so that an answer counts once.
func (ps *pages) finishVouching(v *page.Visit) error {
	ctx := v.R.Context()
	var flight oidc.Flight
	if packed := v.Session().Pop(flightKey); packed != "" {
		if err := json.Unmarshal([]byte(packed), &flight); err != nil {
			return err
		}
	}
	vouched, err := ps.Provider.Finish(ctx, flight, v.R.URL.Query())
	if err != nil {
		return err
	}
	p, err := ps.Identity.SignInAs(ctx, v.Client(), vouched)
	if err != nil {
		return err
	}
	return v.Session().SignIn(p, v.Session().Back())
}

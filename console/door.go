package console

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"vaak/identity"
	"vaak/identity/oidc"
	"vaak/internal/fault"
)

// Where people come in.
const (
	signInPath = "/signin"
	codePath   = "/signin/code"
	setupPath  = "/setup"
)

// AnswerPath is where the identity provider sends people back to.
const AnswerPath = "/signin/provider/answer"

func (c *Console) doorRoutes() []route {
	routes := []route{
		get("/{$}", anybody, (*visit).start),
		get(setupPath, anybody, (*visit).setupPage), post(setupPath, anybody, (*visit).setup, (*visit).setupPage),
		get(signInPath, anybody, (*visit).signInPage), post(signInPath, anybody, (*visit).signInWithPassword, (*visit).signInPage),
		get(codePath, anybody, (*visit).codePage), post(codePath, anybody, (*visit).signInWithCode, (*visit).codePage),
		get("/invitation/{token}", anybody, (*visit).invitationPage),
		post("/invitation/{token}", anybody, (*visit).accept, (*visit).invitationPage),
		post("/signout", person, (*visit).signOut, nil),
	}
	if c.Provider != nil {
		routes = append(routes,
			get("/signin/provider", anybody, (*visit).beginVouching), get(AnswerPath, anybody, (*visit).finishVouching))
	}
	return routes
}

// start sends people where they have something to do.
func (v *visit) start() error {
	fresh, err := v.fresh()
	switch {
	case err != nil:
		return err
	case fresh:
		return v.done(setupPath, "")
	case v.person.ID == "":
		return v.done(signInPath, "")
	case v.person.Operates():
		return v.done("/organisations", "")
	}
	return v.done("/o/"+v.person.OrgID, "")
}

// fresh reports whether nobody has set the console up.
func (v *visit) fresh() (bool, error) {
	done, err := v.Identity.IsSetUp(v.r.Context())
	return !done, err
}

func (v *visit) setupPage() error {
	fresh, err := v.fresh()
	if err != nil {
		return err
	}
	if !fresh {
		if v.wrong != nil {
			return v.wrong
		}
		return fault.New(fault.NotFound, fault.CodeNotFound, "", "The console is set up already. An operator can invite you.")
	}
	return v.show("setup", "Set up the console", nil)
}

// setup makes the first operator of whoever has the setup token.
func (v *visit) setup() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	p, err := v.Identity.SetUp(v.r.Context(), v.client(), v.field("token"), identity.Draft{
		Name: v.field("name"), Email: v.field("email"), Password: v.sent.Get("password"),
	})
	if err != nil {
		return err
	}
	return v.signIn(p, "")
}

// entry is what the page to sign in shows.
type entry struct {
	Provider string // "" = there is none
	To       string // where to go then
}

func (v *visit) signInPage() error {
	if v.person.ID != "" {
		return v.done("/", "")
	}
	if fresh, err := v.fresh(); err != nil || fresh {
		if err != nil {
			return err
		}
		return v.done(setupPath, "")
	}
	e := entry{To: inward(cmp.Or(v.sent.Get("to"), v.r.URL.Query().Get("to")))}
	if v.Provider != nil {
		e.Provider = v.ProviderName
	}
	return v.show("signin", "Sign in", e)
}

func (v *visit) signInWithPassword() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	p, needsCode, err := v.Identity.SignIn(v.r.Context(), v.client(), v.field("email"), v.sent.Get("password"))
	if err != nil {
		return err
	}
	if !needsCode {
		return v.signIn(p, v.sent.Get("to"))
	}
	if err := v.wait(v.sent.Get("to"), map[string]any{pendingKey: p.ID, passedKey: p.Epoch}); err != nil {
		return err
	}
	return v.done(codePath, "")
}

func (v *visit) codePage() error {
	if v.sessions.GetString(v.r.Context(), pendingKey) == "" {
		return v.done(signInPath, "")
	}
	return v.show("code", "One-time code", nil)
}

func (v *visit) signInWithCode() error {
	pending := v.sessions.GetString(v.r.Context(), pendingKey)
	if pending == "" {
		return v.done(signInPath, "")
	}
	if err := v.form(maxForm); err != nil {
		return err
	}
	p, err := v.Identity.CheckCode(v.r.Context(), v.client(), pending, v.field("code"))
	if err != nil {
		return err
	}
	if p.Epoch != v.sessions.GetInt64(v.r.Context(), passedKey) { // the password was for another
		return v.done(signInPath, "")
	}
	return v.signIn(p, v.sessions.GetString(v.r.Context(), backKey))
}

func (v *visit) invitationPage() error {
	p, err := v.Identity.Invited(v.r.Context(), v.r.PathValue("token"))
	if err != nil {
		return err
	}
	return v.show("invitation", "Welcome", p)
}

func (v *visit) accept() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	if v.sent.Get("password") != v.sent.Get("again") {
		return fault.BadParameter("again", "the two passwords differ; type the same one twice")
	}
	p, err := v.Identity.Accept(v.r.Context(), v.client(), v.r.PathValue("token"), v.sent.Get("password"))
	if err != nil {
		return err
	}
	return v.signIn(p, "")
}

func (v *visit) signOut() error {
	v.note("sign_out", v.person.ID, nil)
	if err := v.sessions.Destroy(v.r.Context()); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, signInPath, http.StatusSeeOther)
	return nil
}

// How many clients are remembered, and how often each may be sent to the provider.
const (
	maxClients    = 1 << 12
	vouchesMinute = 20
)

// beginVouching sends a person to the identity provider, from the page to sign in
// alone: it begins a session, in place of any other.
func (v *visit) beginVouching() error {
	if v.person.ID != "" || v.r.Method != http.MethodGet || !v.fromHere(v.r) {
		return v.done(signInPath, "")
	}
	if d := v.vouching.Take(v.client().Scope, time.Now(), vouchesMinute); !d.Allowed {
		err := fault.New(fault.RateLimited, fault.CodeRateLimited, "", "You have been sent to the provider %d times in a minute. Wait a moment.", vouchesMinute)
		err.RetryAfter = d.RetryAfter
		return err
	}
	address, flight, err := v.Provider.Begin(v.r.Context())
	if err != nil {
		return err
	}
	packed, err := json.Marshal(flight)
	if err != nil {
		return err
	}
	if err := v.wait(v.r.URL.Query().Get("to"), map[string]any{flightKey: string(packed)}); err != nil {
		return err
	}
	http.Redirect(v.w, v.r, address, http.StatusSeeOther)
	return nil
}

// finishVouching signs in whom the provider vouches for. What the flight left in the
// session serves once.
func (v *visit) finishVouching() error {
	ctx := v.r.Context()
	var flight oidc.Flight
	if packed := v.sessions.PopString(ctx, flightKey); packed != "" {
		if err := json.Unmarshal([]byte(packed), &flight); err != nil {
			return err
		}
	}
	vouched, err := v.Provider.Finish(ctx, flight, v.r.URL.Query())
	if err != nil {
		return err
	}
	p, err := v.Identity.SignInAs(ctx, v.client(), vouched)
	if err != nil {
		return err
	}
	return v.signIn(p, v.sessions.GetString(ctx, backKey))
}

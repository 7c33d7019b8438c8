// Package keys has the page on which an organisation makes and revokes its keys, and sees
// and revokes the single-use tokens that wait for their socket.
package keys

import (
	"embed"
	"net/url"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/token"
)

//go:embed *.html
var files embed.FS

// Config is what the page needs.
type Config struct {
	Accounts *account.Service
	Tokens   *token.Service // nil where nothing speaks
	API      string         // where clients reach the services, for examples of code
	Speaks   bool           // whether there are pages of speech
}

// pages serves the page.
type pages struct{ Config }

// New returns the section of keys.
func New(cfg Config) page.Section {
	ps := &pages{cfg}
	routes := []page.Route{
		page.Get("/o/{org}/keys", page.Inside, ps.keys),
		page.Post("/o/{org}/keys", page.Inside, ps.createKey, ps.keys),
		page.Post("/o/{org}/keys/{key}/revoke", page.Inside, ps.revokeKey, ps.keys),
	}
	if cfg.Tokens != nil {
		routes = append(routes, page.Post("/o/{org}/tokens/{token}/revoke", page.Inside, ps.revokeToken, ps.keys))
	}
	return page.Section{Files: files, Routes: routes}
}

// keyLine is a key with what it used this month.
type keyLine struct {
	account.Key
	Use     account.KeyUsage
	Expired bool
}

// LastDay writes the last day on which a key that expires is valid.
func (l keyLine) LastDay() string { return page.LastDay(l.Expires) }

// tokenLine is an open single-use token with the label of its key.
type tokenLine struct {
	token.Token
	Label string
}

// endedKeys is the parameter show of the page of keys that have ended.
const endedKeys = "ended"

// keyPage is what the page of keys shows.
type keyPage struct {
	Plan    ledger.Plan // its limits are those of each key
	Month   string
	Lines   []keyLine // of this page, the newest first
	Valid   int       // how many keys are valid
	Ended   int       // how many were revoked or have expired
	Past    bool      // the page lists keys that have ended
	Pages   page.Paging
	Console account.KeyUsage
	// Secret is the secret of Created, a key that was made just now. It is shown once.
	Secret  string
	Created account.Key
	API     string
	Speaks  bool
	Tokens  []tokenLine // the newest first, at most shownTokens
	Open    int         // how many there are; token.MaxListed stands for so many or more
}

// shownTokens is how many open tokens the page lists.
const shownTokens = 50

func (ps *pages) keys(v *page.Visit) error { return ps.showKeys(v, keyPage{}) }

func (ps *pages) showKeys(v *page.Visit, p keyPage) error {
	ctx := v.R.Context()
	report, err := ps.Accounts.Report(ctx, v.Org.ID)
	if err != nil {
		return err
	}
	keys, err := ps.Accounts.Keys(ctx, v.Org.ID)
	if err != nil {
		return err
	}
	used, err := ps.Accounts.Usage(ctx, v.Org.ID, report.Period)
	if err != nil {
		return err
	}
	byKey := map[string]account.KeyUsage{}
	for _, u := range used {
		byKey[u.KeyID] = u
	}
	p.Plan, p.Month, p.Console = report.Plan, page.Month(report.Period), byKey[account.ConsoleKey]
	p.API, p.Speaks = ps.API, ps.Speaks
	var valid, ended []keyLine
	now := time.Now()
	for _, k := range slices.Backward(keys) {
		line := keyLine{Key: k, Use: byKey[k.ID], Expired: k.Revoked.IsZero() && !k.Valid(now)}
		if k.Valid(now) {
			valid = append(valid, line)
		} else {
			ended = append(ended, line)
		}
	}
	p.Valid, p.Ended, p.Past = len(valid), len(ended), v.R.URL.Query().Get("show") == endedKeys
	shown, filter := valid, url.Values{}
	if p.Past {
		shown, filter = ended, url.Values{"show": {endedKeys}}
	}
	if p.Lines, p.Pages, err = page.Slice(v, shown, filter); err != nil {
		return err
	}
	if ps.Tokens != nil && !p.Past {
		if err := ps.showTokens(v, &p, keys); err != nil {
			return err
		}
	}
	return v.Show("keys", "Keys", p)
}

// showTokens adds the open tokens of the organisation to the page.
func (ps *pages) showTokens(v *page.Visit, p *keyPage, keys []account.Key) error {
	open, err := ps.Tokens.Open(v.R.Context(), v.Org.ID)
	if err != nil {
		return err
	}
	labels := map[string]string{account.ConsoleKey: "The console"}
	for _, k := range keys {
		labels[k.ID] = k.Label
	}
	p.Open = len(open)
	for _, t := range open[:min(len(open), shownTokens)] {
		p.Tokens = append(p.Tokens, tokenLine{t, labels[t.KeyID]})
	}
	return nil
}

func (ps *pages) revokeToken(v *page.Visit) error {
	id := v.R.PathValue("token")
	if err := ps.Tokens.Revoke(v.R.Context(), v.Org.ID, id); err != nil {
		return err
	}
	v.Note("token.revoke", id, nil)
	return v.Done(v.At("keys"), "The token is revoked: no socket can be opened with it.")
}

// createKey makes a key and shows it. It does not redirect, since only a digest of the key
// is kept and no other page could show it.
func (ps *pages) createKey(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	req := account.KeyRequest{Label: v.Sent.Field("label")}
	var err error
	if req.Expires, err = v.Sent.Day("expires"); err != nil {
		return err
	}
	if req.MonthlyCap, err = v.Sent.Number("cap", ledger.Unlimited); err != nil {
		return err
	}
	if v.Sent.Field("cap") != "" && req.MonthlyCap < 1 {
		return fault.BadParameter("cap", "Characters a month: type at least 1, or leave it empty for no limit.")
	}
	secret, k, err := ps.Accounts.CreateKey(v.R.Context(), v.Org.ID, req)
	v.Note("key.create", k.ID, err)
	if err != nil {
		return err
	}
	v.Sent = page.Form{} // the form is empty again
	return ps.showKeys(v, keyPage{Secret: secret, Created: k})
}

func (ps *pages) revokeKey(v *page.Visit) error {
	k, err := ps.Accounts.RevokeKeyOf(v.R.Context(), v.Org.ID, v.R.PathValue("key"))
	if k.ID != "" { // "" when the organisation has no such key: the id may be any text
		v.Note("key.revoke", k.ID, err)
	}
	if err != nil {
		return err
	}
	return v.Done(v.At("keys"), "The key "+enquiry.Inert(k.Label)+" is revoked: the next request with it is refused.")
}

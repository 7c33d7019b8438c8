package console

import (
	"net/url"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/enquiry"
	"vaak/internal/fault"
)

func (c *Console) keyRoutes() []route {
	return []route{
		get("/o/{org}/keys", inside, (*visit).keys),
		post("/o/{org}/keys", inside, (*visit).createKey, (*visit).keys),
		post("/o/{org}/keys/{key}/revoke", inside, (*visit).revokeKey, (*visit).keys),
	}
}

// keyLine is a key with what it used this month.
type keyLine struct {
	account.Key
	Use     account.KeyUsage
	Expired bool
}

// LastDay writes the last day on which a key that expires is good.
func (l keyLine) LastDay() string { return lastDay(l.Expires) }

// endedKeys is the parameter show of the page of keys that have ended.
const endedKeys = "ended"

// keyPage is what the page of keys shows.
type keyPage struct {
	Plan    ledger.Plan // whose limits each key has
	Month   string
	Lines   []keyLine // of this page, the newest first
	Live    int       // keys that are good
	Ended   int       // that were revoked or have expired
	Past    bool      // the page is that of keys that have ended
	Pages   paging
	Console account.KeyUsage
	// Secret is that of Created, which was made just now: shown once.
	Secret  string
	Created account.Key
	API     string
}

func (v *visit) keys() error { return v.showKeys(keyPage{}) }

func (v *visit) showKeys(p keyPage) error {
	ctx := v.r.Context()
	report, err := v.Accounts.Report(ctx, v.org.ID)
	if err != nil {
		return err
	}
	keys, err := v.Accounts.Keys(ctx, v.org.ID)
	if err != nil {
		return err
	}
	used, err := v.Accounts.Usage(ctx, v.org.ID, report.Period)
	if err != nil {
		return err
	}
	byKey := map[string]account.KeyUsage{}
	for _, u := range used {
		byKey[u.KeyID] = u
	}
	p.Plan, p.Month, p.Console, p.API = report.Plan, month(report.Period), byKey[account.ConsoleKey], v.API
	var live, ended []keyLine
	now := time.Now()
	for _, k := range slices.Backward(keys) {
		line := keyLine{Key: k, Use: byKey[k.ID], Expired: k.Revoked.IsZero() && !k.Valid(now)}
		if k.Valid(now) {
			live = append(live, line)
		} else {
			ended = append(ended, line)
		}
	}
	p.Live, p.Ended, p.Past = len(live), len(ended), v.r.URL.Query().Get("show") == endedKeys
	shown, filter := live, url.Values{}
	if p.Past {
		shown, filter = ended, url.Values{"show": {endedKeys}}
	}
	if p.Lines, p.Pages, err = paged(v, shown, filter); err != nil {
		return err
	}
	return v.show("keys", "Keys", p)
}

// createKey answers with the key itself, which is nowhere else from then on.
func (v *visit) createKey() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	req := account.KeyRequest{Label: v.field("label")}
	var err error
	if req.Expires, err = v.day("expires"); err != nil {
		return err
	}
	if req.MonthlyCap, err = v.number("cap", ledger.Unlimited); err != nil {
		return err
	}
	if v.field("cap") != "" && req.MonthlyCap < 1 {
		return fault.BadParameter("cap", "Characters a month: type at least 1, or leave it empty for no limit.")
	}
	secret, k, err := v.Accounts.CreateKey(v.r.Context(), v.org.ID, req)
	v.note("key.create", k.ID, err)
	if err != nil {
		return err
	}
	v.sent = nil // the form is empty again
	return v.showKeys(keyPage{Secret: secret, Created: k})
}

func (v *visit) revokeKey() error {
	k, err := v.Accounts.RevokeKeyOf(v.r.Context(), v.org.ID, v.r.PathValue("key"))
	if k.ID != "" { // else there is no such key here
		v.note("key.revoke", k.ID, err)
	}
	if err != nil {
		return err
	}
	return v.done(v.at("keys"), "The key "+enquiry.Inert(k.Label)+" is revoked: the next request with it is refused.")
}

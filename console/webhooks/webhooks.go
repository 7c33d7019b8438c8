// Package webhooks has the pages on which organisations, and operators, manage the addresses that get
// events: make and change them, rotate their secrets, see what was delivered, send it again.
package webhooks

import (
	"embed"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vaak/console/page"
	"vaak/internal/fault"
	"vaak/webhook"
)

//go:embed *.html
var files embed.FS

// pages serves the pages.
type pages struct{ webhooks *webhook.Service }

// New returns the section of webhooks.
func New(service *webhook.Service) page.Section {
	ps := &pages{service}
	var routes []page.Route
	for _, of := range []struct {
		all string
		who page.Access
	}{{"/o/{org}/webhooks", page.Inside}, {"/webhooks", page.Operators}} {
		one := of.all + "/{webhook}"
		routes = append(routes,
			page.Get(of.all, of.who, ps.list),
			page.Post(of.all, of.who, ps.create, ps.list),
			page.Get(one, of.who, ps.endpoint),
			page.Post(one, of.who, ps.change, ps.endpoint),
			page.Post(one+"/enable", of.who, ps.enable, ps.endpoint),
			page.Post(one+"/rotate", of.who, ps.rotate, ps.endpoint),
			page.Post(one+"/test", of.who, ps.test, ps.endpoint),
			page.Post(one+"/replay", of.who, ps.replayFailed, ps.endpoint),
			page.Post(one+"/deliveries/{delivery}/replay", of.who, ps.replay, ps.endpoint),
			page.Get(one+"/deliveries/{delivery}", of.who, ps.delivery),
			page.Post(one+"/delete", of.who, ps.remove, ps.endpoint),
		)
	}
	return page.Section{Files: files, Routes: routes}
}

// owner returns whose endpoints a visit is about. Routes without an organisation are for operators.
func owner(v *page.Visit) string {
	if v.Org.ID == "" {
		return webhook.Operator
	}
	return v.Org.ID
}

// base returns the address of the list.
func base(v *page.Visit) string {
	if v.Org.ID == "" {
		return "/webhooks"
	}
	return v.At("webhooks")
}

// typeBox is a type of events in a form.
type typeBox struct {
	webhook.Kind
	Chosen bool
}

// boxes returns the types that an owner may choose.
func boxes(owner string, chosen []webhook.Type) (all []typeBox) {
	may := webhook.TypesFor(owner)
	for _, k := range webhook.Kinds() {
		if slices.Contains(may, k.Type) {
			all = append(all, typeBox{k, slices.Contains(chosen, k.Type)})
		}
	}
	return all
}

// listPage is what the page of all endpoints shows.
type listPage struct {
	Base       string
	All        []webhook.Endpoint
	Most       int
	Boxes      []typeBox
	Thresholds string
	NoticeDays int
	MaxNotice  int
	Operators  bool
	// Secret is that of Created, an endpoint that was made just now. It is shown once.
	Secret  string
	Created webhook.Endpoint
}

func (ps *pages) list(v *page.Visit) error { return ps.showList(v, listPage{}) }

func (ps *pages) showList(v *page.Visit, p listPage) error {
	all, err := ps.webhooks.Endpoints(v.R.Context(), owner(v))
	if err != nil {
		return err
	}
	p.Base, p.All, p.Most, p.Operators = base(v), all, webhook.MaxEndpoints, v.Org.ID == ""
	p.Boxes, p.Thresholds = boxes(owner(v), sentTypes(v)), written(webhook.DefaultThresholds())
	p.NoticeDays, p.MaxNotice = webhook.DefaultNoticeDays, webhook.MaxNoticeDays
	return v.Show("webhooks", "Webhooks", p)
}

// written returns percentages as they are typed.
func written(thresholds []int) string {
	texts := make([]string, len(thresholds))
	for i, n := range thresholds {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

// sentTypes returns the types of a form.
func sentTypes(v *page.Visit) []webhook.Type {
	types := []webhook.Type{}
	for _, t := range v.Sent.Values["type"] {
		types = append(types, webhook.Type(t))
	}
	return types
}

// draft reads the form of an endpoint.
func draft(v *page.Visit) (d webhook.Draft, err error) {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return d, err
	}
	address, description, types := v.Sent.Field("url"), v.Sent.Field("description"), sentTypes(v)
	d = webhook.Draft{URL: &address, Description: &description, Types: &types}
	if text := v.Sent.Field("thresholds"); text != "" {
		var thresholds []int
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '%' }) {
			n, err := strconv.Atoi(part)
			if err != nil {
				return d, fault.BadParameter("thresholds", "thresholds %.40q is not a list of percentages such as 50, 80, 100", text)
			}
			thresholds = append(thresholds, n)
		}
		d.Thresholds = &thresholds
	}
	if v.Sent.Field("notice_days") != "" {
		n, err := v.Sent.Number("notice_days", 0)
		if err != nil {
			return d, err
		}
		days := int(min(max(n, 0), webhook.MaxNoticeDays+1)) // the service refuses what is outside
		d.NoticeDays = &days
	}
	return d, nil
}

// create makes an endpoint and shows its secret. It does not redirect, since no other page can show it.
func (ps *pages) create(v *page.Visit) error {
	d, err := draft(v)
	if err != nil {
		return err
	}
	e, secret, err := ps.webhooks.Create(v.R.Context(), owner(v), d)
	v.Note("webhook.create", e.ID, err)
	if err != nil {
		return err
	}
	v.Sent = page.Form{} // the form is empty again
	return ps.showList(v, listPage{Secret: secret.String(), Created: e})
}

// endpointPage is what the page of an endpoint shows.
type endpointPage struct {
	Base string
	At   string // the address of the page
	webhook.Endpoint
	Boxes      []typeBox
	Chosen     string // thresholds as they are typed
	MaxNotice  int
	OldUntil   time.Time // until when the secret before signs, too; zero if none does
	Deliveries []webhook.Delivery
	Failed     bool   // the list is of failed ones
	Older      string // address of the next page; "" without one
	First      string // address of the first page, on any other
	Secret     string // a new one, which is shown once
	Changing   page.View
}

func (ps *pages) find(v *page.Visit) (webhook.Endpoint, error) {
	e, err := ps.webhooks.Endpoint(v.R.Context(), owner(v), v.R.PathValue("webhook"))
	if fault.KindOf(err) == fault.NotFound {
		return e, page.NoSuch("webhook endpoint")
	}
	return e, err
}

func (ps *pages) endpoint(v *page.Visit) error { return ps.showEndpoint(v, "") }

func (ps *pages) showEndpoint(v *page.Visit, secret string) error {
	e, err := ps.find(v)
	if err != nil {
		return err
	}
	at := base(v) + "/" + e.ID
	p := endpointPage{
		Base: base(v), At: at, Endpoint: e, Chosen: written(e.Thresholds), MaxNotice: webhook.MaxNoticeDays, Secret: secret,
		Failed: v.R.URL.Query().Get("show") == "failed", Changing: v.Entered("/{webhook}"),
	}
	chosen := e.Types
	if p.Changing.Sent != nil {
		chosen = sentTypes(v)
	}
	p.Boxes = boxes(e.Owner, chosen)
	for _, s := range e.Secrets {
		if s.Until.After(time.Now()) {
			p.OldUntil = s.Until
		}
	}
	// One more than the page shows, which tells whether there are older ones.
	q := webhook.Query{Limit: min(page.Lines+1, webhook.MaxPage), Before: v.R.URL.Query().Get("before")}
	filter := url.Values{}
	if p.Failed {
		q.Outcome = webhook.Failed
		filter.Set("show", "failed")
	}
	if p.Deliveries, err = ps.webhooks.Deliveries(v.R.Context(), owner(v), e.ID, q); err != nil {
		return err
	}
	if q.Before != "" {
		p.First = page.Address(at, filter)
	}
	if len(p.Deliveries) == q.Limit {
		p.Deliveries = p.Deliveries[:q.Limit-1]
		filter.Set("before", p.Deliveries[q.Limit-2].ID)
		p.Older = page.Address(at, filter)
	}
	return v.Show("webhook", "Webhook endpoint", p)
}

// Pages returns the links between pages of deliveries.
func (p endpointPage) Pages() page.Paging { return page.Paging{First: p.First, Older: p.Older} }

// done redirects to the page of the endpoint of the path.
func done(v *page.Visit, notice string) error {
	return v.Done(base(v)+"/"+url.PathEscape(v.R.PathValue("webhook")), notice)
}

// act finds the endpoint of the path, calls do and notes what came of it.
func (ps *pages) act(v *page.Visit, action string, do func(webhook.Endpoint) error) error {
	e, err := ps.find(v)
	if err != nil {
		return err
	}
	err = do(e)
	v.Note(action, e.ID, err)
	return err
}

func (ps *pages) change(v *page.Visit) error {
	d, err := draft(v)
	if err != nil {
		return err
	}
	if err := ps.act(v, "webhook.change", func(e webhook.Endpoint) error {
		_, err := ps.webhooks.Change(v.R.Context(), owner(v), e.ID, d)
		return err
	}); err != nil {
		return err
	}
	return done(v, "The endpoint is changed.")
}

func (ps *pages) enable(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	enabled := v.Sent.Field("enabled") == "yes"
	action, notice := "webhook.disable", "The endpoint is disabled: nothing more is sent to it."
	if enabled {
		action, notice = "webhook.enable", "The endpoint is enabled. What failed before can be sent again below."
	}
	if err := ps.act(v, action, func(e webhook.Endpoint) error {
		_, err := ps.webhooks.Change(v.R.Context(), owner(v), e.ID, webhook.Draft{Enabled: &enabled})
		return err
	}); err != nil {
		return err
	}
	return done(v, notice)
}

// rotate makes a secret and shows it. It does not redirect, since no other page can show it.
func (ps *pages) rotate(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	hours, err := v.Sent.Number("overlap_hours", int64(webhook.DefaultOverlap/time.Hour))
	if err != nil {
		return err
	}
	if most := int64(webhook.MaxOverlap / time.Hour); hours < 0 || hours > most {
		return fault.BadParameter("overlap_hours", "overlap_hours %d is outside 0 to %d", hours, most)
	}
	var secret webhook.Secret
	if err := ps.act(v, "webhook.rotate", func(e webhook.Endpoint) (err error) {
		_, secret, err = ps.webhooks.Rotate(v.R.Context(), owner(v), e.ID, time.Duration(hours)*time.Hour)
		return err
	}); err != nil {
		return err
	}
	v.Sent = page.Form{}
	return ps.showEndpoint(v, secret.String())
}

func (ps *pages) test(v *page.Visit) error {
	if err := ps.act(v, "webhook.test", func(e webhook.Endpoint) error {
		_, err := ps.webhooks.Test(v.R.Context(), owner(v), e.ID)
		return err
	}); err != nil {
		return err
	}
	return done(v, "A test event is queued. Load the page again to see whether it was delivered.")
}

func (ps *pages) replay(v *page.Visit) error {
	if err := ps.act(v, "webhook.replay", func(e webhook.Endpoint) error {
		_, err := ps.webhooks.Replay(v.R.Context(), owner(v), e.ID, v.R.PathValue("delivery"))
		return err
	}); err != nil {
		return err
	}
	return done(v, "The event is queued again.")
}

// replayFailed sends again what failed and is still kept.
func (ps *pages) replayFailed(v *page.Visit) error {
	var n int
	if err := ps.act(v, "webhook.replay", func(e webhook.Endpoint) (err error) {
		n, err = ps.webhooks.ReplayFailed(v.R.Context(), owner(v), e.ID, time.Now().Add(-webhook.Keep))
		return err
	}); err != nil {
		return err
	}
	if n == webhook.MaxReplayed {
		return done(v, page.Plural(n, "event")+" are queued again, which is the most at once; there may be more.")
	}
	return done(v, page.Plural(n, "event")+" queued again.")
}

// deliveryPage is what the page of a delivery shows.
type deliveryPage struct {
	Base string
	At   string // the address of the page of the endpoint
	webhook.Delivery
	Enabled bool
}

func (ps *pages) delivery(v *page.Visit) error {
	e, err := ps.find(v)
	if err != nil {
		return err
	}
	d, err := ps.webhooks.Delivery(v.R.Context(), owner(v), e.ID, v.R.PathValue("delivery"))
	if fault.KindOf(err) == fault.NotFound {
		return page.NoSuch("delivery")
	}
	if err != nil {
		return err
	}
	return v.Show("delivery", "Delivery", deliveryPage{base(v), base(v) + "/" + e.ID, d, e.State == webhook.Enabled})
}

func (ps *pages) remove(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	if err := v.Sent.Sure(); err != nil {
		return err
	}
	if err := ps.act(v, "webhook.delete", func(e webhook.Endpoint) error {
		return ps.webhooks.Delete(v.R.Context(), owner(v), e.ID)
	}); err != nil {
		return err
	}
	return v.Done(base(v), "The endpoint is deleted.")
}

package browser

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// page is one of the console.
type page struct {
	name  string
	path  string // {org} is the organisation of the world
	link  string // selector of a link on that page that leads to the page; "" is the page itself
	below string // is put behind the link
	out   bool   // seen by whoever is not signed in
	// prepare is done in the page before a picture is taken, so that it shows something.
	prepare string
}

// pages are all there are.
var pages = []page{
	{name: "signin", path: "/signin", out: true},
	{name: "overview", path: "/o/{org}"},
	{name: "keys", path: "/o/{org}/keys"},
	{name: "applications", path: "/o/{org}/applications"},
	{name: "playground", path: "/o/{org}/playground", prepare: `(() => {
		const text = document.getElementById("input");
		text.value = "Your EMI of ₹12,500 is due on 5 March. Shall I set up a reminder?";
		text.dispatchEvent(new Event("input", { bubbles: true }));
		return new Promise((done) => document.addEventListener("htmx:afterSettle", () => done(true), { once: true }));
	})()`},
	{name: "voices", path: "/o/{org}/voices"},
	{name: "added voices", path: "/o/{org}/voices?category=custom"},
	{name: "dictionaries", path: "/o/{org}/dictionaries"},
	{name: "dictionary", path: "/o/{org}/dictionaries", link: `main .page a[href*="/dictionaries/"]`},
	{name: "versions", path: "/o/{org}/dictionaries", link: `main .page a[href*="/dictionaries/"]`, below: "/versions"},
	{name: "requests", path: "/o/{org}/requests"},
	{name: "organisations", path: "/organisations"},
	{name: "organisation", path: "/organisations", link: `main .page a[href^="/organisations/"]`},
	{name: "plans", path: "/plans"},
	{name: "plan", path: "/plans", link: `main .page a[href^="/plans/"]`},
	{name: "people", path: "/people"},
	{name: "person", path: "/people", link: `main .page a[href^="/people/"]`},
	{name: "datasets", path: "/datasets"},
	{name: "dataset", path: "/datasets", link: `main .page a[href^="/datasets/"]`},
	{name: "enquiries", path: "/enquiries"},
	{name: "enquiry", path: "/enquiries", link: `main .page a[href^="/enquiries/"]`},
	{name: "webhooks", path: "/o/{org}/webhooks"},
	{name: "webhook", path: "/o/{org}/webhooks", link: `main .page a[href*="/webhooks/"]`},
	{name: "delivery", path: "/o/{org}/webhooks", link: `main .page a[href*="/webhooks/"]`, below: "/deliveries/{delivery}"},
	{name: "operator webhooks", path: "/webhooks"},
	{name: "system", path: "/system"},
	{name: "audit", path: "/audit"},
	{name: "self", path: "/me"},
	{name: "codes", path: "/me/codes"},
}

// reach goes to a page. What the browser said on the way there is not told of it.
func (w world) reach(b *tab, p page) {
	b.t.Helper()
	path := strings.ReplaceAll(p.path, "{org}", w.org)
	if p.link != "" {
		b.visit(path)
		path = ask[string](b, fmt.Sprintf("document.querySelector(`%s`)?.getAttribute('href') ?? ''", p.link))
		if path == "" {
			b.t.Fatalf("%s has no link %s", p.path, p.link)
		}
	}
	b.weight()
	b.visit(path + strings.ReplaceAll(p.below, "{delivery}", w.delivery))
}

//go:embed testdata/axe-core-4.14.1.min.js
var axeScript string

//go:embed testdata/axe.js
var axeRun string

// maxWeight is the most that a page may weigh in all, in bytes.
const maxWeight = 150 << 10

// TestPages looks at each page as people do: on a desk, in the dark and on a phone.
func TestPages(t *testing.T) {
	t.Parallel()
	w := live(t)
	in, out := open(t, w.console), open(t, w.console)
	in.signIn()
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			b := in
			if p.out {
				b = out
			}
			before := b.t
			b.t = t
			defer func() { b.t = before }()
			for _, l := range []look{desk, dark, phone} {
				b.show(l)
				w.reach(b, p)
				b.settle()
				if wire, raw := b.weight(); raw > maxWeight || wire > maxWeight {
					t.Errorf("%s weighs %.0f KiB on the wire and %.0f KiB unpacked, over %d", l.name, wire/1024, raw/1024, maxWeight>>10)
				}
				b.within(l.name)
				b.unfoldAll()
				b.within(l.name + ", all unfolded")
				b.accessible(l.name)
				b.clean(l.name)
			}
		})
	}
}

// settle waits until what the page asks for has come.
func (b *tab) settle() {
	b.t.Helper()
	b.until(`document.readyState === "complete" && !document.querySelector(".htmx-request")`)
}

func (b *tab) unfoldAll() {
	ask[int](b, `(() => { const all = document.querySelectorAll("details:not([open])"); all.forEach(d => { d.open = true; }); return all.length; })()`)
}

// within checks that nothing of the page is beside the window.
func (b *tab) within(how string) {
	b.t.Helper()
	over := ask[[]string](b, `(() => {
		const root = document.documentElement;
		if (root.scrollWidth <= root.clientWidth) return [];
		return [...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > root.clientWidth + 0.5)
			.filter(e => !e.parentElement.closest(".scroll, pre, .tabs")).slice(0, 5).map(e => e.outerHTML.slice(0, 160));
	})()`)
	if len(over) > 0 {
		b.t.Errorf("%s: the page is wider than the window: %q", how, over)
	}
}

// accessible checks the page with axe.
func (b *tab) accessible(how string) {
	b.t.Helper()
	ask[bool](b, axeScript+"\n;true")
	for _, violation := range ask[[]string](b, "("+axeRun+")()") {
		b.t.Errorf("%s: %s", how, violation)
	}
}

// TestErrorPages are as good as the others.
func TestErrorPages(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	b := open(t, s.console)
	s.setUp(t, b)
	for _, path := range []string{"/nowhere", "/o/org_nobody/keys", "/setup", "/invitation/none"} {
		for _, l := range []look{desk, dark, phone} {
			b.show(l)
			r, err := chromedp.Run(b.ctx, chromedp.NavigateResponse(s.console+path))
			if err != nil || r == nil || r.Status != 404 {
				t.Fatalf("%s: %+v, %v; want status 404", path, r, err)
			}
			b.within(path)
			b.accessible(path + " " + l.name)
			b.pardon("404")
			b.clean(path)
		}
	}
}

// The cache is off while weights are taken; with it a second page asks for its own
// bytes alone.
func TestFilesAreKept(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	b := open(t, s.console)
	s.setUp(t, b)
	call(b, network.SetCacheDisabled, network.SetCacheDisabledParams{})
	b.visit("/me")
	b.weight()
	b.visit("/me")
	if wire, _ := b.weight(); wire > 16<<10 {
		t.Errorf("a page that was seen weighs %.0f bytes at the second visit", wire)
	}
}

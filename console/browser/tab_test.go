package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a window of the browser with cookies of its own. What goes wrong in it ends
// the test.
type tab struct {
	t    testing.TB
	ctx  context.Context
	base string // address of the console

	mu         sync.Mutex
	complaints []string // what the browser said was wrong, and requests to elsewhere
	wire, raw  float64  // bytes that came, as they were sent and as they were before
}

// open opens a tab for a console, with the looks of a desk.
func open(t testing.TB, base string) *tab {
	t.Helper()
	ctx, _ := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	ctx, cancel := context.WithTimeout(ctx, 5*patience)
	b := &tab{t: t, ctx: ctx, base: base}
	t.Cleanup(func() {
		b.clean("at the end")
		_ = chromedp.Cancel(ctx) // the tab goes with the browser in any case
		cancel()
	})
	if err := chromedp.Listen(ctx, b.notice); err != nil {
		t.Fatal(err)
	}
	call(b, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	b.show(desk)
	return b
}

// notice takes down what the browser tells.
func (b *tab) notice(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		what := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			what += " " + x.Description
		}
		b.complaints = append(b.complaints, "a script failed: "+what)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			words, _ := json.Marshal(e.Args) // of what came as JSON
			if strings.Contains(string(words), "htmx:sendAbort") {
				// A later request took its place, as hx-sync says. htmx says so in two messages.
				if n := len(b.complaints) - 1; n >= 0 && strings.Contains(b.complaints[n], "htmx:afterRequest") {
					b.complaints = b.complaints[:n]
				}
				return
			}
			b.complaints = append(b.complaints, fmt.Sprintf("a script said: %s", words))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			b.complaints = append(b.complaints, fmt.Sprintf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		u := e.Request.URL
		if !strings.HasPrefix(u, b.base+"/") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:"+b.base+"/") {
			b.complaints = append(b.complaints, "asked elsewhere: "+u)
		}
	case *network.EventDataReceived:
		b.raw += float64(e.DataLength)
	case *network.EventLoadingFinished:
		b.wire += e.EncodedDataLength
	}
}

// clean reports what the browser complained of since the last time.
func (b *tab) clean(where string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Errorf("%s: %s", where, c)
	}
	b.complaints = nil
}

// pardon forgets complaints of the kind: a refusal is an error to the browser's log.
func (b *tab) pardon(kind string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = slices.DeleteFunc(b.complaints, func(c string) bool { return strings.Contains(c, kind) })
}

// weight returns the bytes that came since the last time: those on the wire, and those
// they were before they were compressed.
func (b *tab) weight() (wire, raw float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wire, raw, b.wire, b.raw = b.wire, b.raw, 0, 0
	return wire, raw
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%v on %s", err, b.where())
	}
}

// call sends a command of the protocol.
func call[P, R any](b *tab, cmd cdp.Command[P, R], params P) R {
	b.t.Helper()
	r, err := chromedp.Call(b.ctx, cmd, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// ask evaluates an expression in the page; a promise is waited for.
func ask[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.200s: %v on %s", expression, err, b.where())
	}
	return v
}

// until waits for an expression to be true.
func (b *tab) until(expression string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience))); err != nil {
		b.t.Fatalf("never came true: %s: %v; on %s:\n%.3000s", expression, err, b.where(), ask[string](b, "document.body.innerText"))
	}
}

func (b *tab) where() string {
	at, err := chromedp.Run(b.ctx, chromedp.Location())
	if err != nil {
		return "no page: " + err.Error()
	}
	return at
}

// path returns where the tab is, without the server.
func (b *tab) path() string {
	u, err := url.Parse(b.where())
	if err != nil {
		b.t.Fatal(err)
	}
	return u.RequestURI()
}

// visit goes to a page, which has to be there.
func (b *tab) visit(path string) {
	b.t.Helper()
	r, err := chromedp.Run(b.ctx, chromedp.NavigateResponse(b.base+path))
	if err != nil || r == nil || r.Status != 200 {
		b.t.Fatalf("visit %s: %+v, %v", path, r, err)
	}
}

// look is how a page is looked at.
type look struct {
	name          string
	width, height int64
	scheme        string
}

var (
	desk  = look{"desktop", 1280, 800, "light"}
	dark  = look{"dark", 1280, 800, "dark"}
	phone = look{"phone", 360, 740, "light"}
)

func (b *tab) show(l look) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(l.width, l.height))
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

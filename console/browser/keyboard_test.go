package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func (b *tab) noScripts() {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// focus is what has the keyboard.
type focus struct {
	Name string // as it is read out
	Seen bool   // it is marked as having the keyboard, and in the window
}

const focused = `(() => {
	const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
	const name = e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent ?? e.textContent;
	return {
		Name: name.replace(/\s+/g, " ").trim().slice(0, 80),
		Seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 &&
			box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
	};
})()`

// tabTo presses Tab until something has the keyboard; all on the way there show that
// they have it.
func (b *tab) tabTo(name string) {
	b.t.Helper()
	var way []string
	for range 60 {
		b.do(chromedp.KeyEvent(kb.Tab))
		f := ask[focus](b, focused)
		if !f.Seen {
			b.t.Errorf("nobody sees that %q has the keyboard, on %s", f.Name, b.where())
		}
		if f.Name == name {
			return
		}
		way = append(way, f.Name)
	}
	b.t.Fatalf("Tab never comes to %q on %s: %q", name, b.where(), way)
}

// enter presses Enter and waits for the page that comes.
func (b *tab) enter() {
	b.t.Helper()
	if r, err := chromedp.RunResponse(b.ctx, chromedp.KeyEvent(kb.Enter)); err != nil || r == nil || r.Status != 200 {
		b.t.Fatalf("Enter led to %+v, %v", r, err)
	}
}

// skip goes behind the menu with the first link of the page.
func (b *tab) skip() {
	b.t.Helper()
	b.tabTo("Skip to the content")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`location.hash === "#main"`)
}

func (b *tab) write(text string) {
	b.t.Helper()
	call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// TestKeyboard signs in, makes a key and revokes it without a mouse.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	org := vaak(t, s.dir, "org", "create", "Keys alone")
	s.setUp(t, open(t, s.console))
	b := open(t, s.console)
	b.visit("/signin")
	b.skip()
	b.tabTo("E-mail address")
	b.write("olga@vaak.example")
	b.tabTo("Password")
	b.write(password)
	b.tabTo("Sign in")
	b.enter()

	b.visit("/o/" + org + "/keys")
	b.skip()
	// The form stands open where there is no key yet.
	b.tabTo("Label")
	b.write("by hand")
	b.tabTo("Create key")
	b.enter()
	if key := b.text("#new-key"); !strings.HasPrefix(key, "sk_live_") {
		t.Fatalf("the new key is %q", key)
	}
	b.tabTo("Revoke by hand")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.tabTo("Revoke this key")
	b.enter()
	b.says("The key by hand is revoked")
}

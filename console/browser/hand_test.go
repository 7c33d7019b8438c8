package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/find.js
var findScript string

// place is where something to be clicked is.
type place struct {
	X, Y  float64
	Names []string // of what there is, where nothing has the name
}

// find finds what can be clicked by its name, and brings it into view.
func (b *tab) find(name string) place {
	b.t.Helper()
	quoted, _ := json.Marshal(name) // of a string
	p := ask[place](b, fmt.Sprintf("(%s)(%s)", findScript, quoted))
	if p.X == 0 && p.Y == 0 {
		b.t.Fatalf("nothing to click is called %q on %s; there are %q", name, b.where(), p.Names)
	}
	return p
}

// click clicks what has the name and stays on the page.
func (b *tab) click(name string) {
	b.t.Helper()
	p := b.find(name)
	b.do(chromedp.MouseClickXY(p.X, p.Y))
}

// follow clicks what has the name and waits for the page that comes, which has to have
// a status.
func (b *tab) follow(name string, status int64) {
	b.t.Helper()
	p := b.find(name)
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	r, err := chromedp.RunResponse(ctx, chromedp.MouseClickXY(p.X, p.Y))
	if err != nil || r == nil || r.Status != status {
		b.t.Fatalf("%q led to %+v, %v; want status %d", name, r, err, status)
	}
}

// unfold opens the details whose summary has the name.
func (b *tab) unfold(name string) {
	b.t.Helper()
	quoted, _ := json.Marshal(name) // of a string
	if !ask[bool](b, fmt.Sprintf(`[...document.querySelectorAll("details[open] > summary")].some(s => s.textContent.trim() === %s)`, quoted)) {
		b.click(name)
	}
}

// fill types into the field of a name, in place of what is there.
func (b *tab) fill(field, text string) {
	b.t.Helper()
	kind := ask[string](b, fmt.Sprintf(`(() => {
		const f = [...document.querySelectorAll('[name=%q]')].find(f => f.checkVisibility());
		if (!f) return "";
		f.focus();
		f.select?.();
		return f.type;
	})()`, field))
	switch kind {
	case "":
		b.t.Fatalf("there is no field %q on %s", field, b.where())
	case "date", "select-one":
		quoted, _ := json.Marshal(text) // of a string
		ask[bool](b, fmt.Sprintf(`(() => {
			const f = document.activeElement;
			f.value = %s;
			f.dispatchEvent(new Event("input", { bubbles: true }));
			f.dispatchEvent(new Event("change", { bubbles: true }));
			return true;
		})()`, quoted))
	default:
		call(b, input.InsertText, input.InsertTextParams{Text: text})
	}
}

// text returns what an element says.
func (b *tab) text(selector string) string {
	b.t.Helper()
	quoted, _ := json.Marshal(selector) // of a string
	return ask[string](b, fmt.Sprintf(`document.querySelector(%s)?.innerText ?? ""`, quoted))
}

// says checks that the page says something.
func (b *tab) says(words ...string) {
	b.t.Helper()
	all := b.text("main")
	for _, w := range words {
		if !strings.Contains(all, w) {
			b.t.Errorf("%s does not say %q:\n%.4000s", b.where(), w, all)
		}
	}
}

// Package ui is how every page of the product looks: one stylesheet, one icon,
// one page frame, and the rules under which a browser shows them.
//
// A page is a html/template file that defines "main", and "head" if it adds to the head.
// [Parse] joins it with the frame, and [Kit.Render] executes both. Pages load nothing from
// another host, and [Policy] makes the browser enforce that.
package ui

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
)

// Policy is the Content-Security-Policy of a page with styles and images of this
// server and no script.
const Policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

//go:embed frame.html
var frame string

//go:embed vaak.css
var stylesheet []byte

//go:embed icon.svg
var icon []byte

// favicon is icon.svg at 16, 32 and 48 pixels, as PNGs in an ICO. Some clients ask for
// /favicon.ico without reading a page first.
//
//go:embed icon.ico
var favicon []byte

// Link is an entry of a page's navigation.
type Link struct {
	Href string // a path of this server
	Text string
}

// Page is what the frame shows around a page's own part.
type Page struct {
	Title       string // shown in the tab, before the product's name; "" = the name alone
	Description string // one sentence for search engines; "" = none
	Path        string // path of this page; the navigation entry with the same Href is marked
	Class       string // of the body element; "" = a column of text, "wide" = the whole window
	Nav         []Link
	Version     string // shown in the foot; "" = no foot
	Data        any    // for the page's own template
}

// Browsers and crawlers ask for FaviconPath and RobotsPath on their own.
const (
	FaviconPath = "/favicon.ico"
	RobotsPath  = "/robots.txt"
)

// Kit holds the files that every page needs. Each is served at its [Asset.Path].
type Kit struct {
	Style   *Asset
	Icon    *Asset
	Favicon *Asset
}

// NewKit returns the stylesheet and the icon, with addresses below prefix. The prefix starts
// and ends with a slash ("/static/").
func NewKit(prefix string) *Kit {
	return &Kit{
		Style:   NewAsset(prefix, "vaak.css", "text/css; charset=utf-8", stylesheet),
		Icon:    NewAsset(prefix, "icon.svg", "image/svg+xml", icon),
		Favicon: NewFile(FaviconPath, "image/x-icon", favicon),
	}
}

// Parse returns the frame joined with the templates of a page, which may call the functions.
// One of the texts must define "main". Texts may define "head", and "account", which stands
// at the end of the bar. When two texts define the same template, the later one counts.
func Parse(functions template.FuncMap, texts ...string) (*template.Template, error) {
	t, err := template.New("frame").Funcs(functions).Parse(frame)
	if err != nil {
		return nil, fmt.Errorf("parse the page frame: %w", err)
	}
	for _, text := range texts {
		if _, err := t.New("page").Parse(text); err != nil {
			return nil, fmt.Errorf("parse the page: %w", err)
		}
	}
	return t, nil
}

// Render executes a template of [Parse] and returns the whole page.
func (k *Kit) Render(t *template.Template, p Page) ([]byte, error) {
	var b bytes.Buffer
	err := t.ExecuteTemplate(&b, "frame", struct {
		Page
		Style, Icon string
	}{p, k.Style.Path(), k.Icon.Path()})
	if err != nil {
		return nil, fmt.Errorf("render the page %q: %w", p.Title, err)
	}
	return b.Bytes(), nil
}

// Guard sets the security headers of a page: what it may load (see [Policy]), that browsers
// take its content type as it is, that other hosts do not learn its address, and that no
// page of another site gets a reference to its window.
func Guard(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

package ui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	t.Parallel()
	kit := NewKit("/static/")
	page, err := Parse(nil, `{{define "main"}}<p>{{.Data}}</p>{{end}}{{define "head"}}<meta name="robots" content="noindex">{{end}}`)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	got, err := kit.Render(page, Page{
		Title: "Keys", Path: "/keys", Class: "wide", Version: "v1",
		Nav:  []Link{{Href: "/keys", Text: "Keys"}, {Href: "/usage", Text: "Usage"}},
		Data: `<script>alert(1)</script>`,
	})
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	for _, want := range []string{
		"<title>Keys · Vaak</title>", `<body class="wide">`, `<a href="/keys" aria-current="page">Keys</a>`,
		`<a href="/usage">Usage</a>`, "&lt;script&gt;", `content="noindex"`, kit.Style.Path(), kit.Icon.Path(), "<footer>Vaak v1</footer>",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("Render lacks %q in:\n%s", want, got)
		}
	}
}

func TestRenderPlain(t *testing.T) {
	t.Parallel()
	page, err := Parse(nil, `{{define "main"}}x{{end}}`)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	got, err := NewKit("/s/").Render(page, Page{})
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	if !strings.Contains(string(got), "<title>Vaak</title>") || strings.Contains(string(got), "<footer") || strings.Contains(string(got), "<nav") {
		t.Errorf("Render(Page{}) =\n%s\nwant the bare frame", got)
	}
}

func TestParseFails(t *testing.T) {
	t.Parallel()
	if _, err := Parse(nil, `{{define "main"}}`); err == nil {
		t.Error("Parse of an open definition succeeds, want an error")
	}
	page, err := Parse(nil, `no main`)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	if _, err := NewKit("/").Render(page, Page{}); err == nil {
		t.Error("Render of a page without main succeeds, want an error")
	}
}

func TestAssetPath(t *testing.T) {
	t.Parallel()
	a, b := NewAsset("/s/", "x.min.js", "text/javascript", []byte("1")), NewAsset("/s/", "x.min.js", "text/javascript", []byte("2"))
	if a.Path() == b.Path() {
		t.Errorf("two bodies share the path %s", a.Path())
	}
	if !strings.HasPrefix(a.Path(), "/s/x.min.") || !strings.HasSuffix(a.Path(), ".js") {
		t.Errorf("Path() = %s, want /s/x.min.<digest>.js", a.Path())
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	a := NewAsset("/s/", "x.css", "text/css", []byte("body{}"))
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodHead, a.Path(), nil))
	if w.Body.Len() != 0 || w.Header().Get("Content-Length") != "6" {
		t.Errorf("HEAD: %d bytes of body, length %q; want 0 and 6", w.Body.Len(), w.Header().Get("Content-Length"))
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	Guard(h, Policy)
	for name, want := range map[string]string{
		"Content-Security-Policy": Policy,
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if strings.Contains(Policy, "unsafe") || strings.Contains(Policy, "http") {
		t.Errorf("Policy = %q, want nothing unsafe and no other host", Policy)
	}
}

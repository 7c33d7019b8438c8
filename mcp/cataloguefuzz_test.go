package mcp

import (
	"errors"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/croissant/publish"
	"vaak/internal/fault"
	mcpcatalogue "vaak/mcp/catalogue"
	mcpcroissant "vaak/mcp/croissant"
	"vaak/mcp/tool"
)

// FuzzCatalogueArguments calls every tool of the catalogue with what clients might
// send: there is a result with text, or a fault that a client can read.
func FuzzCatalogueArguments(f *testing.F) {
	for tool := range 5 {
		for _, seed := range []string{
			`{}`, `null`, `[]`, `{"slug":"a"}`, `{"slugs":["a","b"]}`, `{"slugs":"a"}`, `{"document":{"@type":"sc:Dataset"}}`, `{"document":{}}`, `{"document":[]}`,
			`{"q":"\ud800","language":"hi,,ta","min_hours":1e308,"limit":50}`, `{"cursor":"WzAsMSwiIiwiYSIsMTI4ODld"}`, `{"version":"1.1","slug":"a"}`, `{"min_hours":-0}`,
		} {
			f.Add(tool, []byte(seed))
		}
	}
	m := &cataloguetest.Memory{}
	c, err := catalogue.New(f.Context(), catalogue.Config{Store: m, Files: m, PublicURL: "https://x.test"})
	if err != nil {
		f.Fatal(err)
	}
	for _, slug := range []string{"a", "b"} {
		draft := catalogue.Draft{Dataset: cataloguetest.Dataset(slug), Files: []catalogue.DraftFile{cataloguetest.File("recordings.csv", "text/csv", "x\n")}}
		if _, err := c.Put(f.Context(), draft); err != nil {
			f.Fatal(err)
		}
		if _, err := c.Move(f.Context(), slug, catalogue.Published); err != nil {
			f.Fatal(err)
		}
	}
	tools := func() []tool.Entry {
		d := mcpcatalogue.New(c)
		return d.Offer().With(mcpcroissant.Offer(d, publish.New(c, "https://x.test"))).Tools
	}()
	f.Fuzz(func(t *testing.T, which int, args []byte) {
		e := tools[uint(which)%uint(len(tools))]
		r, err := e.Run(t.Context(), tool.Call{}, args)
		if _, ok := errors.AsType[*fault.Error](err); err != nil && !ok {
			t.Errorf("%s(%q) = %v, want a *fault.Error", e.Tool.Name, args, err)
		}
		if err == nil && (r.Text == "" || len(r.Structured) == 0) {
			t.Errorf("%s(%q) = %q %s, want both", e.Tool.Name, args, r.Text, r.Structured)
		}
	})
}

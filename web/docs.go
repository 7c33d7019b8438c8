package web

import (
	_ "embed"

	"vaak/internal/ui"
	"vaak/web/site"
)

// docsPolicy allows what the renderer does: it sets styles (its theme is an inline style
// element), talks to this server when a person tries a request, and plays the answer.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// The renderer is the browser build of the npm package openapi-explorer, as
// published, with its licence beside it.
//
//go:embed static/openapi-explorer-2.4.820/openapi-explorer.min.js
var explorer []byte

//go:embed pages/docs.js
var docsScript []byte

//go:embed pages/docs.css
var docsStyle []byte

// docs is the page that shows the API description, and the files that it loads.
type docs struct {
	page   *site.Document
	assets []*ui.Asset
}

func newDocs(kit *ui.Kit, cfg Config) (docs, error) {
	renderer := ui.NewAsset(site.StaticPrefix, "openapi-explorer.min.js", "text/javascript; charset=utf-8", explorer)
	script := ui.NewAsset(site.StaticPrefix, "docs.js", "text/javascript; charset=utf-8", docsScript)
	style := ui.NewAsset(site.StaticPrefix, "docs.css", "text/css; charset=utf-8", docsStyle)
	body, err := render(kit, "pages/docs.html", ui.Page{
		Title:       "Documentation",
		Description: "Every operation of the service, with its parameters and answers, to read and to try.",
		Path:        "/docs",
		Class:       "wide",
		Data: struct {
			Renderer, Script, Style string
			Speaks                  bool
		}{renderer.Path(), script.Path(), style.Path(), cfg.speaks()},
	}, Config{Catalogue: cfg.Catalogue}) // without the version there is no foot, which would take room from the description
	if err != nil {
		return docs{}, err
	}
	return docs{
		page:   site.NewDocument("text/html; charset=utf-8", docsPolicy, body),
		assets: []*ui.Asset{renderer, script, style},
	}, nil
}

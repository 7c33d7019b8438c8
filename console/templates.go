package console

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"vaak/internal/ui"
)

// staticPrefix is where the pages' files are.
const staticPrefix = "/static/"

//go:embed all:pages
var pageFiles embed.FS

//go:embed static
var staticFiles embed.FS

// templates are the pages and the files that they load.
type templates struct {
	pages  map[string]*template.Template // by name, such as "keys"
	assets map[string]*ui.Asset          // by name, such as "console.js"
}

// htmxVersion is the release of htmx below static.
const htmxVersion = "2.0.8"

// newTemplates reads all pages. Files whose names begin with _ belong to every page.
func newTemplates(c *Console) (*templates, error) {
	t := &templates{pages: map[string]*template.Template{}, assets: map[string]*ui.Asset{}}
	if err := t.load(c.kit); err != nil {
		return nil, err
	}
	files, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		return nil, err
	}
	var shared []string
	own := map[string]string{}
	for _, file := range files {
		text, err := pageFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if name := strings.TrimSuffix(path.Base(file), ".html"); strings.HasPrefix(name, "_") {
			shared = append(shared, string(text))
		} else {
			own[name] = string(text)
		}
	}
	for name, text := range own {
		if t.pages[name], err = ui.Parse(t.functions(), append(shared, text)...); err != nil {
			return nil, fmt.Errorf("pages/%s.html: %w", name, err)
		}
	}
	return t, nil
}

// robots keeps crawlers out: nothing of the console is for the public.
const robots = "User-agent: *\nDisallow: /\n"

// load makes assets of the files below static: scripts of ours, and htmx.
func (t *templates) load(kit *ui.Kit) error {
	t.assets["vaak.css"], t.assets["icon.svg"], t.assets["favicon.ico"] = kit.Style, kit.Icon, kit.Favicon
	t.assets["robots.txt"] = ui.NewFile(ui.RobotsPath, "text/plain; charset=utf-8", []byte(robots))
	files, err := fs.Glob(staticFiles, "static/*.js")
	if err != nil {
		return err
	}
	for _, file := range append(files, "static/htmx-"+htmxVersion+"/htmx.min.js") {
		body, err := staticFiles.ReadFile(file)
		if err != nil {
			return err
		}
		name := path.Base(file)
		t.assets[name] = ui.NewAsset(staticPrefix, name, "text/javascript; charset=utf-8", body)
	}
	return nil
}

// asset returns the address of a file by its name.
func (t *templates) asset(name string) (string, error) {
	a := t.assets[name]
	if a == nil {
		return "", fmt.Errorf("there is no file %q", name)
	}
	return a.Path(), nil
}

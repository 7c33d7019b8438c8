package page

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"vaak/clients"
	"vaak/internal/ui"
)

// staticPrefix is where the pages' files are.
const staticPrefix = "/static/"

// own holds the templates and scripts of the frame. Its templates whose names begin with
// _ belong to every page of the console.
//
//go:embed *.html *.js
var own embed.FS

// htmx is the release of the library as it was published, with its licence beside it.
//
//go:embed static/htmx-2.0.8/htmx.min.js
var htmx []byte

// templates are the pages and the files that they load.
type templates struct {
	pages  map[string]*template.Template // by name, such as "keys"
	assets map[string]*ui.Asset          // by name, such as "console.js"
}

// robots keeps crawlers out: nothing of the console is for the public.
const robots = "User-agent: *\nDisallow: /\n"

// newTemplates reads the templates and scripts of the frame and of all sections.
func newTemplates(kit *ui.Kit, sections []Section) (*templates, error) {
	t := &templates{pages: map[string]*template.Template{}, assets: map[string]*ui.Asset{
		"vaak.css": kit.Style, "icon.svg": kit.Icon, "favicon.ico": kit.Favicon,
		"robots.txt": ui.NewFile(ui.RobotsPath, "text/plain; charset=utf-8", []byte(robots)),
	}}
	t.addScript("htmx.min.js", htmx)
	modules, err := clients.Modules()
	if err != nil {
		return nil, err
	}
	client := ui.NewFolder(staticPrefix, "client", modules)
	for _, a := range client.Assets {
		t.assets["client/"+strings.TrimPrefix(a.Path(), client.Path)] = a
	}
	shared, err := t.add(own, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range sections {
		if s.Files == nil {
			continue
		}
		if _, err := t.add(s.Files, shared); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add adds the pages and scripts of a section. Every page has the templates in shared and
// those of the section whose names begin with _; add returns all of these. Scripts come
// first, as templates ask for the addresses of those of their section.
func (t *templates) add(files fs.FS, shared []string) ([]string, error) {
	scripts, err := fs.Glob(files, "*.js")
	if err != nil {
		return nil, err
	}
	for _, name := range scripts {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		t.addScript(name, body)
	}
	names, err := fs.Glob(files, "*.html")
	if err != nil {
		return nil, err
	}
	shared = append([]string(nil), shared...)
	pages := map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if page := strings.TrimSuffix(path.Base(name), ".html"); strings.HasPrefix(page, "_") {
			shared = append(shared, string(text))
		} else {
			pages[page] = string(text)
		}
	}
	for page, text := range pages {
		if t.pages[page] != nil {
			return nil, fmt.Errorf("two sections have a page %q", page)
		}
		// The page comes last, so that what it defines replaces what is shared.
		if t.pages[page], err = ui.Parse(t.functions(), append(shared[:len(shared):len(shared)], text)...); err != nil {
			return nil, fmt.Errorf("%s.html: %w", page, err)
		}
	}
	return shared, nil
}

func (t *templates) addScript(name string, body []byte) {
	t.assets[name] = ui.NewAsset(staticPrefix, name, "text/javascript; charset=utf-8", body)
}

// asset returns the address of a file by its name.
func (t *templates) asset(name string) (string, error) {
	a := t.assets[name]
	if a == nil {
		return "", fmt.Errorf("there is no file %q", name)
	}
	return a.Path(), nil
}

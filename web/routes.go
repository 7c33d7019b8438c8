package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"vaak/web/site"
)

// add serves a page at a path.
func (h *Handler) add(path string, page http.Handler) { h.addRoute(site.Route{Path: path, Page: page}) }

// addRoute serves a route.
func (h *Handler) addRoute(r site.Route) {
	if r.Name == "" {
		h.routes[r.Path] = r
	} else {
		h.families = append(h.families, r)
	}
}

// Patterns returns what the handler serves, as patterns of [http.ServeMux] in alphabetical
// order. Each page has one for GET, which includes HEAD, and each page that takes a form
// has one for POST.
func (h *Handler) Patterns() []string {
	var out []string
	add := func(path string, r site.Route) {
		out = append(out, "GET "+path)
		if r.Post != nil {
			out = append(out, "POST "+path)
		}
	}
	for path, r := range maps.All(h.routes) {
		if path == "/" {
			path = "/{$}"
		}
		add(path, r)
	}
	for _, f := range h.families {
		add(f.Path+"{"+f.Name+"}", f)
	}
	slices.Sort(out)
	return out
}

// Counted reports whether requests of a pattern count against the rate of their address: forms that
// are sent, and pages that cost much.
func (h *Handler) Counted(pattern string) bool {
	method, path, _ := strings.Cut(pattern, " ")
	return method == http.MethodPost || h.routes[path].Counted
}

// find returns the route of a path, and the path value where the route has a name.
func (h *Handler) find(path string) (r site.Route, value string, ok bool) {
	if r, ok = h.routes[path]; ok {
		return r, "", true
	}
	for _, f := range h.families {
		value, ok := strings.CutPrefix(path, f.Path)
		if ok && value != "" && !strings.Contains(value, "/") {
			return f, value, true
		}
	}
	return site.Route{}, "", false
}

// ServeHTTP answers GET and HEAD for the pages, and POST where a form is taken. It answers
// other methods with 405, and leaves other paths to Config.NotFound.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, value, ok := h.find(r.URL.Path)
	if !ok {
		h.notFound.ServeHTTP(w, r)
		return
	}
	if found.Name != "" {
		r.SetPathValue(found.Name, value)
	}
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		found.Page.ServeHTTP(w, r)
	case r.Method == http.MethodPost && found.Post != nil:
		found.Post.ServeHTTP(w, r)
	default:
		allowed := "GET, HEAD"
		if found.Post != nil {
			allowed += ", POST"
		}
		w.Header().Set("Allow", allowed)
		http.Error(w, "this method is not taken here; allowed: "+allowed, http.StatusMethodNotAllowed)
	}
}

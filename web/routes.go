package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// route is what serves an address.
type route struct {
	page http.Handler // of GET and HEAD
	post http.Handler // of POST; nil where nothing is sent
}

// family is the pages whose address is a prefix and a name.
type family struct {
	prefix string // with a slash at the end
	name   string // of the path value
	route
}

// add serves a page at a path.
func (h *Handler) add(path string, page http.Handler) { h.routes[path] = route{page: page} }

// addFamily serves the pages whose address is a prefix and a name, which the handler
// finds as a path value.
func (h *Handler) addFamily(prefix, name string, page http.Handler) {
	h.families = append(h.families, family{prefix, name, route{page: page}})
}

// addSending is addFamily for pages whose form is sent to the address of the page.
func (h *Handler) addSending(prefix, name string, page, post http.HandlerFunc) {
	h.families = append(h.families, family{prefix, name, route{page, post}})
}

// Patterns returns what the handler serves as patterns of [http.ServeMux], in
// alphabetical order: each page for GET, which takes HEAD along, and those that
// take a form for POST, too.
func (h *Handler) Patterns() []string {
	var out []string
	add := func(path string, r route) {
		out = append(out, "GET "+path)
		if r.post != nil {
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
		add(f.prefix+"{"+f.name+"}", f.route)
	}
	slices.Sort(out)
	return out
}

// find returns what serves a path, and the path value where it is of a family.
func (h *Handler) find(path string) (r route, name, value string, ok bool) {
	if r, ok = h.routes[path]; ok {
		return r, "", "", true
	}
	for _, f := range h.families {
		value, ok := strings.CutPrefix(path, f.prefix)
		if ok && value != "" && !strings.Contains(value, "/") {
			return f.route, f.name, value, true
		}
	}
	return route{}, "", "", false
}

// ServeHTTP answers GET and HEAD of the pages, POST where a form is taken, 405 to
// other methods, and leaves other paths to Config.NotFound.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, name, value, ok := h.find(r.URL.Path)
	if !ok {
		h.notFound.ServeHTTP(w, r)
		return
	}
	if name != "" {
		r.SetPathValue(name, value)
	}
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		found.page.ServeHTTP(w, r)
	case r.Method == http.MethodPost && found.post != nil:
		found.post.ServeHTTP(w, r)
	default:
		allowed := "GET, HEAD"
		if found.post != nil {
			allowed += ", POST"
		}
		w.Header().Set("Allow", allowed)
		http.Error(w, "this method is not taken here; allowed: "+allowed, http.StatusMethodNotAllowed)
	}
}

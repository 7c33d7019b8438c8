package page

import (
	"net/http"
	"slices"
	"strings"

	"vaak/edge"
	"vaak/internal/fault"
)

// Access says who may ask for a route.
type Access int

// Who may ask for a route.
const (
	Anybody   Access = iota // signed in or not
	SignedIn                // who is signed in
	Inside                  // who may enter the organisation {org} of the path
	Operators               // operators
)

// Route is what is served for a method at a path.
type Route struct {
	Method, Path string // the path is a pattern of [http.ServeMux]
	Who          Access
	Serve        func(*Visit) error
	Again        func(*Visit) error // nil: an error gets a page of its own
}

// Get returns a route that shows something. It serves HEAD, too.
func Get(path string, who Access, serve func(*Visit) error) Route {
	return Route{http.MethodGet, path, who, serve, nil}
}

// Post returns a route that takes a form. When serve fails because of what was sent,
// again shows the form once more with [Visit.Sent] and [Visit.Wrong]. Without again such
// an error gets a page of its own, as other errors do.
func Post(path string, who Access, serve, again func(*Visit) error) Route {
	return Route{http.MethodPost, path, who, serve, again}
}

// split serves the files, which are for everybody and need no session, and leaves all
// other requests to pages.
func (s *Site) split(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, a := range s.templates.assets {
		mux.Handle("GET "+a.Path(), a)
	}
	mux.Handle("/", pages)
	return mux
}

// mux serves the routes. An address that is not there gets a page that says so. A method
// that is not served gets one that names those that are.
func (s *Site) mux() http.Handler {
	mux := http.NewServeMux()
	byPath := map[string][]Route{}
	for _, r := range s.routes {
		byPath[r.Path] = append(byPath[r.Path], r)
	}
	for path, routes := range byPath {
		mux.Handle(path, s.methods(path, routes, above(byPath, path, routes)))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, fault.New(fault.NotFound, fault.CodeNotFound, "", "There is no page at this address."))
	})
	return mux
}

// above returns how many segments above an address that only takes a form the page of
// that form lies. It returns 0 where the address has a page of its own.
func above(byPath map[string][]Route, path string, routes []Route) int {
	shows := func(r Route) bool { return r.Method == http.MethodGet }
	if slices.ContainsFunc(routes, shows) || !slices.ContainsFunc(routes, func(r Route) bool { return r.Again != nil }) {
		return 0
	}
	for n := 1; ; n++ {
		at := strings.LastIndexByte(path, '/')
		// Only the index is left above, which shows no form.
		if at <= 0 {
			return 0
		}
		path = path[:at]
		if slices.ContainsFunc(byPath[path], shows) {
			return n
		}
	}
}

// home returns an address without its last segments.
func home(address string, segments int) string {
	for range segments {
		address = address[:strings.LastIndexByte(address, '/')]
	}
	return address
}

// methods serves the routes of one path. A browser that asks for an address that only
// takes a form, as on a reload after the form failed, is redirected to the page that is up
// segments above.
func (s *Site) methods(path string, routes []Route, up int) http.Handler {
	var allow []string
	for _, r := range routes {
		if allow = append(allow, r.Method); r.Method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	name := strings.TrimSuffix(path, "{$}")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The log and the metrics name the pattern, never the path with its ids.
		edge.From(r.Context()).Route = name
		for _, one := range routes {
			if one.Method == r.Method || one.Method == http.MethodGet && r.Method == http.MethodHead {
				s.visit(w, r, one)
				return
			}
		}
		if up > 0 && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			// The escaped path keeps its segments apart when an id holds an escaped slash.
			http.Redirect(w, r, home(r.URL.EscapedPath(), up), http.StatusSeeOther)
			return
		}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		s.refuse(w, r, fault.New(fault.NotAllowed, "method_not_allowed", "", "This address takes %s, not %.20q.", strings.Join(allow, " and "), r.Method))
	})
}

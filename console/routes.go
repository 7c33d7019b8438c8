package console

import (
	"net/http"
	"slices"
	"strings"

	"vaak/edge"
	"vaak/internal/fault"
)

// access says who may ask for a route.
type access int

const (
	anybody   access = iota // signed in or not
	person                  // who is signed in
	inside                  // who may enter the organisation {org} of the path
	operators               // operators
)

// route is what is served at a path.
type route struct {
	method, path string // the path is a pattern of [http.ServeMux]
	who          access
	serve        func(*visit) error
	// again shows the form of a POST again, with what was sent and what is wrong; nil
	// answers with a page of its own.
	again func(*visit) error
}

// get and post make routes.
func get(path string, who access, serve func(*visit) error) route {
	return route{http.MethodGet, path, who, serve, nil}
}

func post(path string, who access, serve, again func(*visit) error) route {
	return route{http.MethodPost, path, who, serve, again}
}

// all lists every route there is.
func (c *Console) all() []route {
	return slices.Concat(
		c.doorRoutes(), c.selfRoutes(),
		c.overviewRoutes(), c.keyRoutes(), c.requestRoutes(),
		c.playgroundRoutes(), c.voiceRoutes(), c.dictionaryRoutes(),
		c.organisationRoutes(), c.planRoutes(), c.peopleRoutes(),
		c.datasetRoutes(), c.enquiryRoutes(), c.systemRoutes(), c.auditRoutes(),
	)
}

// split serves the files itself, which are everybody's and need no session, and has
// pages serve the rest.
func (c *Console) split(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, a := range c.pages.assets {
		mux.Handle("GET "+a.Path(), a)
	}
	mux.Handle("/", pages)
	return mux
}

// mux serves the routes. What is not there is a page that says so, and a
// method that is not served names those that are.
func (c *Console) mux() http.Handler {
	mux := http.NewServeMux()
	byPath := map[string][]route{}
	for _, r := range c.routes {
		byPath[r.path] = append(byPath[r.path], r)
	}
	for path, routes := range byPath {
		mux.Handle(path, c.methods(path, routes, above(byPath, path, routes)))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.refuse(w, r, fault.New(fault.NotFound, fault.CodeNotFound, "", "There is no page at this address."))
	})
	return mux
}

// above returns how many segments the page of a form lies above the address that takes
// the form, when that has no page of its own; else 0.
func above(byPath map[string][]route, path string, routes []route) int {
	shows := func(r route) bool { return r.method == http.MethodGet }
	if slices.ContainsFunc(routes, shows) || !slices.ContainsFunc(routes, func(r route) bool { return r.again != nil }) {
		return 0
	}
	for n := 1; ; n++ {
		at := strings.LastIndexByte(path, '/')
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

// methods serves the routes of one path. Whoever looks at an address that only takes a
// form, as after a form that failed, is sent to the page so many segments above.
func (c *Console) methods(path string, routes []route, up int) http.Handler {
	var allow []string
	for _, r := range routes {
		if allow = append(allow, r.method); r.method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	name := strings.TrimSuffix(path, "{$}")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		edge.From(r.Context()).Route = name
		for _, one := range routes {
			if one.method == r.Method || one.method == http.MethodGet && r.Method == http.MethodHead {
				c.visit(w, r, one)
				return
			}
		}
		if up > 0 && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			http.Redirect(w, r, home(r.URL.EscapedPath(), up), http.StatusSeeOther)
			return
		}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		c.refuse(w, r, fault.New(fault.NotAllowed, "method_not_allowed", "", "This address takes %s, not %.20q.", strings.Join(allow, " and "), r.Method))
	})
}

package frame

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"vaak/edge"
	"vaak/internal/fault"
)

// Routes is the list of all paths and of what serves them. Unlike a bare [http.ServeMux] it never
// redirects, it answers unknown paths and methods in the shape of the API, and it allows a fixed
// path such as /x/new beside a wildcard such as /x/{id}, whatever their methods.
type Routes struct {
	mux   *http.ServeMux
	Paths map[string]*route
}

// route holds the handlers of one path.
type route struct {
	methods map[string]http.Handler // the handler of GET serves HEAD too
	public  bool                    // all methods are public
	instead map[string]string       // by method that is not served: what to do instead
}

func newRoutes() *Routes {
	return &Routes{mux: http.NewServeMux(), Paths: map[string]*route{}}
}

// Add serves a method of a path. Public says that scripts of any origin may request it.
func (t *Routes) Add(method, path string, public bool, h http.Handler) {
	p := t.at(path)
	if p.methods[method] != nil {
		panic("rest: " + method + " " + path + " is served twice")
	}
	p.methods[method] = h
	// OPTIONS answers for all methods at once, so it is public only if every method is.
	p.public = p.public && public
}

// Teach makes a path say what to do instead of methods that it does not serve. The path need not
// serve any method.
func (t *Routes) Teach(path string, instead map[string]string) {
	t.at(path).instead = instead
}

// at returns the route of a path, and makes it at the first call.
func (t *Routes) at(path string) *route {
	p := t.Paths[path]
	if p == nil {
		p = &route{public: true, methods: map[string]http.Handler{}}
		t.Paths[path] = p
	}
	return p
}

// AddPattern is [Routes.Add] for a pattern of [http.ServeMux], such as "GET /docs".
func (t *Routes) AddPattern(pattern string, public bool, h http.Handler) {
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		method, path = http.MethodGet, pattern
	}
	t.Add(method, strings.TrimSpace(path), public, h)
}

// allowed lists the methods that are served, in alphabetical order.
func (p *route) allowed() []string {
	all := slices.Collect(maps.Keys(p.methods))
	if p.methods[http.MethodGet] != nil {
		all = append(all, http.MethodHead)
	}
	slices.Sort(all)
	return all
}

// notFound answers paths at which nothing is served. It names the path that the client probably
// means. It does not redirect, because clients turn a redirected POST into a GET.
func (t *Routes) notFound(w http.ResponseWriter, r *http.Request) {
	instead := "/openapi.json lists what there is"
	if meant, allow := t.meant(r.URL.Path, r.Method); meant != "" {
		instead = fmt.Sprintf("%.100q is there and takes %s", meant, allow)
	}
	ShapeOf(r.URL.Path).Refuse(w, r, fault.New(fault.NotFound, fault.CodeNotFound, "",
		"there is nothing at %.100q; %s", r.URL.Path, instead))
}

// bases are prefixes of paths that clients leave out or write twice.
var bases = []string{"", "/v1", "/v2", "/api/catalogue", "/api"}

// meant returns the path that a client probably means by a path where nothing is served, and the
// methods that are served there. It tries the path without superfluous slashes, with a missing
// version, and without a version that does not belong there. It prefers a path that serves the
// method. meant is "" when there is none.
func (t *Routes) meant(asked, method string) (meant, allow string) {
	if !strings.HasPrefix(asked, "/") {
		return "", "" // the targets of CONNECT and of OPTIONS * are no paths
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	tidy := path.Clean(asked)
	unversioned := tidy
	if rest, ok := strings.CutPrefix(tidy, "/v1/"); ok {
		unversioned = "/" + rest
	}
	for _, base := range bases {
		for _, candidate := range []string{base + tidy, base + unversioned} {
			p := t.served(candidate)
			// A second candidate replaces the first only if it serves the method.
			if p == nil || candidate == asked || meant != "" && p.methods[method] == nil {
				continue
			}
			meant, allow = candidate, strings.Join(p.allowed(), ", ")
			if p.methods[method] != nil {
				return meant, allow
			}
		}
	}
	return meant, allow
}

// served returns the route of a path at which methods are served; nil where none is.
func (t *Routes) served(path string) *route {
	// Patterns have no method, so any method finds the path.
	_, pattern := t.mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	if p := t.Paths[pattern]; p != nil && len(p.methods) > 0 {
		return p
	}
	return nil
}

// Prefixes of the paths of the catalogue's API and of its files.
const (
	cataloguePaths = "/api/catalogue/"
	DatasetPaths   = "/catalogue/datasets/"
)

// ShapeOf returns the dialect of errors at a path that serves nothing.
func ShapeOf(path string) dialect {
	if strings.HasPrefix(path, cataloguePaths) || strings.HasPrefix(path, DatasetPaths) {
		return InCatalogue
	}
	return Native
}

// clean reports whether [http.ServeMux] serves a path as it is. It would redirect a path with
// empty, "." or ".." segments.
func clean(path string) bool {
	if path == "" || path[0] != '/' || strings.Contains(path, "//") {
		return false
	}
	for rest := path; ; {
		i := strings.Index(rest, "/.")
		// No segment begins with a dot any more.
		if i < 0 {
			return true
		}
		rest = rest[i+1:]
		segment, _, _ := strings.Cut(rest, "/")
		if segment == "." || segment == ".." {
			return false
		}
	}
}

// Aliases serves /v1/v1/... and /v1/v2/... as /v1/... and /v2/... . Clients request these paths
// when they add the version to a base address that already has it.
func Aliases(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/v1/") || strings.HasPrefix(r.URL.Path, "/v1/v2/") {
			// Copies, because the request also belongs to the middlewares outside of this one.
			u := new(url.URL)
			*u = *r.URL
			u.Path = strings.TrimPrefix(u.Path, "/v1")
			// RawPath is "" for a path without escapes, and stays so.
			u.RawPath = strings.TrimPrefix(u.RawPath, "/v1")
			r2 := new(http.Request)
			*r2 = *r
			r2.URL = u
			r = r2
		}
		next.ServeHTTP(w, r)
	})
}

// Handler serves one operation. Huma has filled in from the path, the query and the body.
type Handler[In any] func(w http.ResponseWriter, r *http.Request, in *In) error

// Handler returns the handler of all routes that were added so far.
func (t *Routes) Handler() http.Handler {
	for path, p := range t.Paths {
		t.mux.Handle(path, p.handler(strings.TrimSuffix(path, "{$}")))
	}
	// The pattern / takes what no other pattern does, so the mux never answers 404 by itself.
	t.mux.HandleFunc("/", t.notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The mux would redirect such a path, and a client turns a redirected POST into a GET.
		if !clean(r.URL.EscapedPath()) {
			t.notFound(w, r)
			return
		}
		t.mux.ServeHTTP(w, r)
	})
}

// handler returns the handler of a path; name is the path in logs. The handler chooses by method
// itself, because [http.ServeMux] takes the patterns "GET /x/{id}" and "/x/new" for a conflict.
func (p *route) handler(name string) http.Handler {
	all := p.allowed()
	allow := cmp.Or(strings.Join(all, ", "), http.MethodOptions)
	options := edge.Options(strings.Join(append(all, http.MethodOptions), ", "), p.public && len(p.methods) > 0)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		edge.From(r.Context()).Route = name
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		switch h := p.methods[method]; {
		case h != nil:
			h.ServeHTTP(w, r)
		case method == http.MethodOptions:
			options.ServeHTTP(w, r)
		default:
			w.Header().Set("Allow", allow)
			ShapeOf(r.URL.Path).Refuse(w, r, fault.New(fault.NotAllowed, CodeMethodNotAllowed, "",
				"method %.20q is not served at %s; allowed: %s%s", r.Method, name, allow, p.instead[method]))
		}
	})
}

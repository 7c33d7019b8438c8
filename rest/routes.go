package rest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"vaak/edge"
	"vaak/internal/fault"
)

// routes is the one list of what is served where. Unlike a bare
// [http.ServeMux] it never redirects, answers paths and methods that it does not
// know in the shape of the API, and lets a path with a name stand beside one with a
// wildcard, whatever their methods.
type routes struct {
	mux   *http.ServeMux
	paths map[string]*route
}

// route is what is served at one path.
type route struct {
	methods map[string]http.Handler // GET is HEAD, too
	public  bool                    // each method is
	instead map[string]string       // of methods that are not served: what to do instead
}

func newRoutes() *routes {
	return &routes{mux: http.NewServeMux(), paths: map[string]*route{}}
}

// add serves a method of a path. Public says that scripts of any origin may
// ask for it.
func (t *routes) add(method, path string, public bool, h http.Handler) {
	p := t.at(path)
	if p.methods[method] != nil {
		panic("rest: " + method + " " + path + " is served twice")
	}
	p.methods[method] = h
	p.public = p.public && public
}

// teach has a path say what to do instead of methods that it does not serve; it need
// not serve any.
func (t *routes) teach(path string, instead map[string]string) {
	t.at(path).instead = instead
}

// at returns the route of a path, whichever asks for it first.
func (t *routes) at(path string) *route {
	p := t.paths[path]
	if p == nil {
		p = &route{public: true, methods: map[string]http.Handler{}}
		t.paths[path] = p
	}
	return p
}

// addPattern is add for a pattern of [http.ServeMux], such as "GET /docs".
func (t *routes) addPattern(pattern string, public bool, h http.Handler) {
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		method, path = http.MethodGet, pattern
	}
	t.add(method, strings.TrimSpace(path), public, h)
}

// handler returns what serves the routes added so far.
func (t *routes) handler() http.Handler {
	for path, p := range t.paths {
		t.mux.Handle(path, p.handler(strings.TrimSuffix(path, "{$}")))
	}
	t.mux.HandleFunc("/", t.notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !clean(r.URL.EscapedPath()) {
			t.notFound(w, r)
			return
		}
		t.mux.ServeHTTP(w, r)
	})
}

// handler returns what serves a path, which has a name in logs. Methods are told
// apart here and not by the patterns of [http.ServeMux], which takes "GET /x/{id}"
// and "/x/new" for a conflict.
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
			shapeOf(r.URL.Path).refuse(w, r, fault.New(fault.NotAllowed, codeMethodNotAllowed, "",
				"method %.20q is not served at %s; allowed: %s%s", r.Method, name, allow, p.instead[method]))
		}
	})
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

// notFound answers paths at which nothing is served. It names the path that was meant
// where that is plain, and redirects nobody: clients send a POST that is redirected as a
// GET.
func (t *routes) notFound(w http.ResponseWriter, r *http.Request) {
	instead := "/openapi.json lists what there is"
	if meant, allow := t.meant(r.URL.Path, r.Method); meant != "" {
		instead = fmt.Sprintf("%.100q is there and takes %s", meant, allow)
	}
	shapeOf(r.URL.Path).refuse(w, r, fault.New(fault.NotFound, fault.CodeNotFound, "",
		"there is nothing at %.100q; %s", r.URL.Path, instead))
}

// bases are what paths begin with that clients leave out, or put in twice.
var bases = []string{"", "/v1", "/v2", "/api/catalogue", "/api"}

// meant returns the path that a client means which asked for one where there is nothing,
// and the methods that are served there: the same without slashes too many, with the
// version that it lacks, or without the one that does not belong there. One that takes
// the method comes first. It is "" when there is none.
func (t *routes) meant(asked, method string) (meant, allow string) {
	if !strings.HasPrefix(asked, "/") {
		return "", "" // CONNECT, and OPTIONS *
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
func (t *routes) served(path string) *route {
	_, pattern := t.mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	if p := t.paths[pattern]; p != nil && len(p.methods) > 0 {
		return p
	}
	return nil
}

// Where the catalogue's part of the API begins, and that of the files.
const (
	cataloguePaths = "/api/catalogue/"
	datasetPaths   = "/catalogue/datasets/"
)

// shapeOf returns the dialect of errors at a path that serves nothing.
func shapeOf(path string) dialect {
	if strings.HasPrefix(path, cataloguePaths) || strings.HasPrefix(path, datasetPaths) {
		return inCatalogue
	}
	return native
}

// clean reports whether a path is one that [http.ServeMux] serves as it stands,
// and does not redirect.
func clean(path string) bool {
	if path == "" || path[0] != '/' || strings.Contains(path, "//") {
		return false
	}
	for rest := path; ; {
		i := strings.Index(rest, "/.")
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

// aliases serves /v1/v1/... and /v1/v2/... as /v1/... and /v2/...: what clients
// ask for that add the version to a base address that has it already.
func aliases(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/v1/") || strings.HasPrefix(r.URL.Path, "/v1/v2/") {
			u := new(url.URL)
			*u = *r.URL
			u.Path = strings.TrimPrefix(u.Path, "/v1")
			u.RawPath = strings.TrimPrefix(u.RawPath, "/v1")
			r2 := new(http.Request)
			*r2 = *r
			r2.URL = u
			r = r2
		}
		next.ServeHTTP(w, r)
	})
}

// adapter puts huma's operations on the list of routes. What an operation
// declares is what is enforced: security means a key and its limits, a request
// body means that the body is checked, and what needs no key is public, and
// limited by address.
type adapter struct {
	routes *routes
	api    *api
}

// Handle serves an operation; it is called by huma.
func (a *adapter) Handle(op *huma.Operation, handle func(huma.Context)) {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle(humago.NewContext(op, r, w))
	})
	if op.Metadata[metaAbsent] != nil {
		return
	}
	public := len(op.Security) == 0 && op.Metadata[metaEnquiry] == nil
	if dialectOf(op) == elevenLabs {
		h = repeatID(h)
	}
	a.routes.add(op.Method, op.Path, public, edge.Chain(h, a.before(op, public)...))
}

// before lists what is done to a request before its operation sees it.
func (a *adapter) before(op *huma.Operation, public bool) (ms []edge.Middleware) {
	d := dialectOf(op)
	limit := int64(edge.MaxBody)
	switch {
	case public:
		ms = append(ms, edge.Public)
		if limited(op) {
			ms = append(ms, a.api.limited[d])
		}
	case op.Metadata[metaEnquiry] != nil:
		ms, limit = append(ms, edge.Locate(a.api.Clients), a.api.limited[d], a.api.ownPages(d.refuse)), maxEnquiry
	default:
		ms = append(ms, a.api.keyed(d, d.refuse, speaks(op))...)
	}
	if op.RequestBody != nil {
		read := edge.Body
		if op.Metadata[metaBytes] != nil {
			read = edge.Bytes
		}
		ms = append(ms, read(limit, d.refuse))
	}
	return ms
}

// keyed lists what is done to a request that needs a key; what speaks is
// recorded.
func (a *api) keyed(d dialect, refuse edge.Refuse, speaks bool) []edge.Middleware {
	ms := []edge.Middleware{edge.Authenticate(a.Accounts, refuse)}
	if speaks {
		ms = append(ms, a.record(d))
	}
	return append(ms, edge.Enter(a.Accounts, refuse))
}

// What an operation is beside what huma knows of it, as keys of its metadata.
const (
	metaSpeaks  = "speaks"  // makes audio for its caller: it is recorded
	metaFree    = "free"    // is not limited by address
	metaBytes   = "bytes"   // takes a body of any bytes, which is not checked
	metaEnquiry = "enquiry" // sends an enquiry: its client is located, scripts of other origins may not, its body is small
	metaAbsent  = "absent"  // is described and not served
	metaDialect = "dialect" // the dialect of its errors and headers; native when absent
)

// inElevenLabs is the metadata of operations that belong to that dialect.
func inElevenLabs() map[string]any { return map[string]any{metaDialect: elevenLabs} }

func dialectOf(op *huma.Operation) dialect {
	d, _ := op.Metadata[metaDialect].(dialect)
	return d
}

func speaks(op *huma.Operation) bool { return op.Metadata[metaSpeaks] != nil }

// limited reports whether requests to an operation are counted, by key or by
// address.
func limited(op *huma.Operation) bool { return op.Metadata[metaFree] == nil }

// ServeHTTP is part of huma's adapter; requests come in through the routes.
func (a *adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.routes.mux.ServeHTTP(w, r) }

// handler serves one operation whose parameters were bound into in.
type handler[In any] func(w http.ResponseWriter, r *http.Request, in *In) error

// operate declares an operation to huma and serves it with h.
func operate[In any](desc huma.API, op huma.Operation, h handler[In]) {
	// Sizes, times and values are checked where the sentences are: in edge.Body,
	// in the handlers and in the services.
	op.MaxBodyBytes, op.BodyReadTimeout = -1, -1
	op.SkipValidateBody, op.SkipValidateParams = true, true
	describeLimits(desc, &op)
	var body huma.RequestBody
	if op.RequestBody != nil {
		body = *op.RequestBody
		body.Content = maps.Clone(body.Content)
	}
	huma.Register(desc, op, func(_ context.Context, in *In) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(c huma.Context) {
			r, w := humago.Unwrap(c)
			if err := h(w, r, in); err != nil {
				dialectOf(&op).refuse(w, r, err)
			}
		}}, nil
	})
	if op.RequestBody != nil {
		*op.RequestBody = body // huma makes a raw body mere bytes, and required
	}
}

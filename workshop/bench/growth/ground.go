package growth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vaak/workshop/bench/catalogue"
	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// axis is something of which a database has many.
type axis struct {
	of, prose  string
	sizes      []int
	first      func(ctx context.Context, state string, n int) error // before the rows; nil for none
	rows       func(owner, int) []statement
	dictionary string // the id of one that every spoken request names, "" for none
	pages      []page
	records    bool // pages and records of the catalogue are measured, and memory
}

// page is an address that is asked for.
type page struct {
	figure  string
	path    func(owner) string
	console bool
	kind    kind
}

// at is a path that holds the id of the organisation.
func at(path string) func(owner) string {
	return func(o owner) string { return strings.ReplaceAll(path, "{org}", o.org) }
}

// axes are what databases grow by.
func axes(p rig.Plan) []axis {
	few := make([]int, len(p.Decades)) // where an organisation may have a thousand
	for i, n := range p.Decades {
		few[i] = n / 100
	}
	overview := page{"the console's overview, µs", at("/o/{org}"), true, flat}
	wide := overview // where it goes through what there is
	wide.kind = linear
	return []axis{
		{
			of: "organisations", sizes: p.Decades, rows: organisations,
			prose: "Organisations beside the one that is measured, each with a key, a lot, what it has used today, and a dictionary. Operators search the list of them, which is read whole.",
			pages: []page{overview, {"the console's list of them, µs", at("/organisations"), true, linear}},
		},
		{
			of: "keys", sizes: few, rows: keys,
			prose: "Keys of the organisation itself, which may have 1,000; those of others grow with the organisations above. Each has been used today. Reports go through all keys.",
			pages: []page{wide, {"the console's page of keys, µs", at("/o/{org}/keys"), true, linear}, {"`GET /v1/usage`, µs", at("/v1/usage"), false, linear}},
		},
		{
			of: "rows of usage", sizes: p.Decades, rows: usage,
			prose: "Records of requests within the 30 days that they are kept, and as many sums of a day, a voice and a language within a year: so each day has used as many voices as a 365th of the size, and what lists them grows with it. The overview counts the requests of a day.",
			pages: []page{
				wide, {"the console's requests, µs", at("/o/{org}/requests"), true, flat}, {"`GET /v1/usage`, µs", at("/v1/usage"), false, flat},
				{"`GET /v1/usage/daily?by=key`, µs", at("/v1/usage/daily?by=key"), false, flat}, {"`GET /v1/usage/daily?by=voice`, µs", at("/v1/usage/daily?by=voice"), false, linear},
			},
		},
		{
			of: "datasets", sizes: p.Decades, first: datasets, rows: likes, records: true,
			prose: fmt.Sprintf("Records of the catalogue, those of the section on it; beyond the first %s they have the words of one of these and a name of their own. More of the small catalogues is kept as it is sent. The console lists what there is of every status, in order, and counts it.", report.Characters(wholeRecords)),
			pages: []page{overview, {"the console's datasets, µs", at("/datasets"), true, linear}},
		},
		{
			of: "rules of a dictionary", sizes: few, rows: rules, dictionary: theDictionary,
			prose: "Rules of the dictionary that every spoken request names; none is about a word of the text.",
			pages: []page{overview, {"the console's page of the dictionary, µs", at("/o/{org}/dictionaries/" + theDictionary), true, linear}},
		},
	}
}

// ground is a data directory that others are copied from: with an organisation, its key, and an
// operator who has signed in to the console.
type ground struct {
	*rig.Bench
	dir, key, cookie string
}

func newGround(ctx context.Context, b *rig.Bench) (*ground, error) {
	dir, err := os.MkdirTemp(b.Dir, "growth-")
	if err != nil {
		return nil, err
	}
	g := &ground{Bench: b, dir: filepath.Join(dir, "ground")}
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		return nil, err
	}
	if g.key, err = server.Found(ctx, b.Settings, g.dir); err != nil {
		return nil, err
	}
	s, err := g.start(ctx, g.dir)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	g.cookie, err = signIn(ctx, s.Pages, filepath.Join(g.dir, server.StateDir))
	return g, err
}

func (g *ground) start(ctx context.Context, dir string) (*server.Server, error) {
	return server.StartWith(ctx, g.Settings, dir, g.key, "--console-listen", "127.0.0.1:0", "--public-rate", "0", "--pprof")
}

// signIn sets the console up and returns the cookie of the operator.
func signIn(ctx context.Context, address, state string) (string, error) {
	token, err := os.ReadFile(filepath.Join(state, "console-setup-token"))
	if err != nil {
		return "", err
	}
	form := url.Values{"token": {strings.TrimSpace(string(token))}, "name": {"Olga"}, "email": {"olga@example.org"}, "password": {"correct horse battery"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/setup", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	for _, c := range resp.Cookies() {
		if resp.StatusCode == http.StatusSeeOther {
			return c.Name + "=" + c.Value, nil
		}
	}
	return "", fmt.Errorf("the console was not set up: status %d", resp.StatusCode)
}

// measure measures the figures of an axis at all its sizes.
func (g *ground) measure(ctx context.Context, a axis) ([]series, error) {
	var all []series
	for _, n := range a.sizes {
		found, err := g.visit(ctx, a, n)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
		for i, f := range found {
			if len(all) == i {
				all = append(all, series{of: a.of, figure: f.figure, kind: f.kind, sizes: a.sizes})
			}
			all[i].values = append(all[i].values, f.value)
		}
	}
	return all, nil
}

// copyFiles copies the files of a directory, which are small, for their owner alone.
func copyFiles(to, from string) error {
	files, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, 0o700)
	}
	for _, f := range files {
		if err != nil || !f.Type().IsRegular() {
			continue
		}
		var b []byte
		if b, err = os.ReadFile(filepath.Join(from, f.Name())); err == nil {
			err = os.WriteFile(filepath.Join(to, f.Name()), b, 0o600)
		}
	}
	return err
}

// figure is one of a server.
type figure struct {
	figure string
	kind   kind
	value  float64
}

// visit fills a copy of the ground and measures a server on it.
func (g *ground) visit(ctx context.Context, a axis, n int) (_ []figure, err error) {
	dir := filepath.Join(filepath.Dir(g.dir), fmt.Sprintf("%s-%d", strings.ReplaceAll(a.of, " ", "-"), n))
	state := filepath.Join(dir, server.StateDir)
	if err := copyFiles(state, filepath.Join(g.dir, server.StateDir)); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if a.first != nil {
		if err := a.first(ctx, state, n); err != nil {
			return nil, err
		}
	}
	o, err := fill(ctx, state, n, a.rows)
	if err != nil {
		return nil, err
	}
	s, err := g.start(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	f := &figures{ground: g, server: s}
	if err := f.account(a); err != nil {
		return nil, err
	}
	for _, p := range a.pages {
		if err := f.page(p, o); err != nil {
			return nil, err
		}
	}
	if a.records {
		err = f.catalogue(ctx, state, n)
	}
	return f.all, err
}

// figures are those of one server.
type figures struct {
	*ground
	server *server.Server
	all    []figure
}

func (f *figures) add(name string, k kind, value float64) {
	f.all = append(f.all, figure{name, k, value})
}

// asked adds the processor time of requests, of which there is one for each path.
func (f *figures) asked(name string, k kind, s *server.Server, header string, paths ...string) error {
	c, err := client.Dial(s)
	if err != nil {
		return err
	}
	defer c.Close()
	asked := 0
	ask := func() error {
		path := paths[asked%len(paths)]
		asked++
		if _, err := c.Whole(fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, s.Addr, header)); err != nil {
			return fmt.Errorf("GET %s: %w", path, err)
		}
		return nil
	}
	if _, err := processor(s, f.Plan.GrowthBlock/10, ask); err != nil { // until nothing is new
		return err
	}
	used, err := processor(s, f.Plan.GrowthBlock, ask)
	f.add(name, k, used)
	return err
}

// page adds the figure of a page.
func (f *figures) page(p page, o owner) error {
	s, header := f.server, "Authorization: Bearer "+f.key+"\r\n"
	if p.console {
		console := *s
		console.Addr, s, header = s.Pages, &console, "Cookie: "+f.cookie+"\r\n"
	}
	return f.asked(p.figure, p.kind, s, header, p.path(o))
}

// account adds what every request of an organisation needs.
func (f *figures) account(a axis) error {
	t, err := corpus.New(corpus.English, 20)
	if err != nil {
		return err
	}
	fields := map[string]any{"input": t.Text, "voice": t.Lang.Voice, "lang": t.Lang.Code, "stream": true, "response_format": "pcm"}
	if a.dictionary != "" {
		fields["pronunciation_dictionary_locators"] = []any{map[string]any{"pronunciation_dictionary_id": a.dictionary}}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	s := f.server
	request := fmt.Appendf(nil, "POST /v1/audio/speech HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.Addr, f.key, len(body), body)
	c, err := client.Dial(s)
	if err != nil {
		return err
	}
	defer c.Close()
	for range 5 {
		if _, err := c.Whole(request); err != nil {
			return err
		}
	}
	if err := f.asked("an authenticated request, µs", flat, s, "Authorization: Bearer "+f.key+"\r\n", "/v1/pronunciation-dictionaries?page_size=1"); err != nil {
		return err
	}
	var first []time.Duration
	used, err := processor(s, 2*f.Plan.GrowthBlock, func() error {
		d, err := c.First(request, 0)
		first = append(first, d)
		if err == nil {
			err = c.Drain()
		}
		return errors.Join(err, s.WaitIdle())
	})
	f.add("first audio p50, ms", flat, report.Percentile(first, 0.5).Seconds()*1e3)
	f.add("a spoken request with its charge, µs", flat, used)
	return err
}

// catalogue adds figures of the catalogue.
func (f *figures) catalogue(ctx context.Context, state string, n int) error {
	const count = 500 // of each kind, one after the other and then again
	searches, lists := catalogue.Pages(min(n, wholeRecords), count)
	slugs, err := some(ctx, state, count, n)
	if err != nil {
		return err
	}
	for i, slug := range slugs {
		slugs[i] = "/api/catalogue/datasets/" + slug
	}
	err = errors.Join(
		f.asked("a search, µs", slight, f.server, "", searches...),
		f.asked("a list, µs", slight, f.server, "", lists...),
		f.asked("a record, µs", slight, f.server, "", slugs...))
	if err != nil {
		return err
	}
	h, err := f.server.Lean(ctx)
	f.add("heap, MiB", linear, float64(h.Heap)/(1<<20))
	return err
}

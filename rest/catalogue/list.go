package catalogue

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vaak/catalogue"
	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/rest/frame"
)

// DatasetList is the answer of GET /api/catalogue/datasets.
type DatasetList struct {
	Count      int               `json:"count" doc:"Datasets that match, on all pages." minimum:"0"`
	TotalHours int               `json:"totalHours" doc:"Their hours together, rounded half away from zero." minimum:"0"`
	Datasets   []catalogue.Brief `json:"datasets" nullable:"false" doc:"Those of this page."`
	Next       string            `json:"next,omitempty" doc:"Cursor of the next page; absent on the last."`
	Facets     *catalogue.Facets `json:"facets,omitempty" doc:"With facets=true: how many datasets each value would leave."`
}

// FacetCounts is the answer of GET /api/catalogue/facets.
type FacetCounts struct {
	Count      int              `json:"count" doc:"Datasets that match." minimum:"0"`
	TotalHours int              `json:"totalHours" doc:"Their hours together, rounded half away from zero." minimum:"0"`
	Facets     catalogue.Facets `json:"facets" doc:"How many datasets each value would leave."`
}

// filterParameters are the parameters that select datasets.
var filterParameters = []string{"q", "language", "channels", "collection", "domain", "license", "sample_rate", "sample", "transcribed", "min_hours", "min_speakers"}

// ListParameters are the parameters of the list.
var ListParameters = slices.Concat(filterParameters, []string{"similar", "sort", "limit", "cursor", "facets"})

// lists are the parameters of several values, of which a dataset must have one.
var lists = []string{"language", "domain", "license", "sample_rate"}

// listDatasets serves GET /api/catalogue/datasets.
func (a *api) listDatasets(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	key := a.keyOf(r)
	if p, ok := a.pages.Get(key); ok {
		return p.serve(w, r)
	}
	sent, q, err := readQuery(w, r, ListParameters)
	if err != nil {
		return err
	}
	page, err := a.Catalogue.List(q)
	if err != nil {
		return err
	}
	if page.Next != "" {
		w.Header().Set("Link", nextLink(r.URL, sent, page.Next))
	}
	return a.servePage(w, r, key, page.Tag, func() any {
		return DatasetList{page.Count, page.TotalHours, page.Datasets, page.Next, page.Facets}
	})
}

// countDatasets serves GET /api/catalogue/facets.
func (a *api) countDatasets(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	key := a.keyOf(r)
	if p, ok := a.pages.Get(key); ok {
		return p.serve(w, r)
	}
	_, q, err := readQuery(w, r, filterParameters)
	if err != nil {
		return err
	}
	q.Facets, q.Limit = true, 1
	page, err := a.Catalogue.List(q)
	if err != nil {
		return err
	}
	return a.servePage(w, r, key, page.Tag, func() any { return FacetCounts{page.Count, page.TotalHours, *page.Facets} })
}

// readQuery reads the parameters with these names, and names the others in a header of the answer.
func readQuery(w http.ResponseWriter, r *http.Request, names []string) (url.Values, catalogue.Query, error) {
	sent, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, catalogue.Query{}, fault.BadParameter("", "the query of the address cannot be read: %v", err)
	}
	if ignored := frame.IgnoredParameters(sent, names...); ignored != "" {
		w.Header().Set(frame.IgnoredHeader, ignored)
	}
	for name := range sent {
		if !slices.Contains(names, name) {
			delete(sent, name)
		}
	}
	q, err := datasetQuery(sent)
	return sent, q, err
}

// pageKey is what an answer depends on: the state of the catalogue, and what was asked.
type pageKey struct{ tag, path, query string }

func (a *api) keyOf(r *http.Request) pageKey {
	return pageKey{a.Catalogue.Tag(), r.URL.Path, r.URL.RawQuery}
}

// page is an answer to a query, with its headers that depend on the query.
type page struct {
	etag          string
	link, ignored []string
	text          []byte
}

// maxPages bounds the answers in memory, in bytes. They are of the last states of the catalogue; those of
// earlier states are not asked for any more and go.
const maxPages = 16 << 20

func pageSize(k pageKey, p *page) int {
	size := len(k.tag) + len(k.query) + len(p.text)
	for _, header := range slices.Concat(p.link, p.ignored) {
		size += len(header)
	}
	return size
}

func (p *page) serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h["Cache-Control"] = frame.OneMinute
	if p.link != nil {
		h["Link"] = p.link
	}
	if p.ignored != nil {
		h[ignoredHeader] = p.ignored
	}
	return frame.ServeText(w, r, p.etag, p.text)
}

// ignoredHeader is [frame.IgnoredHeader] as a key of a header.
var ignoredHeader = http.CanonicalHeaderKey(frame.IgnoredHeader)

// servePage sends what body returns with the tag of a page, or that the client has it. It keeps what
// was encoded.
func (a *api) servePage(w http.ResponseWriter, r *http.Request, key pageKey, tag string, body func() any) error {
	h := w.Header()
	p := &page{etag: `"` + tag + `"`, link: h["Link"], ignored: h[ignoredHeader]}
	// Before the encoding, which is much of the work.
	if frame.Matches(r.Header, p.etag) {
		return p.serve(w, r)
	}
	var err error
	if p.text, err = document.Encode(body()); err != nil {
		return err
	}
	a.pages.Put(key, p)
	return p.serve(w, r)
}

// datasetQuery reads the parameters of the list. An empty value counts as absent.
func datasetQuery(sent url.Values) (q catalogue.Query, err error) {
	for _, name := range ListParameters {
		// Of two values one would be ignored in silence.
		if !slices.Contains(lists, name) && len(sent[name]) > 1 {
			return q, fault.BadParameter(name, "%s was sent %d times; once is allowed", name, len(sent[name]))
		}
	}
	q = catalogue.Query{
		Q: sent.Get("q"), Channels: sent.Get("channels"), Collection: sent.Get("collection"), Cursor: sent.Get("cursor"),
		Similar: sent.Get("similar"), Sort: catalogue.Sort(sent.Get("sort")), Languages: sent["language"], Domains: sent["domain"], Licences: sent["license"],
	}
	for _, rate := range catalogue.Listed(sent["sample_rate"]) {
		hz, err := strconv.Atoi(rate)
		if err != nil {
			return q, fault.BadParameter("sample_rate", "sample_rate is a number of Hz such as 16000; %.40q was sent", rate)
		}
		q.SampleRates = append(q.SampleRates, hz)
	}
	for _, s := range []struct {
		name string
		to   *bool
	}{{"sample", &q.Sample}, {"transcribed", &q.Transcribed}, {"facets", &q.Facets}} {
		if *s.to, err = switchOf(s.name, sent.Get(s.name)); err != nil {
			return q, err
		}
	}
	if text := sent.Get("min_hours"); text != "" {
		if q.MinHours, err = strconv.ParseFloat(text, 64); err != nil {
			return q, fault.BadParameter("min_hours", "min_hours is a number from 0 up; %.40q was sent", text)
		}
	}
	if text := sent.Get("min_speakers"); text != "" {
		if q.MinSpeakers, err = strconv.Atoi(text); err != nil {
			return q, fault.BadParameter("min_speakers", "min_speakers is a whole number from 0 up; %.40q was sent", text)
		}
	}
	if text := sent.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 {
			return q, fault.BadParameter("limit", "limit is a number from 1 to %d; %.40q was sent", catalogue.MaxPage, text)
		}
	}
	return q, nil
}

// switchOf reads a boolean.
func switchOf(name, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true", "1":
		return true, nil
	case "", "false", "0":
		return false, nil
	}
	return false, fault.BadParameter(name, "%s is true, false, 1 or 0; %.40q was sent", name, value)
}

// nextLink is the value of Link that leads to the next page.
func nextLink(at *url.URL, sent url.Values, cursor string) string {
	next := url.Values{}
	for _, name := range ListParameters {
		if len(sent[name]) > 0 {
			next[name] = sent[name]
		}
	}
	next.Set("cursor", cursor)
	return "<" + at.Path + "?" + next.Encode() + `>; rel="next"`
}

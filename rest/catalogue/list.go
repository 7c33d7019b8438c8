package catalogue

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vaak/catalogue"
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

// ListParameters are the parameters of the list.
var ListParameters = []string{"q", "language", "channels", "collection", "sample", "transcribed", "min_hours", "limit", "cursor", "facets"}

// listDatasets serves GET /api/catalogue/datasets.
func (a *api) listDatasets(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	sent, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fault.BadParameter("", "the query of the address cannot be read: %v", err)
	}
	q, err := datasetQuery(sent)
	if err != nil {
		return err
	}
	page, err := a.Catalogue.List(q)
	if err != nil {
		return err
	}
	h := w.Header()
	if ignored := frame.IgnoredParameters(sent, ListParameters...); ignored != "" {
		h.Set(frame.IgnoredHeader, ignored)
	}
	if page.Next != "" {
		h.Set("Link", nextLink(r.URL, sent, page.Next))
	}
	h.Set("Cache-Control", "public, max-age=60")
	etag := `"` + page.Tag + `"`
	// Before the encoding, which is most of the work.
	if frame.Matches(r.Header, etag) {
		h.Set("ETag", etag)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	text, err := frame.EncodeJSON(DatasetList{page.Count, page.TotalHours, page.Datasets, page.Next, page.Facets})
	if err != nil {
		return err
	}
	return frame.ServeText(w, r, etag, text)
}

// datasetQuery reads the parameters of the list. An empty value counts as absent.
func datasetQuery(sent url.Values) (q catalogue.Query, err error) {
	for _, name := range ListParameters {
		// Of two values one would be ignored in silence. Languages are a list.
		if name != "language" && len(sent[name]) > 1 {
			return q, fault.BadParameter(name, "%s was sent %d times; once is allowed", name, len(sent[name]))
		}
	}
	q = catalogue.Query{Q: sent.Get("q"), Channels: sent.Get("channels"), Collection: sent.Get("collection"), Cursor: sent.Get("cursor")}
	q.Languages = catalogue.LanguageNames(sent["language"])
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

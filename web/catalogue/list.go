package catalogue

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/web/site"
)

// cardsPerPage is how many datasets a page of the list shows.
const cardsPerPage = 24

// facetMax is how many values of a facet are shown.
const facetMax = 60

// listView is the page of the list.
type listView struct {
	Query    string
	MinHours string
	Speakers string
	Brief    *brief // nil without filters
	Sorts    []sorting
	Like     string  // the dataset to which others are compared; "" for none
	Kept     []param // filters that the search form sends along
	Problem  string  // what is wrong with the query; "" for nothing
	Count    string
	Hours    string
	None     bool // no dataset matches
	Pair     bool // there are several to compare
	Filtered bool
	Chosen   []choice // filters that are on
	Facets   []facet
	Cards    []card
	Next     string      // address of the next page
	First    string      // address of the first page, on any other
	Ask      string      // address of the form for enquiries; "" where nobody takes them
	About    template.JS // what search engines read of the first page; "" on others
}

type param struct{ Name, Value string }

// sorting is an order of the list.
type sorting struct {
	Value, Label string
	Chosen       bool
}

// choice is a filter that is on, with the address of the list without it.
type choice struct{ Label, Href string }

// facet is a property with the values to choose from.
type facet struct {
	Name    string
	Options []option
	More    []option // less common values
}

type option struct {
	Label  string
	Count  string
	Href   string // address of the list with the value, or without it when it is chosen
	Chosen bool
}

// card is a dataset in the list.
type card struct {
	Slug, Href, Title  string
	Lang, Language     string
	Hours              string
	Channels           string
	Collection, Domain string
	Badges             []string
	Unknown            string // what the filters ask for and nobody knows of it
}

// serveList answers with the list of datasets that match the query.
func (s *pages) serveList(w http.ResponseWriter, r *http.Request) {
	f, err := readFilter(r.URL.Query())
	var page catalogue.Page
	if err == nil {
		page, err = s.reader.List(f.query())
	}
	// Hidden from search engines where a filter is on: filters make endless addresses of the same
	// datasets.
	a := site.Answer{
		Status: http.StatusOK, Title: "Catalogue", Path: site.ListPath, Page: s.list, Hidden: f.on() || f.cursor != "",
		Description: "Conversational speech datasets to license: each with its measurements, and a sample to hear.",
	}
	if err != nil {
		bad, ok := errors.AsType[*fault.Error](err)
		if !ok || bad.Kind != fault.Invalid {
			s.CatalogueFailed(w, r, err)
			return
		}
		a.Status, a.Hidden = http.StatusBadRequest, true
		a.View = listView{Query: f.q, MinHours: f.minHours, Filtered: true, Problem: site.Clip(bad.Msg, site.TitleMax)}
		s.Send(w, r, a)
		return
	}
	v := newList(f, page)
	if s.enquiries != nil {
		v.Ask = site.AskPath
	}
	if !a.Hidden {
		v.About = s.about(page)
	}
	if v.Brief = s.newBrief(f); f.unknown {
		for i, b := range page.Datasets {
			d, err := s.reader.Dataset(r.Context(), b.Slug)
			if err == nil { // else it is gone meanwhile
				v.Cards[i].Unknown = strings.Join(f.unknownOf(d), ", ")
			}
		}
	}
	a.View = v
	s.Send(w, r, a)
}

func newList(f filter, page catalogue.Page) listView {
	v := listView{
		Query: f.q, MinHours: f.minHours, Speakers: f.minSpeakers, Kept: f.kept(), Sorts: f.sorts(), Like: site.Clip(f.similar, site.WordMax),
		Count: site.Plural(page.Count, "dataset", "datasets"), Hours: totalHours(page),
		None: page.Count == 0, Filtered: f.on(), Chosen: f.chosen(page.Facets), Facets: f.facets(page.Facets),
	}
	for _, b := range page.Datasets {
		v.Cards = append(v.Cards, newCard(b))
	}
	v.Pair = len(v.Cards) > 1
	if page.Next != "" {
		v.Next = f.with("cursor", page.Next).address()
	}
	if f.cursor != "" {
		v.First = f.with("cursor", "").address()
	}
	return v
}

func newCard(b catalogue.Brief) card {
	c := card{
		Slug: b.Slug, Href: site.DatasetPath(b.Slug), Title: site.Clip(b.Title, site.TitleMax), Lang: tag(b.BCP47), Language: site.Clip(b.Language, site.WordMax),
		Hours: hours(b.Hours), Channels: channelWords(b.Channels), Collection: collectionWords(b.Collection), Domain: opt(b.Domain, site.WordMax),
	}
	if b.HasSample {
		c.Badges = append(c.Badges, "Sample to hear")
	}
	if b.Transcribed {
		c.Badges = append(c.Badges, "Transcribed")
	}
	// Less than that is shown as 0%.
	if b.EnglishShare != nil && *b.EnglishShare >= 0.005 {
		c.Badges = append(c.Badges, percent(*b.EnglishShare)+" English words")
	}
	return c
}

func hours(h float64) string {
	if h == 1 {
		return "1 hour"
	}
	return site.Decimal(h, 2) + " hours"
}

func channelWords(p *string) string {
	switch opt(p, site.WordMax) {
	case catalogue.Dual:
		return "a channel per speaker"
	case catalogue.Mono:
		return "one mixed channel"
	}
	return opt(p, site.WordMax)
}

func collectionWords(p *string) string {
	switch opt(p, site.WordMax) {
	case catalogue.CallCentre:
		return "call centre"
	case catalogue.GeneralConversation:
		return "general conversation"
	}
	return opt(p, site.WordMax)
}

// filter is the query of the page of the list.
type filter struct {
	q                    string
	languages            []string
	channels, collection string
	sample, transcribed  bool
	unknown              bool // also what may fit, because something is not known of it
	domains, licences    []string
	rates                []string
	minHours             string
	hours                float64
	minSpeakers          string
	speakers             int
	sort, similar        string
	cursor               string
}

// readFilter reads the parameters that the page knows, and ignores others. An empty value
// is the same as none.
func readFilter(v url.Values) (filter, error) {
	f := filter{
		q: site.Value(v, "q"), channels: site.Value(v, "channels"), collection: site.Value(v, "collection"),
		minHours: site.Value(v, "min_hours"), sort: site.Value(v, "sort"), similar: site.Value(v, "similar"), cursor: site.Value(v, "cursor"),
		languages: several(catalogue.Listed(v["language"])), domains: several(v["domain"]),
		licences: several(v["license"]), rates: several(catalogue.Listed(v["sample_rate"])),
	}
	for _, rate := range f.rates {
		if hz, err := strconv.Atoi(rate); err != nil || hz < 1 {
			return f, fault.BadParameter("sample_rate", "sample_rate is a number of Hz such as 16000, not %q", site.Clip(rate, 40))
		}
	}
	var err error
	if f.sample, err = readSwitch(v, "sample"); err != nil {
		return f, err
	}
	if f.transcribed, err = readSwitch(v, "transcribed"); err != nil {
		return f, err
	}
	if f.unknown, err = readSwitch(v, "unknown"); err != nil {
		return f, err
	}
	if f.minSpeakers = site.Value(v, "min_speakers"); f.minSpeakers != "" {
		if f.speakers, err = strconv.Atoi(f.minSpeakers); err != nil {
			return f, fault.BadParameter("min_speakers", "min_speakers is a whole number, 0 or more, not %q", site.Clip(f.minSpeakers, 40))
		}
	}
	if f.minHours != "" {
		if f.hours, err = strconv.ParseFloat(f.minHours, 64); err != nil {
			return f, fault.BadParameter("min_hours", "min_hours is a number of hours, 0 or more, not %q", site.Clip(f.minHours, 40))
		}
	}
	return f, nil
}

// several returns the different values that are not empty.
func several(values []string) (out []string) {
	seen := map[string]bool{"": true} // an address can have very many
	for _, one := range values {
		if one = site.Plain(one); !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	return out
}

func readSwitch(v url.Values, name string) (bool, error) {
	switch sent := strings.ToLower(site.Value(v, name)); sent {
	case "true", "1", "on":
		return true, nil
	case "", "false", "0", "off":
		return false, nil
	default:
		return false, fault.BadParameter(name, "%s is true or false, not %q", name, site.Clip(sent, 40))
	}
}

func (f filter) query() catalogue.Query {
	q := catalogue.Query{
		MinSpeakers: f.speakers, OrUnknown: f.unknown, Domains: f.domains, Licences: f.licences, Sort: catalogue.Sort(f.sort), Similar: f.similar,
		Q: f.q, Languages: f.languages, Channels: f.channels, Collection: f.collection, Sample: f.sample,
		Transcribed: f.transcribed, MinHours: f.hours, Limit: cardsPerPage, Cursor: f.cursor, Facets: true,
	}
	for _, rate := range f.rates {
		hz, _ := strconv.Atoi(rate) // it was checked
		q.SampleRates = append(q.SampleRates, hz)
	}
	return q
}

// on reports whether the filter can leave datasets out.
func (f filter) on() bool {
	return f.q != "" || len(f.languages)+len(f.domains)+len(f.licences)+len(f.rates) > 0 || f.similar != "" || f.sort != "" || f.speakers > 0 || f.unknown || f.channels != "" || f.collection != "" || f.sample || f.transcribed || f.hours > 0
}

// totalHours writes how many hours all matching datasets have.
func totalHours(page catalogue.Page) string {
	if page.Count > 0 && page.TotalHours == 0 {
		return "less than an hour"
	}
	return site.Plural(page.TotalHours, "hour", "hours")
}

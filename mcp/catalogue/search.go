package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"vaak/catalogue"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
)

// searchDatasetsInput holds the arguments of search_datasets.
type searchDatasetsInput struct {
	Q           string   `json:"q,omitempty" doc:"Words of title, slug, domain, language or description, mistyped too." maxLength:"200"`
	Language    []string `json:"language,omitempty" doc:"Languages, any of them: names, codes or tags, such as Bangla or ta-IN." maxItems:"10"`
	Channels    string   `json:"channels,omitempty" doc:"dual: a channel for each speaker; mono: mixed." enum:"dual,mono"`
	Collection  string   `json:"collection,omitempty" doc:"Kind of talk." enum:"call-centre,general-conversation"`
	Domain      []string `json:"domain,omitempty" doc:"Domains, any of them." maxItems:"10"`
	License     []string `json:"license,omitempty" doc:"Licences, any of them." maxItems:"10"`
	SampleRate  []int    `json:"sample_rate,omitempty" doc:"Rates in Hz, any of them." maxItems:"10"`
	Sample      bool     `json:"sample,omitempty" doc:"Only with a sample to hear."`
	Transcribed bool     `json:"transcribed,omitempty" doc:"Only with time-aligned transcripts."`
	MinHours    float64  `json:"min_hours,omitempty" doc:"Hours at least." minimum:"0"`
	MinSpeakers int      `json:"min_speakers,omitempty" doc:"Speakers at least." minimum:"0"`
	Similar     string   `json:"similar,omitempty" doc:"Slug: the most like it first. Not with sort."`
	Sort        string   `json:"sort,omitempty" doc:"Default: relevance." enum:"relevance,hours,newest,speakers,title"`
	Limit       int      `json:"limit,omitempty" doc:"Most on a page." default:"20" minimum:"1" maximum:"50"`
	Cursor      string   `json:"cursor,omitempty" doc:"nextCursor of the page before, with its q and filters." maxLength:"4096"`
}

// searchDatasetsOutput is the structured result of search_datasets.
type searchDatasetsOutput struct {
	Count      int            `json:"count" doc:"Matches on all pages"`
	TotalHours int            `json:"totalHours"`
	URL        string         `json:"url,omitempty" doc:"Page of a dataset; put its slug in"`
	Datasets   []datasetBrief `json:"datasets"`
	NextCursor string         `json:"nextCursor,omitempty" doc:"Absent on the last page"`
}

// datasetBrief is a dataset in a list: a [catalogue.Brief] without members that follow from the
// slug or the tag of the language, and without members that are not known.
type datasetBrief struct {
	Slug         string   `json:"slug"`
	Title        string   `json:"title"`
	BCP47        string   `json:"bcp47"`
	Hours        float64  `json:"hours"`
	Channels     *string  `json:"channels,omitempty"`
	Collection   *string  `json:"collection,omitempty"`
	Domain       *string  `json:"domain,omitempty"`
	Transcribed  bool     `json:"transcribed"`
	HasSample    bool     `json:"hasSample"`
	EnglishShare *float64 `json:"englishShare,omitempty" doc:"0 to 1, in the sample"`
}

// defaultDatasets is how many datasets a page has by default.
const defaultDatasets = 20

// searchTool is the tool search_datasets.
func (d *Datasets) searchTool() tool.Entry {
	return tool.New(tool.Definition{
		Name:        "search_datasets",
		Title:       "Find datasets",
		Description: "Find speech datasets to license, by words and filters; without arguments all, the largest first. Start here.",
		Hints:       tool.LookUp,
		Advise:      d.Advise,
	}, func(_ context.Context, _ tool.Call, in searchDatasetsInput) (tool.Answer[searchDatasetsOutput], error) {
		q := in.query()
		page, err := d.catalogue.List(q)
		if err != nil {
			return tool.Answer[searchDatasetsOutput]{}, err
		}
		if page.Count == 0 {
			return d.nothing(q, page), nil
		}
		known, err := d.pages.of(page)
		if err == nil {
			known, err = d.shortened(q, page, known, in.mostBytes())
		}
		return tool.Answer[searchDatasetsOutput]{Encoded: known.structured, Text: known.text}, err
	})
}

// Bounds of a page, in bytes of the structured result and the text together.
const (
	maxDefaultPage = 6_400  // when the call names no limit: some 2,000 tokens
	maxNamedPage   = 25_600 // when the call names a limit: under 8,000 tokens
)

// mostBytes returns how long the answer may be.
func (in searchDatasetsInput) mostBytes() int {
	if in.Limit == 0 {
		return maxDefaultPage
	}
	return maxNamedPage
}

// shortened returns as much of a page as fits into most bytes, but at least one dataset. The
// next page begins with the first dataset that was left out.
func (d *Datasets) shortened(q catalogue.Query, page catalogue.Page, known foundPage, most int) (foundPage, error) {
	for n := len(page.Datasets); known.size() > most && n > 1; {
		n = min(n-1, n*most/known.size()) // at least one less, so that this ends
		q.Limit = max(n, 1)
		shorter, err := d.catalogue.List(q)
		if err != nil {
			return foundPage{}, err
		}
		if known, err = d.pages.of(shorter); err != nil {
			return foundPage{}, err
		}
	}
	return known, nil
}

// query returns the query for the catalogue.
func (in searchDatasetsInput) query() catalogue.Query {
	q := catalogue.Query{
		Q: in.Q, Languages: in.Language, Channels: in.Channels, Collection: in.Collection,
		Domains: in.Domain, Licences: in.License, SampleRates: in.SampleRate, MinSpeakers: in.MinSpeakers,
		Similar: in.Similar, Sort: catalogue.Sort(in.Sort),
		Sample: in.Sample, Transcribed: in.Transcribed, MinHours: in.MinHours, Limit: in.Limit, Cursor: in.Cursor,
	}
	if q.Limit == 0 {
		q.Limit = defaultDatasets
	}
	return q
}

// foundPage is a page of the list as structured result and as text.
type foundPage struct {
	structured json.RawMessage
	text       string
}

// size returns how many bytes both forms have together.
func (p foundPage) size() int { return len(p.structured) + len(p.text) }

// writePage writes the forms of a page.
func writePage(page catalogue.Page) (foundPage, error) {
	out := searchDatasetsOutput{Count: page.Count, TotalHours: page.TotalHours, Datasets: make([]datasetBrief, len(page.Datasets)), NextCursor: page.Next}
	for i, b := range page.Datasets {
		out.Datasets[i] = briefOf(b)
	}
	if len(page.Datasets) > 0 {
		if b := page.Datasets[0]; tool.Absolute(b.URL) {
			// One address for all datasets keeps the answer short.
			out.URL = strings.TrimSuffix(b.URL, b.Slug) + "{slug}"
		}
	}
	structured, err := tool.Encode(out)
	if err != nil {
		return foundPage{}, fmt.Errorf("encode a page of datasets: %w", err)
	}
	return foundPage{structured, out.text(hours(float64(page.Centihours) / 100))}, nil
}

// Lengths of texts in a list, in code points. A page of 50 datasets with texts of these lengths
// stays readable.
const (
	maxBriefTitle  = 120
	maxBriefDomain = 60
)

func briefOf(b catalogue.Brief) datasetBrief {
	out := datasetBrief{
		Slug: b.Slug, Title: plain.Line(b.Title, maxBriefTitle), BCP47: b.BCP47, Hours: b.Hours,
		Channels: b.Channels, Collection: b.Collection, Transcribed: b.Transcribed, HasSample: b.HasSample,
		EnglishShare: b.EnglishShare,
	}
	if b.Domain != nil {
		out.Domain = new(plain.Line(*b.Domain, maxBriefDomain))
	}
	return out
}

// text returns the page as text, a line for each dataset. It has no titles, because slug,
// language and domains say the same. inAll is how many hours all matches have together.
func (o searchDatasetsOutput) text(inAll string) string {
	if len(o.Datasets) == 0 {
		return fmt.Sprintf("No more datasets: none of the %d comes after this cursor. Leave cursor out to begin at the beginning.", o.Count)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d datasets, %s h in all. slug|language|hours|domain|marks: d(ual) or m(ono), c(all-centre) or g(eneral), t(ranscripts), s(ample):",
		len(o.Datasets), o.Count, inAll)
	for _, d := range o.Datasets {
		fmt.Fprintf(&b, "\n%s|%s|%s|%s|%s", d.Slug, d.BCP47, hours(d.Hours), strings.ReplaceAll(orNothing(d.Domain), "|", "/"), d.marks())
	}
	if o.NextCursor != "" {
		fmt.Fprintf(&b, "\nnextCursor: %s", o.NextCursor)
	}
	return b.String()
}

// marks returns the properties of a dataset, a letter for each.
func (d datasetBrief) marks() string {
	var marks string
	for _, m := range []struct {
		has  bool
		mark string
	}{
		{orNothing(d.Channels) == "dual", "d"}, {orNothing(d.Channels) == "mono", "m"},
		{orNothing(d.Collection) == "call-centre", "c"}, {orNothing(d.Collection) == "general-conversation", "g"},
		{d.Transcribed, "t"}, {d.HasSample, "s"},
	} {
		if m.has {
			marks += m.mark
		}
	}
	return marks
}

// hours returns a number of hours with the precision that a list needs.
func hours(h float64) string {
	if h >= 10 {
		return strconv.FormatFloat(h, 'f', 0, 64)
	}
	return number(h)
}

// orNothing returns the text that a pointer leads to, "" for nil.
func orNothing(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

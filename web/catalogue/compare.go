package catalogue

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/web/site"
)

// comparePath is the address of the comparison; each dataset is a parameter "dataset" with its
// slug.
const comparePath = "/catalogue/compare"

// maxCompared is how many datasets are compared side by side.
const maxCompared = 4

// comparison is the page on which datasets stand side by side.
type comparison struct {
	Problem string
	Columns []column
	Parts   []comparedPart
	Room    bool // another dataset can be added
}

// column is a dataset of the comparison.
type column struct {
	Slug, Title, Href string
	Without           string // address of the comparison without it; "" where it is alone
	Alike             string // address of the list of datasets like it
	Ask               string // address of the form about it; "" where nobody takes enquiries
}

// comparedPart is the facts that differ, or those that are the same.
type comparedPart struct {
	Title string
	Span  int
	Rows  []comparedRow
}

// comparedRow is a fact with its value of each dataset; "" is not known.
type comparedRow struct {
	Name   string
	Values []string
}

// serveComparison answers with up to four datasets side by side.
func (s *pages) serveComparison(w http.ResponseWriter, r *http.Request) {
	v, err := s.compare(r)
	a := site.Answer{
		Status: http.StatusOK, Title: "Compare datasets", Path: comparePath, Page: s.comparison, Hidden: true,
		Description: "Datasets side by side: what differs, what is the same, and what nobody knows.",
	}
	if err != nil {
		s.CatalogueFailed(w, r, err)
		return
	}
	if v.Problem != "" {
		a.Status = http.StatusBadRequest
	}
	a.View = v
	s.Send(w, r, a)
}

// compare reads the datasets that the query names. One that there is not is told on the page,
// beside the others.
func (s *pages) compare(r *http.Request) (comparison, error) {
	var v comparison
	var records []*catalogue.Dataset
	names := several(r.URL.Query()["dataset"])
	if len(names) > maxCompared {
		// They are cut before anything is read, for an address can name thousands.
		names = names[:maxCompared]
		v.Problem = fmt.Sprintf("%d datasets at most are set side by side; the others are left out.", maxCompared)
	}
	looked := false
	for _, name := range names {
		d, err := s.reader.Dataset(r.Context(), strings.ToLower(strings.Trim(name[strings.LastIndexByte(name, '/')+1:], " ")))
		switch {
		case fault.KindOf(err) == fault.NotFound:
			if looked {
				break // the first is told
			}
			looked = true
			v.Problem = fmt.Sprintf("there is no dataset %q.", site.Clip(name, site.WordMax))
			if similar := s.reader.Similar(site.Clip(name, site.TitleMax)); len(similar) > 0 {
				v.Problem += " Did you mean " + strings.Join(similar, " or ") + "?"
			}
		case err != nil:
			return v, err
		case slices.ContainsFunc(records, func(o *catalogue.Dataset) bool { return o.ID == d.ID }):
		default:
			records = append(records, d)
		}
	}
	if len(records) < 2 && v.Problem == "" && len(records)+len(r.URL.Query()["dataset"]) > 0 {
		v.Problem = "choose two datasets or more."
	}
	for i, d := range records {
		c := column{Slug: d.Slug, Title: cmp.Or(site.Clip(d.Title, site.TitleMax), d.Slug), Href: site.DatasetPath(d.Slug), Alike: site.ListPath + "?similar=" + url.QueryEscape(d.Slug)}
		if len(records) > 1 {
			c.Without = comparedAddress(slices.Delete(slices.Clone(records), i, i+1))
		}
		if s.enquiries != nil {
			c.Ask = site.AskPath + "?dataset=" + url.QueryEscape(d.Slug)
		}
		v.Columns = append(v.Columns, c)
	}
	v.Room = len(records) < maxCompared
	v.Parts = comparedParts(records)
	return v, nil
}

func comparedAddress(records []*catalogue.Dataset) string {
	q := url.Values{}
	for _, d := range records {
		q.Add("dataset", d.Slug)
	}
	return comparePath + "?" + q.Encode()
}

// comparedParts returns the facts that differ, and those that are the same of all. What nobody
// knows of any is left out.
func comparedParts(records []*catalogue.Dataset) []comparedPart {
	var rows []comparedRow
	for i, d := range records {
		for _, f := range comparedFacts(d) {
			at := slices.IndexFunc(rows, func(r comparedRow) bool { return r.Name == f.Name })
			if at < 0 {
				at = len(rows)
				rows = append(rows, comparedRow{f.Name, make([]string, len(records))})
			}
			rows[at].Values[i] = f.Value
		}
	}
	differ := comparedPart{Title: "What differs", Span: len(records) + 1}
	same := comparedPart{Title: "The same of all", Span: len(records) + 1}
	for _, r := range rows {
		first := r.Values[0]
		switch {
		case !slices.ContainsFunc(r.Values, func(v string) bool { return v != "" }):
		case len(records) > 1 && !slices.ContainsFunc(r.Values, func(v string) bool { return v != first }):
			same.Rows = append(same.Rows, r)
		default:
			differ.Rows = append(differ.Rows, r)
		}
	}
	return slices.DeleteFunc([]comparedPart{differ, same}, func(p comparedPart) bool { return len(p.Rows) == 0 })
}

// median writes the median of a figure over files, "" where there is none.
func median(s *catalogue.Spread, places int, of string) string {
	if s == nil || s.Count == 0 {
		return ""
	}
	return site.Decimal(s.Median, places) + of
}

// comparedFacts returns the facts of a dataset by which people choose. All are named, whether
// known or not, so that rows come in one order.
func comparedFacts(d *catalogue.Dataset) (out []fact) {
	add := func(name, value string) { out = append(out, fact{Name: name, Value: value}) }
	whole := func(n *int) string {
		if n == nil {
			return ""
		}
		return site.Whole(*n)
	}
	yes := func(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }
	add("Language", site.Clip(d.Language.Name, site.WordMax)+" ("+site.Clip(d.BCP47, site.WordMax)+")")
	add("Other languages", cmp.Or(listed(d.OtherLanguages, 12), "none"))
	add("Volume", hours(d.Hours))
	add("Recordings", site.Whole(d.Recordings))
	add("Conversations", whole(d.Conversations))
	add("Speakers", whole(d.Speakers))
	add("Channels", channelWords(d.Channels))
	add("Collection", collectionWords(d.Collection))
	add("Domains", listed(d.Domains, 12))
	add("Transcribed", yes(d.Transcribed))
	add("Sample to hear", yes(d.HasSample))
	english := ""
	if d.EnglishShare != nil {
		english = percent(*d.EnglishShare)
	}
	add("English words", english)
	spec := cmp.Or(d.Specification, &catalogue.Specification{})
	add("Sample rate", counts(spec.SampleRateHz, hertz))
	add("Codec", counts(spec.Codec, nil))
	add("Signal to noise", median(spec.SNRDB, 1, " dB"))
	add("Effective bandwidth", median(spec.EffectiveBandwidthHz, 0, " Hz"))
	add("Loudness", median(spec.LoudnessLUFS, 1, " LUFS"))
	profile := cmp.Or(d.Measurements, &catalogue.Measurements{})
	turns := cmp.Or(profile.TurnTaking, &catalogue.Turns{})
	words := cmp.Or(profile.Words, &catalogue.Words{})
	share := func(s *catalogue.Spread) string {
		if s == nil || s.Count == 0 {
			return ""
		}
		return percent(s.Median)
	}
	add("Silence", share(profile.SilenceRatio))
	add("Both speak", share(turns.OverlapRatio))
	add("Response", median(turns.FTOMedianMs, 0, " ms"))
	add("Turns a minute", median(turns.TurnsPerMin, 1, ""))
	add("Words a minute", median(words.WordsPerMin, 0, ""))
	for _, of := range []struct {
		facts []fact
		names []string
	}{
		{recording(d.CollectionMethod), []string{"Style", "Setting", "Equipment"}},
		{consent(d.Consent), []string{"Agreed purposes"}},
		{privacy(d.Privacy), []string{"Personal data"}},
	} {
		for _, name := range of.names {
			i := slices.IndexFunc(of.facts, func(f fact) bool { return f.Name == name })
			if i < 0 {
				add(name, "")
			} else {
				add(name, of.facts[i].Value)
			}
		}
	}
	licence := ""
	if d.Licence != nil {
		licence = site.Clip(d.Licence.Name, site.TitleMax)
	}
	add("Licence", licence)
	return out
}

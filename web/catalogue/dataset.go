package catalogue

import (
	"net/http"
	"net/url"
	"strings"

	"vaak/catalogue"
	"vaak/catalogue/export"
	"vaak/internal/fault"
	"vaak/web/enquiries"
	"vaak/web/site"
)

// fact is something that is known of a dataset: a name and a value.
type fact struct {
	Name, Value string
	Href        string // link of the value; "" for none
	Source      string // what measured it, or "declared"; "" where the section says so
	Note        string // explanation; "" for none
	Warn        bool   // the note is a warning
}

// section is a part of the page with facts. A nil section is left out.
type section struct {
	ID, Title string
	Lead      string
	Facts     []fact
}

// datasetView is the page of a dataset. A field that is nil or empty is not known, and its
// part of the page is left out.
type datasetView struct {
	Metadata    *metadata
	Lang        string // BCP 47 tag of titles and transcripts
	Title       string
	Line        string // what the dataset is, in one sentence
	Description string
	Retired     bool
	Synthetic   bool
	Generator   string
	Figures     []fact

	Player        *player
	Profile       *profile
	Specification []fact
	Whole         *section // the conversation profile of all recordings
	Sections      []section
	Gaps          []gap
	Citation      string
	Contact       []fact
	Ask           *enquiries.Ask // nil where nobody takes enquiries

	Script           string // address of the script that plays the sample
	Record, Manifest string // addresses; "" for none
	DCAT, ROCrate    string // addresses
	Contents         []link // links to the parts of the page
}

type link struct{ Href, Text string }

// serveDataset answers with the page of a dataset.
func (s *pages) serveDataset(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("slug")
	var d *catalogue.Dataset
	stored, err := s.reader.Filed(r.Context(), slug)
	if err == nil {
		d = &stored.Dataset
	}
	switch {
	case fault.KindOf(err) == fault.NotFound:
		s.SendNoDataset(w, r, slug, s.reader.Similar(site.Clip(slug, site.TitleMax)))
	case err != nil:
		s.CatalogueFailed(w, r, err)
	case d.Slug != slug:
		target := site.DatasetPath(d.Slug)
		if r.URL.RawQuery != "" {
			target += "?" + r.URL.RawQuery
		}
		w.Header().Set("Cache-Control", site.Cache)
		http.Redirect(w, r, target, http.StatusPermanentRedirect)
	default:
		v := s.newDataset(d)
		v.Metadata = s.metadata(r.Context(), d)
		title := v.Title
		if title == "" {
			title = d.Slug
		}
		s.Send(w, r, site.Answer{
			Status: http.StatusOK, Title: title, Description: site.Clip(v.Line, site.TitleMax), Path: site.DatasetPath(d.Slug),
			Hidden: v.Retired, Form: v.Ask != nil, Link: s.signposts(d, stored.Files, v.Metadata), Page: s.dataset, View: v,
		})
	}
}

func (s *pages) newDataset(d *catalogue.Dataset) datasetView {
	v := datasetView{
		Lang: tag(d.BCP47), Title: site.Clip(d.Title, site.TitleMax), Line: line(d),
		Description: site.Clip(d.Description, site.ProseMax), Retired: d.Status == catalogue.Retired,
		Figures: keyFigures(d), Player: s.newPlayer(d), Specification: specification(d), Whole: wholeProfile(d.Measurements),
		Sections: facts(d), Gaps: newGaps(d), Citation: opt(d.Citation, site.ProseMax), Contact: contact(d.Contact),
		Script: s.script.Path(), Record: recordPrefix + url.PathEscape(d.Slug),
		DCAT: site.DatasetPath(d.Slug) + "/" + export.DCAT.FileName(), ROCrate: site.DatasetPath(d.Slug) + "/" + export.ROCrate.FileName(),
	}
	if d.Manifest != "" {
		v.Manifest = s.local(d.Manifest)
	}
	if d.Provenance != nil && d.Provenance.Synthetic {
		v.Synthetic, v.Generator = true, site.Clip(d.Provenance.Generator, site.TitleMax)
	}
	if d.Sample != nil {
		v.Profile = newProfile(d.Sample)
	}
	if s.enquiries != nil {
		v.Ask = enquiries.NewAsk(s.enquiries.Terms(), d)
	}
	v.Contents = v.contents()
	return v
}

// contents returns links to the parts of the page, in their order.
func (v *datasetView) contents() []link {
	var out []link
	add := func(there bool, id, text string) {
		if there {
			out = append(out, link{"#" + id, text})
		}
	}
	add(v.Player != nil, "listen", "Listen")
	add(v.Description != "", "about", "About")
	add(v.Profile != nil, "profile", "Conversation profile")
	add(len(v.Specification) > 0, "specification", "Specification")
	add(v.Whole != nil, "whole", "All recordings")
	for _, s := range v.Sections {
		add(true, s.ID, s.Title)
	}
	add(len(v.Gaps) > 0, "gaps", "What we do not know")
	add(v.Citation != "", "cite", "How to cite")
	add(len(v.Contact) > 0 || v.Ask != nil, "ask", "How to ask")
	add(true, "programs", "For programs")
	return out
}

// line returns one sentence that says what a dataset is.
func line(d *catalogue.Dataset) string {
	kind := "Speech"
	switch opt(d.Collection, site.WordMax) {
	case catalogue.CallCentre:
		kind = "Call-centre speech"
	case catalogue.GeneralConversation:
		kind = "General conversation"
	}
	var b strings.Builder
	b.WriteString(kind + " in " + site.Clip(d.Language.Name, site.WordMax))
	if n := opt(d.Language.NativeName, site.WordMax); n != "" && n != d.Language.Name {
		b.WriteString(" (" + n + ")")
	}
	if w := channelWords(d.Channels); w != "" {
		b.WriteString(", " + w)
	}
	if len(d.Domains) > 0 {
		b.WriteString(", on " + listed(d.Domains, 5))
	}
	if d.Transcribed {
		b.WriteString(", with time-aligned transcripts")
	}
	return b.String() + "."
}

// listed joins up to n values in a sentence.
func listed(values []string, n int) string {
	parts := make([]string, 0, n)
	for _, v := range values[:min(len(values), n)] {
		parts = append(parts, site.Clip(v, site.WordMax))
	}
	if len(values) > n {
		parts = append(parts, site.Plural(len(values)-n, "other", "others"))
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// keyFigures returns the figures at the top of the page.
func keyFigures(d *catalogue.Dataset) []fact {
	out := []fact{
		{Name: "hours", Value: site.Decimal(d.Hours, 2)},
		{Name: strings.TrimPrefix(site.Plural(d.Recordings, "recording", "recordings"), site.Whole(d.Recordings)+" "), Value: site.Whole(d.Recordings)},
	}
	for _, n := range []struct {
		one, many string
		count     *int
	}{{"conversation", "conversations", d.Conversations}, {"speaker", "speakers", d.Speakers}} {
		if n.count != nil {
			out = append(out, fact{Name: strings.TrimPrefix(site.Plural(*n.count, n.one, n.many), site.Whole(*n.count)+" "), Value: site.Whole(*n.count)})
		}
	}
	if sp := d.Specification; sp != nil {
		if rate := most(sp.SampleRateHz); rate != "" {
			out = append(out, fact{Name: "sample rate", Value: hertz(rate)})
		}
	}
	if d.EnglishShare != nil {
		out = append(out, fact{Name: "English words, in the sample", Value: percent(*d.EnglishShare)})
	}
	return out
}

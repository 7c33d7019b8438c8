// Package voices has the page on which people find voices and hear them.
package voices

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vaak/console/page"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// Bounds of the page of voices.
const (
	voicesOnPage = 40
	maxSearch    = 1000 // bytes
)

//go:embed *.html *.js
var files embed.FS

// Previews has clips of voices. The speech service is the one of the product.
type Previews interface {
	Preview(ctx context.Context, id voice.ID) (speech.Preview, error)
}

// pages serves the page.
type pages struct {
	voices   *voice.Directory
	previews Previews
}

// New returns the section of voices.
func New(voices *voice.Directory, previews Previews) page.Section {
	ps := &pages{voices, previews}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get("/o/{org}/voices", page.Inside, ps.list),
		page.Get("/voices/{voice}/preview", page.SignedIn, ps.preview),
	}}
}

// voicePage is what the page of voices shows.
type voicePage struct {
	Total   int // how many voices there are
	Natives int // how many native languages they have
	Search  string
	Facets  []facet
	Found   int
	Voices  []voiceLine
	Pages   page.Paging
	Here    string // query of the address of this page
	Chosen  bool   // a facet is chosen, or words are searched for
	Partial bool   // the answer is the list and the facets, for a script
}

// voiceLine is a line of the list.
type voiceLine struct {
	voice.Voice
	Native  string // name of the language
	Preview string // address
	// Size and Speed are of the model of an added voice: in bytes, and how many times faster than
	// it plays it speaks on one processor; "" is unknown.
	Size, Speed string
}

// line returns the line of a voice.
func line(v voice.Voice) voiceLine {
	v.Quality = strings.ReplaceAll(v.Quality, "_", "-")
	l := voiceLine{Voice: v, Native: page.LanguageName(string(v.Native)), Preview: "/voices/" + string(v.ID) + "/preview"}
	if v.Bytes > 0 {
		l.Size = page.Bytes(v.Bytes)
	}
	switch {
	case v.Load <= 0:
	case v.Load > 0.1:
		l.Speed = page.Decimal(math.Round(10/v.Load) / 10)
	default:
		l.Speed = page.Whole(int(1 / v.Load))
	}
	return l
}

// facet is a label by which voices are chosen.
type facet struct {
	Name, Title string
	Chosen      string // "" is any
	Values      []facetValue
	of          func(voice.Voice) string
}

// facetValue is a value of a facet. Count is how many voices have it among those that match
// the search and the other facets.
type facetValue struct {
	Value, Words string
	Count        int
}

// facets returns the facets of voices, without their values.
func facets() []facet {
	return []facet{
		{Name: "language", Title: "Native language", of: func(v voice.Voice) string { return string(v.Native) }},
		{Name: "accent", Title: "Accent", of: func(v voice.Voice) string { return v.Accent }},
		{Name: "gender", Title: "Gender", of: func(v voice.Voice) string { return string(v.Gender) }},
		{Name: "quality", Title: "Quality", of: func(v voice.Voice) string { return cmp.Or(v.Quality, v.QualityBand) }},
		{Name: "category", Title: "Category", of: voice.Voice.Category},
	}
}

// list shows the voices that match the search and the facets.
func (ps *pages) list(v *page.Visit) error {
	sent := v.R.URL.Query()
	n, err := page.Number(sent.Get("page"))
	if err != nil {
		return err
	}
	p := voicePage{Search: strings.TrimSpace(sent.Get("search")), Facets: facets(), Partial: v.Partial()}
	all := ps.voices.All()
	if last := len(p.Facets) - 1; sent.Get("category") == "" && !slices.ContainsFunc(all, func(v voice.Voice) bool { return v.Engine != "" }) {
		p.Facets = p.Facets[:last] // all voices are of one category
	}
	if size := len(p.Search); size > maxSearch {
		return fault.BadParameter("search", "search has %d bytes; at most %d are allowed", size, maxSearch)
	}
	filter := url.Values{}
	if p.Search != "" {
		filter.Set("search", p.Search)
	}
	for i := range p.Facets {
		f := &p.Facets[i]
		if f.Chosen = sent.Get(f.Name); f.Chosen != "" {
			filter.Set(f.Name, f.Chosen)
		}
	}
	p.Chosen = len(filter) > 0
	natives := map[lang.Code]bool{}
	for _, one := range all {
		p.Total++
		natives[one.Native] = true
	}
	p.Natives = len(natives)
	matching := ps.voices.Search(p.Search)
	for i := range p.Facets {
		// A facet counts what its other values would show, so its own choice does not apply.
		p.Facets[i].count(chosen(matching, p.Facets, i))
	}
	found := chosen(matching, p.Facets, -1)
	p.Found = len(found)
	shown, pages := page.Cut(n, p.Found, voicesOnPage, v.At("voices"), filter)
	p.Pages, p.Here = pages, page.Numbered("", filter, pages.Page)
	for _, one := range found[shown.From:shown.To] {
		p.Voices = append(p.Voices, line(one))
	}
	if p.Partial {
		return v.Part("voices", "found", p)
	}
	return v.Show("voices", "Voices", p)
}

// chosen returns the voices that have the chosen values of all facets, except the facet
// with the index but; -1 excepts none.
func chosen(voices []voice.Voice, facets []facet, but int) []voice.Voice {
	return slices.DeleteFunc(slices.Clone(voices), func(v voice.Voice) bool {
		for i, f := range facets {
			if i != but && f.Chosen != "" && f.of(v) != f.Chosen {
				return true
			}
		}
		return false
	})
}

// count fills in the values that voices have, sorted by their words. The chosen value is
// among them even when no voice has it, so that the form can show it.
func (f *facet) count(voices []voice.Voice) {
	counts := map[string]int{}
	for _, v := range voices {
		counts[f.of(v)]++
	}
	if f.Chosen != "" {
		counts[f.Chosen] += 0
	}
	for value, n := range counts {
		words := strings.ReplaceAll(value, "_", "-")
		if f.Name == "language" {
			words = page.LanguageName(value)
		}
		f.Values = append(f.Values, facetValue{value, words, n})
	}
	slices.SortFunc(f.Values, func(a, b facetValue) int { return cmp.Or(cmp.Compare(a.Words, b.Words), cmp.Compare(a.Value, b.Value)) })
}

// preview answers with the preview clip of a voice. It is the same clip for everybody who is
// signed in.
func (ps *pages) preview(v *page.Visit) error {
	p, err := ps.previews.Preview(v.R.Context(), voice.ID(v.R.PathValue("voice")))
	if err != nil {
		return err
	}
	h := v.W.Header()
	h.Set("Content-Type", p.ContentType)
	h.Set("ETag", p.ETag)
	h.Set("Cache-Control", "private, max-age=86400")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(v.W, v.R, "", p.Modified, bytes.NewReader(p.Data))
	return nil
}

package console

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// Bounds of the page of voices.
const (
	voicesOnPage = 40
	maxSearch    = 1000 // bytes
)

func (c *Console) voiceRoutes() []route {
	if c.Speech == nil {
		return nil
	}
	return []route{
		get("/o/{org}/voices", inside, (*visit).voices),
		get("/voices/{voice}/preview", person, (*visit).preview),
	}
}

// voicePage is what the page of voices shows.
type voicePage struct {
	Total   int // voices of the roster
	Natives int // native languages of them
	Search  string
	Facets  []facet
	Found   int
	Voices  []voiceLine
	Pages   paging
	Here    string // query of this page
	Chosen  bool   // whether any facet is, or words are searched for
	Partial bool   // put in place of a part, with the facets
}

// voiceLine is a voice of the list.
type voiceLine struct {
	voice.Voice
	Native  string // name of the language
	Preview string // address
}

// facet is a label by which voices are chosen.
type facet struct {
	Name, Title string
	Chosen      string // "" is any
	Values      []facetValue
	of          func(voice.Voice) string
}

// facetValue is a value of a facet, with how many voices have it among those that match
// everything else that is chosen.
type facetValue struct {
	Value, Words string
	Count        int
}

// facets returns those of the roster, without their values.
func facets() []facet {
	return []facet{
		{Name: "language", Title: "Native language", of: func(v voice.Voice) string { return string(v.Native) }},
		{Name: "accent", Title: "Accent", of: func(v voice.Voice) string { return v.Accent }},
		{Name: "gender", Title: "Gender", of: func(v voice.Voice) string { return string(v.Gender) }},
		{Name: "quality", Title: "Quality", of: func(v voice.Voice) string { return v.QualityBand }},
	}
}

// voices shows a page of the roster: those that match what is searched for and chosen.
func (v *visit) voices() error {
	sent := v.r.URL.Query()
	page, err := pageNumber(sent.Get("page"))
	if err != nil {
		return err
	}
	p := voicePage{Search: strings.TrimSpace(sent.Get("search")), Facets: facets(), Partial: v.partial()}
	if n := len(p.Search); n > maxSearch {
		return fault.BadParameter("search", "search has %d bytes; at most %d are allowed", n, maxSearch)
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
	for _, one := range voice.All() {
		p.Total++
		natives[one.Native] = true
	}
	p.Natives = len(natives)
	matching := voice.Query{Search: p.Search}.Find()
	for i := range p.Facets {
		p.Facets[i].count(chosen(matching, p.Facets, i))
	}
	found := chosen(matching, p.Facets, -1)
	p.Found = len(found)
	shown, pages := pageAt(page, p.Found, voicesOnPage, v.at("voices"), filter)
	p.Pages, p.Here = pages, pageAddress("", filter, pages.Page)
	for _, one := range found[shown.from:shown.to] {
		p.Voices = append(p.Voices, voiceLine{one, languageName(string(one.Native)), "/voices/" + string(one.ID) + "/preview"})
	}
	if p.Partial {
		return v.part("voices", "found", p)
	}
	return v.show("voices", "Voices", p)
}

// chosen returns the voices that have the chosen values of all facets but one, whose
// index is but.
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

// count fills in the values that voices have, by name, and the chosen one also where
// none has it.
func (f *facet) count(voices []voice.Voice) {
	counts := map[string]int{}
	for _, v := range voices {
		counts[f.of(v)]++
	}
	if f.Chosen != "" {
		counts[f.Chosen] += 0
	}
	for value, n := range counts {
		words := value
		if f.Name == "language" {
			words = languageName(value)
		}
		f.Values = append(f.Values, facetValue{value, words, n})
	}
	slices.SortFunc(f.Values, func(a, b facetValue) int { return cmp.Or(cmp.Compare(a.Words, b.Words), cmp.Compare(a.Value, b.Value)) })
}

// preview answers with the clip of a voice. It is the same for everybody, but only for
// those who are signed in.
func (v *visit) preview() error {
	p, err := v.Speech.Preview(v.r.Context(), voice.ID(v.r.PathValue("voice")))
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", p.ContentType)
	h.Set("ETag", p.ETag)
	h.Set("Cache-Control", "private, max-age=86400")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(v.w, v.r, "", p.Modified, bytes.NewReader(p.Data))
	return nil
}

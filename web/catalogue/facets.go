package catalogue

import (
	"net/url"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/web/site"
)

// facetShort is how many values of a facet are shown at first. The remainder can be
// unfolded.
const facetShort = 8

// values returns the filter as the query of an address.
func (f filter) values() url.Values {
	v := url.Values{}
	// Names of these may have commas.
	if len(f.licences) > 0 {
		v["license"] = f.licences
	}
	if len(f.domains) > 0 {
		v["domain"] = f.domains
	}
	for name, value := range map[string]string{
		"q": f.q, "language": strings.Join(f.languages, ","), "channels": f.channels, "collection": f.collection,
		"unknown": onOff(f.unknown), "min_speakers": f.minSpeakers, "sample": onOff(f.sample), "transcribed": onOff(f.transcribed), "min_hours": f.minHours, "cursor": f.cursor,
		"sample_rate": strings.Join(f.rates, ","), "sort": f.sort, "similar": f.similar,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

func onOff(on bool) string {
	if on {
		return "true"
	}
	return ""
}

// address returns the address of the list with this filter.
func (f filter) address() string {
	if query := f.values().Encode(); query != "" {
		return site.ListPath + "?" + query
	}
	return site.ListPath
}

// with returns the filter with another value ("" removes it), on the first page.
func (f filter) with(name, value string) filter {
	f.cursor = ""
	switch name {
	case "q":
		f.q = value
	case "channels":
		f.channels = value
	case "collection":
		f.collection = value
	case "sample":
		f.sample = value != ""
	case "transcribed":
		f.transcribed = value != ""
	case "min_hours":
		f.minHours, f.hours = value, 0
	case "unknown":
		f.unknown = value != ""
	case "min_speakers":
		f.minSpeakers, f.speakers = value, 0
	case "similar":
		f.similar = value
	case "cursor":
		f.cursor = value
	}
	return f
}

// toggle returns the filter with a language added, or removed if it has it.
func (f filter) toggle(language string) filter {
	f.cursor, f.languages = "", toggled(f.languages, language)
	return f
}

// toggled returns a list with a value added, or removed if it has it. The list stays as it is,
// because the filters of all links share it.
func toggled(list []string, value string) []string {
	list = slices.Clone(list)
	if i := indexOf(list, value); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return append(list, value)
}

func indexOf(list []string, value string) int {
	return slices.IndexFunc(list, func(l string) bool { return strings.EqualFold(l, value) })
}

// kept returns the parameters that a new search keeps.
func (f filter) kept() []param {
	var out []param
	for _, p := range []param{
		{"language", strings.Join(f.languages, ",")}, {"channels", f.channels}, {"collection", f.collection},
		{"sample_rate", strings.Join(f.rates, ",")}, {"similar", f.similar}, {"unknown", onOff(f.unknown)},
		{"sample", onOff(f.sample)}, {"transcribed", onOff(f.transcribed)},
	} {
		if p.Value != "" {
			out = append(out, p)
		}
	}
	for _, d := range f.domains {
		out = append(out, param{"domain", d})
	}
	for _, l := range f.licences {
		out = append(out, param{"license", l})
	}
	return out
}

// sorts returns the orders to choose from; none where what is alike comes first.
func (f filter) sorts() (out []sorting) {
	if f.similar != "" {
		return nil
	}
	first := "Most hours"
	if f.q != "" {
		first = "Best match"
	}
	for _, s := range []sorting{
		{"", first, false}, {string(catalogue.ByHours), "Most hours", false}, {string(catalogue.ByNewest), "Changed last", false},
		{string(catalogue.BySpeakers), "Most speakers", false}, {string(catalogue.ByTitle), "Title", false},
	} {
		if s.Chosen = s.Value == f.sort; s.Value != string(catalogue.ByHours) || f.q != "" || s.Chosen {
			out = append(out, s)
		}
	}
	return out
}

// chosen returns the filters that are on, each with the address of the list without it.
func (f filter) chosen(counted *catalogue.Facets) []choice {
	var out []choice
	add := func(label string, without filter) {
		out = append(out, choice{site.Clip(label, site.WordMax), without.address()})
	}
	if f.q != "" {
		add("“"+site.Clip(f.q, site.WordMax)+"”", f.with("q", ""))
	}
	for _, l := range f.languages {
		add(languageLabel(l, counted), f.toggle(l))
	}
	for _, d := range f.domains {
		without := f.with("cursor", "")
		without.domains = toggled(f.domains, d)
		add(d, without)
	}
	for _, l := range f.licences {
		without := f.with("cursor", "")
		without.licences = toggled(f.licences, l)
		add("licence "+l, without)
	}
	for _, hz := range f.rates {
		without := f.with("cursor", "")
		without.rates = toggled(f.rates, hz)
		add(hertz(hz), without)
	}
	if f.similar != "" {
		add("like "+f.similar, f.with("similar", ""))
	}
	if f.channels != "" {
		add(channelWords(&f.channels), f.with("channels", ""))
	}
	if f.collection != "" {
		add(collectionWords(&f.collection), f.with("collection", ""))
	}
	if f.sample {
		add("with a sample", f.with("sample", ""))
	}
	if f.transcribed {
		add("transcribed", f.with("transcribed", ""))
	}
	if f.speakers > 0 {
		add("at least "+site.Plural(f.speakers, "speaker", "speakers"), f.with("min_speakers", ""))
	}
	if f.unknown {
		add("or not known", f.with("unknown", ""))
	}
	if f.hours > 0 {
		add("at least "+hours(f.hours), f.with("min_hours", ""))
	}
	return out
}

func languageLabel(l string, counted *catalogue.Facets) string {
	if counted != nil {
		for _, c := range counted.Language {
			if strings.EqualFold(c.Value, l) && c.Label != "" {
				return c.Label + " (" + c.Value + ")"
			}
		}
	}
	return l
}

// facets returns the values to choose from. In a facet with one choice a value replaces the
// one before.
func (f filter) facets(c *catalogue.Facets) []facet {
	if c == nil {
		return nil
	}
	out := []facet{
		newFacet("Language", c.Language, nil,
			func(v string) bool { return indexOf(f.languages, v) >= 0 },
			func(v string, _ bool) filter { return f.toggle(v) }),
		newFacet("Channels", c.Channels, channelWords,
			func(v string) bool { return f.channels == v },
			func(v string, on bool) filter { return f.with("channels", unless(on, v)) }),
		newFacet("Collection", c.Collection, collectionWords,
			func(v string) bool { return f.collection == v },
			func(v string, on bool) filter { return f.with("collection", unless(on, v)) }),
		newFacet("Domain", c.Domain, nil,
			func(v string) bool { return indexOf(f.domains, v) >= 0 },
			func(v string, _ bool) filter {
				f.cursor, f.domains = "", toggled(f.domains, v)
				return f
			}),
		newFacet("Licence", c.License, nil,
			func(v string) bool { return indexOf(f.licences, v) >= 0 },
			func(v string, _ bool) filter {
				f.cursor, f.licences = "", toggled(f.licences, v)
				return f
			}),
		newFacet("Sample rate", c.SampleRate, func(v *string) string { return hertz(*v) },
			func(v string) bool { return indexOf(f.rates, v) >= 0 },
			func(v string, _ bool) filter {
				f.cursor, f.rates = "", toggled(f.rates, v)
				return f
			}),
		{Name: "Comes with", Options: []option{
			{"a sample to hear", site.Whole(c.Sample), f.with("sample", unless(f.sample, "true")).address(), f.sample},
			{"transcripts", site.Whole(c.Transcribed), f.with("transcribed", unless(f.transcribed, "true")).address(), f.transcribed},
		}},
	}
	return slices.DeleteFunc(out, func(f facet) bool { return len(f.Options) == 0 })
}

func unless(on bool, value string) string {
	if on {
		return ""
	}
	return value
}

// newFacet returns a facet with the counted values. Words returns what a value is called.
// Chosen reports whether it is chosen. Next returns the filter of the link of a value.
func newFacet(name string, counts []catalogue.Count, words func(*string) string, chosen func(string) bool, next func(string, bool) filter) facet {
	out := facet{Name: name}
	for _, c := range counts[:min(len(counts), facetMax)] {
		label := c.Label
		if label == "" && words != nil {
			label = words(&c.Value)
		}
		if label == "" {
			label = c.Value
		} else if slices.ContainsFunc(counts, func(o catalogue.Count) bool { return o.Label != "" && o.Label == c.Label && o.Value != c.Value }) {
			// Two values with one label, such as two tags of a language: the value tells them apart.
			label += " (" + c.Value + ")"
		}
		on := chosen(c.Value)
		o := option{site.Clip(label, site.WordMax), site.Whole(c.Count), next(c.Value, on).address(), on}
		// A chosen value is never folded away, however rare it is.
		if len(out.Options) < facetShort || on {
			out.Options = append(out.Options, o)
		} else {
			out.More = append(out.More, o)
		}
	}
	return out
}

package catalogue

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"vaak/lang"
)

// EntryOf returns what the index needs of a record, without its revision. It
// shares the record's slices.
func EntryOf(d *Dataset) Entry {
	e := Entry{
		Status: d.Status, Brief: d.Brief(), Domains: d.Domains, Names: []string{d.Language.ISO6393},
		Script: opt(d.Language.Script), Description: d.Description, Speakers: d.Speakers, Modified: d.DateModified.UTC().Truncate(time.Second), Traits: traitsOf(d),
	}
	e.Brief.URL, e.Brief.Record, e.Brief.Croissant = "", "", ""
	for _, name := range []*string{d.Language.NativeName, d.Language.ISO6391} {
		if name != nil {
			e.Names = append(e.Names, *name)
		}
	}
	for _, tag := range d.OtherLanguages {
		e.Others = append(e.Others, tag)
		if t, err := lang.Resolve(tag); err == nil {
			if l, ok := lang.Lookup(t.Code); ok {
				e.Others = append(e.Others, l.Name, l.Native)
			}
		}
	}
	if l := d.Licence; l != nil {
		e.Licence = &Terms{Name: l.Name, URL: opt(l.URL)}
	}
	if s := d.Specification; s != nil {
		for rate := range maps.Keys(s.SampleRateHz) {
			if hz, err := strconv.Atoi(rate); err == nil && hz > 0 {
				e.SampleRates = append(e.SampleRates, hz)
			}
		}
		slices.Sort(e.SampleRates)
	}
	return e
}

// opt returns the text that a pointer leads to, "" for nil.
func opt(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

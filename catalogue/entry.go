package catalogue

import "vaak/lang"

// EntryOf returns what the index needs of a record, without its revision. It
// shares the record's slices.
func EntryOf(d *Dataset) Entry {
	e := Entry{Status: d.Status, Brief: d.Brief(), Domains: d.Domains, Names: []string{d.Language.ISO6393}}
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
	return e
}

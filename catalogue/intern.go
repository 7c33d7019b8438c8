package catalogue

import "strings"

// interner replaces equal values of many entries by one. Thousands of entries have mostly the same
// values, and every separate value costs the garbage collector time while requests wait.
type interner struct {
	texts map[string]*string
	lists map[string][]string // by their elements, joined with NUL
}

func newInterner() *interner {
	return &interner{texts: map[string]*string{}, lists: map[string][]string{}}
}

// entry returns e with values shared with earlier entries.
func (in *interner) entry(e Entry) Entry {
	status := string(e.Status)
	e.Status = Status(*in.text(&status))
	b := &e.Brief
	b.Language, b.BCP47 = *in.text(&b.Language), *in.text(&b.BCP47)
	b.Channels, b.Collection, b.Domain = in.text(b.Channels), in.text(b.Collection), in.text(b.Domain)
	e.Domains, e.Names, e.Others = in.list(e.Domains), in.list(e.Names), in.list(e.Others)
	return e
}

func (in *interner) text(s *string) *string {
	if s == nil {
		return nil
	}
	if known, ok := in.texts[*s]; ok {
		return known
	}
	own := strings.Clone(*s)
	in.texts[own] = &own
	return &own
}

func (in *interner) list(of []string) []string {
	if len(of) == 0 {
		return nil
	}
	key := strings.Join(of, "\x00")
	known, ok := in.lists[key]
	if !ok {
		for _, s := range of {
			known = append(known, *in.text(&s))
		}
		in.lists[key] = known
	}
	return known
}

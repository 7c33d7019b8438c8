package respell

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"vaak/lang"
)

// languages is a list of languages of a rule, resolved.
type languages struct {
	given bool       // the rule has the list
	tags  []lang.Tag // ascending, none inside another; empty when none is known
}

// has reports whether the language of a request is in the list: with its script or
// region, where an entry names one.
func (l languages) has(request lang.Tag) bool {
	for _, t := range l.tags {
		if within(request, t) {
			return true
		}
	}
	return false
}

// within reports whether a tag is the same as or inside of a wider one.
func within(t, wide lang.Tag) bool {
	return t.Code == wide.Code &&
		(wide.Script == "" || wide.Script == t.Script) &&
		(wide.Region == "" || wide.Region == t.Region)
}

// written returns a tag with the script that its language is usually written in, where
// it names none.
func written(t lang.Tag) lang.Tag {
	if l, ok := lang.Lookup(t.Code); ok && t.Script == "" {
		t.Script = l.Scripts[0]
	}
	return t
}

// String tells lists apart: those with the same string hold the same requests.
func (l languages) String() string {
	if !l.given {
		return ""
	}
	var b strings.Builder
	b.WriteByte(':')
	for _, t := range l.tags {
		b.WriteString(t.String())
		b.WriteByte(',')
	}
	return b.String()
}

// resolver resolves lists of languages, of which the rules of a dictionary have many
// alike.
type resolver struct {
	tags  map[string]lang.Tag
	lists map[string]languages // by their entries
}

func newResolver() *resolver {
	return &resolver{make(map[string]lang.Tag), make(map[string]languages)}
}

// size returns about how many bytes the lists take.
func (r *resolver) size() int {
	n := 0
	for _, l := range r.lists {
		n += cap(l.tags) * int(unsafe.Sizeof(lang.Tag{}))
	}
	return n
}

// list resolves a list of a rule. What is no known language is left out.
func (r *resolver) list(names []string) languages {
	if len(names) == 0 {
		return languages{}
	}
	entries := strings.Join(names, "\n")
	l, ok := r.lists[entries]
	if !ok {
		l = r.resolve(names)
		r.lists[entries] = l
	}
	return l
}

func (r *resolver) resolve(names []string) languages {
	tags := make([]lang.Tag, 0, len(names))
	for _, name := range names {
		t, ok := r.tags[name]
		if !ok {
			t, _ = lang.Find(name) // the zero tag is no language either
			r.tags[name] = t
		}
		if !t.IsZero() {
			tags = append(tags, t)
		}
	}
	slices.SortFunc(tags, compareTags) // a wider one comes before those inside
	kept := tags[:0]
	for _, t := range tags {
		if !inside(t, kept) {
			kept = append(kept, t)
		}
	}
	return languages{given: true, tags: slices.Clip(kept)}
}

// inside reports whether a tag is inside one of those before it in order.
func inside(t lang.Tag, before []lang.Tag) bool {
	for i := len(before) - 1; i >= 0 && before[i].Code == t.Code; i-- {
		if within(t, before[i]) {
			return true
		}
	}
	return false
}

// compareTags orders tags by language, then script, then region.
func compareTags(a, b lang.Tag) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Script, b.Script), cmp.Compare(a.Region, b.Region))
}

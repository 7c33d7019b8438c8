package page

import "strings"

// Menu is a group of links beside every page.
type Menu struct {
	Title string
	Links []Link
}

// Link is a link of a menu.
type Link struct {
	Href, Text string
	Current    bool // the page that is shown, or the nearest one above it; the frame sets it
}

// menu returns the links that the person has a use for.
func (v *Visit) menu() []Menu {
	if v.Person.ID == "" || v.site.cfg.Menu == nil {
		return nil
	}
	all := v.site.cfg.Menu(v)
	if l := v.current(all); l != nil {
		l.Current = true
	}
	return all
}

// current returns the link of the page that is shown, or else that of the nearest page
// above it; nil where there is none. The first page of an organisation is above all its
// other pages, so it counts only when it is the page itself.
func (v *Visit) current(all []Menu) (current *Link) {
	here := v.R.URL.Path
	for _, m := range all {
		for i, l := range m.Links {
			above := here == l.Href || l.Href != v.At("") && strings.HasPrefix(here, l.Href+"/")
			if above && (current == nil || len(l.Href) > len(current.Href)) {
				current = &m.Links[i]
			}
		}
	}
	return current
}

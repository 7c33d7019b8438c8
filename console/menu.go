package console

import "strings"

// menu is a group of links beside every page.
type menu struct {
	Title string
	Links []link
}

type link struct {
	Href, Text string
	Current    bool
}

// menu returns the links that the person has a use for.
func (v *visit) menu() []menu {
	if v.person.ID == "" {
		return nil
	}
	var all []menu
	if v.org.ID != "" {
		all = append(all, menu{v.org.Name, v.orgLinks()})
	}
	if v.person.Operates() {
		all = append(all, menu{"Service", v.serviceLinks()})
	}
	if l := v.current(all); l != nil {
		l.Current = true
	}
	return all
}

// current returns the link of the page that is shown, or else that of the page above it.
func (v *visit) current(all []menu) (current *link) {
	here := v.r.URL.Path
	for _, m := range all {
		for i, l := range m.Links {
			above := here == l.Href || l.Href != v.at("") && strings.HasPrefix(here, l.Href+"/")
			if above && (current == nil || len(l.Href) > len(current.Href)) {
				current = &m.Links[i]
			}
		}
	}
	return current
}

func (v *visit) orgLinks() []link {
	links := []link{{Href: v.at(""), Text: "Overview"}, {Href: v.at("keys"), Text: "Keys"}}
	if v.Speech != nil {
		links = append(links,
			link{Href: v.at("playground"), Text: "Playground"}, link{Href: v.at("voices"), Text: "Voices"},
			link{Href: v.at("dictionaries"), Text: "Dictionaries"})
	}
	links = append(links, link{Href: v.at("requests"), Text: "Requests"})
	if v.person.Operates() {
		links = append(links, link{Href: "/organisations/" + v.org.ID, Text: "Plan and lots"})
	}
	return links
}

func (v *visit) serviceLinks() []link {
	links := []link{{Href: "/organisations", Text: "Organisations"}, {Href: "/plans", Text: "Plans"}, {Href: "/people", Text: "People"}}
	if v.Catalogue != nil {
		links = append(links, link{Href: "/datasets", Text: "Datasets"}, link{Href: "/enquiries", Text: "Enquiries"})
	}
	return append(links, link{Href: "/system", Text: "System"}, link{Href: "/audit", Text: "Audit"})
}

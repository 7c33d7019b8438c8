package croissant

import (
	"encoding/json"
	"regexp"
	"strings"

	"vaak/croissant/graph"
)

// empty says whether a property is absent or holds nothing but empty text.
func empty(n *graph.Node, iri string) bool {
	for _, v := range n.Values(iri) {
		s, text := v.Text()
		if !text || strings.TrimSpace(s) != "" {
			return false
		}
	}
	return true
}

// need reports a property that is not there; it says whether it is.
func (c *checker) need(code string, n *graph.Node, iri, mend string) bool {
	if !empty(n, iri) {
		return true
	}
	loadable := c.rules[code].loadable()
	if iri == propPublished && n.Values(iri) != nil {
		loadable = false // the library reads empty text as a date
	}
	c.addAs(code, loadable, n, c.at(n, iri), "%s has no %s; %s", label(n), c.key(n, iri), mend)
	return false
}

// texts reports the values of a property that are not text.
func (c *checker) texts(code string, n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if _, text := v.Text(); !text {
			loadable := v.Node != nil && iri == propDescription // of others the library looks at the type
			c.addAs(code, loadable, n, v.Pointer, "%s of %s is %s; it must be text", c.key(n, iri), label(n), kind(v))
		}
	}
}

// booleans reports the values of a property that are not true or false.
func (c *checker) booleans(code string, n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if _, ok := v.Literal.(bool); !ok || v.Node != nil {
			c.add(code, n, v.Pointer, "%s of %s is %s; it must be true or false, without quotes", c.key(n, iri), label(n), kind(v))
		}
	}
}

// one warns of several values where one is read.
func (c *checker) one(n *graph.Node, iris ...string) {
	for _, iri := range iris {
		if vs := n.Values(iri); len(vs) > 1 {
			c.add("W04", n, c.at(n, iri), "%s of %s has %d values and readers take the first; keep one", c.key(n, iri), label(n), len(vs))
		}
	}
}

// name checks the name of a node.
func (c *checker) name(n *graph.Node, multilingual bool) {
	vs := n.Values(propName)
	languages := map[string]bool{}
	for _, v := range vs {
		if _, text := v.Text(); !text {
			c.addAs("E017", v.Literal == nil && !strict(n), n, v.Pointer, "the name of %s is %s; it must be text", label(n), kind(v))
			return
		}
		languages[v.Language] = true
	}
	multilingual = multilingual && c.version != V10
	switch {
	case multilingual && len(languages) == len(vs):
	case len(vs) > 1 && multilingual:
		c.addAs("E017", true, n, c.at(n, propName), "the name of %s has %d texts; keep one, or write one for each language: {\"en\": \"...\", \"hi\": \"...\"}", label(n), len(vs))
	case len(vs) > 1:
		c.addAs("E017", !strict(n), n, c.at(n, propName), "the name of %s has %d texts; it must be one text", label(n), len(vs))
	case len(vs) == 1 && !multilingual && vs[0].Language != "" && vs[0].Language != c.doc.Language():
		c.addAs("E017", !strict(n), n, c.at(n, propName), "the name of %s is in language %s, and the document's is %s; it must be text without a language", label(n), quote(vs[0].Language), quote(c.doc.Language()))
	}
}

// dates checks that the values of a property are dates.
func (c *checker) dates(n *graph.Node, iris ...string) {
	for _, iri := range iris {
		if p := n.Properties[iri]; p != nil && len(p.Values) > 0 && empty(n, iri) && iri != propPublished {
			c.add("E018", n, p.Pointer, "%s of %s is empty; give the date, as in \"2026-05-04\", or leave it out", p.Key, label(n))
		}
		for _, v := range n.Values(iri) {
			if s, text := v.Text(); !text {
				c.add("E018", n, v.Pointer, "%s of %s is %s; it must be text in ISO 8601, as in \"2026-05-04\"", c.key(n, iri), label(n), kind(v))
			} else if !isDate(s) && !empty(n, iri) {
				c.add("E018", n, v.Pointer, "%s of %s is %s, which is not a date of ISO 8601; write it as in \"2026-05-04\" or \"2026-05-04T08:30:00Z\"", c.key(n, iri), label(n), quote(s))
			}
		}
	}
}

// versionShape is MAJOR[.MINOR[.PATCH[-PRERELEASE][+BUILD]]] of semver.org 2.0.0.
var versionShape = regexp.MustCompile(`^(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?)?)?$`)

// versions checks a property that holds the version of something.
func (c *checker) versions(n *graph.Node, iri string) {
	c.one(n, iri)
	for _, v := range n.Values(iri) {
		s, text := v.Text()
		_, number := v.Literal.(json.Number)
		switch {
		case text && s != "" && !versionShape.MatchString(s):
			c.add("W03", n, v.Pointer, "%s is %s, which is not MAJOR.MINOR.PATCH; write it as in \"1.0.0\"", c.key(n, iri), quote(s))
		case !text && !number:
			c.add("E049", n, v.Pointer, "%s is %s; it must be text, as in \"1.0.0\"", c.key(n, iri), kind(v))
		}
	}
}

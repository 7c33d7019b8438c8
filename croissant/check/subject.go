package check

import (
	"encoding/json"
	"regexp"
	"strings"

	"vaak/croissant"
	"vaak/croissant/graph"
)

// subject is the document that is checked: how it writes names, where its properties
// stand, and what was found in it so far. Its methods are the checks that several groups
// of rules share. Each takes the code of the rule that a fault breaks.
type subject struct {
	*findings
	doc     *graph.Document
	version croissant.Version
	// checked holds what was checked under which rule, with the @ids that a source
	// names. Documents may refer to one object from many places; without it the work
	// would be the product of both.
	checked    map[use][]string
	oldContext bool // @context itself has addresses that begin with http://schema.org/
}

// use is a node under the rule by which it is checked.
type use struct {
	node *graph.Node
	code string
}

// first reports whether this is the first call for a node and a rule.
func (s *subject) first(n *graph.Node, code string) bool {
	if _, checked := s.checked[use{n, code}]; checked {
		return false
	}
	s.checked[use{n, code}] = nil
	return true
}

// add adds a finding about a node; its rule says whether the document is loadable.
func (s *subject) add(code string, n *graph.Node, path, format string, args ...any) {
	s.findings.add(code, path, n.Written, format, args...)
}

// addAs adds a finding about a node of which the caller knows whether the document is
// loadable.
func (s *subject) addAs(code string, loadable bool, n *graph.Node, path, format string, args ...any) {
	s.findings.addAs(code, loadable, path, n.Written, format, args...)
}

// at returns the JSON Pointer to a property of a node, or to where it belongs when it is
// missing.
func (s *subject) at(n *graph.Node, iri string) string {
	if p := n.Properties[iri]; p != nil {
		return p.Pointer
	}
	return graph.Child(n.Pointer, s.doc.Name(iri))
}

// key returns the name by which the document writes a property of a node.
func (s *subject) key(n *graph.Node, iri string) string {
	if p := n.Properties[iri]; p != nil && p.Key != "" {
		return p.Key
	}
	return s.doc.Name(iri)
}

// hasType checks that a value of a property is an object of a type.
func (s *subject) hasType(v graph.Value, typ, code string, in *graph.Node, property string) bool {
	switch {
	case v.Node == nil:
		s.add(code, in, v.Pointer, "%s of %s holds %s; it must be an object of type %s", property, label(in), kind(v), curie(typ))
	case v.Node.Has(typ):
		return true
	case !v.Node.Defined:
		s.add(code, in, v.Pointer, "%s of %s names %s, which is not defined; define it as a %s", property, label(in), quote(v.Node.Written), curie(typ))
	default:
		s.add(code, v.Node, typePath(v), "%s in %s is of type %s; it must be %s", label(v.Node), property, curies(v.Node.Types), curie(typ))
	}
	return false
}

// typePath returns the pointer to the type of a value, or to where the type belongs. Of
// a value that cannot have one it is the value.
func typePath(v graph.Value) string {
	switch {
	case v.Node == nil || !v.Node.Defined:
		return v.Pointer
	case v.Node.TypeKey != "":
		return v.Node.TypeKey
	}
	return graph.Child(v.Node.Pointer, "@type")
}

// empty reports whether a property is absent or holds only empty text.
func empty(n *graph.Node, iri string) bool {
	for _, v := range n.Values(iri) {
		s, text := v.Text()
		if !text || strings.TrimSpace(s) != "" {
			return false
		}
	}
	return true
}

// need reports a property that is missing or empty. Its result is whether the node has
// the property.
func (s *subject) need(code string, n *graph.Node, iri, mend string) bool {
	if !empty(n, iri) {
		return true
	}
	loadable := s.rules[code].loadable()
	if iri == propPublished && n.Values(iri) != nil {
		loadable = false // the library parses empty text as a date, and fails
	}
	s.addAs(code, loadable, n, s.at(n, iri), "%s has no %s; %s", label(n), s.key(n, iri), mend)
	return false
}

// texts reports values of a property that are not text.
func (s *subject) texts(code string, n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if _, text := v.Text(); !text {
			loadable := v.Node != nil && iri == propDescription // the library checks the type of all others
			s.addAs(code, loadable, n, v.Pointer, "%s of %s is %s; it must be text", s.key(n, iri), label(n), kind(v))
		}
	}
}

// booleans reports values of a property that are not true or false.
func (s *subject) booleans(code string, n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if _, ok := v.Literal.(bool); !ok || v.Node != nil {
			s.add(code, n, v.Pointer, "%s of %s is %s; it must be true or false, without quotes", s.key(n, iri), label(n), kind(v))
		}
	}
}

// one warns of properties with several values where readers use only the first.
func (s *subject) one(n *graph.Node, iris ...string) {
	for _, iri := range iris {
		if vs := n.Values(iri); len(vs) > 1 {
			s.add("W04", n, s.at(n, iri), "%s of %s has %d values and readers take the first; keep one", s.key(n, iri), label(n), len(vs))
		}
	}
}

// name checks the name of a node: one text or, where multilingual is set and the document
// is in 1.1, one text for each language.
func (s *subject) name(n *graph.Node, multilingual bool) {
	vs := n.Values(propName)
	languages := map[string]bool{}
	for _, v := range vs {
		if _, text := v.Text(); !text {
			s.addAs("E017", v.Literal == nil && !strict(n), n, v.Pointer, "the name of %s is %s; it must be text", label(n), kind(v))
			return
		}
		languages[v.Language] = true
	}
	multilingual = multilingual && s.version != croissant.V10
	switch {
	// Each text has a language of its own, which 1.1 allows.
	case multilingual && len(languages) == len(vs):
	case len(vs) > 1 && multilingual:
		s.addAs("E017", true, n, s.at(n, propName), "the name of %s has %d texts; keep one, or write one for each language: {\"en\": \"...\", \"hi\": \"...\"}", label(n), len(vs))
	case len(vs) > 1:
		s.addAs("E017", !strict(n), n, s.at(n, propName), "the name of %s has %d texts; it must be one text", label(n), len(vs))
	case len(vs) == 1 && !multilingual && vs[0].Language != "" && vs[0].Language != s.doc.Language():
		s.addAs("E017", !strict(n), n, s.at(n, propName), "the name of %s is in language %s, and the document's is %s; it must be text without a language", label(n), quote(vs[0].Language), quote(s.doc.Language()))
	}
}

// dates checks that the values of properties are dates of ISO 8601.
func (s *subject) dates(n *graph.Node, iris ...string) {
	for _, iri := range iris {
		// An empty datePublished is reported as missing, by need.
		if p := n.Properties[iri]; p != nil && len(p.Values) > 0 && empty(n, iri) && iri != propPublished {
			s.add("E018", n, p.Pointer, "%s of %s is empty; give the date, as in \"2026-05-04\", or leave it out", p.Key, label(n))
		}
		for _, v := range n.Values(iri) {
			if date, text := v.Text(); !text {
				s.add("E018", n, v.Pointer, "%s of %s is %s; it must be text in ISO 8601, as in \"2026-05-04\"", s.key(n, iri), label(n), kind(v))
			} else if !isDate(date) && !empty(n, iri) {
				s.add("E018", n, v.Pointer, "%s of %s is %s, which is not a date of ISO 8601; write it as in \"2026-05-04\" or \"2026-05-04T08:30:00Z\"", s.key(n, iri), label(n), quote(date))
			}
		}
	}
}

// versionShape is MAJOR[.MINOR[.PATCH[-PRERELEASE][+BUILD]]] of semver.org 2.0.0.
var versionShape = regexp.MustCompile(`^(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?)?)?$`)

// versions checks a property that holds a version number.
func (s *subject) versions(n *graph.Node, iri string) {
	s.one(n, iri)
	for _, v := range n.Values(iri) {
		version, text := v.Text()
		_, number := v.Literal.(json.Number)
		switch {
		case text && version != "" && !versionShape.MatchString(version):
			s.add("W03", n, v.Pointer, "%s is %s, which is not MAJOR.MINOR.PATCH; write it as in \"1.0.0\"", s.key(n, iri), quote(version))
		case !text && !number:
			s.add("E049", n, v.Pointer, "%s is %s; it must be text, as in \"1.0.0\"", s.key(n, iri), kind(v))
		}
	}
}

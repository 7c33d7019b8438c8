package graph

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/piprate/json-gold/ld"
)

// Graph is an expanded document.
type Graph struct {
	Nodes      []*Node // all nodes that the document defines, in its order
	Duplicates []Duplicate
	Err        string // why the library could not expand the document, or ""
	root       *Node
}

// Root returns the node of the object at the root, or nil if that only has an @graph.
func (g *Graph) Root() *Node { return g.root }

// Expand returns the nodes of the document. It changes the tree in Root, so it must be called
// last.
func (d *Document) Expand() *Graph {
	g := &Graph{}
	root, ok := d.Root.(map[string]any)
	if !ok {
		return g
	}
	// Before expansion, because one bad value would make the library refuse the whole document.
	(&tidy{doc: d}).value(root)
	b := &builder{doc: d, graph: g, byID: map[string]*Node{}, at: map[uintptr]string{}}
	expanded, err := b.expand(root)
	if err != nil {
		g.Err = reason(err)
		return g
	}
	b.top(expanded)
	return g
}

// builder makes nodes from what the library returns.
type builder struct {
	doc   *Document
	graph *Graph
	byID  map[string]*Node
	at    map[uintptr]string // JSON Pointer by the address of an expanded object in memory
	kept  []any              // keeps these objects alive, so that their addresses are not reused
}

func (b *builder) expand(root map[string]any) (expanded any, err error) {
	defer contain(&err)
	o := options()
	o.ExpandedElementHandler = func(pointer string, object any) {
		// The library calls this with each expanded object and the pointer of its source. The map has
		// the address as its key, because maps cannot be keys themselves.
		b.at[reflect.ValueOf(object).Pointer()] = pointer
		b.kept = append(b.kept, object)
	}
	return ld.NewJsonLdApi().Expand(b.doc.context.active, "", root, o, false, nil)
}

// top builds the nodes of the expanded document.
func (b *builder) top(expanded any) {
	m, ok := expanded.(map[string]any)
	if !ok { // nothing in the root has a meaning
		b.graph.root = &Node{Defined: true}
		return
	}
	// An object with @graph alone only groups nodes and is none itself (JSON-LD 1.1,
	// section 4.9).
	if _, grouped := m["@graph"]; !grouped || len(m) > 1 {
		b.graph.root = b.node(m)
	}
	list, _ := m["@graph"].([]any)
	for _, e := range list {
		if m, ok := e.(map[string]any); ok && m["@value"] == nil {
			b.node(m)
		}
	}
}

// place is an object of the document with the meanings of its members' names.
type place struct {
	pointer string
	object  map[string]any
	names   []name // sorted by meaning, then by spelling
}

type name struct{ means, written string }

// named returns the members whose names mean an address.
func (p *place) named(iri string) []name {
	from, _ := slices.BinarySearchFunc(p.names, iri, func(n name, iri string) int { return strings.Compare(n.means, iri) })
	to := from
	for to < len(p.names) && p.names[to].means == iri {
		to++
	}
	return p.names[from:to]
}

// place returns the object of the document that an expanded object comes from.
func (b *builder) place(m map[string]any) *place {
	p := &place{pointer: b.at[reflect.ValueOf(m).Pointer()]}
	p.object = b.object(p.pointer)
	p.names = make([]name, 0, len(p.object))
	// Several spellings may mean one address: "name", "sc:name" and the full address.
	for key := range p.object {
		if means, ok := b.doc.context.expand(key); ok {
			p.names = append(p.names, name{means, key})
		}
	}
	slices.SortFunc(p.names, func(a, b name) int {
		return cmp.Or(strings.Compare(a.means, b.means), strings.Compare(a.written, b.written))
	})
	return p
}

// node returns the node of an expanded object. Objects with the same @id are one node.
func (b *builder) node(m map[string]any) *Node {
	p := b.place(m)
	id, _ := m["@id"].(string)
	n := b.byID[id]
	if n == nil || id == "" {
		n = &Node{ID: id, Pointer: p.pointer}
		b.byID[id] = n
	}
	if written := p.named("@id"); len(written) > 0 && n.Written == "" {
		n.Written, _ = p.object[written[0].written].(string)
	}
	// An object with an @id alone refers to a node that is defined elsewhere.
	if len(m) == 1 && id != "" {
		return n
	}
	b.define(n, p, m)
	return n
}

// define reads one definition of a node. If there are several, the one with the most members
// counts, and the others are reported, unless they say the same.
func (b *builder) define(n *Node, p *place, m map[string]any) {
	first := !n.Defined
	if first {
		n.Defined, n.Pointer = true, p.pointer
		n.size = len(m)
		b.graph.Nodes = append(b.graph.Nodes, n)
		n.types(p, m["@type"])
	}
	stated := b.properties(p, m)
	// The same thing written twice in full is no conflict.
	if !first && n.states(m["@type"], stated) {
		return
	}
	// The definition with the most members is taken for the real one; others are often stubs.
	more := len(m) > n.size
	switch {
	case more:
		b.graph.Duplicates = append(b.graph.Duplicates, Duplicate{n, n.Pointer, n.stated})
		n.Pointer, n.Types, n.TypeKey = p.pointer, nil, ""
	case !first:
		b.graph.Duplicates = append(b.graph.Duplicates, Duplicate{n, p.pointer, stated})
	}
	if more || n.stated == nil {
		n.stated = stated
	}
	n.size = max(n.size, len(m))
	n.types(p, m["@type"])
	n.merge(stated, more)
}

// merge adds the properties of another object to a node. Properties that it has already are
// replaced if instead is set.
func (n *Node) merge(properties map[string]*Property, instead bool) {
	if n.Properties == nil {
		n.Properties = properties
		return
	}
	if !n.merged {
		n.merged = true
		n.Properties = maps.Clone(n.Properties) // stated is the same map, and must not change
	}
	for iri, property := range properties {
		if instead || n.Properties[iri] == nil {
			n.Properties[iri] = property
		}
	}
}

func (n *Node) types(p *place, types any) {
	list := typesOf(types)
	if len(list) == 0 || n.TypeKey != "" {
		return
	}
	n.Types = list
	n.TypeKey = Child(p.pointer, "@type")
	if written := p.named("@type"); len(written) > 0 {
		n.TypeKey = Child(p.pointer, written[0].written)
	}
}

func typesOf(types any) []string {
	list, _ := types.([]any)
	var out []string
	for _, t := range list {
		if s, ok := t.(string); ok {
			out = append(out, Schema(s))
		}
	}
	return out
}

// properties returns the properties of an object by their addresses.
func (b *builder) properties(p *place, m map[string]any) map[string]*Property {
	own := make(map[string]*Property, len(m))
	for i, to := 0, 0; i < len(p.names); i = to {
		iri := p.names[i].means
		// The names are sorted by meaning, so all spellings of one property stand together.
		for to = i; to < len(p.names) && p.names[to].means == iri; {
			to++
		}
		list, ok := m[iri].([]any)
		// Keywords are not properties.
		if !ok || iri[0] == '@' {
			continue
		}
		property := b.property(p, p.names[i:to], list)
		iri = Schema(iri)
		if before := own[iri]; before != nil { // it is written with http:// and with https://
			before.Values = append(before.Values, property.Values...)
			continue
		}
		own[iri] = property
	}
	return own
}

func (b *builder) property(at *place, names []name, list []any) *Property {
	p := &Property{Pointer: at.pointer, Values: make([]Value, 0, len(list))}
	if len(names) > 0 {
		p.Key = names[0].written
		p.Pointer = Child(at.pointer, p.Key)
	}
	// The library drops null and unwraps @set, so pointers are matched by counting.
	leaves := b.leavesOf(at, names, p.Pointer, len(list))
	for i, e := range list {
		pointer := p.Pointer
		if len(leaves) == len(list) {
			pointer = leaves[i]
		}
		if v, ok := b.value(e, pointer); ok {
			// A JSON literal is one value, even if it is an array.
			if v.JSON {
				v.Pointer = p.Pointer
			}
			p.Values = append(p.Values, v)
		}
	}
	return p
}

// leavesOf returns the pointers of the n values of a property, which several names may have. It
// returns nil if all of them are at the pointer of the first name.
func (b *builder) leavesOf(at *place, names []name, pointer string, n int) []string {
	if len(names) == 1 && n == 1 {
		switch at.object[names[0].written].(type) {
		case []any, map[string]any:
		default:
			return nil
		}
	}
	leaves := make([]string, 0, n)
	for i, name := range names {
		if i > 0 {
			pointer = Child(at.pointer, name.written)
		}
		leaves = b.leaves(leaves, pointer, at.object[name.written], true)
	}
	return leaves
}

// value returns an expanded value that is at a pointer.
func (b *builder) value(e any, pointer string) (Value, bool) {
	m, ok := e.(map[string]any)
	if !ok {
		return Value{}, false
	}
	if literal, ok := m["@value"]; ok {
		language, _ := m["@language"].(string)
		return Value{Pointer: pointer, Literal: literal, Language: language, JSON: m["@type"] == "@json"}, true
	}
	if elements, ok := m["@list"].([]any); ok {
		b.list(elements)
		return Value{Pointer: pointer, List: true}, true
	}
	if own, ok := b.at[reflect.ValueOf(m).Pointer()]; ok {
		pointer = own
	}
	return Value{Pointer: pointer, Node: b.node(m)}, true
}

// list builds the nodes in a list, because other parts of the document may refer to them.
func (b *builder) list(elements []any) {
	for _, e := range elements {
		m, ok := e.(map[string]any)
		if inner, isList := m["@list"].([]any); isList {
			b.list(inner)
		} else if _, literal := m["@value"]; ok && !literal {
			b.node(m)
		}
	}
}

// leaves appends the pointers of the values in v, in the order of the library's expansion.
func (b *builder) leaves(out []string, pointer string, v any, top bool) []string {
	switch v := v.(type) {
	case nil:
		return out
	case []any:
		// All of the array is one list.
		if top && b.holds(pointer, "@list") {
			break
		}
		for i, e := range v {
			out = b.leaves(out, pointer+"/"+strconv.Itoa(i), e, false)
		}
		return out
	case map[string]any:
		if top && b.holds(pointer, "@language") {
			// The library expands language maps in the order of tags.
			for _, tag := range slices.Sorted(maps.Keys(v)) {
				out = b.leaves(out, Child(pointer, tag), v[tag], false)
			}
			return out
		}
		for key, e := range v {
			// An object with @set stands for its elements, which the library puts in its
			// place.
			if means, _ := b.doc.context.expand(key); means == "@set" {
				return b.leaves(out, Child(pointer, key), e, false)
			}
		}
	}
	return append(out, pointer)
}

// holds reports whether the term that a pointer ends with has a container.
func (b *builder) holds(pointer, container string) bool {
	key := unescape(pointer[strings.LastIndexByte(pointer, '/')+1:])
	td := b.doc.context.active.GetTermDefinition(key)
	return td != nil && slices.Contains(td.Container, container)
}

// object returns the object of the document at a pointer, or nil.
func (b *builder) object(pointer string) map[string]any {
	v := b.doc.Root
	for pointer != "" {
		part := pointer[1:]
		if i := strings.IndexByte(part, '/'); i >= 0 {
			part = part[:i]
		}
		pointer = pointer[1+len(part):]
		switch at := v.(type) {
		case map[string]any:
			v = at[unescape(part)]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(at) {
				return nil
			}
			v = at[n]
		default:
			return nil
		}
	}
	m, _ := v.(map[string]any)
	return m
}

func unescape(part string) string {
	if !strings.Contains(part, "~") {
		return part
	}
	// The order is that of RFC 6901, section 4: "~01" is "~1" and not "/".
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

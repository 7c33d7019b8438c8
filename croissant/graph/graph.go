// Package graph reads the bytes of a JSON-LD document into nodes that know where in the document
// they are.
//
// [Read] accepts any bytes. It is strict about JSON, continues after a fault where it can, and
// bounds the cost of a document before anything is expanded. [Document.Prepare] makes the
// context usable, and [Document.Expand] returns the nodes. Nothing is fetched or opened: a
// context that is not inline is refused. This package is the only one that uses the JSON-LD
// library.
package graph

import (
	"slices"
	"strings"
)

// Limits of a document, far above what real documents need.
const (
	MaxDepth   = 64       // nesting of objects and arrays
	MaxValues  = 60_000   // values, including all members and elements
	MaxPointer = 1 << 10  // bytes of a JSON Pointer, and so of the name of a member
	MaxTerms   = 1_000    // terms of the context
	MaxContext = 64 << 10 // bytes of all names and addresses in the context
	MaxIRI     = 512      // bytes of an address in the context
	maxFaults  = 2_000    // problems that are kept, and as many again of kind OldSpace
)

// Kind says what part of a document a problem is about.
type Kind int

// The kinds.
const (
	Syntax   Kind = iota // the bytes are not valid JSON
	Context              // the context is not usable as it is
	Shape                // a JSON-LD keyword is used in a way that is not allowed
	ID                   // an @id is not usable
	Language             // a language map has a value that is not text
	OldSpace             // a name begins with http://schema.org/
)

// Problem is something wrong with how a document is written.
type Problem struct {
	Kind     Kind
	Pointer  string // JSON Pointer to it
	Property string // for kind Language the property of the value, for OldSpace the address
	Message  string
	Value    any  // for kind Language the value
	Passes   bool // as far as is known here, the reference library still loads the document
}

// Document is a document that was read.
type Document struct {
	Root     any // map[string]any, []any, string, json.Number, bool or nil
	Readable bool
	Problems []Problem
	Omitted  int // number of problems that were not kept

	context     *scope
	faults, old int
}

// report adds a problem for which the reference library refuses the document.
func (d *Document) report(kind Kind, pointer, message string) {
	d.add(Problem{Kind: kind, Pointer: pointer, Message: message})
}

// remark adds a problem with which the reference library still loads the document.
func (d *Document) remark(kind Kind, pointer, message string) {
	d.add(Problem{Kind: kind, Pointer: pointer, Message: message, Passes: true})
}

func (d *Document) add(p Problem) {
	if !d.full(p.Kind) {
		d.Problems = append(d.Problems, p)
	}
}

// full counts a problem and reports whether there are too many to keep it.
func (d *Document) full(kind Kind) bool {
	count := &d.faults
	if kind == OldSpace {
		count = &d.old // only a matter of style; it must not crowd out faults
	}
	if *count >= maxFaults {
		d.Omitted++
		return true
	}
	*count++
	return false
}

// Node is a thing with properties. All objects of the document with one @id are one node.
type Node struct {
	ID         string   // expanded @id; "" if it has none
	Written    string   // the @id as it is written
	Types      []string // addresses of its types
	Pointer    string   // where it is defined or, if it is not, first referred to
	Defined    bool     // some object has more of it than the @id
	Properties map[string]*Property
	TypeKey    string // pointer to its @type; "" if it has none

	size   int                  // number of members of the object that defines it
	stated map[string]*Property // properties of that object
	merged bool                 // Properties come from several objects
	has    map[string]bool      // the first hasOf of Types as a set, if there are many
	hasOf  int
}

// Property is the values that a node has under one address.
type Property struct {
	Key     string // the name, as the document writes it
	Pointer string // to the member
	Values  []Value
}

// Value is one value of a property: a node, a literal or a list. A list is an object with @list,
// or a value of a term whose container is @list. It is one value with an order, and readers of
// the format do not look inside.
type Value struct {
	Pointer  string
	Node     *Node
	Literal  any // string, bool or json.Number; any JSON value if JSON is set
	Language string
	JSON     bool // a JSON literal (@json), which is not expanded
	List     bool // a list; Node and Literal are nil
}

// Duplicate is a second definition of an @id that differs from the one in the node.
type Duplicate struct {
	Node    *Node
	Pointer string // to the object
	Stated  map[string]*Property
}

// fewTypes is up to how many types Has searches the list. For more it makes a set.
const fewTypes = 8

// Has reports whether the node has a type.
func (n *Node) Has(typ string) bool {
	if len(n.Types) <= fewTypes {
		return slices.Contains(n.Types, typ)
	}
	if n.hasOf != len(n.Types) {
		n.has, n.hasOf = make(map[string]bool, len(n.Types)), len(n.Types)
		for _, t := range n.Types {
			n.has[t] = true
		}
	}
	return n.has[typ]
}

// Values returns the values of a property. It is nil if there are none, also if the document has
// the property with null or an empty array.
func (n *Node) Values(iri string) []Value {
	if p := n.Properties[iri]; p != nil && len(p.Values) > 0 {
		return p.Values
	}
	return nil
}

// Text returns the text of a value, and whether the value is text.
func (v Value) Text() (string, bool) {
	s, ok := v.Literal.(string)
	return s, ok && !v.JSON && v.Node == nil
}

// Child returns the JSON Pointer to the member key of what pointer points to.
func Child(pointer, key string) string {
	return pointer + "/" + escape(key)
}

func escape(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	// "~" comes first (RFC 6901, section 3). Otherwise the "~" of "~1" would be escaped
	// again.
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

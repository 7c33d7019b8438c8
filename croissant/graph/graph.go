// Package graph reads the bytes of a JSON-LD document into nodes that know where
// in the document they stand.
//
// [Read] takes any bytes: it is strict about JSON, goes on where it can, and
// bounds what a document may cost before anything is expanded. [Document.Prepare]
// makes the context usable, [Document.Expand] gives the nodes. Nothing is ever
// fetched or opened: a context that is not inline is refused. This package is the
// only one that knows the JSON-LD library.
package graph

import (
	"slices"
	"strings"
)

// Limits of what is read. All of them are far above what real documents need.
const (
	MaxDepth   = 64       // objects and arrays inside each other
	MaxValues  = 60_000   // values in a document, its members and elements
	MaxPointer = 1 << 10  // bytes of a JSON Pointer, and so of a member's name
	MaxTerms   = 1_000    // terms of the context
	MaxContext = 64 << 10 // bytes of the names and addresses of the context
	MaxIRI     = 512      // bytes of what a term stands for
	maxFaults  = 2_000    // problems that are kept; as many again of kind OldSpace
)

// Kind says what part of a document a problem is about.
type Kind int

// The kinds.
const (
	Syntax   Kind = iota // the bytes are not the JSON that is asked for
	Context              // the context cannot be used as it is
	Shape                // a JSON-LD keyword is used in a way that is not allowed
	ID                   // an @id is not usable
	Language             // a language map holds something else than text
	OldSpace             // a name begins with http://schema.org/
)

// Problem is something wrong in how a document is written.
type Problem struct {
	Kind     Kind
	Pointer  string // JSON Pointer to it in the document as it was sent
	Property string // the property of the value, where Kind is Language; the address, where it is OldSpace
	Message  string
	Value    any  // what stands there, where Kind is ID or Language
	Passes   bool // the reference library reads past it, as far as can be told here
}

// Document is a document that was read.
type Document struct {
	Root     any // map[string]any, []any, string, json.Number, bool or nil
	Readable bool
	Problems []Problem
	Omitted  int // problems that are not kept

	context     *scope
	faults, old int
}

// report adds a problem at which the reference library fails.
func (d *Document) report(kind Kind, pointer, message string) {
	d.add(Problem{Kind: kind, Pointer: pointer, Message: message})
}

// remark adds a problem that the reference library reads past.
func (d *Document) remark(kind Kind, pointer, message string) {
	d.add(Problem{Kind: kind, Pointer: pointer, Message: message, Passes: true})
}

func (d *Document) add(p Problem) {
	if !d.full(p.Kind) {
		d.Problems = append(d.Problems, p)
	}
}

// full counts a problem, and says whether there are too many to keep it.
func (d *Document) full(kind Kind) bool {
	count := &d.faults
	if kind == OldSpace {
		count = &d.old // a style, which must not crowd out what is wrong
	}
	if *count >= maxFaults {
		d.Omitted++
		return true
	}
	*count++
	return false
}

// Node is an object of the document that is a thing with properties. All objects
// with one @id are one node.
type Node struct {
	ID         string   // its @id, expanded; empty when it has none
	Written    string   // its @id as it was written
	Types      []string // addresses of its types
	Pointer    string   // where it is defined, else where it is first named
	Defined    bool     // it has more than an @id
	Properties map[string]*Property
	TypeKey    string // pointer to its @type; empty when it has none

	size   int                  // members of the object that defines it
	stated map[string]*Property // what that object says
	merged bool                 // Properties are of several objects
	has    map[string]bool      // the first hasOf of Types, if they are many
	hasOf  int
}

// Property is what a node says under one address.
type Property struct {
	Key     string // as the document writes it
	Pointer string // to the member of the document
	Values  []Value
}

// Value is one value of a property: a node, something literal, or a list. A list is
// what JSON-LD calls one, an object with @list or a value under a term whose
// container is @list. It is one thing with an order, not each of its elements, and
// readers of the format do not look into it.
type Value struct {
	Pointer  string
	Node     *Node
	Literal  any // string, bool or json.Number; any JSON where JSON is true
	Language string
	JSON     bool // it is JSON that is kept as it is
	List     bool // it is a list; Node and Literal are nil
}

// Duplicate is another definition of an @id than the one that was taken, and says
// something else.
type Duplicate struct {
	Node    *Node
	Pointer string // to the object
	Stated  map[string]*Property
}

// fewTypes are as many as are looked through; of more there is a set.
const fewTypes = 8

// Has says whether the node has a type.
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

// Values returns the values of a property; nil when there are none, also where the
// document has the property with an empty array or null.
func (n *Node) Values(iri string) []Value {
	if p := n.Properties[iri]; p != nil && len(p.Values) > 0 {
		return p.Values
	}
	return nil
}

// Text returns the text of a value, and whether it is one.
func (v Value) Text() (string, bool) {
	s, ok := v.Literal.(string)
	return s, ok && !v.JSON && v.Node == nil
}

// Child returns the pointer to a member of what pointer points to.
func Child(pointer, key string) string {
	return pointer + "/" + escape(key)
}

func escape(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

package graph

import (
	"reflect"
	"slices"
)

// states reports whether the definition of a node says the same as another object.
func (n *Node) states(types any, properties map[string]*Property) bool {
	return n.stated != nil && slices.Equal(n.Types, typesOf(types)) && sameProperties(n.stated, properties)
}

func sameProperties(a, b map[string]*Property) bool {
	if len(a) != len(b) {
		return false
	}
	for iri, p := range a {
		if other := b[iri]; other == nil || !slices.EqualFunc(p.Values, other.Values, same) {
			return false
		}
	}
	return true
}

// same reports whether two values are equal, wherever they are. Nodes with an @id are compared by
// it and not by their properties, so the cost is linear. Lists never count as equal, because
// their content is not kept.
func same(a, b Value) bool {
	switch {
	case a.List || b.List:
		return false
	case a.Node == nil || b.Node == nil:
		return a.Node == b.Node && a.Language == b.Language && a.JSON == b.JSON && reflect.DeepEqual(a.Literal, b.Literal)
	case a.Node.ID != "" || b.Node.ID != "":
		return a.Node == b.Node
	}
	return slices.Equal(a.Node.Types, b.Node.Types) && sameProperties(a.Node.Properties, b.Node.Properties)
}

package check

import "vaak/croissant/graph"

// inventory holds the files, record sets and fields that the document defines, so that
// rules can look up what an @id names. fileRules and recordSetRules fill it.
type inventory struct {
	distribution []*graph.Node          // the files, in the order of the document
	files        map[string]*graph.Node // the same by @id
	recordSets   []*graph.Node
	recordSetIDs map[string]bool
	fields       map[string]*graph.Node // by @id, also those inside other fields

	parents map[*graph.Node]*graph.Node // the record set or field that a field is directly in
	setOf   map[*graph.Node]*graph.Node // the record set that a field is in, at any depth
	shared  map[*graph.Node]bool        // fields that are in more than one record set
}

func newInventory() *inventory {
	return &inventory{
		files: map[string]*graph.Node{}, recordSetIDs: map[string]bool{}, fields: map[string]*graph.Node{},
		parents: map[*graph.Node]*graph.Node{}, setOf: map[*graph.Node]*graph.Node{}, shared: map[*graph.Node]bool{},
	}
}

// enterFile adds a file of the distribution.
func (i *inventory) enterFile(n *graph.Node) {
	i.distribution = append(i.distribution, n)
	if n.ID != "" {
		i.files[n.ID] = n
	}
}

// enterRecordSet adds a record set; its fields are added by enterField.
func (i *inventory) enterRecordSet(n *graph.Node) {
	i.recordSets = append(i.recordSets, n)
	i.recordSetIDs[n.ID] = true
}

// enterField adds a field that is in parent, which is set or a field of set. It reports
// whether the field is new. A field that several record sets list belongs to the first.
func (i *inventory) enterField(n, parent, set *graph.Node) bool {
	if i.parents[n] != nil {
		i.shared[n] = i.shared[n] || i.setOf[n] != set
		return false
	}
	i.parents[n], i.setOf[n] = parent, set
	if n.ID != "" {
		i.fields[n.ID] = n
	}
	return true
}

// own returns the fields that a property lists and that belong to the node itself.
func (i *inventory) own(n *graph.Node, iri string) []*graph.Node {
	var fields []*graph.Node
	for _, v := range n.Values(iri) {
		if v.Node != nil && i.parents[v.Node] == n {
			fields = append(fields, v.Node)
		}
	}
	return fields
}

// isRecordSet reports whether an @id is that of a record set.
func (i *inventory) isRecordSet(id string) bool { return id != "" && i.recordSetIDs[id] }

// target returns the @id that a value names, or "".
func target(v graph.Value) string {
	if v.Node != nil {
		return v.Node.ID
	}
	s, _ := v.Text()
	return s
}

// isSource reports whether an object says where data comes from.
func isSource(n *graph.Node) bool {
	return n.Values(propFileObject) != nil || n.Values(propFileSet) != nil || n.Values(propRecordSet) != nil
}

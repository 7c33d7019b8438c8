package check

import (
	"maps"
	"slices"
	"strconv"

	"vaak/croissant/graph"
)

// recordSetRules checks the record sets, and enters them and their fields in the
// inventory.
type recordSetRules struct {
	*subject
	*inventory
	field *fieldRules
}

// check checks all record sets of the dataset. All fields are entered before the first is
// checked, because a source may name any field of the document.
func (r *recordSetRules) check(dataset *graph.Node) {
	seen := map[*graph.Node]bool{}
	for _, v := range dataset.Values(propRecordSet) {
		if !r.hasType(v, typeRecordSet, "E030", dataset, "recordSet") || seen[v.Node] {
			continue
		}
		seen[v.Node] = true
		r.enterRecordSet(v.Node)
		r.collect(v.Node, v.Node, propField)
	}
	for _, n := range r.recordSets {
		r.recordSet(n)
	}
}

// collect enters the fields that a property of n lists, and those inside them. n is set or
// a field of it.
func (r *recordSetRules) collect(set, n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if r.hasType(v, typeField, "E031", n, r.key(n, iri)) && r.enterField(v.Node, n, set) {
			r.collect(set, v.Node, propSubField)
		}
	}
}

// recordSet checks one record set and its fields.
func (r *recordSetRules) recordSet(n *graph.Node) {
	r.name(n, true)
	r.texts("E049", n, propDescription)
	r.keys(n)
	fields := r.own(n, propField)
	hasData := r.data(n, fields)
	sourced := hasData || r.anySourced(fields)
	for _, f := range fields {
		r.field.check(f, hasData, sourced)
	}
	r.field.annotations(n)
	r.joins(n, fields)
}

// anySourced reports whether a field of a record set has a source. If one has, the
// reference library also loads the fields that have none.
func (r *recordSetRules) anySourced(fields []*graph.Node) bool {
	for _, f := range fields {
		if hasSource(f) || slices.ContainsFunc(r.own(f, propSubField), hasSource) {
			return true
		}
	}
	return false
}

// keys checks that the key names fields of the record set.
func (r *recordSetRules) keys(n *graph.Node) {
	for _, v := range n.Values(propKey) {
		id := target(v)
		switch f := r.fields[id]; {
		case id == "":
			r.add("E039", n, v.Pointer, "the key of %s is %s; name a field of it: {\"@id\": \"...\"}", label(n), kind(v))
		case f == nil:
			r.add("E039", n, v.Pointer, "the key of %s names %s, which is not a field; name the @id of one of its fields", label(n), quote(id))
		case r.setOf[f] != n:
			r.add("E039", n, v.Pointer, "the key of %s names %s, which is a field of another RecordSet; name one of its own", label(n), quote(id))
		}
	}
}

// data checks the rows that the document itself contains, and reports whether it has
// any.
func (r *recordSetRules) data(n *graph.Node, fields []*graph.Node) bool {
	vs := n.Values(propData)
	if len(vs) == 0 {
		return false
	}
	path := r.at(n, propData)
	// Of several values the first is read.
	rows, ok := vs[0].Literal.([]any)
	one, object := vs[0].Literal.(map[string]any)
	switch {
	case vs[0].JSON && object:
		r.add("W09", n, path, "data of %s is one object; write an array of objects, one for each row: [{...}]", label(n))
	case !vs[0].JSON || !ok:
		r.add("E040", n, path, "data of %s is %s; it must be an array of objects, one for each row", label(n), kind(vs[0]))
	case len(rows) == 0:
		r.add("E040", n, path, "data of %s is empty; write its rows, or leave it out and give the fields a source", label(n))
	}
	// Rows name their fields by @id, in expanded form or as the document writes it.
	index := map[string]int{}
	fields = r.identified(fields)
	for i, f := range fields {
		index[f.ID], index[f.Written] = i, i
	}
	if object {
		r.row(n, one, path, fields, index)
	}
	for i, row := range rows {
		at := graph.Child(path, strconv.Itoa(i))
		if object, ok := row.(map[string]any); ok {
			r.row(n, object, at, fields, index)
		} else {
			r.add("E040", n, at, "row %d of data of %s is %s; it must be an object", i, label(n), kind(graph.Value{Literal: row, JSON: true}))
		}
	}
	return true
}

// identified returns the fields that have an @id, and reports the others.
func (r *recordSetRules) identified(fields []*graph.Node) []*graph.Node {
	var out []*graph.Node
	for _, f := range fields {
		if f.ID == "" {
			r.add("E041", f, graph.Child(f.Pointer, "@id"), "%s has no @id, and rows of data name fields by it; give the field one", label(f))
			continue
		}
		out = append(out, f)
	}
	return out
}

// row checks that the names in a row are those of the fields. Its cost grows with the row
// and not with the number of fields: both may be in the thousands.
func (r *recordSetRules) row(n *graph.Node, row map[string]any, path string, fields []*graph.Node, index map[string]int) {
	var foreign []string
	has := map[int]bool{}
	for name := range row {
		if i, ok := index[name]; ok {
			has[i] = true
		} else {
			foreign = append(foreign, name)
		}
	}
	// Map order is random, and reports must be the same each time.
	slices.Sort(foreign)
	var missing []string
	for i := 0; i < len(fields) && len(missing) < 3; i++ { // messages name three
		if !has[i] {
			missing = append(missing, fields[i].Written)
		}
	}
	lacks := len(fields) - len(has)
	switch {
	case len(foreign) > 0 && lacks > 0:
		r.add("E041", n, path, "the row has %s, which are not fields of %s, and lacks %s; its names must be the @ids of the fields", quotes(foreign, len(foreign)), label(n), quotes(missing, lacks))
	case len(foreign) > 0:
		r.add("E041", n, path, "the row has %s, which are not fields of %s; leave them out, or define the fields", quotes(foreign, len(foreign)), label(n))
	case lacks > 0:
		r.add("E041", n, path, "the row lacks %s of %s; each row has all fields (null where there is no value)", quotes(missing, lacks), label(n))
	}
}

// joins checks that a record set whose fields have several sources says, by references,
// which rows of one belong to which rows of the other.
func (r *recordSetRules) joins(n *graph.Node, fields []*graph.Node) {
	joined := map[[2]string]bool{}
	from := map[string]bool{}
	for _, f := range fields {
		source, ok := r.origin(f, propSource)
		if !ok {
			continue
		}
		from[source] = true
		// Both directions: a join links two sources whichever of them names the other.
		if other, ok := r.origin(f, propReferences); ok {
			joined[[2]string{source, other}] = true
			joined[[2]string{other, source}] = true
		}
	}
	// Every pair must be joined directly: a chain over a third source does not count.
	all := slices.Sorted(maps.Keys(from))
	for i, a := range all {
		for _, b := range all[i+1:] {
			if !joined[[2]string{a, b}] {
				r.add("E048", n, r.at(n, propField), "the fields of %s come from %s and from %s, and nothing says which rows belong together; add references to the field that links them", label(n), quote(a), quote(b))
				return // one finding a record set is enough
			}
		}
	}
}

// origin returns the @id of the file or record set that a source leads to, and whether
// there is one.
func (r *recordSetRules) origin(f *graph.Node, iri string) (string, bool) {
	for _, v := range f.Values(iri) {
		if v.Node == nil {
			continue
		}
		for _, to := range sources() {
			for _, t := range v.Node.Values(to) {
				id := target(t)
				if field := r.fields[id]; field != nil {
					return r.parents[field].ID, true
				}
				return id, r.files[id] != nil || r.isRecordSet(id)
			}
		}
	}
	return "", false
}

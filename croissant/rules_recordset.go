package croissant

import (
	"maps"
	"slices"

	"vaak/croissant/graph"
)

// checkRecordSets checks the record sets and all that is in them.
func (c *checker) checkRecordSets() {
	c.fields = map[string]*graph.Node{}
	c.parents = map[*graph.Node]*graph.Node{}
	c.setOf = map[*graph.Node]*graph.Node{}
	c.typed = map[*graph.Node]bool{}
	c.shared = map[*graph.Node]bool{}
	c.named = map[string]bool{}
	c.types = map[string]bool{}
	for _, name := range dataTypes() {
		c.types[full(name)] = true
	}
	seen := map[*graph.Node]bool{}
	for _, v := range c.dataset.Values(propRecordSet) {
		if !c.is(v, typeRecordSet, "E030", c.dataset, "recordSet") || seen[v.Node] {
			continue
		}
		seen[v.Node] = true
		c.sets = append(c.sets, v.Node)
		c.named[v.Node.ID] = true
		c.collect(v.Node, v.Node, propField)
	}
	for _, n := range c.sets {
		c.checkRecordSet(n)
	}
}

// is checks the type of a value.
func (c *checker) is(v graph.Value, typ, code string, in *graph.Node, property string) bool {
	switch {
	case v.Node == nil:
		c.add(code, in, v.Pointer, "%s of %s holds %s; it must be an object of type %s", property, label(in), kind(v), curie(typ))
	case v.Node.Has(typ):
		return true
	case !v.Node.Defined:
		c.add(code, in, v.Pointer, "%s of %s names %s, which is not defined; define it as a %s", property, label(in), quote(v.Node.Written), curie(typ))
	default:
		c.add(code, v.Node, typePath(v), "%s in %s is of type %s; it must be %s", label(v.Node), property, curies(v.Node.Types), curie(typ))
	}
	return false
}

// collect enters the fields of a record set or of a field in it, and theirs.
func (c *checker) collect(set, n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if !c.is(v, typeField, "E031", n, c.key(n, iri)) {
			continue
		}
		if c.parents[v.Node] != nil {
			c.shared[v.Node] = c.shared[v.Node] || c.setOf[v.Node] != set
			continue
		}
		c.parents[v.Node], c.setOf[v.Node] = n, set
		if v.Node.ID != "" {
			c.fields[v.Node.ID] = v.Node
		}
		c.collect(set, v.Node, propSubField)
	}
}

// own returns the fields that are directly in a node.
func (c *checker) own(n *graph.Node, iri string) []*graph.Node {
	var fields []*graph.Node
	for _, v := range n.Values(iri) {
		if v.Node != nil && c.parents[v.Node] == n {
			fields = append(fields, v.Node)
		}
	}
	return fields
}

func (c *checker) checkRecordSet(n *graph.Node) {
	c.name(n, true)
	c.texts("E049", n, propDescription)
	c.keys(n)
	fields := c.own(n, propField)
	hasData := c.data(n, fields)
	read := hasData || c.leadsOn(fields)
	for _, f := range fields {
		c.checkField(f, hasData, read)
	}
	c.annotations(n)
	c.joins(n, fields)
}

func (c *checker) isRecordSet(id string) bool { return id != "" && c.named[id] }

// leadsOn says whether something of a record set says where its values come from. Then
// the reference library reads past the fields that do not.
func (c *checker) leadsOn(fields []*graph.Node) bool {
	for _, f := range fields {
		if c.sourced(f) || slices.ContainsFunc(c.own(f, propSubField), c.sourced) {
			return true
		}
	}
	return false
}

// keys checks that the key is made of fields of the record set.
func (c *checker) keys(n *graph.Node) {
	for _, v := range n.Values(propKey) {
		id := target(v)
		switch f := c.fields[id]; {
		case id == "":
			c.add("E039", n, v.Pointer, "the key of %s is %s; name a field of it: {\"@id\": \"...\"}", label(n), kind(v))
		case f == nil:
			c.add("E039", n, v.Pointer, "the key of %s names %s, which is not a field; name the @id of one of its fields", label(n), quote(id))
		case c.setOf[f] != n:
			c.add("E039", n, v.Pointer, "the key of %s names %s, which is a field of another RecordSet; name one of its own", label(n), quote(id))
		}
	}
}

// data checks the rows that stand in the document, and says whether there are any.
func (c *checker) data(n *graph.Node, fields []*graph.Node) bool {
	vs := n.Values(propData)
	if len(vs) == 0 {
		return false
	}
	path := c.at(n, propData)
	rows, ok := vs[0].Literal.([]any)
	one, object := vs[0].Literal.(map[string]any)
	switch {
	case vs[0].JSON && object:
		c.add("W09", n, path, "data of %s is one object; write an array of objects, one for each row: [{...}]", label(n))
	case !vs[0].JSON || !ok:
		c.add("E040", n, path, "data of %s is %s; it must be an array of objects, one for each row", label(n), kind(vs[0]))
	case len(rows) == 0:
		c.add("E040", n, path, "data of %s is empty; write its rows, or leave it out and give the fields a source", label(n))
	}
	index := map[string]int{}
	fields = c.identified(fields)
	for i, f := range fields {
		index[f.ID], index[f.Written] = i, i
	}
	if object {
		c.row(n, one, path, fields, index)
	}
	for i, row := range rows {
		at := graph.Child(path, itoa(i))
		if object, ok := row.(map[string]any); ok {
			c.row(n, object, at, fields, index)
		} else {
			c.add("E040", n, at, "row %d of data of %s is %s; it must be an object", i, label(n), kind(graph.Value{Literal: row, JSON: true}))
		}
	}
	return true
}

// identified returns the fields that rows can name, and reports the others.
func (c *checker) identified(fields []*graph.Node) []*graph.Node {
	var out []*graph.Node
	for _, f := range fields {
		if f.ID == "" {
			c.add("E041", f, graph.Child(f.Pointer, "@id"), "%s has no @id, and rows of data name fields by it; give the field one", label(f))
			continue
		}
		out = append(out, f)
	}
	return out
}

// row checks that a row has the fields for its names. Its cost is that of the row,
// not of the fields.
func (c *checker) row(n *graph.Node, row map[string]any, path string, fields []*graph.Node, index map[string]int) {
	var foreign []string
	has := map[int]bool{}
	for name := range row {
		if i, ok := index[name]; ok {
			has[i] = true
		} else {
			foreign = append(foreign, name)
		}
	}
	slices.Sort(foreign)
	var missing []string
	for i := 0; i < len(fields) && len(missing) < 3; i++ {
		if !has[i] {
			missing = append(missing, fields[i].Written)
		}
	}
	lacks := len(fields) - len(has)
	switch {
	case len(foreign) > 0 && lacks > 0:
		c.add("E041", n, path, "the row has %s, which are not fields of %s, and lacks %s; its names must be the @ids of the fields", quotes(foreign, len(foreign)), label(n), quotes(missing, lacks))
	case len(foreign) > 0:
		c.add("E041", n, path, "the row has %s, which are not fields of %s; leave them out, or define the fields", quotes(foreign, len(foreign)), label(n))
	case lacks > 0:
		c.add("E041", n, path, "the row lacks %s of %s; each row has all fields (null where there is no value)", quotes(missing, lacks), label(n))
	}
}

// joins checks that what the fields of a record set come from is linked.
func (c *checker) joins(n *graph.Node, fields []*graph.Node) {
	joined := map[[2]string]bool{}
	from := map[string]bool{}
	for _, f := range fields {
		source, ok := c.origin(f, propSource)
		if !ok {
			continue
		}
		from[source] = true
		if other, ok := c.origin(f, propReferences); ok {
			joined[[2]string{source, other}] = true
			joined[[2]string{other, source}] = true
		}
	}
	all := slices.Sorted(maps.Keys(from))
	for i, a := range all {
		for _, b := range all[i+1:] {
			if !joined[[2]string{a, b}] {
				c.add("E048", n, c.at(n, propField), "the fields of %s come from %s and from %s, and nothing says which rows belong together; add references to the field that links them", label(n), quote(a), quote(b))
				return
			}
		}
	}
}

// origin returns the @id of the file or record set that a source leads to.
func (c *checker) origin(f *graph.Node, iri string) (string, bool) {
	for _, v := range f.Values(iri) {
		if v.Node == nil {
			continue
		}
		for _, to := range sources() {
			for _, t := range v.Node.Values(to) {
				id := target(t)
				if field := c.fields[id]; field != nil {
					return c.parents[field].ID, true
				}
				return id, c.files[id] != nil || c.isRecordSet(id)
			}
		}
	}
	return "", false
}

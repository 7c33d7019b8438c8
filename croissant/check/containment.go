package check

import "vaak/croissant/graph"

// containment checks that containedIn leads to files of the distribution and that no file
// contains itself. It runs when all fields are known, because containedIn may be a source
// that names a field.
type containment struct{ *sourceRules }

// check checks all files of the distribution.
func (r *containment) check() {
	within := map[*graph.Node][]*graph.Node{} // the containers of a file
	for _, n := range r.distribution {
		for _, v := range n.Values(containedIn(r.version)) {
			if container := r.container(n, v); container != nil {
				within[n] = append(within[n], container)
			}
		}
	}
	// Depth-first search: an edge to a node that is still on the path closes a circle.
	const onPath, done = 1, 2
	state := map[*graph.Node]int{}
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		state[n] = onPath
		for _, container := range within[n] {
			switch state[container] {
			case 0:
				visit(container)
			case onPath:
				r.add("E027", n, r.at(n, containedIn(r.version)), "%s is contained in itself, by way of %s; name the archive that it is really in", label(n), quote(container.Written))
			}
		}
		state[n] = done
	}
	for _, n := range r.distribution {
		if state[n] == 0 {
			visit(n)
		}
	}
}

// container returns the file that a value of containedIn names, or nil.
func (r *containment) container(n *graph.Node, v graph.Value) *graph.Node {
	id := target(v)
	if v.Node != nil && isSource(v.Node) { // {"fileObject": {"@id": ...}} in place of {"@id": ...}
		ids := r.source(n, v.Node, "E027")
		if len(ids) == 0 {
			return nil
		}
		id = ids[0]
	}
	if file := r.files[id]; file != nil {
		return file
	}
	if id == "" {
		r.add("E027", n, v.Pointer, "containedIn of %s is %s; name a file of the distribution: {\"@id\": \"...\"}", label(n), kind(v))
	} else {
		defined := r.fields[id] != nil || r.isRecordSet(id) // then the library does not mind
		r.addAs("E027", defined, n, v.Pointer, "containedIn of %s names %s, which is not in the distribution; name the @id of one that is", label(n), quote(id))
	}
	return nil
}

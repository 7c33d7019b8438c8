package croissant

import (
	"regexp"

	"vaak/croissant/graph"
)

// checkDistribution checks the files, and returns them.
func (c *checker) checkDistribution() []*graph.Node {
	c.files = map[string]*graph.Node{}
	var files []*graph.Node
	seen := map[*graph.Node]bool{}
	for _, v := range c.dataset.Values(propDistribution) {
		if !c.isFile(v) || seen[v.Node] {
			continue
		}
		seen[v.Node] = true
		files = append(files, v.Node)
		if v.Node.ID != "" {
			c.files[v.Node.ID] = v.Node
		}
	}
	for _, n := range files {
		c.checkFile(n)
	}
	return files
}

// isFile checks the type of what is in distribution.
func (c *checker) isFile(v graph.Value) bool {
	switch {
	case v.Node == nil:
		c.add("E022", c.dataset, v.Pointer, "distribution holds %s; it must be an object of type cr:FileObject or cr:FileSet", kind(v))
		return false
	case v.Node.Has(typeFileObject), v.Node.Has(typeFileSet):
		return true
	case !v.Node.Defined:
		c.add("E022", v.Node, v.Pointer, "distribution names %s, which is not defined; define it as a cr:FileObject or cr:FileSet", quote(v.Node.Written))
	case v.Node.Has(schemaOrg + "FileObject"), v.Node.Has(schemaOrg + "FileSet"):
		c.add("E022", v.Node, typePath(v), "%s is of type %s, which is of version 0.8; write cr:FileObject or cr:FileSet", label(v.Node), curies(v.Node.Types))
	default:
		c.add("E022", v.Node, typePath(v), "%s is of type %s; what is in distribution must be cr:FileObject or cr:FileSet", label(v.Node), curies(v.Node.Types))
	}
	return false
}

func (c *checker) checkFile(n *graph.Node) {
	c.name(n, false)
	c.texts("E049", n, propDescription)
	c.need("E026", n, propEncoding, `give the media type, as in "text/csv"`)
	c.texts("E026", n, propEncoding)
	if n.Has(typeFileObject) {
		c.checkFileObject(n)
		return
	}
	c.need("E029", n, propIncludes, `give a pattern of the files, as in "audio/*.flac"`)
	c.texts("E029", n, propIncludes)
	c.texts("E049", n, propExcludes)
}

func (c *checker) checkFileObject(n *graph.Node) {
	contained := len(n.Values(containedIn(c.version))) > 0
	if !contained {
		c.need("E023", n, propContentURL, "give the address where it can be fetched, or containedIn when it is inside another file")
		c.addresses(n)
		if !c.live && n.Values(propSHA256) == nil && n.Values(propMD5) == nil {
			c.add("E024", n, c.at(n, propSHA256), "%s has no sha256 or md5; give the checksum of the file, or containedIn when it is inside another file", label(n))
		}
	}
	c.texts("E023", n, propContentURL)
	c.texts("E028", n, propContentSize)
	c.texts("E049", n, schemaOrg+"sameAs")
	c.checksums(n, propSHA256, sha256Shape, 64)
	c.checksums(n, propMD5, md5Shape, 32)
	c.one(n, propContentURL, propContentSize, propSHA256, propMD5)
}

var (
	sha256Shape = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
	md5Shape    = regexp.MustCompile(`^[0-9a-fA-F]{32}$`)
	absolute    = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+$`)
)

// addresses warns of addresses that depend on where the document is.
func (c *checker) addresses(n *graph.Node) {
	for _, v := range n.Values(propContentURL) {
		if s, text := v.Text(); text && s != "" && !absolute.MatchString(s) {
			c.add("W07", n, v.Pointer, "contentUrl of %s is %s, which is found only beside the document; begin it with https://", label(n), quote(s))
		}
	}
}

func (c *checker) checksums(n *graph.Node, iri string, shape *regexp.Regexp, digits int) {
	for _, v := range n.Values(iri) {
		s, text := v.Text()
		switch {
		case !text:
			c.add("E049", n, v.Pointer, "%s of %s is %s; it must be text of %d hexadecimal digits", c.key(n, iri), label(n), kind(v), digits)
		case !shape.MatchString(s):
			c.add("E025", n, v.Pointer, "%s of %s is %s; a checksum is %d hexadecimal digits", c.key(n, iri), label(n), quote(s), digits)
		}
	}
}

// containment, when all fields are known, checks that containedIn leads to files, and never back.
func (c *checker) containment(files []*graph.Node) {
	within := map[*graph.Node][]*graph.Node{}
	for _, n := range files {
		for _, v := range n.Values(containedIn(c.version)) {
			if at := c.container(n, v); at != nil {
				within[n] = append(within[n], at)
			}
		}
	}
	state := map[*graph.Node]int{} // 1 on the way, 2 done
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		state[n] = 1
		for _, at := range within[n] {
			switch state[at] {
			case 0:
				visit(at)
			case 1:
				c.add("E027", n, c.at(n, containedIn(c.version)), "%s is contained in itself, by way of %s; name the archive that it is really in", label(n), quote(at.Written))
			}
		}
		state[n] = 2
	}
	for _, n := range files {
		if state[n] == 0 {
			visit(n)
		}
	}
}

// container returns the file that a value of containedIn names; nil when there is
// none.
func (c *checker) container(n *graph.Node, v graph.Value) *graph.Node {
	id := target(v)
	if v.Node != nil && isSource(v.Node) {
		ids := c.checkSource(n, v.Node, "E027")
		if len(ids) == 0 {
			return nil
		}
		id = ids[0]
	}
	if at := c.files[id]; at != nil {
		return at
	}
	if id == "" {
		c.add("E027", n, v.Pointer, "containedIn of %s is %s; name a file of the distribution: {\"@id\": \"...\"}", label(n), kind(v))
	} else {
		there := c.fields[id] != nil || c.isRecordSet(id)
		c.addAs("E027", there, n, v.Pointer, "containedIn of %s names %s, which is not in the distribution; name the @id of one that is", label(n), quote(id))
	}
	return nil
}

// target returns the @id that a value names; "" when it names none.
func target(v graph.Value) string {
	if v.Node != nil {
		return v.Node.ID
	}
	s, _ := v.Text()
	return s
}

// isSource says whether an object says where data comes from.
func isSource(n *graph.Node) bool {
	return n.Values(propFileObject) != nil || n.Values(propFileSet) != nil || n.Values(propRecordSet) != nil
}

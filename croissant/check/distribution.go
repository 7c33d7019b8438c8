package check

import (
	"regexp"

	"vaak/croissant/graph"
)

// fileRules checks the files of the distribution, and enters them in the inventory.
type fileRules struct {
	*subject
	*inventory
	live bool // the dataset changes, so its files need no checksum
}

// check checks all files of the dataset.
func (r *fileRules) check(dataset *graph.Node) {
	seen := map[*graph.Node]bool{}
	for _, v := range dataset.Values(propDistribution) {
		if !r.isFileIn(dataset, v) || seen[v.Node] {
			continue
		}
		seen[v.Node] = true
		r.enterFile(v.Node)
	}
	for _, n := range r.distribution {
		r.file(n)
	}
}

// isFileIn checks that a value of distribution is a FileObject or a FileSet.
func (r *fileRules) isFileIn(dataset *graph.Node, v graph.Value) bool {
	switch {
	case v.Node == nil:
		r.add("E022", dataset, v.Pointer, "distribution holds %s; it must be an object of type cr:FileObject or cr:FileSet", kind(v))
		return false
	case v.Node.Has(typeFileObject), v.Node.Has(typeFileSet):
		return true
	case !v.Node.Defined:
		r.add("E022", v.Node, v.Pointer, "distribution names %s, which is not defined; define it as a cr:FileObject or cr:FileSet", quote(v.Node.Written))
	// Version 0.8 had these types in schema.org's vocabulary.
	case v.Node.Has(schemaOrg + "FileObject"), v.Node.Has(schemaOrg + "FileSet"):
		r.add("E022", v.Node, typePath(v), "%s is of type %s, which is of version 0.8; write cr:FileObject or cr:FileSet", label(v.Node), curies(v.Node.Types))
	default:
		r.add("E022", v.Node, typePath(v), "%s is of type %s; what is in distribution must be cr:FileObject or cr:FileSet", label(v.Node), curies(v.Node.Types))
	}
	return false
}

// file checks a FileObject or a FileSet.
func (r *fileRules) file(n *graph.Node) {
	r.name(n, false)
	r.texts("E049", n, propDescription)
	r.need("E026", n, propEncoding, `give the media type, as in "text/csv"`)
	r.texts("E026", n, propEncoding)
	if n.Has(typeFileObject) {
		r.fileObject(n)
		return
	}
	r.need("E029", n, propIncludes, `give a pattern of the files, as in "audio/*.flac"`)
	r.texts("E029", n, propIncludes)
	r.texts("E049", n, propExcludes)
}

// fileObject checks the address and the checksum of a file. One that is inside another
// file, such as an archive, needs neither.
func (r *fileRules) fileObject(n *graph.Node) {
	contained := len(n.Values(containedIn(r.version))) > 0
	if !contained {
		r.need("E023", n, propContentURL, "give the address where it can be fetched, or containedIn when it is inside another file")
		r.addresses(n)
		// Either checksum is enough.
		if !r.live && n.Values(propSHA256) == nil && n.Values(propMD5) == nil {
			r.add("E024", n, r.at(n, propSHA256), "%s has no sha256 or md5; give the checksum of the file, or containedIn when it is inside another file", label(n))
		}
	}
	r.texts("E023", n, propContentURL)
	r.texts("E028", n, propContentSize)
	r.texts("E049", n, schemaOrg+"sameAs")
	r.checksums(n, propSHA256, sha256Shape, 64)
	r.checksums(n, propMD5, md5Shape, 32)
	r.one(n, propContentURL, propContentSize, propSHA256, propMD5)
}

var (
	sha256Shape = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
	md5Shape    = regexp.MustCompile(`^[0-9a-fA-F]{32}$`)
	absolute    = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+$`)
)

// addresses warns about relative addresses: they mean nothing once the document is copied.
func (r *fileRules) addresses(n *graph.Node) {
	for _, v := range n.Values(propContentURL) {
		if s, text := v.Text(); text && s != "" && !absolute.MatchString(s) {
			r.add("W07", n, v.Pointer, "contentUrl of %s is %s, which is found only beside the document; begin it with https://", label(n), quote(s))
		}
	}
}

// checksums checks the values of a property that holds a checksum.
func (r *fileRules) checksums(n *graph.Node, iri string, shape *regexp.Regexp, digits int) {
	for _, v := range n.Values(iri) {
		s, text := v.Text()
		switch {
		case !text:
			r.add("E049", n, v.Pointer, "%s of %s is %s; it must be text of %d hexadecimal digits", r.key(n, iri), label(n), kind(v), digits)
		case !shape.MatchString(s):
			r.add("E025", n, v.Pointer, "%s of %s is %s; a checksum is %d hexadecimal digits", r.key(n, iri), label(n), quote(s), digits)
		}
	}
}

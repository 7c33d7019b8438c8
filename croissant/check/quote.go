package check

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"vaak/croissant/graph"
)

// maxQuoted is how many code points of a document a message quotes at most.
const maxQuoted = 60

// lazy is a part of a message that is formatted only when the message is kept. A hostile
// document has far more findings than a report holds, and most are only counted.
type lazy func() string

func (l lazy) String() string { return l() }

// quote returns text of a document as messages show it: cut to [maxQuoted] code points,
// in quotes, with control and direction characters escaped.
func quote(s string) lazy { return func() string { return quoted(s) } }

func quoted(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuoted {
			return strconv.Quote(s[:i] + "…")
		}
	}
	return strconv.Quote(s)
}

// quotes returns the first three texts of list, quoted and joined. total is how many there
// are, which may be more than list holds.
func quotes(list []string, total int) lazy {
	return func() string { return joined(list, total) }
}

func joined(list []string, total int) string {
	var b strings.Builder
	for i, s := range list[:min(3, len(list))] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(s))
	}
	if more := total - min(3, len(list)); more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// curie shortens the address of a type or property with its usual prefix, as in sc:Text.
func curie(iri string) string {
	for _, p := range []struct{ space, prefix string }{{schemaOrg, "sc:"}, {mlcommons, "cr:"}, {dublin, "dct:"}} {
		if name, ok := strings.CutPrefix(iri, p.space); ok {
			return p.prefix + name
		}
	}
	return iri
}

// full returns the address of a name that has the prefix sc: or cr:.
func full(name string) string {
	if local, ok := strings.CutPrefix(name, "sc:"); ok {
		return schemaOrg + local
	}
	return mlcommons + strings.TrimPrefix(name, "cr:")
}

// curies returns the types of a node, shortened and quoted.
func curies(types []string) lazy {
	return func() string { return shortened(types) }
}

func shortened(types []string) string {
	// An object without @type still has to be named in messages.
	if len(types) == 0 {
		return "none"
	}
	short := make([]string, 0, len(types))
	for _, t := range types[:min(3, len(types))] {
		short = append(short, curie(t))
	}
	return joined(short, len(types))
}

// kind returns what a value is, for messages that say what was found instead of what is
// allowed.
func kind(v graph.Value) lazy { return func() string { return described(v) } }

func described(v graph.Value) string {
	if v.Node != nil {
		if !v.Node.Defined {
			return "a reference to " + quoted(v.Node.Written)
		}
		if len(v.Node.Types) == 0 {
			return "an object without @type"
		}
		return "an object of type " + shortened(v.Node.Types)
	}
	if v.List {
		return "an ordered list (@list, here or as @container in @context), into which readers do not look"
	}
	switch l := v.Literal.(type) {
	case string:
		return "the text " + quoted(l)
	case json.Number:
		return "the number " + strings.Trim(quoted(string(l)), `"`)
	case bool:
		return strconv.FormatBool(l)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "null"
}

// label returns how messages name a node.
func label(n *graph.Node) lazy { return func() string { return labelOf(n) } }

func labelOf(n *graph.Node) string {
	if n.Has(typeDataset) {
		return "the dataset"
	}
	what := "the object"
	for _, t := range []string{typeFileObject, typeFileSet, typeRecordSet, typeField} {
		if n.Has(t) {
			_, what, _ = strings.Cut(curie(t), ":")
			break
		}
	}
	switch {
	case n.Written != "":
	case n.Pointer == "":
		return "the document"
	default:
		return what + " at " + quoted(n.Pointer)
	}
	return what + " " + quoted(n.Written)
}

package card

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"vaak/catalogue/ingest/report"
)

// filler copies the values of a file into a [Card] and records their lines.
type filler struct {
	lines  map[string]int // by path, such as "licence.url" and "domains[0]"
	faults []Fault
}

// fault adds a fault. It keeps as many as are ever reported, so that a hostile card does not
// fill the memory with them.
func (f *filler) fault(line int, format string, args ...any) {
	if len(f.faults) < maxFaults {
		f.faults = append(f.faults, faultAt(line, format, args...))
	}
}

// value copies a value of the file into the field of the card at path.
func (f *filler) value(n *node, to reflect.Value, path string) {
	f.lines[path] = n.line
	if n.kind == nullNode && path != "" {
		return // a key without a value is the same as no key
	}
	switch to.Kind() {
	case reflect.Pointer:
		if n.kind != wanted(to.Type().Elem()) {
			f.wrong(n, path, to.Type().Elem())
			return
		}
		to.Set(reflect.New(to.Type().Elem()))
		f.value(n, to.Elem(), path)
	default:
		if n.kind != wanted(to.Type()) {
			f.wrong(n, path, to.Type())
			return
		}
		f.fill(n, to, path)
	}
}

// wanted returns the kind of value that a field of a type needs.
func wanted(t reflect.Type) nodeKind {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return mapNode
	case reflect.Slice:
		return listNode
	case reflect.Int:
		return numberNode
	case reflect.Bool:
		return boolNode
	default:
		return textNode
	}
}

// wrong adds the fault for a value of the wrong kind.
func (f *filler) wrong(n *node, path string, to reflect.Type) {
	what := path
	if what == "" {
		what = "a card"
	}
	f.fault(n.line, "%s is %s, this is %s%s", what, wanted(to), n.kind, instead(n, path, to))
}

// instead returns, as the end of a sentence, what to write in place of a value of the wrong
// kind, or "" where the name of the kind is enough.
func instead(n *node, path string, to reflect.Type) string {
	plain := n.kind == textNode || n.kind == numberNode || n.kind == boolNode
	switch want := wanted(to); {
	case want == textNode && plain:
		return fmt.Sprintf("; put it in quotes: %q", n.text)
	case want == listNode && n.kind == numberNode:
		return fmt.Sprintf("; put it in brackets: [%.20s]", n.text)
	case want == listNode && plain:
		return fmt.Sprintf("; put it in brackets: [%s]", report.Quote(n.text))
	case want != mapNode:
		return ""
	case path == "":
		return "; write keys, such as title, description and language"
	case to.Kind() == reflect.Map:
		return "; write keys below it, each with its number"
	}
	keys := make([]string, to.NumField())
	for i := range keys {
		keys[i] = to.Field(i).Tag.Get("yaml")
	}
	return "; write keys below it: " + strings.Join(keys, ", ")
}

// fill copies a value whose kind is right.
func (f *filler) fill(n *node, to reflect.Value, path string) {
	switch to.Kind() {
	case reflect.Struct:
		f.fields(n, to, path)
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		for _, k := range n.keys {
			v := reflect.New(to.Type().Elem()).Elem()
			f.value(k.value, v, path+"."+k.name)
			// Values of a map cannot be set in place, so each is made first.
			to.SetMapIndex(reflect.ValueOf(norm.NFC.String(k.name)), v)
		}
	case reflect.Slice:
		for i, item := range n.items {
			v := reflect.New(to.Type().Elem()).Elem()
			f.value(item, v, fmt.Sprintf("%s[%d]", path, i))
			to.Set(reflect.Append(to, v))
		}
	case reflect.Int:
		i, err := strconv.Atoi(n.text)
		if err != nil {
			f.fault(n.line, "%s is a whole number, this is %s", path, report.Quote(n.text))
			return
		}
		to.SetInt(int64(i))
	case reflect.Bool:
		to.SetBool(n.text == "true")
	default:
		// NFC, so that names that look alike are equal whichever keyboard wrote them.
		to.SetString(strings.TrimSpace(norm.NFC.String(n.text)))
	}
}

// fields copies a mapping into a struct. Keys that the struct does not have are faults.
func (f *filler) fields(n *node, to reflect.Value, path string) {
	known := map[string]reflect.Value{}
	for i := range to.NumField() {
		known[to.Type().Field(i).Tag.Get("yaml")] = to.Field(i)
	}
	for _, k := range n.keys {
		field, ok := known[k.name]
		if !ok {
			f.unknown(k, path, slices.Sorted(maps.Keys(known)))
			continue
		}
		sub := strings.TrimPrefix(path+"."+k.name, ".")
		f.value(k.value, field, sub)
		f.lines[sub] = k.line // the line of the key, not of its value, is what people look for
	}
}

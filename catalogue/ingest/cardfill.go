package ingest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// filler fills a card from the values of its file and keeps where each stood.
type filler struct {
	lines  map[string]int // by path, such as "licence.url" and "domains[0]"
	faults []error
}

// fault notes a fault, as long as there is room for it: more than are ever told.
func (f *filler) fault(line int, format string, args ...any) {
	if len(f.faults) < maxCardFaults {
		f.faults = append(f.faults, faultAt(line, format, args...))
	}
}

// parseCard reads a card: YAML, or JSON where asJSON says so. It returns all its
// faults, each a cardFault, and where each of its values stood.
func parseCard(src []byte, asJSON bool) (Card, map[string]int, []error) {
	var card Card
	if why := otherEncoding(src); why != "" {
		return card, nil, []error{faultAt(0, "%s", why)}
	}
	if at := badUTF8(src); at > 0 {
		return card, nil, []error{faultAt(at, "is not UTF-8 text")}
	}
	parse := parseYAML
	if asJSON {
		parse = parseJSON
	}
	n, faults := parse(strings.TrimPrefix(string(src), "\uFEFF"))
	if faults != nil {
		return card, nil, faults
	}
	f := &filler{lines: map[string]int{}}
	n.duplicates(f.fault)
	f.value(n, reflect.ValueOf(&card).Elem(), "")
	return card, f.lines, append(f.faults, checkCard(&card, f.lines)...)
}

// badUTF8 returns the first line that is not UTF-8, or has a NUL; 0 is none.
func badUTF8(src []byte) int {
	line := 1
	for l := range strings.Lines(string(src)) {
		if !utf8.ValidString(l) || strings.Contains(l, "\x00") {
			return line
		}
		line++
	}
	return 0
}

// value puts a value of the file where the card has it.
func (f *filler) value(n *node, to reflect.Value, path string) {
	f.lines[path] = n.line
	if n.kind == nullNode && path != "" {
		return // a key without a value says nothing
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

// wanted is the kind of value that a type of [Card] takes.
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

func (f *filler) wrong(n *node, path string, to reflect.Type) {
	what := path
	if what == "" {
		what = "a card"
	}
	f.fault(n.line, "%s is %s, this is %s%s", what, wanted(to), n.kind, instead(n, path, to))
}

// instead says, as the end of a sentence, what to write instead of a value of the wrong
// kind; "" where the kind says it.
func instead(n *node, path string, to reflect.Type) string {
	plain := n.kind == textNode || n.kind == numberNode || n.kind == boolNode
	switch want := wanted(to); {
	case want == textNode && plain:
		return fmt.Sprintf("; put it in quotes: %q", n.text)
	case want == listNode && n.kind == numberNode:
		return fmt.Sprintf("; put it in brackets: [%.20s]", n.text)
	case want == listNode && plain:
		return fmt.Sprintf("; put it in brackets: [%s]", shown(n.text))
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

func (f *filler) fill(n *node, to reflect.Value, path string) {
	switch to.Kind() {
	case reflect.Struct:
		f.fields(n, to, path)
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		for _, k := range n.keys {
			v := reflect.New(to.Type().Elem()).Elem()
			f.value(k.value, v, path+"."+k.name)
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
			f.fault(n.line, "%s is a whole number, this is %s", path, shown(n.text))
			return
		}
		to.SetInt(int64(i))
	case reflect.Bool:
		to.SetBool(n.text == "true")
	default:
		to.SetString(strings.TrimSpace(norm.NFC.String(n.text)))
	}
}

// fields fills a struct, whose keys must all be known.
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
		f.lines[sub] = k.line
	}
}

package graph

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/piprate/json-gold/ld"
)

// tidy reports and removes everything for which the library would refuse the whole document, so
// that the remainder can still be checked. It changes the tree.
type tidy struct {
	doc  *Document
	path []string
	keys []string // names of the members of the objects above, sorted within each
}

func (t *tidy) pointer(more ...string) string {
	var b strings.Builder
	for _, s := range append(slices.Clone(t.path), more...) {
		b.WriteByte('/')
		b.WriteString(escape(s))
	}
	return b.String()
}

func (t *tidy) report(kind Kind, key, format string, args ...any) {
	if t.doc.full(kind) {
		return // before the message is made
	}
	t.doc.Problems = append(t.doc.Problems, Problem{Kind: kind, Pointer: t.pointer(key), Message: fmt.Sprintf(format, args...)})
}

// remark is report for what the reference library accepts.
func (t *tidy) remark(kind Kind, key, format string, args ...any) {
	before := len(t.doc.Problems)
	if t.report(kind, key, format, args...); len(t.doc.Problems) > before {
		t.doc.Problems[before].Passes = true
	}
}

func (t *tidy) oldSpace(key, address string) {
	if !t.doc.full(OldSpace) {
		t.doc.Problems = append(t.doc.Problems, oldSpaceAt(t.pointer(key), address))
	}
}

func (t *tidy) value(v any) {
	switch v := v.(type) {
	case map[string]any:
		t.object(v)
	case []any:
		for i, e := range v {
			t.inside(strconv.Itoa(i), e)
		}
	}
}

func (t *tidy) inside(key string, v any) {
	switch v.(type) {
	case map[string]any, []any:
		t.path = append(t.path, key)
		t.value(v)
		t.path = t.path[:len(t.path)-1]
	}
}

func (t *tidy) object(m map[string]any) {
	var seen []string
	literal := t.isLiteral(m)
	from := len(t.keys)
	t.keys = slices.AppendSeq(t.keys, maps.Keys(m))
	// One slice serves all levels, and each object uses its own end of it. Objects inside
	// append behind to.
	to := len(t.keys)
	// Sorted, so that problems are in the same order each time.
	slices.Sort(t.keys[from:])
	defer func() { t.keys = t.keys[:from] }()
	for i := from; i < to; i++ {
		key := t.keys[i]
		means, ok := t.doc.context.expand(key)
		switch {
		case key == "@context":
			if len(t.path) > 0 {
				t.remark(Context, key, "an object has a context of its own; the document has one @context, at its root, so move the terms there")
			}
			delete(m, key)
		case !ok:
		case means[0] == '@':
			// @type may be written under several names; the library joins them.
			if means != "@type" && slices.Contains(seen, means) {
				t.remark(Shape, key, "%s stands twice in one object, under two names; keep one", means)
				delete(m, key)
			} else if literal && !t.ofLiteral(m, key, means) || !t.keyword(m, key, means) {
				delete(m, key)
			}
			seen = append(seen, means)
		case literal:
			t.remark(Shape, key, "an object with @value has no properties; move them out, or leave @value out")
			delete(m, key)
		default:
			t.property(m, key, means)
		}
	}
}

func (t *tidy) isLiteral(m map[string]any) bool {
	for key := range m {
		if means, _ := t.doc.context.expand(key); means == "@value" {
			return true
		}
	}
	return false
}

// ofLiteral checks a keyword in an object with @value. False removes it.
func (t *tidy) ofLiteral(m map[string]any, key, means string) bool {
	switch means {
	case "@value", "@index":
		return true
	case "@language", "@direction":
		for other := range m {
			if typ, _ := t.doc.context.expand(other); typ == "@type" {
				t.remark(Shape, key, "a value has %s and @type; keep one of them", means)
				return false
			}
		}
		return true
	case "@type":
		s, text := m[key].(string)
		if typ, ok := t.doc.context.expand(s); text && ok && (typ == "@json" || ld.IsAbsoluteIri(typ) && !strings.HasPrefix(typ, "_:")) {
			return true
		}
		report := t.remark
		if !text {
			report = t.report
		}
		report(Shape, key, "the @type of a value is %s; it must be the address of one type", kindOf(m[key]))
		return false
	}
	t.remark(Shape, key, "an object with @value has no %s; leave one of them out", means)
	return false
}

func (t *tidy) property(m map[string]any, key, means string) {
	if strings.HasPrefix(key, oldSchema) {
		t.oldSpace(key, key)
	}
	td := t.doc.context.active.GetTermDefinition(key)
	if td != nil && td.Type == "@json" {
		return // a JSON literal, which is not expanded
	}
	if byLanguage, ok := m[key].(map[string]any); ok && td != nil && slices.Contains(td.Container, "@language") {
		t.languages(key, Schema(means), byLanguage)
		return
	}
	t.inside(key, m[key])
}

// languages checks a map from languages to texts.
func (t *tidy) languages(key, means string, m map[string]any) {
	var wrong []string
	for tag, v := range m {
		if !isTag(tag) && tag != "@none" || !texts(v) {
			wrong = append(wrong, tag)
		}
	}
	slices.Sort(wrong)
	for _, tag := range wrong {
		if !isTag(tag) && tag != "@none" {
			t.language(key, tag, means, nil, "%q is not the tag of a language; write it as in \"en\" or \"hi-IN\"", shorten(tag))
		}
		if v := m[tag]; !texts(v) {
			t.language(key, tag, means, v, "the text in language %q is %s; write text", shorten(tag), kindOf(noText(v)))
			delete(m, tag)
		}
	}
}

func (t *tidy) language(key, tag, means string, v any, format string, args ...any) {
	if t.doc.full(Language) {
		return
	}
	t.doc.Problems = append(t.doc.Problems, Problem{
		Kind: Language, Pointer: t.pointer(key, tag), Property: means, Value: v, Message: fmt.Sprintf(format, args...), Passes: !strings.HasPrefix(tag, "@"),
	})
}

// texts reports whether a value is text or null, or an array of these.
func texts(v any) bool { return noText(v) == nil }

// noText returns the first part of a value that is neither text nor null, or nil.
func noText(v any) any {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		if _, ok := e.(string); !ok && e != nil {
			return e
		}
	}
	return nil
}

// keyword checks a member whose name is a keyword. False removes it.
func (t *tidy) keyword(m map[string]any, key, means string) bool {
	v := m[key]
	s, text := v.(string)
	switch means {
	case "@id":
		if !text {
			t.report(ID, key, "@id is %s; it must be text", kindOf(v))
		} else if s == "" {
			t.remark(ID, key, "@id is empty; give the object an @id, or leave it out")
		} else if strings.ContainsFunc(s, space) {
			t.report(ID, key, "the @id %q holds white space, which no address does; write - or _ in its place, here and where it is named", shorten(s))
		}
		return s != ""
	case "@type":
		return t.types(key, v)
	case "@value":
		return t.literal(m, key, v)
	case "@language":
		if !isTag(s) {
			report := t.remark
			if !text && v != nil {
				report = t.report
			}
			report(Shape, key, "@language is %s; it must be the tag of a language, as in \"en\" or \"hi-IN\"", kindOf(v))
		}
		return isTag(s)
	case "@index":
		if !text {
			t.remark(Shape, key, "@index is %s; it must be text", kindOf(v))
		}
		return text
	case "@direction":
		if s != "ltr" && s != "rtl" {
			t.remark(Shape, key, `@direction must be "ltr" or "rtl"`)
			return false
		}
	case "@list", "@set":
		if t.accompanied(m) {
			t.remark(Shape, key, "%s stands alone in its object, or with @index", means)
			return false
		}
		t.inside(key, v)
	case "@graph":
		if len(t.path) > 0 {
			t.remark(Shape, key, "@graph stands only at the root of the document")
			return false
		}
		t.inside(key, v)
	default:
		t.remark(Shape, key, "%s is not used in documents of this format; leave it out", means)
		return false
	}
	return true
}

// accompanied reports whether an object has more than one member besides @index.
func (t *tidy) accompanied(m map[string]any) bool {
	n := 0
	for key := range m {
		if means, _ := t.doc.context.expand(key); means != "@index" {
			n++
		}
	}
	return n > 1
}

// isTag reports whether a text has the shape of a BCP 47 tag: parts of 1 to 8 letters and digits
// with hyphens between them, the first without digits.
func isTag(s string) bool {
	for i, part := 0, 0; ; i++ {
		switch {
		case i == len(s) || s[i] == '-':
			if part == 0 {
				return false
			}
			if part = 0; i == len(s) {
				return true
			}
			continue
		case 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z':
		case '0' <= s[i] && s[i] <= '9' && strings.IndexByte(s[:i], '-') >= 0:
		default:
			return false
		}
		if part++; part > 8 {
			return false
		}
	}
}

func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func (t *tidy) types(key string, v any) bool {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			report := t.remark
			if len(t.path) == 0 && len(list) == 1 { // then the dataset has no type at all
				report = t.report
			}
			report(Shape, key, "@type is %s; it must be the name of a type, or an array of names", kindOf(e))
			return false
		}
		if strings.HasPrefix(s, oldSchema) {
			t.oldSpace(key, s)
		}
	}
	return true
}

// literal checks the value of an object with @value. False removes it.
func (t *tidy) literal(m map[string]any, key string, v any) bool {
	var typ any
	for k, e := range m {
		if means, _ := t.doc.context.expand(k); means == "@type" {
			typ = e
		} else if means == "@language" || means == "@direction" {
			if _, text := v.(string); !text {
				t.remark(Shape, key, "a value with %s is %s; only text has a language", means, kindOf(v))
				return false
			}
		}
	}
	if typ == "@json" {
		return true
	}
	switch v.(type) {
	case string, json.Number, bool, nil:
		return true
	}
	t.remark(Shape, key, `@value is %s; it must be text, a number or a boolean, or have "@type": "@json"`, kindOf(v))
	return false
}

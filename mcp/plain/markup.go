package plain

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// writer collects text and removes markup from it. It looks for markup in the text that is left
// and not in its input, so it also finds a tag that only appears when other markup inside it is
// removed.
type writer struct {
	text    []byte
	opens   *open // the last < that is not closed yet
	comment *open // the beginning of the first open comment
	code    *open // the beginning of a script or style element
	gap     bool  // the next text is separate from the text so far
}

// open is a place in the text where something began.
type open struct {
	at    int
	outer *open // the < before it that was not closed either
}

// add appends r, unless a person would not see it.
func (w *writer) add(r rune) {
	if conditional(r) {
		// Judged by the text that is left: what stood before in the input may have been removed.
		if before, _ := utf8.DecodeLastRune(w.text); w.gap || !follows(before, r) {
			return
		}
	} else if !visible(r) {
		return
	}
	if w.gap {
		w.gap = false
		// A removed block separates words. Before punctuation no space is needed.
		if n := len(w.text); n > 0 && w.text[n-1] > ' ' && (r >= utf8.RuneSelf || isName(byte(r))) {
			w.text = append(w.text, ' ')
		}
	}
	switch r {
	case '<':
		w.opens = &open{len(w.text), w.opens}
	case '>':
		if w.close() {
			return
		}
		// A > that ends no tag also ends every hope of the < before it.
		w.opens = nil
	}
	w.text = utf8.AppendRune(w.text, r)
	// Looked for in the text that is left, so a comment that removed markup has put together is
	// found.
	if r == '-' && w.comment == nil && bytes.HasSuffix(w.text, []byte("<!--")) {
		w.comment = w.opens
	}
}

// close removes the comment or tag that a > ends, and reports whether there was one.
func (w *writer) close() bool {
	if w.comment != nil && bytes.HasSuffix(w.text, []byte("--")) {
		w.cut(w.comment)
		return true
	}
	// The innermost < that begins a tag; an outer one only if the inner is quoted.
	inner := len(w.text)
	for o, n := w.opens, 0; o != nil && n < maxQuoted; o, n = o.outer, n+1 {
		// An inner < belongs to the outer tag only if a quote is open before it.
		if n > 0 && !quoted(w.text[o.at:inner]) {
			return false
		}
		if name, closing := tagOf(w.text[o.at+1:]); name != "" {
			w.cut(o)
			w.tag(name, closing)
			return true
		}
		inner = o.at
	}
	return false
}

// maxQuoted is how many < are tried as the beginning of a tag: a tag may hold some < in quotes. The
// bound keeps the work linear.
const maxQuoted = 4

func quoted(s []byte) bool {
	return bytes.Count(s, []byte{'"'})%2 == 1 || bytes.Count(s, []byte{'\''})%2 == 1
}

// tag handles a tag that was removed: code after it is not shown, and a block is separate from the
// text around it.
func (w *writer) tag(name string, closing bool) {
	switch k := elements[name]; {
	case k == code && !closing:
		if w.code == nil {
			w.code = &open{len(w.text), w.opens}
		}
	case k == code && w.code != nil:
		w.cut(w.code)
		w.gap = true
	case k == block:
		w.gap = true
	}
}

// cut removes the text from a place on, and forgets everything that began there or later.
func (w *writer) cut(from *open) {
	w.text, w.opens = w.text[:from.at], from.outer
	if w.comment != nil && w.comment.at >= from.at {
		w.comment = nil
	}
	if w.code != nil && (w.code == from || w.code.at > from.at) {
		w.code = nil
	}
}

// tagOf returns the element of a tag, given what is between its angle brackets; "" when that is no
// tag of HTML.
func tagOf(inside []byte) (name string, closing bool) {
	if len(inside) > 0 && inside[0] == '/' {
		inside, closing = inside[1:], true
	}
	n := 0
	for n < len(inside) && n < maxName && isName(inside[n]) {
		n++
	}
	// After the name comes white space, a slash or nothing. "<br3" is no tag.
	if n < len(inside) && !strings.ContainsRune(" \t\n/", rune(inside[n])) {
		return "", false
	}
	name = strings.ToLower(string(inside[:n]))
	if elements[name] == none {
		return "", false
	}
	return name, closing
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '!'
}

// kind says what an element does to the text in it.
type kind int

const (
	none   kind = iota // not an element
	inline             // its text belongs to the text around it
	block              // its text is separate
	code               // its text is not shown
)

// maxName is longer than the longest name of an element.
const maxName = 12

// elements holds the elements of HTML. Marks in transcripts, such as <laugh>, are not among
// them and stay.
var elements = func() map[string]kind {
	m := map[string]kind{}
	for k, names := range map[kind]string{
		inline: "a abbr acronym applet audio b base basefont bdi bdo big body button canvas cite code col colgroup data datalist del dfn em embed " +
			"font frame frameset head html i iframe img input ins kbd label link map mark marquee meta meter noscript object optgroup option output " +
			"param picture plaintext portal progress q rp rt ruby s samp select slot small source span strike strong sub sup svg textarea time track " +
			"tt u var video wbr xmp math",
		block: "!doctype address article aside blockquote br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form " +
			"h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul",
		code: "script style template title",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = k
		}
	}
	return m
}()

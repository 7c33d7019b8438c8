package lexicon

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"vaak/internal/fault"
	"vaak/text/respell"
)

// space is the namespace of the Pronunciation Lexicon Specification 1.0 (W3C, 2008).
const space = "http://www.w3.org/2005/01/pronunciation-lexicon"

// lexicon is the root element of a document.
type lexicon struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/01/pronunciation-lexicon lexicon"`
	Version string   `xml:"version,attr"`
	// Alphabet is required by the specification, although our rules have no phonemes.
	Alphabet string   `xml:"alphabet,attr"`
	Language string   `xml:"xml:lang,attr"`
	Lexemes  []lexeme `xml:"lexeme"`
}

// lexeme is a rule, with a comment about its options that the format cannot hold.
type lexeme struct {
	LeftOut  string `xml:",comment"`
	Grapheme string `xml:"grapheme"`
	Alias    string `xml:"alias"`
}

// WritePLS returns rules as a PLS document, indented. PLS has no words for the options of
// rules, so a comment names the options that a rule loses.
func WritePLS(rules []respell.Rule) ([]byte, error) {
	doc := lexicon{Version: "1.0", Alphabet: "ipa", Language: "mul"} // of several languages (ISO 639-2)
	for _, r := range rules {
		doc.Lexemes = append(doc.Lexemes, lexeme{leftOut(r), r.Term, r.Respelling})
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the lexicon: %w", err)
	}
	return append(append([]byte(xml.Header), text...), '\n'), nil
}

// leftOut returns a comment that names the options of a rule which PLS cannot hold. It leaves
// out their values, because "--" ends a comment and callers may have sent that.
func leftOut(r respell.Rule) string {
	var names []string
	for _, o := range []struct {
		set  bool
		name string
	}{
		{r.CaseSensitive, "case_sensitive"}, {r.InWords, "word_boundaries"},
		{len(r.Only) > 0, "only_languages"}, {len(r.Except) > 0, "except_languages"},
	} {
		if o.set {
			names = append(names, o.name)
		}
	}
	if names == nil {
		return ""
	}
	return " left out, because PLS has no word for it: " + strings.Join(names, ", ") + " "
}

// maxDepth is how deep elements may nest. The format has three levels, and metadata a few more.
const maxDepth = 16

// reader reads a document token by token, without building a tree of it.
type reader struct {
	depth int // how many elements are open
	begun bool
	text  strings.Builder
	notes string // the alphabet of phonemes that the document declares

	terms   []string // graphemes of the open lexeme
	alias   string
	phoneme string
	notate  string // the alphabet of that phoneme
	rules   []respell.Rule
}

// readPLS returns the rules of a document: one for each grapheme of a lexeme, with the first
// alias of that lexeme. A lexeme that has only phonemes is refused like such a rule everywhere.
// The language of the document does not limit its rules to that language. A document type is
// refused, because entities that it declares could expand without bound or name files.
func readPLS(data []byte) ([]respell.Rule, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	var r reader
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, malformed("%.100s", err)
		}
		if err := r.take(token); err != nil {
			return nil, err
		}
		if len(r.rules) > respell.MaxRules {
			break
		}
	}
	if err := bounded(len(r.rules)); err != nil {
		return nil, err
	}
	return r.rules, refused(respell.CheckOthers(nil, r.rules))
}

func malformed(format string, args ...any) error {
	return fault.New(fault.Invalid, fault.CodeInvalidBody, "", "the file is not PLS: "+format, args...)
}

// take reads the next token of the document.
func (r *reader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return malformed("it has a document type, which is not taken; leave out the line that begins with <!DOCTYPE")
	case xml.StartElement:
		return r.open(t)
	case xml.EndElement:
		r.close(t)
	case xml.CharData:
		r.text.Write(t)
	}
	return nil
}

func (r *reader) open(t xml.StartElement) error {
	if r.depth == 0 {
		if r.begun || t.Name != (xml.Name{Space: space, Local: "lexicon"}) {
			return malformed("it is not one element lexicon of the namespace %s", space)
		}
		r.begun, r.notes = true, attribute(t, "alphabet")
	}
	if r.depth++; r.depth > maxDepth {
		return malformed("its elements are more than %d deep in each other", maxDepth)
	}
	r.text.Reset()
	if t.Name.Space != space {
		return nil
	}
	switch t.Name.Local {
	case "lexeme":
		r.terms, r.alias, r.phoneme, r.notate = nil, "", "", ""
	case "phoneme":
		r.notate = cmp.Or(attribute(t, "alphabet"), r.notes, respell.TypePhoneme)
	}
	return nil
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (r *reader) close(t xml.EndElement) {
	r.depth--
	text := strings.Join(strings.Fields(r.text.String()), " ")
	r.text.Reset()
	if t.Name.Space != space {
		return
	}
	switch t.Name.Local {
	case "grapheme":
		r.terms = append(r.terms, text)
	case "alias":
		r.alias = cmp.Or(r.alias, text)
	case "phoneme":
		r.phoneme = cmp.Or(r.phoneme, text)
	case "lexeme":
		r.lexeme()
	}
}

// lexeme adds the rules of the lexeme that was just closed.
func (r *reader) lexeme() {
	if len(r.terms) == 0 {
		r.terms = []string{""} // an empty rule in its position, so that the refusal counts it
	}
	for _, term := range r.terms[:min(len(r.terms), respell.MaxRules+1)] {
		rule := respell.Rule{Term: term, Respelling: r.alias}
		if r.alias == "" && r.phoneme != "" {
			rule.Respelling, rule.Alphabet = r.phoneme, r.notate
		}
		r.rules = append(r.rules, rule)
	}
}

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

// lexicon is a document of it.
type lexicon struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/01/pronunciation-lexicon lexicon"`
	Version string   `xml:"version,attr"`
	// Alphabet is required by the specification, though no rule has phonemes.
	Alphabet string   `xml:"alphabet,attr"`
	Language string   `xml:"xml:lang,attr"`
	Lexemes  []lexeme `xml:"lexeme"`
}

// lexeme is a rule, and what of it the format cannot say.
type lexeme struct {
	LeftOut  string `xml:",comment"`
	Grapheme string `xml:"grapheme"`
	Alias    string `xml:"alias"`
}

// WritePLS returns rules as a document, indented. The options of rules, for which the
// format has no word, are named in comments.
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

// leftOut names the options of a rule that the format has no word for, by their names
// alone: a comment cannot hold everything that a caller may send.
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

// maxDepth is how deep elements may be in each other; the format has three levels, and
// metadata a few more.
const maxDepth = 16

// reader reads a document.
type reader struct {
	depth int // of elements that are open
	begun bool
	text  strings.Builder
	notes string // alphabet of the document's phonemes

	terms   []string // of the lexeme that is open
	alias   string
	phoneme string
	notate  string // its alphabet
	rules   []respell.Rule
}

// readPLS returns the rules of a document: one for each grapheme of a lexeme, with its
// first alias. Of a lexeme that has phonemes alone the rule is refused, as everywhere. The
// language of the document does not scope its rules. Entities of its own are not
// expanded: a document that declares any is refused.
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

// take takes the next piece of the document.
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

// lexeme makes the rules of the lexeme that was closed.
func (r *reader) lexeme() {
	if len(r.terms) == 0 {
		r.terms = []string{""} // to be refused, in its place
	}
	for _, term := range r.terms[:min(len(r.terms), respell.MaxRules+1)] {
		rule := respell.Rule{Term: term, Respelling: r.alias}
		if r.alias == "" && r.phoneme != "" {
			rule.Respelling, rule.Alphabet = r.phoneme, r.notate
		}
		r.rules = append(r.rules, rule)
	}
}

package rest

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"vaak/edge"
	"vaak/text/respell"
)

// lexicon is a document of the Pronunciation Lexicon Specification 1.0 (W3C, 2008).
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

// lexiconOf returns rules as a document, indented.
func lexiconOf(rules []respell.Rule) ([]byte, error) {
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

// downloadDictionary serves GET /v1/pronunciation-dictionaries/{id}/{version}/download.
func (a *api) downloadDictionary(w http.ResponseWriter, r *http.Request, in *versionInput) error {
	org := callerOf(r).OrgID
	v, rules, err := a.Dictionaries.Version(r.Context(), org, in.ID, in.Version)
	if err != nil {
		return gone(r.Context(), err)
	}
	text, err := lexiconOf(rules)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/pls+xml")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-v%d.pls"`, strings.ToLower(in.ID), v.Number)) // the id is a UUID
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusOK)
	if _, err := w.Write(text); err != nil {
		edge.Note(r.Context(), clientGone(err))
	}
	return nil
}

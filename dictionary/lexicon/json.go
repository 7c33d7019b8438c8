package lexicon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"vaak/internal/fault"
	"vaak/text/respell"
)

// document is a file in JSON: what the API takes to make a dictionary, and answers.
type document struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Rules       []json.RawMessage `json:"rules"`
	// CaseSensitive and WordBoundaries are of the rules that do not say.
	CaseSensitive  *bool `json:"case_sensitive,omitempty"`
	WordBoundaries *bool `json:"word_boundaries,omitempty"`
}

// entry is a rule of it.
type entry struct {
	Type           *string  `json:"type,omitempty"`
	Term           string   `json:"string_to_replace"`
	Respelling     string   `json:"alias"`
	CaseSensitive  *bool    `json:"case_sensitive,omitempty"`
	WordBoundaries *bool    `json:"word_boundaries,omitempty"`
	Only           []string `json:"only_languages,omitempty"`
	Except         []string `json:"except_languages,omitempty"`
	Phoneme        *string  `json:"phoneme,omitempty"`
	Alphabet       *string  `json:"alphabet,omitempty"`
}

// WriteJSON returns a file as JSON, indented, with a line feed at its end. The API takes
// it to make a dictionary, and [Read] returns what it was made of.
func WriteJSON(f File) ([]byte, error) {
	doc := document{Name: f.Name, Description: f.Description, Rules: []json.RawMessage{}}
	alias := respell.TypeAlias
	for _, r := range f.Rules {
		whole := !r.InWords
		one, err := plainJSON(entry{
			Type: &alias, Term: r.Term, Respelling: r.Respelling, CaseSensitive: &r.CaseSensitive, WordBoundaries: &whole,
			Only: r.Only, Except: r.Except,
		})
		if err != nil {
			return nil, err
		}
		doc.Rules = append(doc.Rules, one)
	}
	text, err := plainJSON(doc)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the rules: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// plainJSON encodes a value with the characters < > & as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the rules: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func readJSON(data []byte) (File, error) {
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return File{}, fault.BadParameter(t.Field, "%s must be %s, not %s", t.Field, wanted[t.Field], t.Value)
		}
		return File{}, fault.New(fault.Invalid, fault.CodeInvalidBody, "", "the file is not JSON that can be read: %.100s", err)
	}
	if err := bounded(len(doc.Rules)); err != nil {
		return File{}, err
	}
	f := File{Name: doc.Name, Description: doc.Description, Rules: make([]respell.Rule, len(doc.Rules))}
	var unread []respell.Fault
	for i, raw := range doc.Rules {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil || raw[0] == 'n' {
			unread = append(unread, untyped(i, err))
		}
		f.Rules[i] = e.rule(doc)
	}
	return f, refused(unread, f.Rules)
}

// rule returns the rule of an entry.
func (e entry) rule(doc document) respell.Rule {
	r := respell.Rule{
		Term: strings.TrimSpace(e.Term), Respelling: strings.TrimSpace(e.Respelling), Only: e.Only, Except: e.Except,
		Alphabet:      respell.Claimed(e.Type, e.Phoneme, e.Alphabet),
		CaseSensitive: said(false, e.CaseSensitive, doc.CaseSensitive),
		InWords:       !said(true, e.WordBoundaries, doc.WordBoundaries),
	}
	if e.Phoneme != nil && r.Respelling == "" {
		r.Respelling = *e.Phoneme // what the refusal is about
	}
	if e.Type != nil && *e.Type != respell.TypeAlias && r.Alphabet == "" {
		r.Alphabet = *e.Type // no other type is letters
	}
	return r
}

// said returns the first value that was said, or what is usual.
func said(usual bool, values ...*bool) bool {
	for _, v := range values {
		if v != nil {
			return *v
		}
	}
	return usual
}

// wanted says what the values of fields must be.
var wanted = map[string]string{
	"": "an object", "name": "a string", "description": "a string", "rules": "a list", "case_sensitive": "true or false", "word_boundaries": "true or false",
	"type": "a string", "string_to_replace": "a string", "alias": "a string", "phoneme": "a string", "alphabet": "a string",
	"only_languages": "a list of strings", "except_languages": "a list of strings",
}

// untyped is the fault of an entry that could not be read.
func untyped(i int, err error) respell.Fault {
	t, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || t.Field == "" {
		return respell.Fault{Rule: i, Code: respell.CodeType, Msg: "a rule must be an object"}
	}
	return respell.Fault{Rule: i, Field: respell.Field(t.Field), Code: respell.CodeType, Msg: fmt.Sprintf("%s must be %s, not %s", t.Field, wanted[t.Field], t.Value)}
}

// refused returns all that is wrong with rules, nil when nothing is.
func refused(unread []respell.Fault, rules []respell.Rule) error {
	if faults := respell.CheckOthers(unread, rules); len(faults) > 0 {
		return &respell.Refusal{Faults: faults}
	}
	return nil
}

// counted writes how many rules a file has, of which no more are read than one too many.
func counted(n int) string {
	switch {
	case n == 0:
		return "no"
	case n > respell.MaxRules:
		return "more than " + strconv.Itoa(respell.MaxRules)
	}
	return strconv.Itoa(n)
}

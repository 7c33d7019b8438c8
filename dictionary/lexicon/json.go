package lexicon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// fileRecord is a file in JSON as it is written: what the API answers of a dictionary.
type fileRecord struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Rules       []RuleRecord `json:"rules"`
}

// fileRequest is a file in JSON as it is read: what the API takes to make a dictionary.
type fileRequest struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Rules       fileRules `json:"rules"`
	// CaseSensitive and WordBoundaries are defaults for the rules that leave them out.
	CaseSensitive  *bool `json:"case_sensitive"`
	WordBoundaries *bool `json:"word_boundaries"`
}

var fileBinder = document.NewBinder[fileRequest]()

// fileRules are the rules of a file.
type fileRules Rules

// SetJSON takes a list.
func (l *fileRules) SetJSON(v document.Value) error {
	if v.Kind() != document.Array {
		return v.Mistyped("a list")
	}
	entries := v.Entries()
	if err := bounded(len(entries)); err != nil { // before each of very many is read
		return err
	}
	*l = fileRules(ReadRules(entries))
	return nil
}

// WriteJSON returns a file as JSON, indented, with a line feed at its end. The API takes it
// to make a dictionary, and [Read] returns the same file.
func WriteJSON(f File) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read and edit the file
	e.SetIndent("", "  ")
	if err := e.Encode(fileRecord{f.Name, f.Description, Records(f.Rules)}); err != nil {
		return nil, fmt.Errorf("encode the rules: %w", err)
	}
	return b.Bytes(), nil
}

// readJSON reads a file that begins with an object.
func readJSON(data []byte) (File, error) {
	if err := document.Check("the file", data); err != nil {
		return File{}, err
	}
	var sent fileRequest
	if err := fileBinder.Bind(document.Of(data), &sent); err != nil {
		return File{}, err
	}
	if err := bounded(len(sent.Rules)); err != nil { // none were sent
		return File{}, err
	}
	f := File{Name: sent.Name, Description: sent.Description, Rules: make([]respell.Rule, len(sent.Rules))}
	for i, r := range sent.Rules {
		f.Rules[i] = r.Rule(sent.CaseSensitive, sent.WordBoundaries)
		if _, unknown := UnknownType(i, r.Type); unknown && f.Rules[i].Alphabet == "" {
			f.Rules[i].Alphabet = *r.Type // a file of another program: its types are notations
		}
	}
	return f, refused(Rules(sent.Rules).Faults(f.Rules))
}

// refused returns the error of a list with faults, nil when there are none.
func refused(faults []respell.Fault) error {
	if len(faults) > 0 {
		return &respell.Refusal{Faults: faults}
	}
	return nil
}

// bounded refuses a number of rules that no dictionary has.
func bounded(n int) error {
	if n > 0 && n <= respell.MaxRules {
		return nil
	}
	count := strconv.Itoa(n)
	switch {
	case n == 0:
		count = "no"
	case n > respell.MaxRules: // of PLS no more are read than one too many
		count = "more than " + strconv.Itoa(respell.MaxRules)
	}
	return fault.BadParameter("rules", "the file has %s rules; 1 to %d are allowed", count, respell.MaxRules)
}

// Package lexicon holds the public form of rules of pronunciation dictionaries, which the API
// and files share, and reads and writes files of rules.
//
// A file is JSON in the form of the API, which holds everything that a rule can say, or PLS (the
// W3C's Pronunciation Lexicon Specification), which other programs read and which has no words
// for the options of rules.
package lexicon

import (
	"bytes"

	"vaak/internal/fault"
	"vaak/text/respell"
)

// File is what a file holds. Name and Description are "" where the file has none; a file in
// PLS never has them.
type File struct {
	Name        string
	Description string
	Rules       []respell.Rule
}

// Read reads a file in either format. The first character behind a byte order mark and white
// space tells which.
//
// What is wrong with rules is a *[respell.Refusal] that holds all of it. A file that cannot be
// read as a whole, or has no rules or more than [respell.MaxRules], is a *[fault.Error] of kind
// Invalid; so is JSON that two programs could read in two ways ([document.Check]).
func Read(data []byte) (File, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	begin := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case bytes.HasPrefix(begin, []byte("{")):
		return readJSON(begin)
	case bytes.HasPrefix(begin, []byte("<")):
		rules, err := readPLS(begin)
		return File{Rules: rules}, err
	}
	return File{}, fault.New(fault.Invalid, fault.CodeInvalidBody, "", "the file is neither a JSON object nor PLS; it begins with %.20q", begin[:min(len(begin), 20)])
}

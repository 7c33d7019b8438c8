// Package lexicon reads and writes the rules of pronunciation dictionaries as files: as
// JSON in the shape of the API, which says all of them, and as PLS, which other programs
// read, and which has no word for the options of rules.
package lexicon

import (
	"bytes"

	"vaak/internal/fault"
	"vaak/text/respell"
)

// File is what a file holds. Name and Description are "" where it says none, as PLS
// never does.
type File struct {
	Name        string
	Description string
	Rules       []respell.Rule
}

// Read reads a file in either format, which it tells by the first character behind a byte
// order mark and white space. Check is asked of JSON before it is read: it refuses keys
// that are there twice, depth, and text that is none. All that is wrong with rules is a
// *[respell.Refusal]; what cannot be read as a whole, or has no rules or more than
// [respell.MaxRules], is a *[fault.Error] of kind Invalid.
func Read(data []byte, check func(json []byte) error) (File, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	begin := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case bytes.HasPrefix(begin, []byte("{")):
		if err := check(begin); err != nil {
			return File{}, err
		}
		return readJSON(begin)
	case bytes.HasPrefix(begin, []byte("<")):
		rules, err := readPLS(begin)
		return File{Rules: rules}, err
	}
	return File{}, fault.New(fault.Invalid, fault.CodeInvalidBody, "", "the file is neither a JSON object nor PLS; it begins with %.20q", begin[:min(len(begin), 20)])
}

// bounded refuses a number of rules that no dictionary has.
func bounded(n int) error {
	if n == 0 || n > respell.MaxRules {
		return fault.BadParameter("rules", "the file has %s rules; 1 to %d are allowed", counted(n), respell.MaxRules)
	}
	return nil
}

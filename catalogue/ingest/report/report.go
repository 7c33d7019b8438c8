// Package report collects what is wrong with a folder, so that all problems are reported
// in one run, each with its file and line.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/catalogue/transcript"
)

// Problem is one reason why a folder cannot be brought in.
type Problem struct {
	File    string // path in the folder; "" is the folder itself
	Line    int    // from 1; 0 is the file as a whole
	Message string // what is wrong, what is allowed, what was found
}

// String returns "file:line: message".
func (p Problem) String() string {
	switch {
	case p.File == "":
		return p.Message
	case p.Line == 0:
		return p.File + ": " + p.Message
	default:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
}

// Problems is the error of a folder that cannot be brought in.
type Problems []Problem

// Error lists them, one a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems bounds the problems that one report lists.
const maxProblems = 2000

// Report collects the problems of a folder. It keeps the first few of each file and counts
// the others.
type Report struct {
	perFile  int
	problems Problems
	kept     map[string]int // problems kept, by file
	dropped  map[string]int // problems counted only, of files of which some are kept
	others   int            // problems of files of which none is kept
}

// New returns an empty report that keeps up to perFile problems of each file.
func New(perFile int) *Report {
	return &Report{perFile: perFile, kept: map[string]int{}, dropped: map[string]int{}}
}

// Add adds a problem. Line 0 means the file as a whole. Control characters are removed
// from the name and the message, because people read reports in a terminal.
func (r *Report) Add(file string, line int, format string, args ...any) {
	file = Printable(file)
	full := len(r.problems) >= maxProblems
	switch {
	case full && r.kept[file] == 0:
		r.others++
		return
	case full, r.kept[file] >= r.perFile && file != "":
		r.dropped[file]++
		return
	}
	r.kept[file]++
	r.problems = append(r.problems, Problem{File: file, Line: line, Message: Printable(fmt.Sprintf(format, args...))})
}

// Printable replaces control characters and characters that change the direction of text
// with U+FFFD.
func Printable(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || transcript.Overrides(c) {
			return utf8.RuneError
		}
		return c
	}, s)
}

// Err returns the problems as [Problems], sorted by file and line, or nil if there are none.
func (r *Report) Err() error {
	if len(r.problems) == 0 {
		return nil
	}
	all := slices.Clone(r.problems)
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	out := make(Problems, 0, len(all)+len(r.dropped))
	for i, p := range all {
		out = append(out, p)
		// After the last problem of a file: how many more it has.
		if n := r.dropped[p.File]; n > 0 && (i+1 == len(all) || all[i+1].File != p.File) {
			out = append(out, Problem{File: p.File, Message: fmt.Sprintf("and %d more", n)})
		}
	}
	if r.others > 0 {
		out = append(out, Problem{Message: fmt.Sprintf("and %d more in other files", r.others)})
	}
	return out
}

// Quote returns text of a folder as messages show it: in quotes and cut to 80 code points.
func Quote(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Reason returns why a file could not be read. It leaves the path out of the error, because
// a problem names its file already.
func Reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

package ingest

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

// report gathers the problems of a folder, so that all are told at once. Of one
// file it keeps the first few and counts the rest.
type report struct {
	perFile  int
	problems Problems
	kept     map[string]int // problems by file
	more     map[string]int // that were not kept
	others   int            // of files of which none was kept
}

func newReport(l Limits) *report {
	return &report{perFile: l.Problems, kept: map[string]int{}, more: map[string]int{}}
}

// add tells one problem. Line 0 is the file as a whole. What a terminal would act
// on is taken out of names and messages.
func (r *report) add(file string, line int, format string, args ...any) {
	file = printable(file)
	full := len(r.problems) >= maxTold
	switch {
	case full && r.kept[file] == 0:
		r.others++
		return
	case full, r.kept[file] >= r.perFile && file != "":
		r.more[file]++
		return
	}
	r.kept[file]++
	r.problems = append(r.problems, Problem{File: file, Line: line, Message: printable(fmt.Sprintf(format, args...))})
}

// printable puts a mark where a text has control characters.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || transcript.Overrides(c) {
			return utf8.RuneError
		}
		return c
	}, s)
}

// clean says that nothing was told.
func (r *report) clean() bool { return len(r.problems) == 0 }

// err returns what was told as [Problems], by file and line; nil is nothing.
func (r *report) err() error {
	if r.clean() {
		return nil
	}
	all := slices.Clone(r.problems)
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	out := make(Problems, 0, len(all)+len(r.more))
	for i, p := range all {
		out = append(out, p)
		if n := r.more[p.File]; n > 0 && (i+1 == len(all) || all[i+1].File != p.File) {
			out = append(out, Problem{File: p.File, Message: fmt.Sprintf("and %d more", n)})
		}
	}
	if r.others > 0 {
		out = append(out, Problem{Message: fmt.Sprintf("and %d more in other files", r.others)})
	}
	return out
}

// shown quotes text of a folder for a message, cut where it is long.
func shown(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// reason is why a file could not be read, without the path, which the problem has
// already.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

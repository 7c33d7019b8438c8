package remote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text"
	"vaak/text/segment"
)

const (
	// shortPart is how many characters a part has at least, where others of its utterance
	// follow: models say single words badly.
	shortPart = 16
	// longPart is how many characters a sentence has at most that is said in one go.
	longPart = 300
)

// part is what a member is asked for at a time.
type part struct {
	text.Span      // of the utterance, with the spaces around it
	ends      bool // a sentence ends with it
}

// divide divides a text into its sentences, and long ones into clauses.
func divide(s string) []part {
	var all []part
	for sentence := range segment.Sentences(s, nil) {
		all = appendPart(all, s, sentence, true)
	}
	return joined(s, all)
}

// appendPart appends a span of a text, in pieces if it is long. ends says that a sentence ends with
// it.
func appendPart(all []part, s string, in text.Span, ends bool) []part {
	if utf8.RuneCountInString(in.In(s)) <= longPart {
		return append(all, part{in, ends})
	}
	var clauses []text.Span
	for c := range segment.Clauses(in.In(s), nil) {
		clauses = append(clauses, c.Shift(in.Start))
	}
	open := text.Span{Start: in.Start, End: in.Start}
	for _, c := range clauses {
		if utf8.RuneCountInString(s[open.Start:c.End]) > longPart && open.Start < open.End {
			all = append(all, part{open, false})
			open = text.Span{Start: open.End, End: open.End}
		}
		open.End = c.End
		for utf8.RuneCountInString(open.In(s)) > longPart { // one long clause
			at := open.Start + breakBefore(open.In(s))
			all = append(all, part{text.Span{Start: open.Start, End: at}, false})
			open.Start = at
		}
	}
	if open.Start < open.End {
		all = append(all, part{open, ends})
	} else if len(all) > 0 {
		all[len(all)-1].ends = ends
	}
	return all
}

// breakBefore returns where to divide a text that is too long: at the last space before that, or at
// a character.
func breakBefore(s string) int {
	n, at := 0, 0
	for i, r := range s {
		if n == longPart {
			if at == 0 {
				return i
			}
			return at
		}
		if unicode.IsSpace(r) {
			at = i + utf8.RuneLen(r)
		}
		n++
	}
	return len(s)
}

// joined joins parts that are short or have nothing to say with their neighbours.
func joined(s string, all []part) []part {
	var parts []part
	for _, p := range all {
		if n := len(parts); n > 0 && (silent(p.In(s)) || silent(parts[n-1].In(s)) || short(s, parts[n-1])) {
			parts[n-1].End, parts[n-1].ends = p.End, p.ends
			continue
		}
		parts = append(parts, p)
	}
	if n := len(parts); n > 1 && short(s, parts[n-1]) && utf8.RuneCountInString(parts[n-2].In(s)) < longPart/2 {
		parts[n-2].End, parts[n-2].ends = parts[n-1].End, parts[n-1].ends
		parts = parts[:n-1]
	}
	if len(parts) == 1 && silent(parts[0].In(s)) {
		return nil
	}
	return parts
}

func short(s string, p part) bool {
	return utf8.RuneCountInString(strings.TrimSpace(p.In(s))) < shortPart
}

// silent reports whether a text has nothing to say.
func silent(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
}

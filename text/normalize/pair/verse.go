package pair

import (
	"strings"

	"vaak/text/normalize/scan"
)

// Verse reads a chapter and a verse after the name of a book: John 3:16, Joh 3,16,
// Genesis 1:1-3.
func (pr *Recognizer) Verse(in *scan.View, i int) scan.Outcome {
	if in.Kind(i+1) != scan.Sign || in.Kind(i+2) != scan.Digits || !in.Opens(i) {
		return scan.Outcome{}
	}
	if sep := in.Rune(i + 1); sep != ':' && (sep != ',' || pr.say.Locale.Decimal != ",") {
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if len(a) > 3 || len(b) > 3 || !pr.bookBefore(in, i) {
		return scan.Outcome{}
	}
	chapter, ok := pr.say.Int(scan.Atoi(a), "")
	verse, ok2 := pr.say.Int(scan.Atoi(b), "")
	j := i + 3
	if in.Kind(j) == scan.Sign && scan.IsDash(in.Rune(j)) && in.Kind(j+1) == scan.Digits && scan.RuneLen(in.Text(j+1)) < 4 {
		to, ok := pr.say.Int(scan.Atoi(scan.Arabic(in.Text(j+1))), "")
		if ok && !in.Is(j+2, ':') {
			verse = strings.TrimSpace(pr.say.Range(verse, to))
			j += 2
		}
	}
	if !ok || !ok2 || !in.Closes(j) {
		return scan.Outcome{}
	}
	return scan.Said(pr.say.Endings.Fill2(pr.verse, "{a}", chapter, "{b}", verse), j-i)
}

// longestBook is how many tokens the name of a book has at most. In scripts without
// spaces each letter is one.
const longestBook = 6

// bookBefore reports whether the name of a book stands before a token.
func (pr *Recognizer) bookBefore(in *scan.View, i int) bool {
	last := in.Back(i - 1)
	if in.Is(last, '.') {
		last--
	}
	for k := last; k > last-longestBook && in.Kind(k) != 0; k-- {
		if _, n := pr.books.Match(in, k); n == last-k+1 {
			return in.Opens(k)
		}
	}
	return false
}

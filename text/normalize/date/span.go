package date

import (
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// span is a date that was parsed, or two with a dash between them.
type span struct {
	from date
	end  int // the token after from
	to   date
	last int // the token after to, 0 when there is one date only
}

// spans finds the second date of a span and says both.
type spans struct {
	say   *speak.Speaker
	agree *speak.Agreement
	words *words
	days  *days
}

// next returns the token after the dash at j, with or without space around it. It is 0
// when no dash is there or the language has no words for a span.
func (sp *spans) next(in *scan.View, j int) int {
	k := in.Skip(j)
	if sp.say.Span == "" || in.Kind(k) != scan.Sign || !scan.IsDash(in.Rune(k)) || in.Rune(k) == '-' && k > j && in.Skip(k+1) == k+1 {
		return 0
	}
	return in.Skip(k + 1)
}

// read says a span that begins at token i, or its first date and the day of the week in
// brackets after it. The word before it may ask for a case of both days.
func (sp *spans) read(in *scan.View, i int, s span) scan.Outcome {
	s.from.ordinal = sp.agree.Before(in, i)
	w, ok := sp.words.date(s.from)
	if !ok {
		return scan.Outcome{}
	}
	if s.last > 0 {
		s.to.ordinal = s.from.ordinal
		if v, ok := sp.words.date(s.to); ok {
			return scan.Said(sp.say.Range(w, v), s.last-i)
		}
	}
	return scan.Said(sp.withDay(in, w, i, s.end-i))
}

// withDay adds the abbreviated day of the week in brackets after a date of n tokens at i:
// 5月12日（日）. It returns the words of both and how many tokens they take.
func (sp *spans) withDay(in *scan.View, w string, i, n int) (string, int) {
	if n == 0 {
		return w, n
	}
	k, end := sp.days.bracketed(in, in.Skip(i+n))
	if k == 0 {
		return w, n
	}
	p := sp.words.patterns.dayAfter
	if p == "" {
		p = "{date}, {weekday}"
	}
	day := sp.say.Locale.Days[k-1]
	// The short form is said as it is where it is a word: 周三.
	if from := in.Skip(i+n) + 1; in.Token(from).Dense && end-from > 2 {
		day = in.Span(from, end-1)
	}
	return speak.Fill2(p, "{date}", w, "{weekday}", day), end - i
}

// Package date reads dates, days of the week, years, decades and time stamps.
//
// Each written form of a date has a recognizer of its own: figures, names of months,
// marks, time stamps, and days of the week. They share small readers: [months] and [days]
// find names, [cues] finds the words around numbers that say that a date is meant, and
// [spans] finds the second date after a dash. The type [words] says what they parsed.
package date

import (
	"vaak/text/normalize/clock"
	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads dates of one language. It is safe for concurrent use. Each part
// brings the methods for its form.
type Recognizer struct {
	*inFigures // Numeric
	*withMonth // Named
	*marked    // Marked
	*stamped   // Timestamp
	*weekdays  // Weekday, Bracketed
}

// New returns the recognizer of a speaker's language, and adds the words with which
// dates begin to starts.
func New(say *speak.Speaker, agree *speak.Agreement, quantities *quantity.Recognizer, ordinals *ordinal.Recognizer, times *clock.Recognizer, starts *scan.Starts) *Recognizer {
	wo := newWords(say)
	co := newCommon(say)
	da := newDays(say, co, starts)
	sp := &spans{say: say, agree: agree, words: wo, days: da}
	figures := newInFigures(say, quantities, ordinals, wo, newCues(say, quantities, da, starts), sp)
	month := newWithMonth(say, ordinals, newMonths(say, wo, co, starts), sp)
	return &Recognizer{
		inFigures: figures,
		withMonth: month,
		marked:    &marked{say: say, spans: sp},
		stamped:   &stamped{say: say, agree: agree, clock: times, words: wo},
		weekdays:  &weekdays{say: say, clock: times, days: da, figures: figures, named: month, words: wo, beside: say.Lexicon.Set("weekday.beside"), and: say.Lexicon.Word("and"), link: say.Lexicon.Set("weekday.link")},
	}
}

// daysOf are the largest numbers of days that the months can have.
var daysOf = [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// valid reports whether a month can have a day.
func valid(day, month int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= daysOf[month-1]
}

// century returns a year of two digits in full: 70 to 99 are of the 20th century.
func century(y string) string {
	if len(y) != 2 {
		return y
	}
	if y < "70" {
		return "20" + y
	}
	return "19" + y
}

// phrases returns the phrases of a list.
func phrases(list []string) (p scan.Phrases[bool]) {
	for _, w := range list {
		p.Add(w, true)
	}
	return p
}

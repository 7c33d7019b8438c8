package quantity

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Durations reads how long something takes. It is safe for concurrent use.
type Durations struct {
	say   *speak.Speaker
	units *units
	and   string          // the pattern of two parts, "" for one after the other
	names map[string]bool // names of the minute
}

// NewDurations returns the recognizer of a speaker's language.
func NewDurations(say *speak.Speaker, quantities *Recognizer) *Durations {
	du := &Durations{say, quantities.units, say.Lexicon.Word("duration.and"), map[string]bool{}}
	if u := du.units.byKey("duration-minute"); u != nil {
		for _, form := range u.forms {
			if _, name, ok := strings.Cut(form, "{n}"); ok && say.Spaced && strings.TrimSpace(name) != "" {
				du.names[strings.TrimSpace(name)] = true
			}
		}
	}
	return du
}

// Minutes returns how many tokens at k name the minute or are its symbol, 0 for none.
func (du *Durations) Minutes(in *scan.View, k int) int {
	if du.names[in.Text(k)] && in.Closes(k+1) {
		return 1
	}
	if u, n := du.units.at(in, k); n > 0 && u.key == "duration-minute" && in.Closes(k+n) {
		return n
	}
	return 0
}

// Duration reads how long something takes in at least two units of letters: 1h30, 2h30m,
// 5m30s, 1h 5m 20s. Alone, m is metres.
func (du *Durations) Duration(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) {
		return scan.Outcome{}
	}
	var words []string
	marked := false
	j, last := i, 0
	for {
		v := scan.Arabic(in.Text(j))
		if in.Kind(j) != scan.Digits || len(v) > 3 {
			break
		}
		k := in.Skip(j + 1)
		key, order := timeLetter(in.Text(k))
		end := k + 1
		if order == 0 && (k == j+1 || du.apart(in, k)) {
			key, order, end = du.timeUnit(in, k)
		}
		if order == 0 && last > 0 && k == j+1 {
			key, order = timeMark(in, k) // 2h04'35"
		}
		if order == 0 || order <= last {
			// 1h30: the minutes need no letter where two digits touch the hours.
			if last != 1 || in.Kind(j-1) != scan.Word || len(v) != 2 || !in.Closes(j+1) {
				break
			}
			key, order, end = "duration-minute", 2, j+1
		}
		if !in.Closes(end) && in.Kind(end) != scan.Digits {
			break
		}
		marked = marked || in.Is(end-1, '"')
		w, ok := du.units.counts(scan.Atoi(v), key)
		if !ok {
			return scan.Outcome{}
		}
		words, last = append(words, w), order
		j = end
		if next := in.Skip(end); in.Kind(next) == scan.Digits {
			j = next
			continue
		}
		break
	}
	if len(words) < 2 || !in.Closes(j) && in.Kind(j) != scan.Digits {
		return scan.Outcome{}
	}
	if in.Kind(j-1) == scan.Digits && (in.Is(j, '\'') || in.Is(j, '′')) && in.Closes(j+1) {
		j++ // 1h30'
	}
	// The last part may have been looked at in vain: 1h 5m 20 people.
	if in.Kind(j) == scan.Digits && in.Kind(j-1) == scan.Space {
		j--
	}
	if marked {
		return scan.Outcome{Words: du.Join(words), Tokens: j - i, Note: &scan.Note{Kind: scan.NoteInches, At: j}}
	}
	return scan.Said(du.Join(words), j-i)
}

// apart reports whether the word after a space at k is the short form of a unit of time that
// the language writes in letters of its own: 2 ч 04 мин 35 с.
func (du *Durations) apart(in *scan.View, k int) bool {
	_, order, _ := du.timeUnit(in, k)
	return order > 0 && (in.Token(k).R >= 0x80 || in.Token(k).End-in.Token(k).Start > 2)
}

// timeMark returns the unit that a mark after a number stands for in a duration, and its
// place in the order from hours to seconds.
func timeMark(in *scan.View, k int) (key string, order int) {
	switch {
	case in.Is(k, '\''), in.Is(k, '′'), in.Is(k, '’'):
		return "duration-minute", 2
	case in.Is(k, '"'), in.Is(k, '″'), in.Is(k, '”'):
		return "duration-second", 3
	}
	return "", 0
}

// Join joins the parts of a duration.
func (du *Durations) Join(parts []string) string {
	w := ""
	for k, part := range parts {
		switch {
		case k == 0:
			w = part
		case du.and != "":
			w = speak.Fill2(du.and, "{a}", w, "{b}", part)
		default:
			w = du.say.Join(w, part)
		}
	}
	return w
}

// Spaced reads a duration with spaces between its parts and a unit after the last, which
// is no time of day: 1h 30min.
func (du *Durations) Spaced(in *scan.View, i int) scan.Outcome {
	if in.Kind(i+1) == scan.Sign {
		return scan.Outcome{}
	}
	o := du.Duration(in, i)
	if o.Tokens == 0 {
		return scan.Outcome{}
	}
	if in.Kind(i+o.Tokens-1) == scan.Sign && in.Kind(i+o.Tokens-2) == scan.Digits {
		return o
	}
	if in.Kind(i+o.Tokens-1) != scan.Word {
		return scan.Outcome{}
	}
	for k := i + 1; k < i+o.Tokens-1; k++ {
		if in.Kind(k) == scan.Space && in.Kind(k-1) == scan.Word {
			return o
		}
	}
	return scan.Outcome{}
}

// timeLetter returns the unit of CLDR that a letter or short form stands for in a
// duration, and its place in the order from hours to seconds; 0 for another word.
func timeLetter(s string) (key string, order int) {
	switch s {
	case "h", "hr", "hrs", "H":
		return "duration-hour", 1
	case "m", "min", "mins":
		return "duration-minute", 2
	case "s", "sec", "secs":
		return "duration-second", 3
	}
	return "", 0
}

// timeUnit returns the unit of time whose short form in the language touches a number
// before k, its place in the order, and the token after it.
func (du *Durations) timeUnit(in *scan.View, k int) (key string, order, end int) {
	u, n := du.units.at(in, k)
	if n == 0 || u.counter {
		return "", 0, k + 1
	}
	switch u.key {
	case "duration-hour":
		return u.key, 1, k + n
	case "duration-minute":
		return u.key, 2, k + n
	case "duration-second":
		return u.key, 3, k + n
	}
	return "", 0, k + 1
}

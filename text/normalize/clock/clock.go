// Package clock reads times of day: 17:45, 5 pm, 17.45 Uhr.
package clock

import (
	"cmp"
	"strconv"
	"strings"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads times of one language. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	agree      *speak.Agreement
	quantities *quantity.Recognizer
	durations  *quantity.Durations
	patterns   patterns
	marks      scan.Phrases[timeMark]
	during     map[string]bool   // words before a duration
	taken      map[string]bool   // words before minutes and seconds, or behind them
	takenLink  map[string]bool   // words between these and such a word
	minutes    map[string]string // inflected words for minutes behind them, and the pattern
	halfFirst  bool              // the half of the day is said before the hours
	pointWord  map[string]bool   // parts of the day before a time with a full stop
	dayPart    map[string]string // words for parts of the day, by the hour in which they begin
	before     map[string]bool   // words before hours without minutes
	spanWords  map[string]string // the words before the two hours of a span
	span       string            // the pattern of a range of times, "" for that of any other
}

// patterns are how times are spoken, "" where the language has none.
type patterns struct {
	clock, hour, second string
	twelve, twelveHour  string // with am or pm
	clock24, hour24     string // for the hours 0 and 13 to 24
	second24            string
	am, pm, oh          string
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker, agree *speak.Agreement, quantities *quantity.Recognizer, durations *quantity.Durations) *Recognizer {
	lex := say.Lexicon
	w := lex.Word
	cr := &Recognizer{say: say, agree: agree, quantities: quantities, durations: durations, during: lex.Set("duration.before"), taken: lex.Set("duration.length"), takenLink: lex.Set("duration.link"), pointWord: lex.Set("time.point"), dayPart: lex.ByFirst("time.part"), span: lex.Word("time.range"), patterns: patterns{
		clock: w("time"), hour: w("time.hour"), second: w("time.second"),
		twelve: w("time.12"), twelveHour: w("time.12.hour"), clock24: w("time.24"), hour24: w("time.24.hour"), second24: w("time.24.second"),
		am: say.Or("time.am", say.Locale.AM), pm: say.Or("time.pm", say.Locale.PM), oh: w("time.oh"),
	}}
	cr.before = lex.Set("time.before")
	cr.minutes = lex.ByFirst("duration.after")
	cr.spanWords = lex.ByFirst("time.span")
	cr.halfFirst = strings.HasPrefix(cr.patterns.twelve, "{period}")
	for _, r := range lex.Rows("time.mark") {
		for _, w := range r.List(0) {
			m := timeMark{sort: r.Value(1), hour: r.Value(2), minutes: r.Value(3)}
			if m.sort == "quarters" {
				m.sort, m.quarters = "24", true
			}
			cr.marks.Add(w, m)
		}
	}
	return cr
}

// timeMark is a word after a time. Its sort is "am" or "pm"; "24" for a word that is
// part of the time, such as Uhr; or "hm" for one that is so only after hours and
// minutes. The patterns are those of a time with the word, "" for the usual ones.
type timeMark struct {
	sort, hour, minutes string
	quarters            bool // :15, :30 and :45 are said as fractions of the hour
}

// Clock is a time of day as it was written.
type Clock struct {
	Hour, Minute, Second int
	Seconds              bool
	period               string   // am, pm or ""
	mark                 bool     // a word such as Uhr stands after it
	bare                 bool     // hours only
	padded               bool     // its form alone shows that it is a time: 09.00
	said                 timeMark // the word after it, with its patterns
	agreed               string   // the rule set that the word before it asks for, or ""
}

// Time reads 17:45, 10:30:15, 5 pm, 17.45 Uhr, 17h30, and ranges of times.
func (cr *Recognizer) Time(in *scan.View, i int) scan.Outcome { return scan.Said(cr.At(in, i, false)) }

// At reads the time at i and returns its words and how many tokens it takes. Told means
// that a word before it announces a time.
func (cr *Recognizer) At(in *scan.View, i int, told bool) (string, int) {
	if !in.Opens(i) || in.Kind(i) != scan.Digits {
		return "", 0
	}
	if w, n := cr.running(in, i); n > 0 && !told {
		return w, n
	}
	t, j, ok := cr.clock(in, i, told)
	if !ok || !told && cr.noTime(in, t, i, j) {
		return "", 0
	}
	// Such a word also counts hours, and what follows is a part of them: tr 3 saat 5 dk.
	if told && t.bare && t.period == "" && !t.mark && cr.quantities.Counted(in, in.Skip(j)) {
		return "", 0
	}
	if w, ok := cr.sayDuration(in, t, i, told); ok {
		return w, j - i
	}
	if w, end, ok := cr.length(in, t, i, j); ok && !told {
		return w, end - i
	}
	t.agreed = cr.agree.Before(in, i)
	timed := told || t.padded || t.bare && cr.isHour(in, t, i, j)
	if k := in.Skip(j); in.Kind(k) == scan.Sign && scan.IsDash(in.Rune(k)) {
		// A range is told by either end: in "5–7 pm" the first hour alone would be a plain
		// number.
		timed = timed || cr.hourToPoint(in, t, in.Skip(k+1))
		if u, end, ok := cr.clock(in, in.Skip(k+1), timed); ok {
			return cr.times(t, u, end-i, timed, cmp.Or(cr.say.SpanAfter(in, i), cr.say.SpanBefore[in.Text(in.Skip(end))], cr.span))
		}
	}
	if t.bare && t.period == "" && !t.mark && !timed {
		return "", 0
	}
	w, ok := cr.Say(t)
	if !ok {
		return "", 0
	}
	return w, j - i
}

// hourToPoint reports whether a time with a full stop at i ends a span that begins with the
// bare hour t: it 9-12.30. No decimal has a full stop there.
func (cr *Recognizer) hourToPoint(in *scan.View, t Clock, i int) bool {
	return t.bare && cr.say.Locale.Decimal == "," && in.Is(i+1, '.') && in.TwoDigits(i+2) && scan.Atoi(scan.Arabic(in.Text(i+2)))%15 == 0 &&
		t.Hour < scan.Atoi(scan.Arabic(in.Text(i))) && !cr.quantities.Counted(in, in.Skip(i+3)) && !in.IsPercent(in.Skip(i+3)) && !in.Is(i+3, '.')
}

// isHour reports whether the number from i to j is an hour because of the word before it, and
// because it counts nothing: pl o 17, od 8 do 16.
func (cr *Recognizer) isHour(in *scan.View, t Clock, i, j int) bool {
	if len(cr.before) == 0 || t.Hour > 24 {
		return false
	}
	b := in.Back(i - 1)
	word := in.Text(b)
	if cr.before[word] || cr.before[strings.ToLower(word)] {
		return cr.countsNothing(in, j)
	}
	// No other span begins early in the day: scores and ages mostly begin with less.
	from, next := in.Back(b-1), in.Skip(in.Skip(j)+1)
	switch {
	case cr.spanWords[strings.ToLower(word)] != "" && in.Text(in.Skip(j)) == cr.spanWords[strings.ToLower(word)] && in.Kind(next) == scan.Digits:
		to := scan.Atoi(scan.Arabic(in.Text(next)))
		return 5 <= t.Hour && t.Hour < to && to <= 24 && cr.countsNothing(in, next+1)
	case in.Kind(from) == scan.Digits && word != "" && word == cr.spanWords[strings.ToLower(in.Text(in.Back(from-1)))]:
		hour := scan.Atoi(scan.Arabic(in.Text(from)))
		return 5 <= hour && hour < t.Hour && cr.countsNothing(in, j)
	}
	return false
}

// countsNothing reports whether nothing that a number counts stands behind it, at j.
func (cr *Recognizer) countsNothing(in *scan.View, j int) bool {
	k := in.Skip(j)
	switch in.Kind(k) {
	case scan.Digits:
		return false
	case scan.Sign:
		return k == j && strings.ContainsRune(".,;:!?)…", in.Rune(k)) && in.Kind(k+1) != scan.Digits
	}
	return in.Closes(j) && cr.agree.Counted(in, j) == "" && !cr.quantities.Counted(in, k)
}

// noTime reports whether what looks like a time from i to j is the result of a match, or
// a side of something that is measured.
func (cr *Recognizer) noTime(in *scan.View, t Clock, i, j int) bool {
	if before := in.Back(i - 1); in.Is(before, '×') || in.Text(before) == "x" && in.Kind(in.Back(before-1)) == scan.Digits {
		return true
	}
	// The scale of a map: 1:50 000.
	if t.Hour == 1 && in.Is(i+1, ':') && quantity.Thousands(in, i+3) {
		return true
	}
	// Minutes of a time are mostly multiples of five. Others are points where the text
	// tells a result.
	return !t.bare && !t.Seconds && t.period == "" && !t.mark && in.Is(i+1, ':') && in.Scored(i) &&
		(t.Minute%5 != 0 || i-in.Score < 3) && cr.agree.Before(in, i) == ""
}

// sayDuration says a time with seconds as how long something takes: a single digit for
// the hours, or a word before it, shows that it is no time of day.
func (cr *Recognizer) sayDuration(in *scan.View, t Clock, i int, told bool) (string, bool) {
	if !t.Seconds || t.period != "" || t.mark || told || scan.RuneLen(in.Text(i)) > 1 && !cr.during[in.Text(in.Back(in.Back(i-1)))] {
		return "", false
	}
	// A time of day has the name of its part before it: 오후 2:15:30.
	if b := in.Back(i - 1); cr.agree.Before(in, i) != "" || cr.pointWord[in.Text(b)] || in.Token(b).Dense && cr.pointWord[in.Text(b-1)+in.Text(b)] {
		return "", false
	}
	var words []string
	for _, part := range []struct {
		n   int
		key string
	}{{t.Hour, "duration-hour"}, {t.Minute, "duration-minute"}, {t.Second, "duration-second"}} {
		if part.n == 0 {
			continue
		}
		w, ok := cr.quantities.Counts(part.n, part.key)
		if !ok {
			return "", false
		}
		words = append(words, w)
	}
	return cr.durations.Join(words), len(words) > 0
}

// length says what looks like a time from i to j as minutes and seconds, because the word for
// minutes stands after it, or one for something that is heard or seen behind it: 3:45 का गाना. It
// returns the token after them.
func (cr *Recognizer) length(in *scan.View, t Clock, i, j int) (w string, end int, ok bool) {
	if t.bare || t.Seconds || t.period != "" || t.mark || !in.Is(i+1, ':') {
		return "", 0, false
	}
	k := in.Skip(j)
	if p := cr.minutes[in.Text(k)]; p != "" && in.Closes(k+1) {
		w, ok = cr.inflected(p, t)
		return w, k + 1, ok
	}
	n := cr.durations.Minutes(in, k)
	if n == 0 && (scan.RuneLen(in.Text(i)) > 1 || !cr.takesBehind(in, k)) {
		return "", 0, false
	}
	if n == 0 {
		k = j
	}
	w, ok = cr.quantities.Counts(t.Hour, "duration-minute")
	if t.Minute > 0 && ok {
		var seconds string
		seconds, ok = cr.quantities.Counts(t.Minute, "duration-second")
		w = cr.durations.Join([]string{w, seconds})
	}
	return w, k + n, ok
}

// inflected says minutes and seconds by a pattern with {m} and {s}.
func (cr *Recognizer) inflected(p string, t Clock) (string, bool) {
	m, ok := cr.say.Int(t.Hour, "")
	s, ok2 := cr.say.Int(t.Minute, "")
	return strings.NewReplacer("{m}", m, "{s}", s).Replace(p), ok && ok2
}

// takesBehind reports whether a word at k, or behind a link there, names something that is heard or
// seen.
func (cr *Recognizer) takesBehind(in *scan.View, k int) bool {
	if cr.takenLink[in.Text(k)] {
		k = in.Skip(k + 1)
	}
	return len(cr.takenLink) > 0 && cr.taken[in.Text(k)]
}

// times says a range of two times by a pattern, "" for the plain one. Bare hours are times only when a word says so.
func (cr *Recognizer) times(t, u Clock, n int, timed bool, span string) (string, int) {
	if !timed && t.bare && t.period == "" && u.period == "" && !u.mark {
		return "", 0
	}
	if t.bare && t.period == "" && !t.mark {
		// 5–7 pm: the first hour is a plain number, unless hours are ordinals.
		a, ok := cr.say.Int(t.Hour, "")
		if strings.Contains(cr.patterns.hour, "ordinal") && t.Hour <= 12 {
			a, ok = cr.Say(Clock{Hour: t.Hour, bare: true, agreed: t.agreed})
		}
		b, ok2 := cr.Say(u)
		if !ok || !ok2 {
			return "", 0
		}
		return cr.say.RangeBy(span, a, b), n
	}
	// The word after the second time belongs to both: १०:३०-११:३० बजे.
	if first, _, found := strings.Cut(u.said.minutes, "{m}"); found && u.mark && !t.mark && strings.HasPrefix(first, "{h} ") && strings.TrimSpace(first) == "{h}" && !t.bare {
		t.mark, t.said = true, timeMark{sort: u.said.sort, hour: "{h}", minutes: "{h} {m}"}
	}
	a, ok := cr.Say(t)
	b, ok2 := cr.Say(u)
	if !ok || !ok2 {
		return "", 0
	}
	return cr.say.RangeBy(span, a, b), n
}

// clock parses a time, which may be bare hours.
func (cr *Recognizer) clock(in *scan.View, i int, told bool) (t Clock, j int, ok bool) {
	h := scan.Arabic(in.Text(i))
	if in.Kind(i) == scan.Digits && len(h) == 4 {
		return cr.unparted(in, i, h) // 0930 hrs
	}
	if in.Kind(i) != scan.Digits || len(h) > 2 {
		return t, i, false
	}
	t.Hour, j = scan.Atoi(h), i+1
	sep := in.Rune(j)
	if (sep == ':' || sep == '.' || sep == '፡') && in.TwoDigits(j+1) {
		t.Minute = scan.Atoi(scan.Arabic(in.Text(j + 1)))
		j += 2
		if sep == ':' && in.Is(j, ':') && in.TwoDigits(j+1) {
			t.Second, t.Seconds = scan.Atoi(scan.Arabic(in.Text(j+1))), true
			j += 2
		}
	} else {
		t.bare = true
	}
	// 17.45 may be a decimal as well, so a full stop needs more evidence than a colon.
	pointed := !t.bare && sep == '.'
	t.padded = pointed && len(h) == 2 && h[0] == '0' && cr.padded(in, t, in.Skip(j))
	t.padded = t.padded || pointed && cr.shown(in, t, i, j)
	after := in.Skip(j)
	j = cr.timeMark(in, &t, j)
	if pointed && !told && !cr.pointTime(in, t, i, after) || t.Hour > 24 || t.Minute > 59 || t.Second > 59 || !in.Closes(j) && !in.Token(j-1).Dense {
		return t, i, false
	}
	// 17:45 pm: the hour says it already.
	if t.period != "" && (t.Hour > 12 || t.Hour == 0) {
		t.period = ""
	}
	// The digits go on as a longer number, a date or a ratio.
	if r := in.Rune(j); in.Kind(j) == scan.Sign && in.Kind(j+1) == scan.Digits && !scan.IsWide(in.Text(j)) && (r == ':' || r == '.' || r == '/' || r == ',' && (cr.say.Locale.Decimal == "," || scan.RuneLen(in.Text(j+1)) == 3) || r == '%') {
		return t, i, false
	}
	return t, j, true
}

// unparted parses hours and minutes in four digits before a word that is part of a time:
// 0930 hrs.
func (cr *Recognizer) unparted(in *scan.View, i int, digits string) (t Clock, j int, ok bool) {
	k := in.Skip(i + 1)
	v, n := cr.marks.Match(in, k)
	t = Clock{Hour: scan.Atoi(digits[:2]), Minute: scan.Atoi(digits[2:]), mark: true, said: v}
	// Without a nought at the start only an abbreviation is a mark: an ending as in ୨୦୨୪ରେ
	// also follows years.
	marked := digits[0] == '0' && v.sort == "24" || v.sort == "hm" && (digits[0] == '0' || in.Rune(k) < 0x250)
	return t, k + n, n > 0 && marked && t.Hour < 24 && t.Minute < 60 && in.Closes(k+n)
}

// pointTime reports whether two numbers with a full stop between them are a time and no
// decimal: they have a mark, a word before them asks for an ordinal or case that times
// have, or their form shows it. Something counted after them, at j, means a decimal.
func (cr *Recognizer) pointTime(in *scan.View, t Clock, i, j int) bool {
	return t.padded || t.period != "" || t.mark ||
		cr.say.Locale.Decimal == "," && cr.agree.Before(in, i) != "" && !in.IsPercent(j) && !cr.quantities.Counted(in, j)
}

// shown reports whether what stands beside two numbers with a full stop between them
// shows that they are a time: a part of the day before them, or another time after them,
// at j.
func (cr *Recognizer) shown(in *scan.View, t Clock, i, j int) bool {
	part := in.Back(i - 1)
	word := in.Text(part)
	if in.Is(part, '.') && in.Kind(part-1) == scan.Word {
		word = in.Span(part-1, part+1) // an abbreviation: स. 9.30
	}
	if cr.pointWord[word] && !cr.quantities.Counted(in, j) && !in.IsPercent(j) {
		return true // रात्री १०.३०
	}
	// No decimal with a comma has a full stop, and an ending shows that more than minutes do
	// not follow: tr 18.30'da.
	if cr.say.Locale.Decimal == "," && t.Minute%5 == 0 && t.Hour <= 24 && (in.Is(j, '\'') || in.Is(j, '’')) && cr.say.Endings.Marked(in, j) {
		return true
	}
	if cr.spanOfDay(in, i) && t.Minute%5 == 0 && !cr.quantities.Counted(in, j) && !in.IsPercent(j) {
		return true
	}
	k := in.Skip(j)
	next := in.Skip(k + 1)
	dash := in.Kind(k) == scan.Sign && scan.IsDash(in.Rune(k))
	if !dash && (in.Kind(k) != scan.Word || next == k+1) || cr.say.Locale.Decimal != "," || in.Kind(next) != scan.Digits || !in.Is(next+1, '.') || !in.TwoDigits(next+2) {
		return false
	}
	// The word after the second time belongs to both: tussen 15.10 en 17.10 uur.
	end := in.Skip(next + 3)
	if v, n := cr.marks.Match(in, end); n > 0 && v.sort == "24" {
		return true
	}
	// 9.00–17.00, both in steps of five minutes.
	hour, minute := scan.Atoi(scan.Arabic(in.Text(next))), scan.Atoi(scan.Arabic(in.Text(next+2)))
	return dash && t.Minute%5 == 0 && minute%5 == 0 && t.Hour < hour && hour <= 24 && in.Closes(next+3) && !cr.quantities.Counted(in, end) && !in.IsPercent(end)
}

// spanOfDay reports whether the number at i ends a span whose first end is a time with a
// full stop behind a part of the day, and a word stands between: വൈകിട്ട് 6.15 മുതൽ 8.30.
func (cr *Recognizer) spanOfDay(in *scan.View, i int) bool {
	link := in.Back(i - 1)
	minute := in.Back(link - 1)
	return in.Kind(link) == scan.Word && in.TwoDigits(minute) && in.Is(minute-1, '.') && in.Kind(minute-2) == scan.Digits &&
		cr.pointWord[in.Text(in.Back(minute-3))]
}

// padded reports whether a time with a full stop and a leading zero is one by its form
// alone: no decimal has a leading zero, the minutes are no month, and nothing counted
// follows at j.
func (cr *Recognizer) padded(in *scan.View, t Clock, j int) bool {
	return cr.say.Locale.Decimal == "," && t.Hour > 0 && (t.Minute == 0 || t.Minute > 12) && !cr.quantities.Counted(in, j) && !in.IsPercent(j)
}

// timeMark takes a mark such as am or Uhr, and the minutes of 17h30, into a time. It
// returns the token after them.
func (cr *Recognizer) timeMark(in *scan.View, t *Clock, j int) int {
	k := in.Skip(j)
	if p, n := period(in, k); n > 0 {
		t.period = p
		return k + n
	}
	if w := in.Text(j); !t.bare && (w == "a" || w == "p") && cr.patterns.twelve != "" && in.Closes(j+1) {
		t.period = w + "m" // 7:15a
		return j + 1
	}
	v, n := cr.marks.Match(in, k)
	if n > 0 && cr.quantities.Unit(in, k) > n {
		return j // a unit that begins as the mark does: ru 1 ч. л.
	}
	if n == 0 || !in.Closes(k+n) && !(t.bare && k == j && in.TwoDigits(k+n)) && !in.Token(k).Dense {
		return j
	}
	// The mark is another word after bare hours.
	if v.sort == "hm" && t.bare {
		return j
	}
	if v.sort == "24" || v.sort == "hm" {
		t.mark, t.said = true, v
		if t.bare && k == j && in.TwoDigits(k+n) {
			t.bare, t.Minute = false, scan.Atoi(scan.Arabic(in.Text(k+n)))
			n++
			if m := in.Text(k + n); (m == "min" || m == "mn") && in.Closes(k+n+1) {
				n++ // pt 13h30min
			}
		}
		return k + n
	}
	t.period = v.sort
	return k + n
}

// period reads am and pm as every language writes them.
func period(in *scan.View, k int) (string, int) {
	if in.Kind(k) != scan.Word {
		return "", 0
	}
	switch in.Text(k) {
	case "am", "AM", "Am":
		if in.Closes(k + 1) {
			return "am", 1
		}
	case "pm", "PM", "Pm":
		if in.Closes(k + 1) {
			return "pm", 1
		}
	case "a", "A", "p", "P":
		if (in.Text(k+2) == "m" || in.Text(k+2) == "M") && in.Is(k+1, '.') && in.Is(k+3, '.') {
			return strings.ToLower(in.Text(k)) + "m", 4
		}
	}
	return "", 0
}

// Say says a time of day.
func (cr *Recognizer) Say(t Clock) (string, bool) {
	if w := cr.sayQuarters(t); w != "" {
		return w, true
	}
	p := cr.patterns.clock
	switch {
	case t.period != "" && t.Seconds && cr.patterns.second != "":
		return cr.saySecondsOfHalf(t)
	case t.period != "" && (t.bare || t.Minute == 0 && cr.patterns.twelveHour != ""):
		p = cr.patterns.twelveHour
	case t.period != "":
		p = cr.patterns.twelve
	case t.Seconds:
		p = cr.patterns.second
	case t.Minute == 0 && t.said.hour != "":
		p = t.said.hour
	case t.Minute > 0 && t.said.minutes != "":
		p = t.said.minutes
	case t.Minute == 0 && cr.patterns.hour != "":
		p = cr.patterns.hour
	}
	// Last, since the hours 0 and 13 to 24 have patterns of their own whatever was chosen
	// above.
	if t.period == "" && !t.Seconds && (t.Hour > 12 || t.Hour == 0) && cr.patterns.clock24 != "" {
		p = cr.patterns.clock24
		if t.Minute == 0 && cr.patterns.hour24 != "" {
			p = cr.patterns.hour24
		}
	}
	if t.Seconds && (t.Hour > 12 || t.Hour == 0) && cr.patterns.second24 != "" {
		p = cr.patterns.second24
	}
	if p == "" {
		return cr.sayPlain(t)
	}
	return cr.say.Endings.Fill(p, func(name, set string) (string, bool) {
		switch name {
		case "h":
			return cr.say.Int(t.Hour, cr.say.InCase(set, t.agreed))
		case "m":
			return cr.sayMinutes(t.Minute, cr.minuteCase(set, t.agreed))
		case "s":
			return cr.say.Int(t.Second, set)
		case "period":
			return cr.sayPeriod(t)
		}
		return cr.timeUnit(t, name)
	})
}

// saySecondsOfHalf says a time with seconds and am or pm: the time with seconds, and the
// half of the day where the pattern without seconds has it.
func (cr *Recognizer) saySecondsOfHalf(t Clock) (string, bool) {
	half, ok := cr.sayPeriod(t)
	t.period = ""
	w, ok2 := cr.Say(t)
	if !ok || !ok2 {
		return "", false
	}
	if strings.HasPrefix(cr.patterns.twelve, "{period}") {
		return cr.say.Join(half, w), true
	}
	return cr.say.Join(w, half), true
}

// sayQuarters says a quarter of an hour as a number with a fraction, साढ़े दस बजे for
// 10:30. It returns "" unless the word after the time asks for it and the language has a
// short form.
func (cr *Recognizer) sayQuarters(t Clock) string {
	if !t.said.quarters || t.Seconds || t.bare || t.Hour < 1 || t.Hour > 12 || t.Minute == 0 || t.Minute%15 != 0 {
		return ""
	}
	x := scan.Number{Whole: strconv.Itoa(t.Hour), Above: strconv.Itoa(t.Minute / 15), Below: "4"}
	if t.Minute == 30 {
		x.Above, x.Below = "1", "2"
	}
	if !cr.say.HasMixed(x.Whole, x.Above, x.Below) {
		return ""
	}
	w, ok := cr.say.Mixed(x, cr.say.Cardinal)
	if !ok {
		return ""
	}
	return speak.Fill1(t.said.hour, "{h}", w)
}

// timeUnit returns the name of a unit beside its number, for the fields {unit-h},
// {unit-m} and {unit-s}, in the plural form that the number takes.
func (cr *Recognizer) timeUnit(t Clock, name string) (string, bool) {
	v, key := t.Hour, "duration-hour"
	switch name {
	case "unit-m":
		v, key = t.Minute, "duration-minute"
	case "unit-s":
		v, key = t.Second, "duration-second"
	}
	return cr.quantities.UnitName(key, v, speak.IsGenitive(t.agreed))
}

// sayPlain says the parts of a time for which the language has no pattern, one after the
// other.
func (cr *Recognizer) sayPlain(t Clock) (string, bool) {
	w, ok := cr.say.Int(t.Hour, "")
	if !t.bare && (t.Minute > 0 || t.Seconds || t.period == "") {
		m, ok2 := cr.sayMinutes(t.Minute, "")
		w, ok = w+" "+m, ok && ok2
	}
	if t.Seconds {
		s, ok2 := cr.say.Int(t.Second, "")
		w, ok = w+" "+s, ok && ok2
	}
	switch t.period {
	case "am":
		w = cr.say.Join(w, cr.patterns.am)
	case "pm":
		w = cr.say.Join(w, cr.patterns.pm)
	}
	return w, ok
}

func (cr *Recognizer) sayMinutes(m int, set string) (string, bool) {
	w, ok := cr.say.Int(m, set)
	if m < 10 && cr.patterns.oh != "" {
		w = cr.say.Join(cr.patterns.oh, w)
	}
	return w, ok
}

// sayPeriod says whether an hour is before or after noon. Where the language names parts
// of the day, it is the one that began last.
func (cr *Recognizer) sayPeriod(t Clock) (string, bool) {
	hour, w := t.Hour%12, cr.patterns.am
	if t.period == "pm" {
		hour, w = hour+12, cr.patterns.pm
	}
	// Parts of the day are listed by the hour in which they begin, so the nearest one
	// before is meant.
	for ; hour >= 0; hour-- {
		if part := cr.dayPart[strconv.Itoa(hour)]; part != "" {
			return part, true
		}
	}
	return w, w != ""
}

// minuteCase returns the rule set of the minutes after a word that asks for the genitive
// of cardinals. An ordinal hour does not change the minutes.
func (cr *Recognizer) minuteCase(set, agreed string) string {
	if set == "" || !speak.IsGenitive(agreed) {
		return set
	}
	return cr.say.InGenitive(set)
}

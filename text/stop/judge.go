package stop

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Verdict is what a mark does at its place.
type Verdict uint8

// The verdicts. From Ends on, a sentence ends.
const (
	// Open means that nothing tells more than the mark itself does.
	Open Verdict = iota
	// Inside means that the sentence goes on, so that no pause of its end belongs there.
	Inside
	// Ends means that a sentence ends and another begins.
	Ends
	// Last means that the line or the text ends.
	Last
)

// behind is how many bytes before a mark are looked at.
const behind = 320

// Judge returns what the mark at a place of a text does: a full stop, an ellipsis, or an
// exclamation or question mark. Several marks are judged together at the first. own is the
// usage of the language in which the mark stands, host that of the words around it, which
// is another where words of one language stand in a text of another.
func Judge(s string, at int, own, host *Usage) Verdict {
	m := markAt(s, at)
	end, last := m.closed(s)
	if last {
		return Last
	}
	f := follow{class: sign}
	switch r, n := utf8.DecodeRuneInString(s[end:]); {
	case unicode.IsSpace(r):
		rest := end
		for unicode.IsSpace(r) {
			if r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
				return Last
			}
			rest += n
			if r, n = utf8.DecodeRuneInString(s[rest:]); n == 0 {
				return Last
			}
		}
		f = following(s[rest:])
	case joins(r):
		f.class = joined
	default:
		return Open // inside a word
	}
	c := newContext(s, at)
	switch {
	case m.exclaims:
		return m.exclaim(&c, f, own)
	case m.ellipsis:
		return ellipsis(&c, f, own, host)
	}
	return full(&c, f, own, host)
}

// mark is one or more marks that stand together.
type mark struct {
	end                int
	ellipsis, exclaims bool
	quoted             bool // a quotation mark closes behind it
}

// markAt reads the marks at a place.
func markAt(s string, at int) mark {
	m := mark{end: at}
	dots := 0
	for m.end < len(s) {
		r, n := utf8.DecodeRuneInString(s[m.end:])
		switch r {
		case '.', '．', '۔':
			dots++
		case '…':
			m.ellipsis = true
		case '!', '?', '؟', '‼', '⁇', '⁈', '⁉':
			m.exclaims = true
		default:
			m.ellipsis = m.ellipsis || dots > 1
			return m
		}
		m.end += n
	}
	m.ellipsis = m.ellipsis || dots > 1
	return m
}

// closed returns where the brackets and quotation marks end that close behind the marks,
// and whether the text ends there.
func (m *mark) closed(s string) (end int, last bool) {
	end = m.end
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		// French closes a quotation behind a space.
		if r == ' ' || r == '\u00a0' || r == '\u202f' {
			if q, size := utf8.DecodeRuneInString(s[end+n:]); q == '»' {
				m.quoted = true
				end += n + size
				continue
			}
		}
		if !Closes(r) {
			return end, false
		}
		m.quoted = m.quoted || quotes(r)
		end += n
	}
	return end, true
}

// Closes reports whether a rune may stand behind the mark of a sentence and belong to it.
func Closes(r rune) bool {
	switch r {
	case ')', ']', '}':
		return true
	}
	return quotes(r) || r == 0x200C || r == 0x200D || r >= utf8.RuneSelf && unicode.Is(unicode.Pe, r)
}

// quotes reports whether a rune closes a quotation in some language.
func quotes(r rune) bool {
	switch r {
	case '"', '\'', '”', '“', '’', '‘', '»', '«', '›', '‹':
		return true
	}
	return false
}

// joins reports whether a mark goes on the sentence.
func joins(r rune) bool {
	switch r {
	case ',', ';', ':', '،', '؛', '-', '–', '—', '/', '.', '!', '?':
		return true
	}
	return false
}

// class is what the word is with which the text goes on.
type class uint8

const (
	sign     class = iota
	joined         // a mark that goes on the sentence
	asks           // ¿ or ¡
	digit          // or a sign of a currency
	small          // a small letter
	brand          // small letters with capitals among them: iPhone
	capital        // a capital
	capitals       // capitals alone
	caseless       // a letter of a script without capitals
)

// follow is the word with which the text goes on.
type follow struct {
	class class
	low   string // in small letters
	word  string
	// stopped says that a full stop follows it.
	stopped bool
}

// isInitial reports whether the word is a letter with a full stop.
func (f *follow) isInitial() bool { return f.stopped && utf8.RuneCountInString(f.word) == 1 }

// mostWord is how many bytes of a word are looked at.
const mostWord = 64

// following reads the first word of a text.
func following(s string) follow {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '¿' || r == '¡':
			return follow{class: asks}
		case quotes(r) || r == '„' || r == '‚' || r == '*' || r == '_':
			s = s[n:]
			continue
		case unicode.IsDigit(r) || unicode.Is(unicode.Sc, r):
			end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsLetter(r) })
			if end < 0 {
				end = len(s)
			}
			return follow{class: digit, word: strings.TrimRight(s[:min(end, mostWord)], ".,;:!?")}
		case joins(r) || r == '(' || r == '[' || r == '&' || r == '+' || r == '=' || r == '|':
			return follow{class: joined}
		case !unicode.IsLetter(r):
			return follow{class: sign}
		}
		break
	}
	if s == "" {
		return follow{class: sign}
	}
	w := s
	for i, r := range s {
		if i >= mostWord || !inWord(r) && r != '\'' && r != '’' && r != '-' && r != 0x200C && r != 0x200D {
			w = s[:i]
			break
		}
	}
	f := follow{word: w, low: strings.ToLower(w), stopped: strings.HasPrefix(s[len(w):], ".")}
	first, _ := utf8.DecodeRuneInString(w)
	upper, lower := 0, 0
	for _, r := range w {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	switch {
	case unicode.IsUpper(first) || unicode.IsTitle(first):
		f.class = capital
		if upper > 1 && lower == 0 {
			f.class = capitals
		}
	// The letters of Georgian count as small ones and begin sentences.
	case unicode.IsLower(first) && !(0x10D0 <= first && first <= 0x10FF):
		f.class = small
		if upper > 0 {
			f.class = brand
		}
	default:
		f.class = caseless
	}
	return f
}

// context is what stands before a mark.
type context struct {
	before   string // the text up to the word, at most behind bytes of it
	word     string // the word before the mark, with the full stops inside it
	low      string // in small letters
	pair     string // the word with the abbreviation before it, in small letters: "и т. д"
	previous string // the word before that
	numbered bool   // a number stands before the word
	// afterInitial says that a letter with a full stop stands before the word.
	afterInitial bool
}

// newContext reads what stands before a place.
func newContext(s string, at int) context {
	from := max(0, at-behind)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from++
	}
	c := context{}
	c.word, c.before = lastWord(s[from:at])
	c.low = strings.ToLower(c.word)
	rest := strings.TrimRightFunc(c.before, unicode.IsSpace)
	if len(rest) == len(c.before) && rest != "" {
		r, _ := utf8.DecodeLastRuneInString(rest)
		c.numbered = unicode.IsDigit(r)
		return c
	}
	bare := strings.TrimRight(rest, ".")
	c.previous, _ = lastWord(bare)
	// A roman number counts, too: the 5th century is "V в." in Russian.
	if r, _ := utf8.DecodeLastRuneInString(bare); unicode.IsDigit(r) || c.previous != "" && strings.Trim(c.previous, "IVXLC") == "" {
		c.numbered = true
	}
	c.afterInitial = len(bare) < len(rest) && isSyllable(c.previous)
	// Two abbreviations that belong together, or an abbreviation with a word before it.
	if c.previous != "" && len(c.word) < mostWord && len(c.previous) < mostWord {
		c.pair = strings.ToLower(c.previous) + rest[len(bare):] + " " + c.low
	}
	return c
}

// lastWord returns the word at the end of a text and the text before it. A word is letters,
// digits, and full stops and hyphens between them.
func lastWord(s string) (word, before string) {
	at := len(s)
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if !inWord(r) && r != 0x200C && r != 0x200D && r != 'º' && r != 'ª' {
			// A mark between two parts of the word belongs to it, but not where it begins.
			if at == len(s) || r != '.' && r != '۔' && r != '-' && r != '\'' && r != '’' || n == at {
				break
			}
			if p, _ := utf8.DecodeLastRuneInString(s[:at-n]); !inWord(p) && p != '.' {
				break
			}
		}
		at -= n
	}
	return strings.TrimLeft(s[at:], ".-"), s[:at]
}

// inWord reports whether a rune is a letter, mark or digit. The ranges are nearly all that
// texts have, and are told without a search.
func inWord(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	case 0x900 <= r && r < 0xDF2:
		return r != '।' && r != '॥' && r != '॰'
	case 0xC0 <= r && r < 0x250:
		return r != '×' && r != '÷'
	case 0x400 <= r && r < 0x482:
		return true
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// sentence returns the text from the beginning of the sentence up to the word.
func (c *context) sentence(u *Usage) string {
	s := c.before
	// The last byte of each of these marks is looked for first.
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case '\n', '\r', '!', '?':
			s, i = s[i+1:], -1
		case "।"[2], "॥"[2], "؟"[1], "\u2028"[2], "\u2029"[2]:
			if hasAnySuffix(s[:i+1], "।", "॥", "؟", "\u2028", "\u2029") {
				s, i = s[i+1:], -1
			}
		}
	}
	// A full stop behind a word that is no abbreviation ends a sentence. Few are looked at:
	// a text of initials alone has one behind each letter.
	end := len(s)
	for range mostStops {
		i := strings.LastIndex(s[:end], ". ")
		if i < 0 {
			break
		}
		w, _ := lastWord(s[:i])
		if k, listed := u.lookup(strings.ToLower(w)); (!listed || k == Word) && utf8.RuneCountInString(w) > shortUnit && !isNumber(w) && !isInitials(w) {
			return s[i+2:]
		}
		end = i
	}
	return s
}

// hasAnySuffix reports whether a text ends with one of others.
func hasAnySuffix(s string, suffixes ...string) bool {
	for _, x := range suffixes {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}

// mostStops is how many full stops before a word are looked at.
const mostStops = 8

// isFirst reports whether the word is the first of its sentence.
func (c *context) isFirst(u *Usage) bool { return strings.TrimSpace(c.sentence(u)) == "" }

// mostWords is how many words before a mark are searched for a verb.
const mostWords = 24

// complete reports whether the sentence before the word has its verb.
func (c *context) complete(u *Usage) bool {
	if u.verbs.whole == nil && u.verbs.endings == nil {
		return false
	}
	s := c.sentence(u)
	for range mostWords {
		s = strings.TrimRightFunc(s, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
		if s == "" {
			return false
		}
		i := strings.LastIndexFunc(s, unicode.IsSpace) + 1
		w := s[i:]
		switch {
		case u.cuts.has(w):
			return false
		case u.verbs.has(w):
			return true
		}
		s = s[:i]
	}
	return false
}

// exclaim judges an exclamation or question mark. Only a quotation goes on behind one:
// "Who's there?" she asked.
func (m *mark) exclaim(c *context, f follow, u *Usage) Verdict {
	if !m.quoted {
		return Open
	}
	switch f.class {
	case small, joined:
		return Inside
	case caseless:
		// A quotation with which the sentence begins has its verb behind it, and one that a
		// verb introduces ends the sentence.
		before := c.sentence(u)
		i := strings.LastIndexAny(before, "\"'“„‘«‹")
		if i < 0 {
			return Open
		}
		if strings.TrimFunc(before[:i], func(r rune) bool { return unicode.IsSpace(r) || quotes(r) }) == "" {
			return Inside
		}
		return Ends
	}
	return Open
}

// ellipsis judges an ellipsis. In the middle of a sentence it is a hesitation.
func ellipsis(c *context, f follow, own, host *Usage) Verdict {
	switch f.class {
	case small, joined:
		return Inside
	case asks, capital:
		if own.Nouns && f.class == capital && !own.opens.has(f.low) {
			return Open
		}
		return Ends
	case caseless:
		switch {
		case host.verbs.has(c.word) && !c.isFirst(host):
			return Ends
		case host.Caseless && (host.verbs.whole != nil || host.VerbFirst):
			return Inside
		}
	}
	return Open
}

// full judges a full stop.
func full(c *context, f follow, own, host *Usage) Verdict {
	if c.word == "" {
		return Open
	}
	if isNumber(c.word) || own.Ordinals && isRoman(c.word) {
		return number(c, f, own)
	}
	k, guessed := own.kind(c)
	if guessed && k == Word && own != host {
		k, guessed = host.kind(c)
	}
	// Initials of India have vowel signs, and one alone may be a word.
	if k == Word && isSyllable(c.word) && (c.afterInitial || f.stopped && isSyllable(f.word)) {
		k, guessed = Weak, false
	}
	v := decide(k, c, f, own, host)
	if guessed && v == Inside {
		return Open // it may be an ordinary word, and the writer begins with small letters
	}
	return v
}

// decide judges a full stop behind an abbreviation of some kind.
func decide(k Kind, c *context, f follow, own, host *Usage) Verdict {
	if k == Word {
		return Open
	}
	// Two that belong together: Ltd. Şti.
	if f.stopped && utf8.RuneCountInString(f.word) > 1 {
		if n, ok := own.lookup(f.low); ok && (n == Tail || n == Count) {
			return Inside
		}
	}
	switch f.class {
	case joined:
		return Inside
	case asks:
		if k == Before {
			return Inside
		}
		return Ends
	case sign:
		return Open
	case digit:
		switch k {
		case Tail, Time:
			return Ends
		case Month:
			return month(c, f, own)
		case Weekday:
			// Behind a date, the name of the day ends it.
			if k, _ := own.lookup(strings.ToLower(c.previous)); k == Month {
				return Ends
			}
			return perhaps(c, own)
		}
		return Inside
	case small:
		if k == Count {
			return Open
		}
		return Inside
	case brand:
		switch k {
		case Tail, Time, Unit, Month, Weekday:
			return Ends
		}
		return Inside
	case caseless:
		return behindCaseless(k, c, f, host)
	}
	return beforeCapital(k, f, own)
}

// beforeCapital judges a full stop before a capital.
func beforeCapital(k Kind, f follow, u *Usage) Verdict {
	switch {
	case k == Before:
		return Inside
	case k == Count:
		if f.class == capitals && strings.Trim(f.word, "IVXLC") == "" {
			return Inside // a roman number
		}
		return Open
	case f.isInitial():
		return Inside
	case u.opens.has(f.low):
		return Ends
	case f.class == capitals, k == Weak:
		return Inside // a name goes on, or an acronym: p.m. EST
	case u.Nouns && k != Tail && k != Time:
		return Inside
	case k == Time, k == Month, k == Weekday:
		if u.calendar[f.low] {
			return Inside
		}
	}
	return Ends
}

// behindCaseless judges a full stop before a letter of a script without capitals.
func behindCaseless(k Kind, c *context, f follow, u *Usage) Verdict {
	switch {
	case k == Before:
		return Inside
	case k == Count:
		return Open
	case u.links.has(f.low):
		return Inside
	case u.VerbFirst && u.fronts(c) && !strings.HasPrefix(f.low, "و"):
		return Inside
	case u.opens.has(f.low):
		return Ends
	case !u.VerbFirst && u.verbs.has(f.low):
		return Inside // the verb of the sentence
	case u.VerbFirst:
		// A verb, a conjunction written to its word, or a noun with its article begins a
		// sentence of Arabic; what goes on one is an adverb.
		if (k == Tail || k == Time) && begins(f.low) {
			return Ends
		}
	// The name of a person may follow a verb: the initials belong to what follows.
	case (k != Weak || strings.ContainsAny(c.word, ".۔")) && c.complete(u):
		return Ends
	}
	return Inside
}

// begins reports whether an Arabic word begins with a letter with which verbs, words after a
// conjunction and nouns with their article begin.
func begins(w string) bool {
	for _, p := range [...]string{"و", "ي", "ت", "ن", "س", "ال"} {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	return false
}

// month judges the stop of a month before a number. The month has its day before it, or
// the number is its day or year.
func month(c *context, f follow, own *Usage) Verdict {
	switch {
	case !c.numbered:
		return perhaps(c, own)
	case len(f.word) == 4 || strings.ContainsAny(f.word, ":."):
		return Inside
	}
	return Ends
}

// perhaps judges the stop of a name of a month or day that may be an ordinary word: mar is
// the sea in Spanish. With a capital it is probably the name.
func perhaps(c *context, u *Usage) Verdict {
	if u.doubtful[c.low] && c.word == c.low {
		return Open
	}
	return Inside
}

// isNumber reports whether a word is digits, perhaps with full stops among them.
func isNumber(w string) bool {
	for _, r := range w {
		if !unicode.IsDigit(r) && r != '.' && r != '-' {
			return false
		}
	}
	return true
}

// isRoman reports whether a word is a roman number of two letters or more; one letter is
// an initial.
func isRoman(w string) bool { return len(w) > 1 && strings.Trim(w, "IVXLC") == "" }

// number judges the full stop behind a number, which makes an ordinal in some languages.
func number(c *context, f follow, u *Usage) Verdict {
	parts := strings.Count(c.word, ".") + 1
	if !u.Ordinals {
		if f.class == digit && parts > 1 {
			return Ends
		}
		return Open
	}
	switch f.class {
	case capital:
		switch {
		case c.isFirst(u) && parts < 3:
			return Open
		case u.opens.has(f.low), parts == 3:
			return Ends
		case parts == 1 && !isRoman(c.word) && len(c.word) > 3:
			return Ends // more digits are no ordinal
		case u.Nouns, isRoman(c.word):
			return Inside // XIV. Lajos
		case u.Attributive && parts == 1:
			return Open
		}
		return Ends
	case asks, brand:
		return Ends
	case joined:
		return Inside
	case small, capitals, digit:
		// More digits are no day and rarely an ordinal.
		if parts == 1 && !isRoman(c.word) && len(c.word) > 2 {
			return Open
		}
		return Inside
	}
	return Open
}

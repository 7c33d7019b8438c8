package speak

import (
	"strings"
	"unicode"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
)

// Agreement finds the rule set that a number takes from the words around it.
type Agreement struct {
	say    *Speaker
	nouns  nouns
	before map[string]string // rule sets by the word before a number
	cases  map[string]string // the same where a cardinal is asked for
}

// NewAgreement returns the agreement of a speaker's language.
func NewAgreement(say *Speaker) *Agreement {
	ag := &Agreement{say: say, before: say.Lexicon.ByWord("ordinal.before"), cases: say.Lexicon.ByWord("counting.before")}
	ag.compileNouns()
	return ag
}

// nouns holds the words from which a plain number takes its rule set, because the number
// stands before what it counts.
type nouns struct {
	not       map[string]bool // words that a number before them does not count
	lower     bool            // a number does not count words with a capital or a digit
	link      map[string]bool // words between a number and what it counts
	whole     map[string]noun
	ending    map[string]noun
	beginning map[string]noun
	longest   int   // the longest ending or beginning, in bytes
	other     *noun // any other word, nil where it tells nothing
}

// noun is what a word says of the number before it.
type noun struct {
	Set    string
	Last   bool            // in a range only the last number takes the set
	Only   cldr.Category   // the plural category of the numbers that take the set, Other for all
	except map[string]bool // words that match but are exceptions
}

// compileNouns reads the words that a plain number agrees with from the lexicon.
func (ag *Agreement) compileNouns() {
	t := &ag.nouns
	t.not, t.link = ag.say.Lexicon.Set("counting.except"), ag.say.Lexicon.Set("counting.link")
	t.lower = t.not["^"]
	t.whole, t.ending, t.beginning = map[string]noun{}, map[string]noun{}, map[string]noun{}
	for _, r := range ag.say.Lexicon.Rows("counting.noun") {
		v := noun{Only: cldr.Other, Set: ag.say.FirstSet(r.Value(1), ag.say.Cardinal), except: r.Set(2), Last: r.Value(3) == "last"}
		switch r.Value(3) {
		case "one":
			v.Only = cldr.One
		case "few":
			v.Only = cldr.Few
		}
		for _, w := range r.List(0) {
			t.add(w, v)
		}
	}
}

// add adds a word as the lexicon writes it: a whole word, an "-ending", a "beginning-",
// or "*" for any other word.
func (t *nouns) add(written string, v noun) {
	ending, ends := strings.CutPrefix(written, "-")
	beginning, begins := strings.CutSuffix(written, "-")
	switch {
	case written == "*":
		t.other = &v
	case ends:
		t.ending[ending] = v
		t.longest = max(t.longest, len(ending))
	case begins:
		t.beginning[beginning] = v
		t.longest = max(t.longest, len(beginning))
	default:
		t.whole[written] = v
	}
}

// of returns what a word says. A whole word wins over endings and beginnings, and a long
// one of these over a short one. ok is false when the word says nothing.
func (t *nouns) of(w string) (v noun, ok bool) {
	if v, ok = t.whole[w]; ok && !v.except[w] {
		return v, true
	}
	// Sizes are bytes. A cut inside a character is harmless, as no key of the maps begins
	// or ends there.
	for size := min(t.longest, len(w)); size > 0; size-- {
		if v, ok = t.ending[w[len(w)-size:]]; ok && !v.except[w] {
			return v, true
		}
		if v, ok = t.beginning[w[:size]]; ok && !v.except[w] {
			return v, true
		}
	}
	if t.other == nil || t.other.except[w] {
		return noun{}, false
	}
	return *t.other, true
}

// Numbered reports whether a sign that means "number", such as № or n°, stands before
// token i. Such a number is a name and counts nothing.
func Numbered(in *scan.View, i int) bool {
	j := in.Back(i - 1)
	return in.Kind(j) == scan.Sign && strings.ContainsRune("°º№#", in.Rune(j)) && in.Kind(in.Back(j-1)) != scan.Digits
}

// Counted returns the word after a number that ends before token i, if it may be what the
// number counts; else "".
func (ag *Agreement) Counted(in *scan.View, i int) string {
	if in.Kind(i) != scan.Space || in.Kind(i+1) != scan.Word || ag.nouns.not[in.Text(i+1)] {
		return ""
	}
	return in.Text(i + 1)
}

// After returns the rule set for a plain number that ends before token i, from the noun
// after it (es "21 personas": veintiuna). It returns the plain set when no noun follows
// or the language has no agreement.
func (ag *Agreement) After(in *scan.View, i int) noun {
	t, plain := &ag.nouns, noun{Set: ag.say.Cardinal, Only: cldr.Other}
	if in.Kind(i) == scan.Space && t.link[in.Text(i+1)] {
		i += 2
	}
	w := in.Text(i + 1)
	if in.Kind(i) != scan.Space || in.Kind(i+1) != scan.Word || t.not[w] {
		return plain
	}
	if t.lower && (!in.Closes(i+2) || unicode.ToLower(in.Rune(i+1)) != in.Rune(i+1)) {
		return plain
	}
	if v, ok := t.of(w); ok {
		return v
	}
	return plain
}

// Before returns the rule set that the word before token i asks for, such as "am" in "am
// 3. Mai"; "" when the word asks for none.
func (ag *Agreement) Before(in *scan.View, i int) string {
	if len(ag.before) == 0 || in.Kind(i-1) != scan.Space {
		return ""
	}
	// An abbreviation, or two words of which the second is one: pl "o godz. 10:30".
	if in.Is(i-2, '.') && in.Kind(i-3) == scan.Word {
		w := in.Text(i-3) + "."
		if in.Kind(i-4) == scan.Space && in.Kind(i-5) == scan.Word {
			if set := ag.before[in.Text(i-5)+" "+w]; set != "" {
				return ag.say.FirstSet(set)
			}
		}
		return ag.say.FirstSet(ag.before[w])
	}
	if in.Kind(i-2) != scan.Word {
		return ""
	}
	// Two words before one: the longer match knows more.
	if in.Kind(i-3) == scan.Space && in.Kind(i-4) == scan.Word {
		if set := ag.say.FirstSet(ag.before[in.Text(i-4)+" "+in.Text(i-2)]); set != "" {
			return set // de "aus der 3. Klasse"
		}
	}
	return ag.say.FirstSet(ag.before[in.Text(i-2)])
}

// Genitive reports whether the word before token i asks for the genitive of a number and
// of what it counts. The lexicon says so with a cardinal rule set of that case: ru "до 5
// км", до пяти километров.
func (ag *Agreement) Genitive(in *scan.View, i int) bool {
	if ag.compared(in, i) {
		return true
	}
	if len(ag.cases) > 0 && in.Kind(i-1) == scan.Space {
		w := in.Text(i - 2)
		if w == "." && in.Kind(i-3) == scan.Word {
			w = in.Span(i-3, i-1) // an abbreviation: ok. 50
			// The word before it may ask for another case of both: pl na ok. 10 s.
			if in.Kind(i-4) == scan.Space && in.Kind(i-5) == scan.Word {
				if set := ag.cases[in.Text(i-5)+" "+w]; set != "" {
					return IsGenitive(set)
				}
			}
		} else if in.Kind(i-3) == scan.Space && in.Kind(i-4) == scan.Word {
			if set := ag.cases[in.Text(i-4)+" "+w]; set != "" {
				return IsGenitive(set)
			}
		}
		if set := ag.cases[w]; set != "" {
			return IsGenitive(set)
		}
	}
	return IsGenitive(ag.Before(in, i))
}

// compared reports whether a sign before token i is said with a word that asks for the
// genitive: ru < 5, меньше пяти.
func (ag *Agreement) compared(in *scan.View, i int) bool {
	r := in.Rune(in.Back(i - 1))
	if len(ag.before) == 0 || r != '<' && r != '>' {
		return false
	}
	w := ag.say.Signs.Lead(r)
	return IsGenitive(ag.before[w[strings.LastIndexByte(w, ' ')+1:]])
}

// IsGenitive reports whether a rule set is one for cardinals in the genitive.
func IsGenitive(set string) bool {
	return strings.HasSuffix(set, "-genitive") && strings.Contains(set, "cardinal")
}

package rbnf

import (
	"fmt"
	"strings"

	"vaak/text/normalize/cldr"
)

// maxRules bounds the text of rules in bytes; CLDR's longest, Russian, has 190 kB.
const maxRules = 1 << 20

// spell writes the arrows of CLDR's XML as in ICU's text, and leaves out comments,
// and the soft hyphens of long compounds, which are nothing to say.
func spell(rules string) string {
	var b strings.Builder
	copied := 0
	for i := 0; i < len(rules); i++ {
		if rules[i] != 0xe2 && rules[i] != 0xc2 { // the first bytes of the three
			continue
		}
		for _, change := range [...][2]string{{"→", ">"}, {"←", "<"}, {"\u00ad", ""}} {
			if strings.HasPrefix(rules[i:], change[0]) {
				// Only a text with something to change is copied.
				if copied == 0 {
					b.Grow(len(rules))
				}
				b.WriteString(rules[copied:i])
				b.WriteString(change[1])
				copied = i + len(change[0])
				i = copied - 1
				break
			}
		}
	}
	if copied > 0 {
		b.WriteString(rules[copied:])
		rules = b.String()
	}
	return composed(uncomment(rules))
}

// uncomment leaves out the lines that begin with #.
func uncomment(rules string) string {
	if !strings.HasPrefix(rules, "#") && !strings.Contains(rules, "\n#") {
		return rules
	}
	var b strings.Builder
	for line := range strings.Lines(rules) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// lenient is a set for reading words back, in another language than the others.
const lenient = "%%lenient-parse"

// Parse reads rules in the text form of ICU: sets that begin with their name,
// "%spellout-cardinal:", of rules that end with ";". Beyond that, lines that begin
// with "#" are comments. The locale gives the plural
// rules and the decimal separator; nil stands for one of which every number takes
// the plural "other". An error says which rule is malformed, or names a set that
// does not exist.
func Parse(rules string, l *cldr.Locale) (*Formatter, error) {
	if len(rules) > maxRules {
		return nil, fmt.Errorf("rules of %d bytes: over %d", len(rules), maxRules)
	}
	f := &Formatter{locale: l, byName: map[string]int32{}}
	rules = spell(rules)
	f.parts = make([]part, 0, 2*strings.Count(rules, ";"))
	sources := f.split(rules)
	plurals := map[string]*plural{}
	// Before any rule is compiled: the bases of these sets are denominators, and the
	// compiler treats them otherwise.
	f.markFractions(sources)
	for i := range f.sets {
		c := compiler{f: f, set: &f.sets[i], self: int32(i), plurals: plurals}
		c.set.rules = make([]rule, 0, room(sources[i]))
		for _, text := range sources[i] {
			if err := c.add(text); err != nil {
				return nil, fmt.Errorf("set %s: rule %.60q: %w", f.sets[i].name, text, err)
			}
		}
	}
	if len(f.sets) == 0 {
		return nil, fmt.Errorf("no rules in %d bytes", len(rules))
	}
	f.choose()
	return f, nil
}

// split makes the sets, without rules, and returns the texts of each set's rules.
func (f *Formatter) split(rules string) [][]string {
	texts := make([]string, 0, strings.Count(rules, ";")+1)
	var starts []int // in texts, of each set
	begin := func(name string) {
		f.byName[name] = int32(len(f.sets))
		// Sets are known by name before their rules are compiled, since rules refer to sets
		// that come later.
		f.sets = append(f.sets, ruleSet{name: name})
		starts = append(starts, len(texts))
	}
	for text := range strings.SplitSeq(rules, ";") {
		text = strings.TrimLeft(text, " \t\r\n")
		if name, rest, ok := cutName(text); ok {
			begin(name)
			text = rest
		}
		if text == "" {
			continue
		}
		if len(f.sets) == 0 {
			begin("%default")
		}
		if f.sets[len(f.sets)-1].name != lenient {
			texts = append(texts, text)
		}
	}
	sources := make([][]string, len(starts))
	for i, start := range starts {
		end := len(texts)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		sources[i] = texts[start:end]
	}
	return sources
}

// cutName cuts the name of a set from the front of its first rule.
func cutName(text string) (name, rest string, ok bool) {
	if !strings.HasPrefix(text, "%") {
		return "", text, false
	}
	name, rest, ok = strings.Cut(text, ":")
	if !ok {
		return "", text, false
	}
	name = strings.TrimSuffix(name, "@noparse")
	return name, strings.TrimLeft(rest, " \t\r\n"), true
}

// room returns how many rules the texts make at most.
func room(texts []string) int {
	n := len(texts)
	for _, text := range texts {
		if strings.IndexByte(text, '[') >= 0 {
			n++
		}
	}
	return n
}

// markFractions finds the sets that the fractions of others are said by: their
// rules choose a denominator.
func (f *Formatter) markFractions(sources [][]string) {
	for i, source := range sources {
		for _, text := range source {
			head, body, _ := strings.Cut(text, ":")
			if special(head) < properFraction {
				continue
			}
			name, ok := fractionTarget(body)
			if target, found := f.byName[name]; ok && found && target != int32(i) {
				f.sets[target].fraction = true
			}
		}
	}
}

// fractionTarget returns the set in the >%set> of a rule for fractions.
func fractionTarget(body string) (name string, ok bool) {
	_, rest, ok := strings.Cut(body, ">%")
	if !ok {
		return "", false
	}
	name, _, ok = strings.Cut(rest, ">")
	return "%" + name, ok
}

// choose sets what sets lean on that lack something.
func (f *Formatter) choose() {
	f.base = f.defaultSet()
	for i := range f.sets {
		s := &f.sets[i]
		if f.minus == nil && s.special[negative] != nil {
			f.minus = s.special[negative]
		}
	}
	// The default set's own rule wins over that of the first set that has one.
	if m := f.sets[f.base].special[negative]; m != nil {
		f.minus = m
	}
}

// defaultSet is ICU's choice: spellout-numbering, else the last public set.
func (f *Formatter) defaultSet() int32 {
	if i, ok := f.byName["%spellout-numbering"]; ok {
		return i
	}
	for i := len(f.sets) - 1; i > 0; i-- {
		if !strings.HasPrefix(f.sets[i].name, "%%") {
			return int32(i)
		}
	}
	return 0
}

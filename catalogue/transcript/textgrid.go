package transcript

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// textGrid reads the long and the short text form of Praat, which hold the same
// values in the same order. An interval tier is a speaker, by its name; a tier
// whose name is or ends in "words" holds that speaker's words, and one that ends in
// "phones" is left out, as are tiers of points. A tier that is called "words" alone is
// of the only speaker. Intervals without text are silence.
func (p *reader) textGrid(text string) {
	g := &grid{p: p, tokens: praat{rest: text, line: 1}, names: map[string]int{}}
	if err := g.read(); err != nil && !errors.Is(err, errDone) {
		p.problem(g.tokens.line, "%v", err)
	}
	g.join()
}

// errDone ends the reading of a grid whose problems are told.
var errDone = errors.New("done")

// mostTiers of a grid.
const mostTiers = 1000

// grid is a TextGrid that is being read.
type grid struct {
	p      *reader
	tokens praat
	names  map[string]int // the line of each tier's name
	tiers  []tier
}

// tier is an interval tier.
type tier struct {
	speaker   string
	words     bool
	phones    bool // of which nothing is kept
	intervals []timedWord
}

// read reads the header and the tiers.
func (g *grid) read() error {
	kind, err := g.tokens.text("the file type")
	if err != nil {
		return err
	}
	class, err := g.tokens.text("the object class")
	if err != nil {
		return err
	}
	if !strings.HasPrefix(kind, "ooTextFile") || class != "TextGrid" {
		return fmt.Errorf("the file is %s of %s, not \"ooTextFile\" of \"TextGrid\"", quote(kind), quote(class))
	}
	for range 2 {
		if _, err := g.tokens.number("a time of the file"); err != nil {
			return err
		}
	}
	if flag, err := g.tokens.next("flag", "<exists> or <absent>"); err != nil || flag == "<absent>" {
		return err
	}
	n, err := g.tokens.count("the number of tiers")
	if n > mostTiers {
		return fmt.Errorf("there are %d tiers; the most is %d", n, mostTiers)
	}
	for ; n > 0 && err == nil; n-- {
		err = g.tier()
	}
	return err
}

// tier reads one tier.
func (g *grid) tier() error {
	class, err := g.tokens.text("the class of a tier")
	if err != nil {
		return err
	}
	if class != "IntervalTier" && class != "TextTier" {
		return fmt.Errorf("the class of the tier is %s; it is \"IntervalTier\" or \"TextTier\"", quote(class))
	}
	name, err := g.tokens.text("the name of a tier")
	if err != nil {
		return err
	}
	if first, again := g.names[name]; again {
		g.p.problem(g.tokens.line, "the tier %s is there twice, first on line %d", quote(name), first)
	}
	g.names[name] = g.tokens.line
	t := tier{}
	t.speaker, t.words = tierSpeaker(name)
	_, t.phones = cutTierKind(name, "phones", "phone", "phonemes")
	for range 2 {
		if _, err := g.tokens.number("a time of the tier"); err != nil {
			return err
		}
	}
	n, err := g.tokens.count("the number of intervals")
	if err != nil {
		return err
	}
	if class == "TextTier" {
		return g.points(n)
	}
	if err := g.intervals(&t, n); err != nil {
		return err
	}
	if !t.phones {
		g.tiers = append(g.tiers, t)
	}
	return nil
}

// points reads a tier of points past.
func (g *grid) points(n int) error {
	for ; n > 0; n-- {
		if _, err := g.tokens.number("the time of a point"); err != nil {
			return err
		}
		if _, err := g.tokens.text("the mark of a point"); err != nil {
			return err
		}
	}
	return nil
}

// intervals reads the intervals of a tier.
func (g *grid) intervals(t *tier, n int) error {
	last := 0.0
	for ; n > 0; n-- {
		from, err := g.tokens.number("the start of an interval")
		if err != nil {
			return err
		}
		line := g.tokens.line
		to, err := g.tokens.number("the end of an interval")
		if err != nil {
			return err
		}
		text, err := g.tokens.text("the text of an interval")
		if err != nil {
			return err
		}
		if g.p.done() {
			return errDone
		}
		start, end, err := span(from, to, false)
		if err != nil {
			g.p.problem(line, "%v", err)
			continue
		}
		if start < last-1e-6 {
			g.p.problem(line, "the interval starts at %v, before the one before it ends, at %v", start, last)
		}
		last = max(last, end)
		if t.phones || strings.TrimSpace(text) == "" {
			continue
		}
		if t.intervals = append(t.intervals, timedWord{Word{start, end, text}, line}); !g.fits(t, line) {
			return errDone
		}
	}
	return nil
}

// fits counts the interval that was read last.
func (g *grid) fits(t *tier, line int) bool {
	if t.words {
		return g.p.count(line, 1)
	}
	if len(t.intervals) > g.p.limits.Segments {
		g.p.pass(line, "segments", g.p.limits.Segments)
	}
	return !g.p.over
}

// tierSpeaker returns the speaker that a tier is named for, and whether the tier
// holds words.
func tierSpeaker(name string) (speaker string, words bool) {
	if speaker, ok := cutTierKind(name, "words", "word"); ok {
		return speaker, true
	}
	return strings.TrimSpace(name), false
}

// cutTierKind cuts a kind off the end of a tier's name ("Asha - words").
func cutTierKind(name string, kinds ...string) (string, bool) {
	name = strings.TrimSpace(name)
	for _, kind := range kinds {
		at := len(name) - len(kind)
		if at < 0 || !strings.EqualFold(name[at:], kind) {
			continue
		}
		rest := strings.TrimRight(name[:at], " -_:/.|")
		if rest == "" || len(rest) < at {
			return rest, true
		}
	}
	return name, false
}

// errEarly tells that a grid ends where something should follow.
func errEarly(what string) error { return fmt.Errorf("the file ends before %s", what) }

// number reads a free-standing number and returns it as it is written.
func (t *praat) number(what string) (string, error) { return t.next("number", what) }

// text reads a quoted text.
func (t *praat) text(what string) (string, error) { return t.next("text", what) }

// count reads a number of things, which the file need not hold.
func (t *praat) count(what string) (int, error) {
	found, err := t.number(what)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(found)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %s; it is a whole number from 0", what, quote(found))
	}
	return n, nil
}

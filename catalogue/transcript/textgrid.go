package transcript

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// readTextGrid reads TextGrid files of Praat (its manual, "TextGrid file formats"). The
// long and the short text form have the same values in the same order. An interval tier is
// a speaker, named like the tier. A tier whose name is or ends in "words" has the words of
// that speaker. Tiers of phones and of points are skipped. A tier named "words" alone
// belongs to the only speaker of the file. Intervals without text are silence.
func readTextGrid(p *reader, text string) {
	g := &grid{p: p, tokens: praat{input: text, line: 1}, names: map[string]int{}}
	if err := g.read(); err != nil && !errors.Is(err, errDone) {
		p.problem(g.tokens.line, "%v", err)
	}
	g.join()
}

// errDone ends the reading of a grid when enough problems are known.
var errDone = errors.New("done")

// mostTiers bounds the tiers of a grid.
const mostTiers = 1000

// grid reads one TextGrid.
type grid struct {
	p      *reader
	tokens praat
	names  map[string]int // line of each name of a tier
	tiers  []tier
}

// tier is an interval tier that was read.
type tier struct {
	speaker   string
	words     bool
	phones    bool // phones are checked, but not kept
	intervals []timedWord
}

// read reads the header and all tiers.
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
	// The start and the end of the grid. They may differ from those of the audio.
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
	// The number is not trusted: the first tier that the file does not have is an error.
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
	// The intervals of phones are read too: the tiers that follow are found only behind
	// them.
	if err := g.intervals(&t, n); err != nil {
		return err
	}
	if !t.phones {
		g.tiers = append(g.tiers, t)
	}
	return nil
}

// points skips a tier of n points.
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

// intervals reads the n intervals of a tier. They may touch and must not overlap.
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
		// A count of a billion with few intervals in the file ends here or at the end of the
		// file, not in memory.
		if g.p.done() {
			return errDone
		}
		start, end, err := span(from, to, false)
		if err != nil {
			g.p.problem(line, "%v", err)
			continue
		}
		if start < last-1e-6 { // Praat writes times with rounding errors
			g.p.problem(line, "the interval starts at %v, before the one before it ends, at %v", start, last)
		}
		last = max(last, end) // after an overlap, the next interval is compared with the longer one
		if t.phones || strings.TrimSpace(text) == "" {
			continue
		}
		if t.intervals = append(t.intervals, timedWord{Word{start, end, text}, line}); !g.withinLimits(t, line) {
			return errDone
		}
	}
	return nil
}

// withinLimits counts the last interval of a tier, and reports whether the file is still
// within its limits.
func (g *grid) withinLimits(t *tier, line int) bool {
	if t.words {
		return g.p.count(line, 1)
	}
	// Segments are counted when they are added, after all tiers are read. Until then this
	// bounds the memory that one tier takes.
	if len(t.intervals) > g.p.limits.Segments {
		g.p.exceed(line, "segments", g.p.limits.Segments)
	}
	return !g.p.over
}

// tierSpeaker returns the speaker that a tier is named after, and whether the tier has words.
func tierSpeaker(name string) (speaker string, words bool) {
	if speaker, ok := cutTierKind(name, "words", "word"); ok {
		return speaker, true
	}
	return strings.TrimSpace(name), false
}

// cutTierKind cuts a kind off the end of a tier's name, with what separates it: "Asha" is
// left of "Asha - words".
func cutTierKind(name string, kinds ...string) (string, bool) {
	name = strings.TrimSpace(name)
	for _, kind := range kinds {
		at := len(name) - len(kind)
		if at < 0 || !strings.EqualFold(name[at:], kind) {
			continue
		}
		// Without a separator the kind is the end of another word: "passwords" is a name.
		rest := strings.TrimRight(name[:at], " -_:/.|")
		if rest == "" || len(rest) < at {
			return rest, true
		}
	}
	return name, false
}

// errEarly returns the error of a file that ends where something is missing.
func errEarly(what string) error { return fmt.Errorf("the file ends before %s", what) }

// number reads a free-standing number and returns it as it is written.
func (t *praat) number(what string) (string, error) { return t.next("number", what) }

// text reads a quoted text.
func (t *praat) text(what string) (string, error) { return t.next("text", what) }

// count reads how many things follow. The file is not trusted to have that many.
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

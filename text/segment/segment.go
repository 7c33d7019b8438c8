// Package segment cuts text where its language changes, and says where a
// sentence ends.
package segment

import (
	"slices"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"vaak/lang"
	"vaak/text"
)

// Run is a stretch of a text that is read in one language.
type Run struct {
	text.Span           // where it is in the text
	Code      lang.Code // how its letters are read
}

// Runs cuts a text into runs, which together are the whole text. The zero
// request means the language that [lang.Detect] tells.
//
// Letters of a script that the language of the request writes stay in that
// language, as do Latin ones in a request for romanised text ("hi-Latn").
// Letters of another script are read in the language that they have in the
// whole text ([lang.DetectIn]), so one script is one language throughout; if no
// supported language writes it, they stay in the language of the request.
//
// Digits, punctuation, spaces and symbols between two runs go with the left one
// up to the first space, which they include, and with the right one from there;
// brackets go with what they enclose. Digits of one script count as its
// letters. Grapheme clusters stay whole. A text without letters is one run.
func Runs(s string, request lang.Tag) []Run {
	segmenter := New(s, request)
	return segmenter.Runs(s)
}

// Segmenter cuts the parts of one text, so that a script is one language in all
// of them. A copy of a Segmenter may be used at the same time as the other.
type Segmenter struct {
	whole   string
	request lang.Tag
	codes   []scriptCode // the scripts met so far; a handful
}

// scriptCode remembers how a script is read in this text.
type scriptCode struct {
	script string
	code   lang.Code
}

// New returns a Segmenter for the parts of a text, whose letters tell the
// languages; see [Runs] for the request.
func New(whole string, request lang.Tag) Segmenter {
	if request.Code == "" {
		request.Code = lang.Detect(whole)
	}
	return Segmenter{whole: whole, request: request}
}

// Runs cuts a part of the text as the function [Runs] does a whole one.
func (g *Segmenter) Runs(part string) []Run {
	if part == "" {
		return nil
	}
	c := cutter{Segmenter: g, text: part}
	c.open(0, g.request.Code)
	c.cut()
	return c.runs
}

// cutter walks a text once.
type cutter struct {
	*Segmenter
	text string
	runs []Run
}

func (c *cutter) open(at int, code lang.Code) {
	c.runs = append(c.runs, Run{Span: text.Span{Start: at, End: len(c.text)}, Code: code})
}

func (c *cutter) cut() {
	var (
		clusters = graphemes.FromString(c.text)
		script   string // of the last letter
		gap      int    // where the last letter ended
		depth    int    // brackets open here
		atGap    int    // brackets open where the gap began
	)
	for i, n := 0, 0; i < len(c.text); i += n {
		var here string
		b := c.text[i]
		if b < utf8.RuneSelf && b != '\r' && (i+1 == len(c.text) || c.text[i+1] < utf8.RuneSelf) {
			n = 1
			if l := b | 0x20; 'a' <= l && l <= 'z' {
				here = "Latn"
			}
		} else {
			clusters.SetText(c.text[i:])
			clusters.Next()
			n = clusters.End()
			here = scriptOf(c.text[i : i+n])
		}
		if here == "" {
			depth = max(0, depth+bracket(c.text[i:]))
			continue
		}
		if here != script {
			c.letter(here, script == "", gap, i, atGap)
			script = here
		}
		gap, atGap = i+n, depth
	}
}

// letter opens a new run where the script changes and the language with it.
func (c *cutter) letter(script string, first bool, gap, at, depth int) {
	code := c.codeOf(script)
	last := &c.runs[len(c.runs)-1]
	switch {
	case first:
		last.Code = code
	case last.Code != code:
		last.End = gap + split(c.text[gap:at], depth)
		c.open(last.End, code)
	}
}

// codeOf returns the language in which letters of a script are read here.
func (g *Segmenter) codeOf(script string) lang.Code {
	for _, k := range g.codes {
		if k.script == script {
			return k.code
		}
	}
	code := g.request.Code
	if !g.request.Writes(script) {
		if d := lang.DetectIn(g.whole, script); d != "" {
			code = d
		}
	}
	g.codes = append(slices.Clip(g.codes), scriptCode{script, code}) // copies share what they have
	return code
}

// scriptOf returns the script of a grapheme cluster, "" for a neutral one.
func scriptOf(cluster string) string {
	for _, r := range cluster {
		switch s := lang.ScriptOf(r); s {
		case "Zyyy", "Zinh", "Zzzz":
		default:
			return s
		}
	}
	return ""
}

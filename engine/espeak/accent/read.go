package accent

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"vaak/engine/ipa"
	"vaak/lang"
)

// Read returns a text as a list of words in IPA. clauses tell how the library reads the text.
// Unlike [Phonemes] it keeps tones, and every mark that the library writes: a neural voice has
// learned its language from them.
func Read(text string, clauses []Clause) ipa.Reading {
	r := ipa.Reading{Text: text}
	from := 0
	for _, c := range clauses {
		// Ends come from another process, so keep them in order and in range.
		end := min(max(c.End, from), len(text))
		part := text[from:end]
		clause := ipa.Clause{Start: from, End: end}
		all := tokens(part)
		groups := pair(all, c.Words)
		if groups == nil { // nothing is written where words were read
			for _, w := range c.Words {
				groups = append(groups, group{word: w})
			}
		}
		at := ipa.Offsets(part)
		for _, g := range groups {
			phonemes := written(g.word)
			if len(phonemes) == 0 {
				continue
			}
			for i, p := range parts(all, g, len(phonemes)) {
				w := ipa.Word{Phonemes: phonemes[p.from:p.to], Joined: i > 0}
				w.Start, w.End = ipa.Trim(text, from+at[p.start], from+at[p.end])
				clause.Words = append(clause.Words, w)
			}
		}
		clause.Set(text)
		r.Clauses = append(r.Clauses, clause)
		from = end
	}
	return r
}

// part is a written word, and the phonemes of a read word that are its own.
type part struct {
	start, end int // code points of the clause
	from, to   int // phonemes
}

// parts divides a read word among the written words that it stands for, such as "of the", in
// proportion to their letters. A word with fewer phonemes than that stays whole.
func parts(all []token, g group, phonemes int) []part {
	whole := []part{{g.start, g.end, 0, phonemes}}
	first, _ := slices.BinarySearchFunc(all, g.start, func(t token, at int) int { return cmp.Compare(t.start, at) })
	last, letters := first, 0
	for last < len(all) && all[last].end <= g.end {
		letters += all[last].size
		last++
	}
	n := last - first
	if n < 2 || phonemes < n || letters == 0 {
		return whole
	}
	divided := make([]part, 0, n)
	read, from := 0, 0
	for i, t := range all[first:last] {
		read += t.size
		// Each word gets a phoneme, and leaves one for each that follows.
		to := (2*phonemes*read + letters) / (2 * letters)
		to = min(max(to, from+1), phonemes-(n-1-i))
		divided = append(divided, part{t.start, t.end, from, to})
		from = to
	}
	return divided
}

// Tone returns the tone of a syllable of Mandarin, given in mnemonics, as Word of package ipa has
// it. The mnemonics have the pitch from low, 1, to high, 5, at the beginning and the end: 51
// falls.
func Tone(mnemonics string) uint8 {
	pitch := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, mnemonics)
	switch {
	case pitch == "55":
		return 1
	case pitch == "35":
		return 2
	case pitch == "51":
		return 4
	case strings.HasPrefix(pitch, "21"):
		return 3
	case pitch != "":
		return 5
	}
	return 0
}

// written returns the phonemes of a word as the library writes them, without the names of
// languages that it switches to. A stress mark, a tone or a palatal sign that is alone
// between bars is joined to the phoneme that it belongs to.
func written(word string) []string {
	var all []string
	stress := ""
	for p := range strings.SplitSeq(word, "|") {
		p = withoutFlags(p)
		switch {
		case p == "":
		case strings.Trim(p, primary+secondary) == "":
			stress += p
		case len(all) > 0 && stress == "" && strings.Trim(p, "0123456789"+palatalSign) == "":
			all[len(all)-1] += p
		default:
			all, stress = append(all, stress+p), ""
		}
	}
	return all
}

// withoutFlags removes names of languages in parentheses, such as "(en)".
func withoutFlags(p string) string {
	for {
		open := strings.IndexByte(p, '(')
		if open < 0 {
			return p
		}
		n := strings.IndexByte(p[open:], ')')
		if n < 0 {
			return p[:open] + p[open+1:]
		}
		p = p[:open] + p[open+n+1:]
	}
}

// Adapt returns a reading in one language with the sounds of a native language. The places of
// the words stay the same. ok is false if voices of the native language do not speak the
// other one with their own sounds; see [KindOf].
func Adapt(native, spoken lang.Code, r ipa.Reading) (adapted ipa.Reading, ok bool) {
	kind := KindOf(native, spoken)
	if native == spoken || kind == Native {
		return r, true
	}
	if kind != Mapped {
		return r, false
	}
	a := Of(native, spoken)
	if a == nil {
		return r, false
	}
	return a.Adapt(r), true
}

// Adapt returns a reading with the native sounds. Words without any sound left are dropped.
func (a *Accent) Adapt(r ipa.Reading) ipa.Reading {
	r = r.Clone()
	for i := range r.Clauses {
		c := &r.Clauses[i]
		kept := c.Words[:0]
		for _, w := range c.Words {
			if w.Phonemes = a.sounds(w); len(w.Phonemes) > 0 {
				kept = append(kept, w)
			}
		}
		c.Words = kept
	}
	return r
}

// sounds returns the phonemes of the native language that stand for a word.
func (a *Accent) sounds(w ipa.Word) (all []string) {
	for _, p := range Phonemes(strings.Join(w.Phonemes, "|")) {
		sound := strings.TrimLeft(p, primary+secondary)
		stress := p[:len(p)-len(sound)]
		rendered, _ := a.Render(sound)
		if rendered.Native == "" {
			continue
		}
		parts := strings.Split(rendered.Native, "|")
		parts[a.nucleus(parts)] = stress + parts[a.nucleus(parts)]
		all = append(all, parts...)
	}
	return all
}

// nucleus returns the index of the first phoneme with a vowel, because IPA has the stress mark
// before that one as the library writes it. It returns 0 if none has one.
func (a *Accent) nucleus(phonemes []string) int {
	for i, p := range phonemes {
		all, _ := parse(respelled(a.code, p))
		for _, s := range all {
			if s.vowel {
				return i
			}
		}
	}
	return 0
}

// Nearest returns the symbol of IPA, of those given, whose sound comes nearest to that of
// another symbol. ok is false if none is near enough to stand for it.
func Nearest(symbol string, among []string) (best string, ok bool) {
	want, known := parse(symbol)
	if !known {
		return "", false
	}
	cost := maxCost
	for _, candidate := range among {
		got, known := parse(candidate)
		if !known {
			continue
		}
		if c := editCost(want, got); c <= cost && (c < cost || best == "") {
			best, cost = candidate, c
		}
	}
	return best, best != ""
}

// IsSound reports whether a symbol of IPA is a sound by itself, not a mark of another one.
func IsSound(symbol string) bool {
	r, n := utf8.DecodeRuneInString(symbol)
	_, ok := symbols()[symbol]
	return ok && r != utf8.RuneError && n == len(symbol)
}

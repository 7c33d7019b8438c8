package lang

import "slices"

// Prior is what is known of the language of a text besides its letters. The languages that a
// deployment offers limit what is detected. The native language of the voice decides for a text
// that says nothing, and is a weak hint for others. The zero Prior offers all languages and
// expects none. It is a value; copies may be used concurrently.
//
// What an organisation has spoken so far is no part of it: the same request must give the same
// audio on every server and from the cache.
type Prior struct {
	limited bool  // only the offered languages are detected
	offered offer // if limited
	first   Code  // the first of them
	voice   Code  // the native language of the voice
}

// offer is a set of languages, by their place in the table.
type offer [2]uint64

// Offering returns a Prior with which only some languages are detected. The first of them is the
// language of texts without letters. Without languages, all are offered.
func Offering(codes ...Code) Prior {
	var p Prior
	for _, c := range codes {
		i, ok := table.byCode[c]
		if !ok {
			continue
		}
		if !p.limited {
			p.limited, p.first = true, c
		}
		p.offered[i/64] |= 1 << (i % 64)
	}
	return p
}

// Voiced returns the Prior of a text for a voice with a native language.
func (p Prior) Voiced(native Code) Prior {
	p.voice = native
	return p
}

// Offers reports whether a language is offered.
func (p Prior) Offers(c Code) bool {
	if !p.limited {
		return true
	}
	i, ok := table.byCode[c]
	return ok && p.offered[i/64]&(1<<(i%64)) != 0
}

// Languages returns the languages that are offered, in product order.
func (p Prior) Languages() []Language {
	return slices.DeleteFunc(All(), func(l Language) bool { return !p.Offers(l.Code) })
}

// Detect is the function [Detect] with what is known besides the text. It returns only offered
// languages.
func (p Prior) Detect(text string) Code {
	var t tally
	t.count(text)
	v := t.decide(t.majority(&p), text, &p)
	return v.best()
}

// DetectIn is the function [DetectIn] with what is known besides the text. It returns only
// offered languages; "" if none writes the script.
func (p Prior) DetectIn(text, iso string) Code {
	s := scriptNamed(iso)
	if s <= inherited {
		return ""
	}
	var t tally
	t.count(text)
	switch {
	case s == hiragana || s == katakana:
		if t.kana == 0 || !p.Offers("ja") {
			return ""
		}
		return "ja"
	case t.letters[group(s)] == 0 || p.expected(group(s)) == "":
		return ""
	}
	v := t.decide(group(s), text, &p)
	return v.best()
}

// expected returns the language of a text in a script that says nothing: that of the voice, the
// first that is offered, or the one that the script usually means; "" if no offered language
// writes the script.
func (p *Prior) expected(s script) Code {
	if s == unknown {
		if p.limited {
			return p.first
		}
		return fallback
	}
	for _, c := range [...]Code{p.voice, p.first, defaultLanguage[s]} {
		if c != "" && p.Offers(c) && writes(c, s) {
			return c
		}
	}
	if p.limited {
		for i := range table.rows {
			if c := table.rows[i].Code; p.Offers(c) && writes(c, s) {
				return c
			}
		}
	}
	return ""
}

// writes reports whether a language is written in a script. Han stands for what is counted as it.
func writes(c Code, s script) bool {
	i, ok := table.byCode[c]
	return ok && table.rows[i].Writes(scriptNames[s].iso)
}

const (
	// voiceBonus is the advance in levels of the native language of the voice.
	voiceBonus = 3
	// never is the advance of a language that is not offered.
	never = -1 << 20
)

// start returns the scores with which the languages of a script begin.
func (p *Prior) start(g *grams) (scores [maxLanguages]int32) {
	scores = g.start
	if !p.limited && p.voice == "" {
		return scores
	}
	for i, c := range g.codes {
		if c == p.voice {
			scores[i] += voiceBonus
		}
		if !p.Offers(c) {
			scores[i] = never
		}
	}
	return scores
}

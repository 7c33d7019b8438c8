package measure

import (
	"iter"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"

	"vaak/lang"
)

// longestTag is the longest tag in bytes. What is longer between brackets is text.
const longestTag = 64

// spokenWords yields the words of a transcript: the tokens of UAX 29 that have a letter. Marks
// and joiners belong to their letter, so a word of an Indian script is one token. Tags are
// skipped: they stand for sounds that are not words. A tag is what is in angle or square
// brackets, such as <noise> or [background noise], or one word in round ones, such as (uh).
func spokenWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for tokens := words.FromString(untagged(text)); tokens.Next(); {
			if w := tokens.Value(); strings.ContainsFunc(w, unicode.IsLetter) && !yield(w) {
				return
			}
		}
	}
}

// numerals counts the numbers in digits of a text without tags: runs of digits of any script, with
// the signs that stand within numbers.
func numerals(text string) (n int) {
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return 0
	}
	for tokens := words.FromString(text); tokens.Next(); {
		if w := tokens.Value(); strings.ContainsFunc(w, unicode.IsDigit) && !strings.ContainsFunc(w, unicode.IsLetter) {
			n++
		}
	}
	return n
}

// untagged replaces each tag with a space.
func untagged(text string) string {
	if !strings.ContainsAny(text, "<[(") {
		return text
	}
	var out strings.Builder
	for {
		at := strings.IndexAny(text, "<[(")
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:at])
		if n := tag(text[at:]); n > 0 {
			out.WriteByte(' ')
			text = text[at+n:]
			continue
		}
		out.WriteByte(text[at])
		text = text[at+1:]
	}
}

// tag returns the length of the tag at the beginning of text, or 0 if there is none.
func tag(text string) int {
	closing := map[byte]string{'<': ">", '[': "]", '(': ")"}[text[0]]
	end := strings.Index(text[:min(len(text), longestTag)], closing)
	if end < 2 {
		return 0
	}
	inside := text[1:end]
	if strings.ContainsAny(inside, "<[(\n") || strings.TrimSpace(inside[:1]) == "" && text[0] == '<' {
		return 0 // "a < b and c > d" is not a tag
	}
	if text[0] == '(' && strings.ContainsFunc(inside, unicode.IsSpace) {
		return 0
	}
	return end + 1
}

// scriptOf returns the ISO 15924 code of the script that most letters of a word have, and
// whether all its letters are Latin. Of two scripts with as many letters, the first in the
// word wins. The script of a word whose letters are used by many scripts is "Zyyy".
func scriptOf(word string) (script string, latin bool) {
	type count struct {
		script string
		n      int
	}
	var counts []count
	latin = true
	for _, r := range word {
		if !unicode.IsLetter(r) {
			continue
		}
		s := "Latn"
		if r > unicode.MaxASCII {
			s = lang.ScriptOf(r)
		}
		latin = latin && s == "Latn"
		if s == "Zyyy" || s == "Zinh" {
			continue
		}
		known := false
		for i := range counts {
			if known = counts[i].script == s; known {
				counts[i].n++
				break
			}
		}
		if !known {
			counts = append(counts, count{s, 1})
		}
	}
	best := count{script: "Zyyy"}
	for _, c := range counts {
		if c.n > best.n {
			best = c
		}
	}
	return best.script, latin
}

// systemOf returns the writing system of a script, by which languages are told apart, or "" if
// the script says nothing about the language.
func systemOf(script string) string {
	switch script {
	case "Zyyy", "Zinh", "Zzzz":
		return ""
	case "Hira", "Kana", "Hani":
		return "Hani"
	}
	return script
}

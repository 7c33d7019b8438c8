package accents

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vaak/engine/espeak/accent"
	"vaak/lang"
)

// spelledOut are the pairs that the document spells out, each as native language and
// language spoken.
var spelledOut = [][2]lang.Code{
	{"hi", "en"}, {"ta", "en"}, {"bn", "en"}, {"ml", "en"}, {"en", "hi"}, {"ta", "hi"}, {"mni", "hi"}, {"sat", "en"},
	{"fr", "en"}, {"de", "en"}, {"es", "en"}, {"ja", "en"}, {"ru", "en"}, {"ar", "en"}, {"zh", "en"},
	{"en", "fr"}, {"en", "de"}, {"de", "es"}, {"ko", "ja"}, {"it", "sa"},
}

// markdown returns the part of the document about accents.
func (s results) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d native languages × %d languages are %d pairs. In %d of them the voice speaks with the sounds of its native language (mapped), in %d one voice of the library reads both languages and there is nothing to map (native), in %d it speaks with the language's own phonemes in its timbre (own). Truly accented are %.1f %% of the pairs of different languages.\n",
		len(s.natives), len(s.spoken), len(s.pairs), s.count(accent.Mapped), s.count(accent.Native), s.count(accent.Own), 100*s.share())
	b.WriteString("\n![Map of all pairs](images/accents.svg)\n\nMeasured of each pair that is not native:\n\n| |")
	for _, p := range quantiles {
		fmt.Fprintf(&b, " %s |", quantileName(p))
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(quantiles)) + "\n")
	for _, d := range distributions {
		fmt.Fprintf(&b, "| %s |", d.name)
		for _, x := range s.distribution(d.of) {
			fmt.Fprintf(&b, " "+d.format+" |", x)
		}
		b.WriteString("\n")
	}
	if own := s.list(accent.Own); own != "" {
		fmt.Fprintf(&b, "\nWith the language's own phonemes (native language: languages spoken): %s.\n", own)
	}
	s.indianTable(&b)
	s.spellOut(&b)
	return b.String()
}

func quantileName(p float64) string {
	switch p {
	case 0:
		return "least"
	case 0.5:
		return "median"
	case 1:
		return "most"
	}
	return fmt.Sprintf("%.0f %%", 100*p)
}

// list returns the pairs of a kind by native language.
func (s results) list(k accent.Kind) string {
	var all []string
	for _, native := range s.natives {
		var codes []string
		for _, m := range s.pairs {
			if m.Native == native && m.Kind == k {
				codes = append(codes, string(m.Spoken))
			}
		}
		if len(codes) > 0 {
			all = append(all, string(native)+": "+strings.Join(codes, " "))
		}
	}
	return strings.Join(all, "; ")
}

// indianTable has English and Hindi in the voices of India and its neighbours.
func (s results) indianTable(b *strings.Builder) {
	fmt.Fprintf(b, "\nEnglish and Hindi in voices of India and its neighbours must be native, or mapped with no phoneme without a counterpart, a mean distance of at most %.1f and %.2f to %.2f times the duration:\n\n", indianMostCost, indianShortest, indianLongest)
	b.WriteString("| native | English | distance | duration | Hindi | distance | duration |\n|---|---|---:|---:|---|---:|---:|\n")
	for _, native := range append([]lang.Code{"en"}, indian...) {
		fmt.Fprintf(b, "| %s |", nameOf(native))
		for _, code := range []lang.Code{"en", "hi"} {
			m := s.at(native, code)
			fmt.Fprintf(b, " %s | %.2f | %.2f |", m.Kind, m.Cost, m.Duration)
		}
		b.WriteString("\n")
	}
}

func (s results) at(native, spoken lang.Code) measured {
	for _, m := range s.pairs {
		if m.Native == native && m.Spoken == spoken {
			return m
		}
	}
	return measured{}
}

func nameOf(code lang.Code) string {
	l, _ := lang.Lookup(code)
	return l.Name
}

// spellOut has pairs in IPA.
func (s results) spellOut(b *strings.Builder) {
	fmt.Fprintf(b, "\n%d pairs, with the beginning of the sentence that was measured:\n\n| voice | language | phrase | read as | said as |\n|---|---|---|---|---|\n", len(spelledOut))
	for _, pair := range spelledOut {
		native, code := pair[0], pair[1]
		phrase, words := beginning(s.scenes[code])
		var read, said []string
		for _, w := range words {
			read = append(read, accent.Spell(code, w))
			said = append(said, accent.Of(native, code).IPA(w))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", nameOf(native), nameOf(code), phrase, strings.Join(read, " "), strings.Join(said, " "))
	}
}

// beginning returns the first clauses of a text with at least three words, or all, as
// written, and how they are read. Where the library reads another form of as many
// letters, as of Sanskrit, the phrase is of the text, else of the form.
func beginning(c scene) (phrase string, words []string) {
	form, text := []rune(c.reading.Form), []rune(c.text)
	for _, clause := range c.reading.Clauses {
		words = append(words, clause.Words...)
		n := utf8.RuneCountInString(c.reading.Form[:clause.End])
		if phrase = string(form[:n]); len(form) == len(text) {
			phrase = string(text[:n])
		}
		if len(words) >= 3 {
			break
		}
	}
	return strings.TrimSpace(phrase), words
}

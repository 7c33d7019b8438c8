package respell

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text/respell/notation"
)

// Check returns what is wrong with rules: too many of them; an empty or overlong field,
// or characters that no text has; an unknown language; a notation other than letters;
// two rules for one term with the same scope and options. Too many rules are an invalid
// parameter. Otherwise the error is a *[Refusal] with every fault of every rule, at most
// one for each field.
func Check(rules []Rule) error {
	if n := len(rules); n == 0 || n > MaxRules {
		return fault.BadParameter("rules", "rules has %d rules; send 1 to %d", n, MaxRules)
	}
	c := checker{names: newResolver(), first: make(map[identity]int, len(rules))}
	for i, r := range rules {
		c.check(i, r)
	}
	if len(c.faults) > 0 {
		return &Refusal{Faults: c.faults}
	}
	return nil
}

// checker checks the rules of a list one after the other.
type checker struct {
	names   *resolver
	first   map[identity]int // the first rule with that identity
	faults  []Fault
	nearest int // how many unknown languages were compared with all known ones
}

func (c *checker) check(i int, r Rule) {
	only, onlyWrong := c.languages(FieldOnly, r.Only)
	except, exceptWrong := c.languages(FieldExcept, r.Except)
	if onlyWrong == nil && exceptWrong == nil {
		exceptWrong = checkApart(only, except)
	}
	termWrong := checkTerm(r.Term)
	if termWrong == nil && onlyWrong == nil && exceptWrong == nil {
		termWrong = c.again(i, r)
	}
	typeWrong, respellingWrong := checkRespelling(r, only.tags)
	for _, f := range []struct {
		field Field
		wrong *wrong
	}{
		{FieldType, typeWrong}, {FieldTerm, termWrong}, {FieldRespelling, respellingWrong},
		{FieldOnly, onlyWrong}, {FieldExcept, exceptWrong},
	} {
		if f.wrong != nil {
			c.faults = append(c.faults, Fault{
				Rule: i, Field: f.field, Code: f.wrong.code, Term: bounded(r.Term),
				Msg: f.wrong.msg, Suggestion: f.wrong.suggestion,
			})
		}
	}
}

// again adds a fault when the list has the same rule already.
func (c *checker) again(i int, r Rule) *wrong {
	id := c.names.identity(r)
	if j, ok := c.first[id]; ok {
		return &wrong{code: CodeConflict, msg: fmt.Sprintf("rule %d has the same term, scope and options; one of them is allowed: %s", j, quoted(r.Term))}
	}
	c.first[id] = i
	return nil
}

// checkTerm allows any text but markup as a term, because a term is what stands in
// texts. Phonetic signs are allowed: a rule may be there to replace them.
func checkTerm(term string) *wrong {
	if w := checkText("term", term, MaxTerm); w != nil {
		return w
	}
	if found, ok := notation.SpeechMarkup(term); ok {
		return &wrong{
			code: CodePhonemes, suggestion: "send the word without its markup",
			msg: fmt.Sprintf("the term holds markup, %s, which is taken out of texts before they are read; the word that it marks is allowed: %s", quoted(found), quoted(term)),
		}
	}
	return nil
}

// checkRespelling checks the text that replaces a term. When a rule claims to be in a
// phonetic alphabet, that is its only fault.
func checkRespelling(r Rule, only []lang.Tag) (ofType, ofRespelling *wrong) {
	if r.Alphabet != "" {
		return &wrong{
			code: CodePhonemes, suggestion: notation.Suggest(r.Term, only),
			msg: fmt.Sprintf("phonemes are not supported, here in alphabet %s: the model reads letters, of any script; rules of type %q are allowed", quoted(r.Alphabet), "alias"),
		}, nil
	}
	if w := checkText("respelling", r.Respelling, MaxRespelling); w != nil {
		return nil, w
	}
	what := ""
	if found, ok := notation.Markup(r.Respelling); ok {
		what = "holds markup, " + quoted(found) // says more than the phonemes inside a tag
	} else {
		what = notation.Phonetic(r.Respelling, r.Term, only)
	}
	if what != "" {
		return nil, &wrong{
			code: CodePhonemes, suggestion: notation.Suggest(r.Term, only),
			msg: fmt.Sprintf("the respelling %s %s; phonemes are not supported: the model reads letters, of any script", quoted(r.Respelling), what),
		}
	}
	return nil, nil
}

// bounded returns a term of which no more is kept than a rule may have.
func bounded(term string) string {
	if len(term) <= MaxTerm && utf8.ValidString(term) {
		return term
	}
	term = strings.ToValidUTF8(term[:min(len(term), MaxTerm*utf8.UTFMax)], "\uFFFD")
	for i, n := 0, 0; i < len(term); n++ {
		if n == MaxTerm {
			return term[:i]
		}
		_, size := utf8.DecodeRuneInString(term[i:])
		i += size
	}
	return term
}

package lexicon

import (
	"fmt"
	"strings"

	"vaak/internal/document"
	"vaak/text/respell"
)

// RuleRequest is a rule as people and programs send it: in bodies of requests and in files.
// The tags are its public description. Package respell checks the limits.
type RuleRequest struct {
	Type           *string          `json:"type,omitempty" enum:"alias" default:"alias" doc:"There is no other: rules of type phoneme are refused."`
	Term           string           `json:"string_to_replace" minLength:"1" maxLength:"128" doc:"The word or words, as they stand in texts." example:"API"`
	Respelling     string           `json:"alias" minLength:"1" maxLength:"256" doc:"How they are to be written to be read: letters of any script, never phonetics." example:"A P I"`
	CaseSensitive  *bool            `json:"case_sensitive,omitempty" default:"false" doc:"Match the exact casing only."`
	WordBoundaries *bool            `json:"word_boundaries,omitempty" default:"true" doc:"Match whole words only."`
	Only           document.Strings `json:"only_languages,omitempty" nullable:"false" maxItems:"80" doc:"The rule applies in requests in these languages only: names, codes or tags. All languages when left out." example:"[\"hi\",\"mr\"]"`
	Except         document.Strings `json:"except_languages,omitempty" nullable:"false" maxItems:"80" doc:"The rule does not apply in requests in these languages." example:"[\"ta\"]"`
	Phoneme        *string          `json:"phoneme,omitempty" doc:"Refused, as alphabet is: write letters, as alias."`
	Alphabet       *string          `json:"alphabet,omitempty" doc:"Refused."`

	faults []respell.Fault // why it cannot be read, none of a rule that can
}

var ruleBinder = document.NewBinder[RuleRequest]()

// Rule returns the rule for package respell. The arguments are the defaults of its list for
// options that the rule leaves out; nil leaves them to the API, where rules ignore casing and
// match whole words.
func (r RuleRequest) Rule(caseSensitive, wordBoundaries *bool) respell.Rule {
	rule := respell.Rule{
		Term: strings.TrimSpace(r.Term), Respelling: strings.TrimSpace(r.Respelling), Only: r.Only, Except: r.Except,
		Alphabet:      respell.Claimed(r.Type, r.Phoneme, r.Alphabet),
		CaseSensitive: firstSent(false, r.CaseSensitive, caseSensitive),
		InWords:       !firstSent(true, r.WordBoundaries, wordBoundaries),
	}
	if r.Phoneme != nil && rule.Respelling == "" {
		rule.Respelling = *r.Phoneme // so that the refusal shows what was sent
	}
	return rule
}

// firstSent returns the first value that was sent, or the default.
func firstSent(byDefault bool, values ...*bool) bool {
	for _, v := range values {
		if v != nil {
			return *v
		}
	}
	return byDefault
}

// UnknownType says what is wrong with the type of the rule i, where that is neither alias
// nor phoneme; ok is false where nothing is. A rule of type phoneme is refused for its
// notation, with a suggestion, when its list is checked.
func UnknownType(i int, sent *string) (f respell.Fault, ok bool) {
	if sent == nil || *sent == respell.TypeAlias || *sent == respell.TypePhoneme {
		return f, false
	}
	return respell.Fault{
		Rule: i, Field: respell.FieldType, Code: respell.CodeInvalid,
		Msg: fmt.Sprintf("type %.64q is not %s, the only one there is", *sent, respell.TypeAlias),
	}, true
}

// Rules is a list of rules as it was sent. A rule with a value of a wrong type is in it with
// what could be read, and remembers what is wrong.
type Rules []RuleRequest

// ReadRules reads the entries of a list.
func ReadRules(entries []document.Value) Rules {
	l := make(Rules, len(entries))
	for i, entry := range entries {
		l[i].read(i, entry.Unnamed())
	}
	return l
}

func (r *RuleRequest) read(i int, v document.Value) {
	if v.Kind() != document.Object {
		r.faults = []respell.Fault{{Rule: i, Code: respell.CodeType, Msg: fmt.Sprintf("a rule must be an object, not %s", v.Kind())}}
		return
	}
	for _, f := range ruleBinder.BindAll(v, r) {
		name, _, _ := strings.Cut(f.Field, ".") // the sentence names the entry of a list
		r.faults = append(r.faults, respell.Fault{Rule: i, Field: respell.Field(name), Code: respell.CodeType, Msg: f.Msg})
	}
}

// RefuseTypes adds to what is wrong with rules that their type is unknown.
func (l Rules) RefuseTypes() {
	for i := range l {
		if f, unknown := UnknownType(i, l[i].Type); unknown {
			l[i].faults = append(l[i].faults, f)
		}
	}
}

// Readable reports whether all rules could be read.
func (l Rules) Readable() bool {
	for _, r := range l {
		if r.faults != nil {
			return false
		}
	}
	return true
}

// Faults returns all that is wrong with the list: what could not be read, and what package
// respell refuses of the others. The argument is the same list as rules.
func (l Rules) Faults(rules []respell.Rule) []respell.Fault {
	var unread []respell.Fault
	for _, r := range l {
		unread = append(unread, r.faults...)
	}
	return respell.CheckOthers(unread, rules)
}

// RuleRecord is a rule as the API answers it and as files keep it. A rule that is sent in
// this form is the same rule.
type RuleRecord struct {
	Type           string   `json:"type" enum:"alias"`
	Term           string   `json:"string_to_replace" example:"API"`
	Respelling     string   `json:"alias" example:"A P I"`
	CaseSensitive  bool     `json:"case_sensitive"`
	WordBoundaries bool     `json:"word_boundaries"`
	Only           []string `json:"only_languages,omitempty" nullable:"false" doc:"Absent where there are none, as are except_languages."`
	Except         []string `json:"except_languages,omitempty" nullable:"false"`
}

// Records returns rules in the form in which they are answered; an empty list for none.
func Records(rules []respell.Rule) []RuleRecord {
	all := make([]RuleRecord, len(rules))
	for i, r := range rules {
		all[i] = RuleRecord{respell.TypeAlias, r.Term, r.Respelling, r.CaseSensitive, !r.InWords, r.Only, r.Except}
	}
	return all
}

package dictionary

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text/respell"
)

// Draft is a dictionary before it is made.
type Draft struct {
	Name        string // 1 to MaxName code points
	Description string // at most MaxDescription
	Rules       []respell.Rule
}

// Create makes a dictionary of an organisation. It keeps all of the draft or, with an error,
// nothing. The error is a *[respell.Refusal] when rules are wrong, and has the code
// dictionary_limit_exceeded when the organisation has as many dictionaries as it may.
func (s *Service) Create(ctx context.Context, org, by string, draft Draft) (Dictionary, error) {
	name, err := line("name", draft.Name, MaxName)
	if err != nil {
		return Dictionary{}, err
	}
	if name == "" {
		return Dictionary{}, fault.BadParameter("name", "name is empty; send 1 to %d characters", MaxName)
	}
	description, err := line("description", draft.Description, MaxDescription)
	if err != nil {
		return Dictionary{}, err
	}
	rules := tidy(draft.Rules)
	if err := respell.Check(rules); err != nil {
		return Dictionary{}, err
	}
	now := s.present()
	d := Dictionary{
		ID: newID(), Org: org, Name: name, Description: description, CreatedBy: by, CreatedAt: now,
		Latest: Version{ID: newID(), Number: 1, Rules: len(rules), CreatedAt: now},
	}
	ok, err := s.store.Create(ctx, d, rules, MaxPerOrganisation)
	if err == nil && !ok {
		err = fault.New(fault.Unprocessable, CodeTooMany, "",
			"the organisation has %d pronunciation dictionaries, as many as it may; change one of them, or delete one: in the console, or with `vaak dictionary delete`", MaxPerOrganisation)
	}
	return d, err
}

// Set replaces the rules of a dictionary.
func (s *Service) Set(ctx context.Context, org, id string, rules []respell.Rule) (Version, error) {
	rules = tidy(rules)
	return s.edit(ctx, org, id, func(Version, []respell.Rule) ([]respell.Rule, error) {
		return rules, respell.Check(rules)
	})
}

// SetAfter replaces the rules of a dictionary, if its latest version is still the edited one.
// The new list may be empty. The error has the code edited_meanwhile when there is a later
// version, so that an editor does not overwrite what somebody else saved.
func (s *Service) SetAfter(ctx context.Context, org, id, edited string, rules []respell.Rule) (Version, error) {
	rules = tidy(rules)
	return s.edit(ctx, org, id, func(latest Version, _ []respell.Rule) ([]respell.Rule, error) {
		if latest.ID != canonical(edited) {
			return nil, fault.New(fault.Conflict, CodeConflict, "",
				"somebody made version %d of the dictionary meanwhile, so nothing was saved", latest.Number)
		}
		if len(rules) == 0 {
			return nil, nil
		}
		return rules, respell.Check(rules)
	})
}

// Add adds rules to a dictionary. A rule for a term that already has a rule with the same
// languages and options replaces that rule.
func (s *Service) Add(ctx context.Context, org, id string, rules []respell.Rule) (Version, error) {
	rules = tidy(rules)
	return s.edit(ctx, org, id, func(_ Version, old []respell.Rule) ([]respell.Rule, error) {
		// Before the merge, so that the errors name rules by the indices that the caller knows.
		if err := respell.Check(rules); err != nil {
			return nil, err
		}
		all := respell.Merge(old, rules)
		if n := len(all); n > respell.MaxRules {
			return nil, fault.BadParameter("rules", "the dictionary would have %d rules; at most %d are allowed", n, respell.MaxRules)
		}
		return all, nil
	})
}

// Remove removes all rules of the terms, whatever their languages. It removes nothing and
// returns an error if one of the terms has no rule. A term that no rule spells exactly stands
// for the rules that ignore casing and spell it in another casing. All rules may be removed.
func (s *Service) Remove(ctx context.Context, org, id string, terms []string) (Version, error) {
	if n := len(terms); n == 0 || n > respell.MaxRules {
		return Version{}, fault.BadParameter("rule_strings", "rule_strings has %d terms; send 1 to %d", n, respell.MaxRules)
	}
	return s.edit(ctx, org, id, func(_ Version, old []respell.Rule) ([]respell.Rule, error) {
		left := slices.Clone(old)
		for i, term := range terms {
			term = strings.TrimSpace(term)
			has := func(r respell.Rule) bool { return r.Term == term }
			// Add keeps only the last of two rules that differ in casing alone, so a caller
			// may know the term in a casing that was replaced.
			if !slices.ContainsFunc(old, has) {
				has = func(r respell.Rule) bool { return !r.CaseSensitive && strings.EqualFold(r.Term, term) }
			}
			if !slices.ContainsFunc(old, has) {
				return nil, fault.BadParameter(fmt.Sprintf("rule_strings.%d", i), "no rule is for the term %.128q; nothing was removed", term)
			}
			left = slices.DeleteFunc(left, has)
		}
		return left, nil
	})
}

// edits is how often an edit is tried, because another edit may come first each time.
const edits = 20

// edit makes the next version of a dictionary from the latest.
func (s *Service) edit(ctx context.Context, org, id string, change func(latest Version, rules []respell.Rule) ([]respell.Rule, error)) (Version, error) {
	for range edits {
		d, old, err := s.Get(ctx, org, id)
		if err != nil {
			return Version{}, err
		}
		rules, err := change(d.Latest, old)
		if err != nil {
			return Version{}, err
		}
		v := Version{ID: newID(), Number: d.Latest.Number + 1, Rules: len(rules), CreatedAt: s.present()}
		ok, err := s.store.Put(ctx, d.ID, d.Latest.ID, v, rules)
		s.forget(d.ID) // with an error too: the store may have kept the version all the same
		if err != nil || ok {
			return v, err
		}
	}
	return Version{}, busy(id)
}

func busy(id string) error {
	return fault.New(fault.Conflict, CodeConflict, "", "the pronunciation dictionary %s is being edited by many at once; try again", id)
}

// Delete removes a dictionary with its versions.
func (s *Service) Delete(ctx context.Context, org, id string) error {
	d, err := s.current(ctx, org, id)
	if err != nil {
		return err
	}
	ok, err := s.store.Delete(ctx, d.ID)
	s.forget(d.ID)
	if err == nil && !ok {
		err = NotFound(id)
	}
	return err
}

// present returns the current time in the precision that databases keep: microseconds, UTC.
func (s *Service) present() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// tidy returns a copy of rules without white space around terms and respellings, and with each
// language once, by its code.
func tidy(rules []respell.Rule) []respell.Rule {
	rules = slices.Clone(rules)
	for i := range rules {
		r := &rules[i]
		r.Term, r.Respelling = strings.TrimSpace(r.Term), strings.TrimSpace(r.Respelling)
		r.Only, r.Except = codes(r.Only), codes(r.Except)
	}
	return rules
}

// codes returns the codes of languages. It leaves what is no language as it is, and the check
// of the rules refuses that by the name that the caller sent.
func codes(hints []string) []string {
	var all []string
	for _, h := range hints {
		if tag, ok := lang.Find(h); ok && !tag.IsZero() {
			h = tag.String()
		}
		if !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

// line returns a text without the white space around it. The error says that the text is too
// long, or holds a character that does not belong in one line of plain text.
func line(field, s string, most int) (string, error) {
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n > most {
		return "", fault.BadParameter(field, "%s has %d characters; at most %d are allowed", field, n, most)
	}
	for _, r := range s {
		// The zero width joiners U+200C and U+200D are format characters (class C) that
		// names in Indian scripts need.
		if r == utf8.RuneError || unicode.Is(unicode.C, r) && r != 0x200C && r != 0x200D {
			return "", fault.BadParameter(field, "%s has the character %U; send a line of plain text", field, r)
		}
	}
	return s, nil
}

// newID returns a random UUID (RFC 9562, version 4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// canonical returns an id in lower case, as newID writes it, because callers may send a UUID in
// either case.
func canonical(id string) string {
	if len(id) != 36 {
		return id
	}
	return strings.ToLower(id)
}

// isID reports whether a string has the form of a UUID in lower case.
func isID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch b := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if b != '-' {
				return false
			}
		case (b < '0' || b > '9') && (b < 'a' || b > 'f'):
			return false
		}
	}
	return true
}

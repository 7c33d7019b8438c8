package card

import (
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/catalogue"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/transcript"
	"vaak/internal/fault"
)

var versionForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$`)

// Bounds of texts, in code points.
const (
	MaxName = 200  // of a title or name
	maxLong = 5000 // of a description or summary
	maxURL  = 2000
)

// checker checks the values of a card against what each field allows.
type checker struct {
	lines  map[string]int // by path; see Parse
	faults []Fault
}

// fault adds a fault of the value at path. A value that is missing has no line, so the fault
// gets the line of the block that lacks it.
func (c *checker) fault(path, format string, args ...any) {
	line, ok := c.lines[path]
	// Goes up one name at a time. "" is the card, whose line the filler has recorded.
	for p := path; !ok && p != ""; line, ok = c.lines[p] {
		p = p[:max(strings.LastIndexByte(p, '.'), 0)]
	}
	c.faults = append(c.faults, faultAt(line, "%s "+format, append([]any{path}, args...)...))
}

// checkCard returns the faults of a card, and sets the default version.
func checkCard(card *Card, lines map[string]int) []Fault {
	c := &checker{lines: lines}
	c.required("title", card.Title)
	c.required("description", card.Description)
	c.required("language.tag", card.Language.Tag)
	c.texts(reflect.ValueOf(card).Elem(), "")
	if card.Version == "" {
		card.Version = "1.0.0"
	}
	if !versionForm.MatchString(card.Version) {
		c.fault("version", "is MAJOR.MINOR.PATCH such as 1.0.0, this is %s", report.Quote(card.Version))
	}
	if card.Slug != "" && !catalogue.IsSlug(card.Slug) {
		c.fault("slug", "is lower-case letters and digits joined by hyphens, up to %d characters, this is %s", catalogue.MaxSlug, report.Quote(card.Slug))
	}
	c.languages(card)
	c.oneOf("channels", card.Channels, catalogue.Dual, catalogue.Mono)
	c.oneOf("collection", card.Collection, catalogue.CallCentre, catalogue.GeneralConversation)
	c.lists(card)
	if p := card.Participants; p != nil {
		c.participants(card)
	}
	c.blocks(card)
	return c.faults
}

func (c *checker) required(path, value string) {
	if strings.TrimSpace(value) == "" {
		c.fault(path, "is required")
	}
}

func (c *checker) oneOf(path, value string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.fault(path, "is %s, this is %s", strings.Join(allowed, " or "), report.Quote(value))
	}
}

// longTexts are the paths of texts that may be long and have several lines.
var longTexts = map[string]bool{
	"description": true, "citation": true, "transcript_protocol": true, "access.conditions": true,
}

// texts checks the length and the characters of every text in the card, wherever it is: a
// new field of text is checked without being named here.
func (c *checker) texts(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.texts(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			// Paths are made of the yaml tags, so they are those of the lines.
			c.texts(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Tag.Get("yaml"), "."))
		}
	case reflect.Slice:
		if v.Len() > 200 { // entries
			c.fault(path, "has up to 200 entries, these are %d", v.Len())
			return
		}
		for i := range v.Len() {
			c.texts(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
			if v.Index(i).Kind() == reflect.String && v.Index(i).String() == "" {
				c.fault(fmt.Sprintf("%s[%d]", path, i), "is empty")
			}
		}
	// Only the keys: the values of maps are numbers.
	case reflect.Map:
		for _, k := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			c.text(path, k.String(), 40, false)
		}
	case reflect.String:
		long := longTexts[path] || strings.HasSuffix(path, ".summary")
		most := MaxName
		switch {
		case long:
			most = maxLong
		case strings.HasSuffix(path, "url"):
			most = maxURL
		}
		c.text(path, v.String(), most, long)
	}
}

// text checks one text. lines says that it may have line breaks and tabs.
func (c *checker) text(path, s string, most int, lines bool) {
	if n := utf8.RuneCountInString(s); n > most {
		c.fault(path, "has up to %d characters, these are %d", most, n)
	}
	for _, r := range s {
		if lines && (r == '\n' || r == '\t') {
			continue
		}
		// U+2028 and U+2029 end lines in JavaScript and in some readers. U+FFFD tells of
		// bytes that were lost before the card came here.
		if unicode.IsControl(r) || transcript.Overrides(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			c.fault(path, "has the character U+%04X, which text may not have", r)
			return
		}
	}
}

func (c *checker) languages(card *Card) {
	if tag := card.Language.Tag; tag != "" {
		if _, err := LanguageOf(tag); err != nil {
			c.fault("language.tag", "%v", err)
		}
	}
	for i, tag := range card.OtherLanguages {
		if _, err := LanguageOf(tag); tag != "" && err != nil {
			c.fault(fmt.Sprintf("other_languages[%d]", i), "%v", err)
		}
	}
}

// lists checks what is written in lists.
func (c *checker) lists(card *Card) {
	seen := map[string]bool{}
	for i, d := range card.Domains {
		path := fmt.Sprintf("domains[%d]", i)
		if utf8.RuneCountInString(d) > 60 {
			c.fault(path, "has up to 60 characters, this is %s", report.Quote(d))
		}
		if seen[strings.ToLower(d)] {
			c.fault(path, "is there twice: %s", report.Quote(d))
		}
		seen[strings.ToLower(d)] = true
	}
	if len(card.Domains) > 20 {
		c.fault("domains", "has up to 20 entries, these are %d", len(card.Domains))
	}
}

func (c *checker) participants(card *Card) {
	p := card.Participants
	if p.Count != nil && (*p.Count < 1 || *p.Count > 10_000_000) {
		c.fault("participants.count", "is 1 to 10000000, this is %d", *p.Count)
	}
	total := 0
	for _, g := range slices.Sorted(maps.Keys(p.Gender)) {
		n := p.Gender[g]
		if n < 0 || n > 10_000_000 {
			c.fault("participants.gender."+g, "is 0 to 10000000, this is %d", n)
			continue
		}
		total += n
	}
	// Fewer is allowed: not everybody says a gender.
	if p.Count != nil && total > *p.Count {
		c.fault("participants.gender", "counts %d people, participants.count has %d", total, *p.Count)
	}
	if a := p.AgeRange; a != nil && (len(a) != 2 || a[0] < 0 || a[1] > 130 || a[0] > a[1]) {
		c.fault("participants.age_range", "is the youngest and the oldest age, such as [18, 65], this is [%s]", fault.Listed(a))
	}
}

// blocks checks names, addresses and dates in the other blocks.
func (c *checker) blocks(card *Card) {
	if m := card.CollectionMethod; m != nil {
		from, okFrom := c.date("collection_method.from", m.From)
		to, okTo := c.date("collection_method.to", m.To)
		if okFrom && okTo && to.Before(from) {
			c.fault("collection_method.to", "is before collection_method.from: %s, %s", m.To, m.From)
		}
	}
	if l := card.Licence; l != nil {
		c.required("licence.name", l.Name)
		c.url("licence.url", l.URL)
		if e := l.Evaluation; e != nil {
			c.required("licence.evaluation.name", e.Name)
			c.url("licence.evaluation.url", e.URL)
		}
	}
	if p := card.Provenance; p != nil {
		c.named("provenance.creator", p.Creator)
		c.named("provenance.publisher", p.Publisher)
		c.date("provenance.created", p.Created)
	}
	if k := card.Contact; k != nil {
		c.email("contact.email", k.Email)
		c.url("contact.url", k.URL)
	}
}

func (c *checker) named(path string, n *Named) {
	if n != nil {
		c.required(path+".name", n.Name)
		c.url(path+".url", n.URL)
	}
}

// date checks a date and returns it; the result is false if there is none.
func (c *checker) date(path, s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	d, err := time.Parse(time.DateOnly, s)
	if err != nil || d.Year() < 1900 {
		c.fault(path, "is a date such as 2026-01-31, this is %s", report.Quote(s))
		return time.Time{}, false
	}
	return d, true
}

func (c *checker) url(path, s string) {
	if s == "" {
		return
	}
	// Addresses become links on pages: javascript: and addresses with a password are
	// refused.
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsFunc(s, unicode.IsSpace) {
		c.fault(path, "is an address that begins with https:// or http://, this is %s", report.Quote(s))
	}
}

func (c *checker) email(path, s string) {
	if s == "" {
		return
	}
	// ParseAddress also accepts "Name <address>", which the comparison excludes.
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 || !strings.Contains(s[strings.LastIndexByte(s, '@')+1:], ".") {
		c.fault(path, "is an e-mail address such as data@example.org")
	}
}

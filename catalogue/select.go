package catalogue

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/lang"
)

// selection is a query that passed its checks.
type selection struct {
	Query
	terms             []term // the words of Q; see termsOf and index.list
	least             int    // how many of terms must fit
	languages         []wanted
	domains, licences []wantedValue
	asked             uint16 // see digest
	after             *cursor
}

// check returns the selection for a query, or the first thing that is wrong with the query.
func (q Query) check() (selection, error) {
	s := selection{Query: q}
	s.Languages, s.Similar = Listed(q.Languages), strings.ToLower(strings.TrimSpace(q.Similar))
	q = s.Query
	if err := s.read(); err != nil {
		return s, err
	}
	if len(q.Languages) > MaxLanguages {
		return s, fault.BadParameter("language", "%d languages were given; at most %d are allowed", len(q.Languages), MaxLanguages)
	}
	for _, l := range q.Languages {
		if n := utf8.RuneCountInString(l); n > MaxChoice {
			return s, fault.BadParameter("language", "language has %d characters; at most %d are allowed", n, MaxChoice)
		}
		s.languages = append(s.languages, wantedLanguage(l))
	}
	var err error
	if s.domains, err = chosenKeys("domain", q.Domains, true); err != nil {
		return s, err
	}
	if s.licences, err = chosenKeys("license", q.Licences, false); err != nil {
		return s, err
	}
	if len(q.SampleRates) > MaxChoices {
		return s, fault.BadParameter("sample_rate", "%d sample rates were given; at most %d are allowed", len(q.SampleRates), MaxChoices)
	}
	for _, hz := range q.SampleRates {
		if hz < 1 {
			return s, fault.BadParameter("sample_rate", "sample_rate is a number of Hz from 1 up; %d was sent", hz)
		}
	}
	if q.MinSpeakers < 0 {
		return s, fault.BadParameter("min_speakers", "min_speakers is a number from 0 up; %d was sent", q.MinSpeakers)
	}
	if err := oneOf("channels", q.Channels, Dual, Mono); err != nil {
		return s, err
	}
	if err := oneOf("collection", q.Collection, CallCentre, GeneralConversation); err != nil {
		return s, err
	}
	if math.IsNaN(q.MinHours) || q.MinHours < 0 || math.IsInf(q.MinHours, 0) {
		return s, fault.BadParameter("min_hours", "min_hours is a number from 0 up; %v was sent", q.MinHours)
	}
	if q.Limit < 0 || q.Limit > MaxPage {
		return s, fault.BadParameter("limit", "limit %d is outside 1 to %d", q.Limit, MaxPage)
	}
	if s.Limit == 0 {
		s.Limit = MaxPage
	}
	if s.Sort == "" {
		s.Sort = ByRelevance
	}
	if !slices.Contains(Sorts, s.Sort) {
		return s, fault.BadParameter("sort", "sort %.40q is unknown; allowed: %s", string(s.Sort), fault.Listed(Sorts))
	}
	if s.Similar != "" && s.Sort != ByRelevance {
		return s, fault.BadParameter("sort", "similar has an order of its own, what is most alike first; leave sort out, or similar")
	}
	s.asked = s.digest()
	s.after, err = s.continued()
	return s, err
}

// read checks Q and finds its words.
func (s *selection) read() error {
	q := s.Query
	if n := utf8.RuneCountInString(q.Q); n > MaxQuery {
		return fault.BadParameter("q", "q has %d characters; at most %d are allowed", n, MaxQuery)
	}
	if !utf8.ValidString(q.Q) {
		return fault.BadParameter("q", "q is not valid UTF-8")
	}
	// As words; [index.list] finds tags of languages among them.
	s.take(termsOf(q.Q, func(lang.Tag) bool { return false }))
	if len(s.terms) > MaxTerms {
		return fault.BadParameter("q", "q has %d different words; at most %d are allowed", len(s.terms), MaxTerms)
	}
	return nil
}

// take makes terms those of the selection.
func (s *selection) take(terms []term) {
	s.terms = terms
	if s.least = leastTerms(len(terms)); s.Whole || len(strings.Fields(s.Q)) == 1 {
		s.least = len(terms) // one word without spaces, such as a part of a slug
	}
}

// wantedValue is a value that a query chooses: a key (see valueKey), or the keys of a list with
// commas where no dataset has the whole.
type wantedValue struct {
	key   string
	parts []string
}

// chosenKeys reads the values that a parameter chooses. Empty ones choose nothing and count for
// none. With lists, a value may be a list with commas.
func chosenKeys(parameter string, values []string, lists bool) (keys []wantedValue, err error) {
	n := 0
	for _, v := range values {
		if strings.TrimSpace(v) == "" || lists && len(Listed([]string{v})) == 0 {
			continue
		}
		parts := []string{v}
		if lists && strings.Contains(v, ",") {
			parts = Listed(parts)
		}
		if n += len(parts); n > MaxChoices {
			return nil, fault.BadParameter(parameter, "more than %d values of %s were given; at most %d are allowed", MaxChoices, parameter, MaxChoices)
		}
		if !utf8.ValidString(v) {
			return nil, fault.BadParameter(parameter, "%s is not valid UTF-8", parameter)
		}
		for _, p := range parts {
			if n := utf8.RuneCountInString(p); n > MaxChoice {
				return nil, fault.BadParameter(parameter, "%s has %d characters; at most %d are allowed", parameter, n, MaxChoice)
			}
		}
		w := wantedValue{key: valueKey(v)}
		if len(parts) != 1 || parts[0] != v {
			for _, p := range parts {
				w.parts = append(w.parts, valueKey(p))
			}
		}
		keys = append(keys, w)
	}
	return keys, nil
}

func oneOf(field, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return fault.BadParameter(field, "%s is %s; %.40q was sent", field, strings.Join(allowed, " or "), value)
}

// chosen are the datasets that the filters of a selection choose.
type chosen struct {
	scratch *scratch
	// within is what all conditions choose that are no dimension and no words.
	within bitset
	// by are what each dimension chooses; nil chooses all.
	by [dimensions]bitset
}

// choose evaluates the filters of a selection.
func (x *index) choose(s selection, memory *scratch) chosen {
	n := len(x.listed)
	c := chosen{scratch: memory, within: memory.bitset()}
	// The list is sorted by hours, so this filter is a prefix of it.
	c.within.fill(x.atLeast(s.MinHours))
	if s.Sample {
		c.within.and(x.sample)
	}
	if s.Transcribed {
		c.within.and(x.transcribed)
	}
	if s.MinSpeakers > 0 {
		enough := memory.bitset()
		copy(enough, c.within)
		x.speakers.keep(enough, uint64(s.MinSpeakers)+1)
		if s.OrUnknown {
			known := memory.bitset()
			copy(known, c.within)
			x.speakers.keep(known, 1)
			for w := range enough {
				enough[w] |= c.within[w] &^ known[w]
			}
		}
		c.within = enough
	}
	if k := x.named(s.Similar); k != nil && k.status == Published {
		// It is like itself, which nobody asks.
		c.within.remove(x.after(hoursOrder, hoursOrder.keyOf(k)) - 1)
	}
	if strings.TrimSpace(s.Q) != "" && len(s.terms) == 0 {
		c.within.cut(0) // Q has only punctuation, which finds nothing
	}
	if len(s.languages) > 0 {
		c.by[byLanguage] = memory.bitset()
		x.addLanguages(s.languages, c.by[byLanguage])
	}
	for d, keys := range map[int][]string{
		byChannels: keysOf(s.Channels), byCollection: keysOf(s.Collection), byDomain: x.dimensions[byDomain].known(s.domains), byLicence: x.dimensions[byLicence].known(s.licences), bySampleRate: rateKeys(s.SampleRates),
	} {
		if len(keys) > 0 {
			c.by[d] = memory.bitset()
			x.dimensions[d].addWith(keys, c.by[d])
			if s.OrUnknown {
				unknown := memory.bitset()
				x.dimensions[d].addKnown(unknown)
				unknown.invert(n)
				c.by[d].or(unknown)
			}
		}
	}
	return c
}

func keysOf(value string) []string {
	if value == "" {
		return nil
	}
	return []string{valueKey(value)}
}

func rateKeys(rates []int) (keys []string) {
	for _, hz := range rates {
		keys = append(keys, strconv.Itoa(hz))
	}
	return keys
}

// known returns the keys of what is wanted: of a list with commas the whole where a dataset has it,
// otherwise its parts.
func (d *dimension) known(wanted []wantedValue) (keys []string) {
	for _, w := range wanted {
		if _, ok := d.keys[w.key]; ok || w.parts == nil {
			keys = append(keys, w.key)
		} else {
			keys = append(keys, w.parts...)
		}
	}
	return keys
}

// addWith adds the datasets that have any of the values.
func (d *dimension) addWith(keys []string, to bitset) {
	for _, key := range keys {
		for _, i := range d.keys[key] {
			d.values[i].in.addTo(to)
		}
	}
}

// addKnown adds the datasets that have a value.
func (d *dimension) addKnown(to bitset) {
	for _, v := range d.values {
		v.in.addTo(to)
	}
}

// addLanguages adds the datasets in any of the languages.
func (x *index) addLanguages(languages []wanted, to bitset) {
	for _, t := range x.tongues {
		if slices.ContainsFunc(languages, func(w wanted) bool { return w.means(t.tongue) }) {
			t.in.addTo(to)
		}
	}
}

// all returns what all filters choose together, without that of one dimension; -1 leaves none
// out.
func (c chosen) all(without int) bitset {
	m := c.scratch.bitset()
	copy(m, c.within)
	for d, b := range c.by {
		if b != nil && d != without {
			m.and(b)
		}
	}
	return m
}

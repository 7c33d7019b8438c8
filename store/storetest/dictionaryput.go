package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// openings returns the store twice: as two processes open it, or the same store if only one
// may.
func (o OpenedDictionaries) openings(t *testing.T) [2]dictionary.Store {
	if o.Again == nil {
		return [2]dictionary.Store{o.Dictionaries, o.Dictionaries}
	}
	return [2]dictionary.Store{o.Dictionaries, o.Again(t)}
}

func testDictionaryLimit(t *testing.T, o OpenedDictionaries) {
	ctx, s := t.Context(), o.Dictionaries
	for _, most := range []int{0, -1} {
		if ok, err := s.Create(ctx, lexicon(1, 1), nil, most); ok || err != nil {
			t.Errorf("Create where %d are allowed = %v, %v, want false", most, ok, err)
		}
	}
	wantNoDictionary(t, s, lexicon(1, 1))
	for n := range 3 {
		if ok, err := s.Create(ctx, lexicon(n+1, 1), nil, 3); !ok || err != nil {
			t.Fatalf("Create the dictionary %d of 3 = %v, %v", n+1, ok, err)
		}
	}
	if ok, err := s.Create(ctx, lexicon(4, 1), nil, 3); ok || err != nil {
		t.Errorf("Create one more = %v, %v, want false", ok, err)
	}
	wantNoDictionary(t, s, lexicon(4, 1))
	if ok, err := s.Create(ctx, lexicon(5, 2), nil, 3); !ok || err != nil {
		t.Errorf("Create for another organisation = %v, %v", ok, err)
	}
	if ok, err := s.Delete(ctx, uuid(2)); !ok || err != nil {
		t.Fatalf("Delete = %v, %v", ok, err)
	}
	if ok, err := s.Create(ctx, lexicon(4, 1), nil, 3); !ok || err != nil {
		t.Errorf("Create where there is room again = %v, %v", ok, err)
	}
}

// testDictionaryLimitAtOnce has eight concurrent calls create the last dictionary that an
// organisation may have, in two organisations.
func testDictionaryLimitAtOnce(t *testing.T, o OpenedDictionaries) {
	const most, writers = 5, 8
	stores := o.openings(t)
	for org := 1; org <= 2; org++ {
		for n := range most - 1 {
			create(t, o.Dictionaries, lexicon(100*org+n, org))
		}
	}
	var made [3]atomic.Int32
	var all sync.WaitGroup
	for org := 1; org <= 2; org++ {
		for w := range writers {
			all.Go(func() {
				ok, err := stores[w%2].Create(t.Context(), lexicon(100*org+50+w, org), everyOption, most)
				if err != nil {
					t.Errorf("Create: %v", err)
				}
				if ok {
					made[org].Add(1)
				}
			})
		}
	}
	all.Wait()
	for org := 1; org <= 2; org++ {
		list, err := o.Dictionaries.List(t.Context(), id("org_", org))
		if n := made[org].Load(); n != 1 || len(list) != most || err != nil {
			t.Errorf("%d of %d made the last, and there are %d, %v, want 1 and %d", n, writers, len(list), err, most)
		}
	}
}

// testPutRules checks Put with the latest version and with others.
func testPutRules(t *testing.T, o OpenedDictionaries) {
	s := o.Dictionaries
	first := create(t, s, lexicon(1, 1), everyOption...)
	now := putRules(t, s, 1, first, everyOption[1:]...)
	for _, after := range []string{first.Latest.ID, uuid(99), "", first.ID, strings.ToUpper(now.Latest.ID) + "A"} {
		ok, err := s.Put(t.Context(), now.ID, after, edition(1, 3, nil), nil)
		if ok || err != nil {
			t.Errorf("Put after %q = %v, %v, want false", after, ok, err)
		}
	}
	wantDictionary(t, s, now, everyOption[1:]...)
	wantVersions(t, s, 1, 2, 1)
	wantDictionary(t, s, putRules(t, s, 1, now)) // no rules at all
}

// testPutAtOnce has many concurrent calls, in two processes, put after the same version. One
// succeeds, and no call fails with an error.
func testPutAtOnce(t *testing.T, o OpenedDictionaries) {
	const writers, rounds = 16, 5
	stores := o.openings(t)
	d := create(t, o.Dictionaries, lexicon(1, 1))
	for range rounds {
		var won [writers]bool
		mine := func(w int) (dictionary.Version, []respell.Rule) {
			rules := []respell.Rule{{Term: fmt.Sprint("writer ", w), Respelling: "x"}, everyOption[1]}
			v := edition(1, d.Latest.Number+1, rules)
			v.ID = uuid((d.Latest.Number+1)<<20 + 1000 + w)
			return v, rules
		}
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				v, rules := mine(w)
				var err error
				if won[w], err = stores[w%2].Put(t.Context(), d.ID, d.Latest.ID, v, rules); err != nil {
					t.Errorf("Put: %v", err)
				}
			})
		}
		all.Wait()
		first := slices.Index(won[:], true)
		if first < 0 || slices.Contains(won[first+1:], true) {
			t.Fatalf("who put after version %d: %v, want one", d.Latest.Number, won)
		}
		v, rules := mine(first)
		d.Latest = v
		wantDictionary(t, o.Dictionaries, d, rules...)
	}
	if all, err := o.Dictionaries.Versions(t.Context(), d.ID); err != nil || len(all) != rounds+1 {
		t.Errorf("%d versions, %v, want %d", len(all), err, rounds+1)
	}
}

// testEditors has many concurrent editors add rules to the latest version. No rule is lost.
func testEditors(t *testing.T, o OpenedDictionaries) {
	const editors, adds = 8, 6
	stores := o.openings(t)
	d := create(t, o.Dictionaries, lexicon(1, 1))
	var ids atomic.Int64
	add := func(s dictionary.Store, rule respell.Rule) error {
		for busy := 0; ; {
			now, _, err := s.Get(t.Context(), d.ID)
			if err != nil {
				return err
			}
			_, rules, ok, err := s.Rules(t.Context(), d.ID, now.Latest.ID)
			switch has := func(r respell.Rule) bool { return r.Term == rule.Term }; {
			case err != nil || !ok:
				return fmt.Errorf("rules of version %d: %v, %w", now.Latest.Number, ok, err)
			case slices.ContainsFunc(rules, has):
				return nil // written by the last try, whose outcome was unknown
			}
			rules = append(rules, rule)
			v := dictionary.Version{ID: uuid(1<<30 + int(ids.Add(1))), Number: now.Latest.Number + 1, Rules: len(rules), CreatedAt: created}
			ok, err = s.Put(t.Context(), d.ID, now.Latest.ID, v, rules)
			if fault.KindOf(err) == fault.Unavailable && busy < busyTries {
				busy++
				continue
			}
			if ok || err != nil {
				return err
			}
		}
	}
	var all sync.WaitGroup
	for e := range editors {
		all.Go(func() {
			for i := range adds {
				if err := add(stores[e%2], respell.Rule{Term: fmt.Sprint(e, " ", i), Respelling: "x"}); err != nil {
					t.Errorf("add: %v", err)
				}
			}
		})
	}
	all.Wait()
	now, _, err := o.Dictionaries.Get(t.Context(), d.ID)
	check(t, "Get", err)
	_, rules, _, err := o.Dictionaries.Rules(t.Context(), d.ID, now.Latest.ID)
	check(t, "Rules", err)
	terms := map[string]bool{}
	for _, r := range rules {
		terms[r.Term] = true
	}
	const want = editors * adds
	if now.Latest.Number != want+1 || len(rules) != want || len(terms) != want {
		t.Errorf("version %d has %d rules for %d terms, want version %d and %d of each", now.Latest.Number, len(rules), len(terms), want+1, want)
	}
}

package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// wantList checks the dictionaries of an organisation.
func wantList(t *testing.T, s dictionary.Store, org string, want ...dictionary.Dictionary) {
	t.Helper()
	got, err := s.List(t.Context(), org)
	check(t, "List "+org, err)
	same(t, "List "+org, got, want)
}

// wantKept checks the numbers of the versions of a dictionary that are kept.
func wantKept(t *testing.T, s dictionary.Store, n int, want ...int) {
	t.Helper()
	all, err := s.Versions(t.Context(), uuid(n))
	check(t, "Versions", err)
	var got []int
	for _, v := range all {
		got = append(got, v.Number)
	}
	same(t, "Versions", got, want)
}

// wantVersions checks which versions are kept, and that of all numbers up to the highest only
// those can be read.
func wantVersions(t *testing.T, s dictionary.Store, n int, want ...int) {
	t.Helper()
	wantKept(t, s, n, want...)
	kept := map[int]bool{}
	for _, number := range want {
		kept[number] = true
	}
	for number := 1; number <= want[0]; number++ {
		v, rules, ok, err := s.Rules(t.Context(), uuid(n), edition(n, number, nil).ID)
		if err != nil || ok != kept[number] || ok && (v.Number != number || v.Rules != len(rules)) {
			t.Errorf("Rules of version %d = %+v, %d rules, %v, %v, want it %v", number, v, len(rules), ok, err, kept[number])
		}
	}
}

// testDictionaryLists checks that each organisation has its own list, with the oldest first,
// and with those of one instant in the order of their ids.
func testDictionaryLists(t *testing.T, o OpenedDictionaries) {
	s := o.Dictionaries
	all := map[int]dictionary.Dictionary{}
	for _, n := range []int{5, 1, 4, 2, 6, 3} {
		d := lexicon(n, n%2+1)
		if n == 5 || n == 6 { // created at the instant of the fourth
			d.CreatedAt = lexicon(4, 1).CreatedAt
		}
		all[n] = create(t, s, d, everyOption[:n]...)
	}
	all[3] = putRules(t, s, 3, all[3], everyOption...) // an edit does not change its place
	wantList(t, s, id("org_", 1), all[2], all[4], all[6])
	wantList(t, s, id("org_", 2), all[1], all[3], all[5])
	wantList(t, s, dictionary.Everyone, all[1], all[2], all[3], all[4], all[5], all[6])
	for _, org := range []string{"", "org_", id("org_", 3), "%", "\x00", "\xff", "' OR 1=1 --"} {
		wantList(t, s, org)
	}
	versions, err := s.Versions(t.Context(), all[3].ID)
	check(t, "Versions", err)
	same(t, "Versions", versions, []dictionary.Version{edition(3, 2, everyOption), edition(3, 1, everyOption[:3])})
}

// testDictionaryNames checks that texts which are no ids of dictionaries find none.
func testDictionaryNames(t *testing.T, o OpenedDictionaries) {
	ctx, s := t.Context(), o.Dictionaries
	d, other := create(t, s, lexicon(1, 1), everyOption...), create(t, s, lexicon(2, 1))
	for _, name := range []string{
		"", " ", "\x00", "\xff", d.ID + "\x00", d.ID + " ", d.ID[:10], "%", "_", "?", "'", "' OR 1=1 --", d.Latest.ID, uuid(3), strings.Repeat("x", 1<<16),
	} {
		wantNoDictionary(t, s, dictionary.Dictionary{ID: name, Latest: d.Latest})
		if name != d.Latest.ID {
			if _, _, ok, err := s.Rules(ctx, d.ID, name); ok || err != nil {
				t.Errorf("Rules of version %.40q = %v, %v, want none", name, ok, err)
			}
			ok, err := s.Put(ctx, d.ID, name, edition(1, 2, nil), nil)
			if ok || err != nil {
				t.Errorf("Put after %.40q = %v, %v, want false", name, ok, err)
			}
		}
		put, err := s.Put(ctx, name, d.Latest.ID, edition(3, 2, nil), nil)
		check(t, "Put", err)
		deleted, err := s.Delete(ctx, name)
		check(t, "Delete", err)
		if put || deleted {
			t.Errorf("something is changed by %.40q, want nothing", name)
		}
	}
	// A version of one dictionary is not found in another.
	if _, _, ok, err := s.Rules(ctx, other.ID, d.Latest.ID); ok || err != nil {
		t.Errorf("Rules of another's version = %v, %v, want none", ok, err)
	}
	if ok, err := s.Put(ctx, other.ID, d.Latest.ID, edition(2, 2, nil), nil); ok || err != nil {
		t.Errorf("Put after another's version = %v, %v, want false", ok, err)
	}
	wantDictionary(t, s, d, everyOption...)
	wantDictionary(t, s, other)
	wantVersions(t, s, 1, 1)
}

// testDictionaryOfNobody checks that a dictionary needs an organisation that exists.
func testDictionaryOfNobody(t *testing.T, o OpenedDictionaries) {
	for _, org := range []int{3, 4} {
		_, err := o.Dictionaries.Create(t.Context(), lexicon(1, org), nil, 10)
		wantKind(t, "Create for no organisation", err, fault.NotFound)
	}
	wantNoDictionary(t, o.Dictionaries, lexicon(1, 3))
	twice := create(t, o.Dictionaries, lexicon(1, 1), everyOption...)
	_, err := o.Dictionaries.Create(t.Context(), lexicon(1, 2), nil, 10)
	wantKind(t, "Create with an id that is there", err, fault.Conflict)
	wantDictionary(t, o.Dictionaries, twice, everyOption...)
}

func testDictionariesReopened(t *testing.T, o OpenedDictionaries) {
	if o.Again == nil {
		t.Skip("only one may open this store")
	}
	d := create(t, o.Dictionaries, lexicon(1, 1), everyOption[1:]...)
	d = putRules(t, o.Dictionaries, 1, d, everyOption...)
	check(t, "Close", o.Close())
	again := o.Again(t)
	wantDictionary(t, again, d, everyOption...)
	wantVersions(t, again, 1, 2, 1)
	d = putRules(t, again, 1, d, everyOption[2:]...)
	wantDictionary(t, again, d, everyOption[2:]...)
}

// dictionaryCalls are all calls of a store that return, each for a dictionary that exists and
// for one that does not.
func dictionaryCalls(s dictionary.Store, d, fresh dictionary.Dictionary) map[string]func(context.Context) error {
	rules := []respell.Rule{{Term: "a", Respelling: "b"}}
	return map[string]func(context.Context) error{
		"Create":   func(ctx context.Context) error { _, err := s.Create(ctx, fresh, rules, 10); return err },
		"List":     func(ctx context.Context) error { _, err := s.List(ctx, d.Org); return err },
		"List all": func(ctx context.Context) error { _, err := s.List(ctx, dictionary.Everyone); return err },
		"Get":      func(ctx context.Context) error { _, _, err := s.Get(ctx, d.ID); return err },
		"Rules":    func(ctx context.Context) error { _, _, _, err := s.Rules(ctx, d.ID, d.Latest.ID); return err },
		"Versions": func(ctx context.Context) error { _, err := s.Versions(ctx, d.ID); return err },
		"Put": func(ctx context.Context) error {
			_, err := s.Put(ctx, d.ID, d.Latest.ID, edition(1, 2, rules), rules)
			return err
		},
		"Delete": func(ctx context.Context) error { _, err := s.Delete(ctx, d.ID); return err },
	}
}

// WantDictionariesAway checks that every call fails as Unavailable. D is a dictionary that
// exists when the database is back.
func WantDictionariesAway(t *testing.T, s dictionary.Store, d dictionary.Dictionary) {
	t.Helper()
	for name, call := range dictionaryCalls(s, d, lexicon(2, 1)) {
		wantKind(t, name, call(t.Context()), fault.Unavailable)
	}
}

func testDictionariesCancelled(t *testing.T, o OpenedDictionaries) {
	s := o.Dictionaries
	d, fresh := create(t, s, lexicon(1, 1), everyOption...), lexicon(2, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range dictionaryCalls(s, d, fresh) {
		wantKind(t, name, call(ctx), fault.Cancelled)
	}
	if err := s.Watch(ctx, func(string) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch = %v, want the end of its context", err)
	}
	wantNoDictionary(t, s, fresh)
	wantDictionary(t, s, d, everyOption...)
	create(t, s, fresh)
}

// testDictionariesClosed closes a store after calls whose statements it keeps compiled.
func testDictionariesClosed(t *testing.T, o OpenedDictionaries) {
	d := create(t, o.Dictionaries, lexicon(1, 1), everyOption...)
	wantDictionary(t, o.Dictionaries, d, everyOption...)
	check(t, "Close", o.Close())
	WantDictionariesAway(t, o.Dictionaries, d)
}

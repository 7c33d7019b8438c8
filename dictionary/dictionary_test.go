package dictionary_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vaak/dictionary"
	"vaak/dictionary/dictionarytest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text/respell"
)

const alice, bob = "org_alice", "org_bob"

// open returns a service of a store.
func open(t testing.TB, store dictionary.Store) *dictionary.Service {
	t.Helper()
	s, err := dictionary.New(dictionary.Config{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func rule(term, respelling string) respell.Rule {
	return respell.Rule{Term: term, Respelling: respelling}
}

// create makes a dictionary of alice's.
func create(t testing.TB, s *dictionary.Service, name string, rules ...respell.Rule) dictionary.Dictionary {
	t.Helper()
	d, err := s.Create(t.Context(), alice, "key_1", dictionary.Draft{Name: name, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// read applies what a request would use to a text.
func read(t testing.TB, s *dictionary.Service, text string, at ...dictionary.Locator) string {
	t.Helper()
	ds, err := s.Use(t.Context(), alice, at...)
	if err != nil {
		t.Fatal(err)
	}
	return applied(ds, text)
}

func applied(ds respell.Dictionaries, text string) string {
	var b strings.Builder
	at := 0
	for _, m := range ds.Find(text, lang.Tag{Code: "en"}) {
		b.WriteString(text[at:m.Start] + m.Respelling)
		at = m.End
	}
	return b.String() + text[at:]
}

// refused checks an error's kind and code.
func refused(t testing.TB, what string, err error, kind fault.Kind, code string) {
	t.Helper()
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != kind || f.Code != code {
		t.Errorf("%s: %v, want an error of kind %s and code %s", what, err, kind, code)
	}
}

func TestLife(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, &dictionarytest.Memory{})
	d := create(t, s, "  Product names ", rule(" nginx ", "engine x"))
	if d.Name != "Product names" || d.Org != alice || d.CreatedBy != "key_1" || d.Latest.Number != 1 || d.Latest.Rules != 1 {
		t.Errorf("Create() = %+v", d)
	}
	first := d.Latest
	if got := read(t, s, "an nginx", dictionary.Locator{ID: d.ID}); got != "an engine x" {
		t.Errorf("read %q", got)
	}
	steps := []struct {
		name string
		edit func() (dictionary.Version, error)
		want []respell.Rule
	}{
		{"add", func() (dictionary.Version, error) {
			return s.Add(ctx, alice, d.ID, []respell.Rule{rule("kubectl", "cube control")})
		},
			[]respell.Rule{rule("nginx", "engine x"), rule("kubectl", "cube control")}},
		{"replace", func() (dictionary.Version, error) {
			return s.Add(ctx, alice, d.ID, []respell.Rule{rule("NGINX", "en jinx")})
		},
			[]respell.Rule{rule("NGINX", "en jinx"), rule("kubectl", "cube control")}},
		{"remove", func() (dictionary.Version, error) { return s.Remove(ctx, alice, d.ID, []string{"kubectl"}) },
			[]respell.Rule{rule("NGINX", "en jinx")}},
		{"by casing", func() (dictionary.Version, error) {
			if _, err := s.Add(ctx, alice, d.ID, []respell.Rule{rule("Kube", "cube")}); err != nil {
				return dictionary.Version{}, err
			}
			return s.Remove(ctx, alice, d.ID, []string{"kube"})
		}, []respell.Rule{rule("NGINX", "en jinx")}},
		{"languages", func() (dictionary.Version, error) {
			return s.Add(ctx, alice, d.ID, []respell.Rule{{Term: "a", Respelling: "b", Only: []string{"Hindi", "hi", "en-in"}}})
		}, []respell.Rule{rule("NGINX", "en jinx"), {Term: "a", Respelling: "b", Only: []string{"hi", "en-IN"}}}},
		{"set", func() (dictionary.Version, error) {
			return s.Set(ctx, alice, d.ID, []respell.Rule{rule("a", "b"), rule("c", "d")})
		},
			[]respell.Rule{rule("a", "b"), rule("c", "d")}},
		{"remove all", func() (dictionary.Version, error) { return s.Remove(ctx, alice, d.ID, []string{"c", "a"}) }, nil},
	}
	for i, step := range steps {
		v, err := step.edit()
		if err != nil || v.Number < i+2 || v.Rules != len(step.want) {
			t.Errorf("%s: %+v, %v", step.name, v, err)
		}
		got, rules, err := s.Get(ctx, alice, d.ID)
		if diff := cmp.Diff(step.want, rules, cmpopts.EquateEmpty()); err != nil || diff != "" || got.Latest != v {
			t.Errorf("%s: latest is %+v, %v; rules (-want +got):\n%s", step.name, got.Latest, err, diff)
		}
	}
	if got := read(t, s, "an nginx", dictionary.Locator{ID: d.ID}); got != "an nginx" {
		t.Errorf("after the edits read %q", got)
	}
	if got := read(t, s, "an nginx", dictionary.Locator{ID: d.ID, Version: first.ID}); got != "an engine x" {
		t.Errorf("of the first version read %q", got)
	}
	versions, err := s.Versions(ctx, alice, d.ID)
	if err != nil || len(versions) != 9 || versions[8] != first {
		t.Errorf("Versions() = %+v, %v", versions, err)
	}
	if v, rules, err := s.Version(ctx, alice, d.ID, first.ID); err != nil || v != first || len(rules) != 1 {
		t.Errorf("Version() = %+v, %v, %v", v, rules, err)
	}
	if err := s.Delete(ctx, alice, d.ID); err != nil {
		t.Fatal(err)
	}
	_, err = s.Use(ctx, alice, dictionary.Locator{ID: d.ID, Version: first.ID})
	refused(t, "Use after Delete", err, fault.NotFound, dictionary.CodeNotFound)
	refused(t, "Delete twice", s.Delete(ctx, alice, d.ID), fault.NotFound, dictionary.CodeNotFound)
}

// TestOthersAreNotThere asks for everything in the name of another organisation, also
// after the right one has used it.
func TestOthersAreNotThere(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, &dictionarytest.Memory{})
	d := create(t, s, "names", rule("a", "b"))
	own, err := s.Create(ctx, bob, "key_2", dictionary.Draft{Name: "own", Rules: []respell.Rule{rule("x", "y")}})
	if err != nil {
		t.Fatal(err)
	}
	read(t, s, "a", dictionary.Locator{ID: d.ID})
	for _, id := range []string{d.ID, "", "x", strings.ToUpper(d.ID), d.ID + " ", "00000000-0000-4000-8000-000000000000", strings.Repeat("a", 1<<20), "\x00"} {
		for name, do := range map[string]func() error{
			"Use":      func() error { _, err := s.Use(ctx, bob, dictionary.Locator{ID: id}); return err },
			"Get":      func() error { _, _, err := s.Get(ctx, bob, id); return err },
			"Version":  func() error { _, _, err := s.Version(ctx, bob, id, d.Latest.ID); return err },
			"Versions": func() error { _, err := s.Versions(ctx, bob, id); return err },
			"Set":      func() error { _, err := s.Set(ctx, bob, id, []respell.Rule{rule("c", "d")}); return err },
			"Add":      func() error { _, err := s.Add(ctx, bob, id, []respell.Rule{rule("c", "d")}); return err },
			"Remove":   func() error { _, err := s.Remove(ctx, bob, id, []string{"a"}); return err },
			"Delete":   func() error { return s.Delete(ctx, bob, id) },
		} {
			refused(t, fmt.Sprintf("%s(%.40q)", name, id), do(), fault.NotFound, dictionary.CodeNotFound)
		}
	}
	// A version of another dictionary is none of one's own.
	_, err = s.Use(ctx, bob, dictionary.Locator{ID: own.ID, Version: d.Latest.ID})
	refused(t, "Use of a foreign version", err, fault.NotFound, dictionary.CodeNotFound)
	if p, err := s.List(ctx, bob, dictionary.Query{}); err != nil || len(p.Dictionaries) != 1 || p.Dictionaries[0].ID != own.ID {
		t.Errorf("List() = %+v, %v", p, err)
	}
	if _, rules, err := s.Get(ctx, dictionary.Everyone, d.ID); err != nil || len(rules) != 1 {
		t.Errorf("an operator gets %v, %v", rules, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, &dictionarytest.Memory{})
	d := create(t, s, "names", rule("a", "b"))
	many := func(n int) (rules []respell.Rule) {
		for i := range n {
			rules = append(rules, rule(fmt.Sprint("term", i), "x"))
		}
		return rules
	}
	draft := func(name, description string, rules ...respell.Rule) func() error {
		return func() error {
			_, err := s.Create(ctx, alice, "key_1", dictionary.Draft{Name: name, Description: description, Rules: rules})
			return err
		}
	}
	for name, do := range map[string]func() error{
		"no name":         draft(" ", "", rule("a", "b")),
		"long name":       draft(strings.Repeat("n", 201), "", rule("a", "b")),
		"two lines":       draft("a\nb", "", rule("a", "b")),
		"direction":       draft("a\u202eb", "", rule("a", "b")),
		"description":     draft("n", strings.Repeat("d", 1001), rule("a", "b")),
		"no rules":        draft("n", ""),
		"too many rules":  draft("n", "", many(1001)...),
		"an empty term":   draft("n", "", rule(" ", "b")),
		"set to none":     func() error { _, err := s.Set(ctx, alice, d.ID, nil); return err },
		"added too many":  func() error { _, err := s.Add(ctx, alice, d.ID, many(1000)); return err },
		"removed nothing": func() error { _, err := s.Remove(ctx, alice, d.ID, nil); return err },
		"no such term":    func() error { _, err := s.Remove(ctx, alice, d.ID, []string{"a", "zz"}); return err },
		"four":            func() error { _, err := s.Use(ctx, alice, make([]dictionary.Locator, 4)...); return err },
	} {
		refused(t, name, do(), fault.Invalid, fault.CodeInvalidParameter)
	}
	if _, rules, err := s.Get(ctx, alice, d.ID); err != nil || !cmp.Equal(rules, []respell.Rule{rule("a", "b")}) {
		t.Errorf("what was refused changed the dictionary: %v, %v", rules, err)
	}
	if p, err := s.List(ctx, alice, dictionary.Query{}); err != nil || len(p.Dictionaries) != 1 {
		t.Errorf("what was refused made dictionaries: %+v, %v", p, err)
	}
	for range dictionary.MaxPerOrganisation - 1 {
		create(t, s, "n", rule("a", "b"))
	}
	refused(t, "one more", draft("n", "", rule("a", "b"))(), fault.Unprocessable, dictionary.CodeTooMany)
}

// TestEditsAtOnce has many add a rule each at the same time: all of them are there.
func TestEditsAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, &dictionarytest.Memory{})
	d := create(t, s, "names", rule("a", "b"))
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if _, err := s.Add(t.Context(), alice, d.ID, []respell.Rule{rule(fmt.Sprint("term", i), "x")}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	got, rules, err := s.Get(t.Context(), alice, d.ID)
	if err != nil || len(rules) != 9 || got.Latest.Number != 9 {
		t.Errorf("%d rules in version %d, %v", len(rules), got.Latest.Number, err)
	}
}

// slow is a store in which an edit happens while a dictionary is read.
type slow struct {
	*dictionarytest.Memory
	during func()
	gets   int
}

func (s *slow) Get(ctx context.Context, id string) (dictionary.Dictionary, bool, error) {
	d, ok, err := s.Memory.Get(ctx, id)
	s.gets++
	if during := s.during; during != nil {
		s.during = nil
		during()
	}
	return d, ok, err
}

// TestOldIsNotKept has a dictionary edited by another process between the moment it is
// read and the moment it is kept.
func TestOldIsNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory := &dictionarytest.Memory{}
		store := &slow{Memory: memory}
		s, elsewhere := open(t, store), open(t, memory)
		defer s.Close()
		defer elsewhere.Close()
		synctest.Wait() // both watch
		d := create(t, elsewhere, "names", rule("a", "old"))
		at := dictionary.Locator{ID: d.ID}
		store.during = func() {
			if _, err := elsewhere.Set(t.Context(), alice, d.ID, []respell.Rule{rule("a", "new")}); err != nil {
				t.Error(err)
			}
		}
		if got := read(t, s, "a", at); got != "old" {
			t.Errorf("read %q; the edit came later", got)
		}
		if got := read(t, s, "a", at); got != "new" {
			t.Errorf("read %q after the edit", got)
		}
		asked := store.gets
		for range 5 {
			read(t, s, "a", at)
		}
		if store.gets != asked {
			t.Errorf("the store was asked %d times for what is known", store.gets-asked)
		}
		if _, err := elsewhere.Set(t.Context(), alice, d.ID, []respell.Rule{rule("a", "newest")}); err != nil {
			t.Fatal(err)
		}
		if got := read(t, s, "a", at); got != "newest" {
			t.Errorf("read %q after an edit elsewhere", got)
		}
	})
}

// pruned is a store that keeps but the latest version.
type pruned struct{ *dictionarytest.Memory }

func (p pruned) Rules(ctx context.Context, id, version string) (dictionary.Version, []respell.Rule, bool, error) {
	if d, _, err := p.Get(ctx, id); err != nil || d.Latest.ID != version {
		return dictionary.Version{}, nil, false, err
	}
	return p.Memory.Rules(ctx, id, version)
}

// deaf is a store that tells of no changes.
type deaf struct{ pruned }

func (deaf) Watch(ctx context.Context, _ func(string)) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestLatestThatWent has the version that is known go before it was ever used.
func TestLatestThatWent(t *testing.T) {
	t.Parallel()
	store := pruned{&dictionarytest.Memory{}}
	s, elsewhere := open(t, deaf{store}), open(t, store)
	d := create(t, elsewhere, "names", rule("a", "old"))
	if _, err := s.Use(t.Context(), alice, dictionary.Locator{ID: d.ID, Version: "00000000-0000-4000-8000-000000000000"}); err == nil {
		t.Fatal("a version that is not there is used")
	}
	if _, err := elsewhere.Set(t.Context(), alice, d.ID, []respell.Rule{rule("a", "new")}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, s, "a", dictionary.Locator{ID: strings.ToUpper(d.ID)}); got != "new" {
		t.Errorf("read %q", got)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	at := func(id, version string) dictionary.Locator { return dictionary.Locator{ID: id, Version: version} }
	got := dictionary.Merge([]dictionary.Locator{at("a", ""), at("b", "1")}, at("b", "2"), at("c", ""), at("a", "3"), at("c", ""), at("a", "4"))
	if diff := cmp.Diff([]dictionary.Locator{at("a", "3"), at("b", "1"), at("c", "")}, got); diff != "" {
		t.Errorf("Merge() (-want +got):\n%s", diff)
	}
}

// TestList pages through lists of every order and size, and finds each dictionary once.
func TestList(t *testing.T) {
	t.Parallel()
	memory := &dictionarytest.Memory{}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := dictionary.New(dictionary.Config{Store: memory, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var all []dictionary.Dictionary
	for i, name := range []string{"delta", "Alpha", "charlie", "बीटा", "alpha", "Echo", "Echo", strings.Repeat("🙂", 200)} {
		at = at.Add(time.Duration(i/2) * time.Second) // some at the same time
		all = append(all, create(t, s, name, rule("a", "b")))
	}
	rapid.Check(t, func(t *rapid.T) {
		q := dictionary.Query{
			Size:      rapid.IntRange(1, 9).Draw(t, "size"),
			Sort:      rapid.SampledFrom([]dictionary.Sort{"", dictionary.ByCreation, dictionary.ByName}).Draw(t, "sort"),
			Ascending: rapid.Bool().Draw(t, "ascending"),
		}
		var got []dictionary.Dictionary
		for {
			p, err := s.List(context.Background(), alice, q)
			if err != nil || len(p.Dictionaries) > q.Size {
				t.Fatalf("List(%+v) = %d, %v", q, len(p.Dictionaries), err)
			}
			got = append(got, p.Dictionaries...)
			if q.Cursor = p.Next; p.Next == "" {
				break
			}
		}
		order := func(a, b dictionary.Dictionary) int {
			c := a.CreatedAt.Compare(b.CreatedAt)
			if q.Sort == dictionary.ByName {
				c = strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
			}
			if !q.Ascending {
				c = -c
			}
			return c
		}
		seen := map[string]bool{}
		for _, d := range got {
			seen[d.ID] = true
		}
		if len(got) != len(all) || len(seen) != len(all) || !slices.IsSortedFunc(got, order) {
			t.Fatalf("List(%+v) found %d, %d different, of %d", q, len(got), len(seen), len(all))
		}
	})
	for name, q := range map[string]dictionary.Query{
		"size": {Size: 101}, "negative size": {Size: -1}, "sort": {Sort: "colour"}, "cursor": {Cursor: "x"}, "long cursor": {Cursor: strings.Repeat("a", 1<<20)},
		"cursor of another order": {Sort: dictionary.ByName, Cursor: "eyJzIjoiY3JlYXRpb25fdGltZV91bml4IiwiaSI6IngifQ"},
	} {
		_, err := s.List(t.Context(), alice, q)
		refused(t, name, err, fault.Invalid, fault.CodeInvalidParameter)
	}
}

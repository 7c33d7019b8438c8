package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/store/database/databasetest"
	"vaak/store/storetest"
	"vaak/store/storetest/pgtest"
	"vaak/text/respell"
)

func runDictionaries(t *testing.T, dsn func(t *testing.T) string, shared bool) {
	storetest.RunDictionaries(t, func(t *testing.T) storetest.OpenedDictionaries {
		dsn := dsn(t)
		s := openDSN(t, dsn)
		o := storetest.OpenedDictionaries{Dictionaries: s.Dictionaries(), Organisations: s, Close: s.Close}
		if shared {
			o.Again = func(t *testing.T) dictionary.Store { return openDSN(t, dsn).Dictionaries() }
		}
		return o
	})
}

func TestDictionariesSQLite(t *testing.T) {
	t.Parallel()
	runDictionaries(t, sqliteDSN, true)
}

func TestLengthyDictionariesMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("the statements are those of the file; make test runs it")
	}
	t.Parallel()
	runDictionaries(t, func(t *testing.T) string { return "sqlite::memory:" }, false)
}

func TestDictionariesPostgres(t *testing.T) {
	t.Parallel()
	runDictionaries(t, func(t *testing.T) string { return databasetest.Postgres(t) }, true)
}

// testDictionary makes a dictionary of a new organisation, with a rule.
func testDictionary(t *testing.T, s *Store) dictionary.Dictionary {
	t.Helper()
	org := testOrganisation(1)
	if err := s.CreateOrganisation(t.Context(), org); err != nil {
		t.Fatal(err)
	}
	d := dictionary.Dictionary{
		ID: "dictionary", Org: org.ID, Name: "name", CreatedAt: time.UnixMicro(1).UTC(),
		Latest: dictionary.Version{ID: "version 1", Number: 1, Rules: 1, CreatedAt: time.UnixMicro(1).UTC()},
	}
	ok, err := s.Dictionaries().Create(t.Context(), d, testRules, 1)
	if !ok || err != nil {
		t.Fatalf("Create = %v, %v", ok, err)
	}
	return d
}

var testRules = []respell.Rule{{Term: "secret", Respelling: "see cret"}}

// editDictionary makes the next version of d.
func editDictionary(t *testing.T, s *Store, d *dictionary.Dictionary, rules []respell.Rule) {
	t.Helper()
	n := d.Latest.Number + 1
	v := dictionary.Version{ID: fmt.Sprint("version ", n), Number: n, Rules: len(rules), CreatedAt: d.CreatedAt}
	ok, err := s.Dictionaries().Put(t.Context(), d.ID, d.Latest.ID, v, rules)
	if !ok || err != nil {
		t.Fatalf("Put = %v, %v", ok, err)
	}
	d.Latest = v
}

// TestKeptBytes: versions before the latest that take what they may to the byte are
// kept, and a byte more is too much.
func TestKeptBytes(t *testing.T) {
	t.Parallel()
	for more, want := range map[int][]int{0: {4, 3, 2}, 1: {4, 3}} {
		t.Run(fmt.Sprint(more, " more"), func(t *testing.T) {
			t.Parallel()
			s := openDSN(t, sqliteDSN(t))
			d := testDictionary(t, s)
			sized := func(n int) []respell.Rule {
				rules := []respell.Rule{{Term: "t"}}
				rules[0].Respelling = strings.Repeat("x", n-len(`[{"t":"t","r":""}]`))
				return rules
			}
			editDictionary(t, s, &d, sized(dictionary.KeptBytes-1000))
			editDictionary(t, s, &d, sized(1000+more))
			editDictionary(t, s, &d, testRules)
			all, err := s.Dictionaries().Versions(t.Context(), d.ID)
			var got []int
			for _, v := range all {
				got = append(got, v.Number)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("versions %v are kept, %v, want %v", got, err, want)
			}
		})
	}
}

// TestRulesKept: what is kept of a rule is short, what a later program adds is passed
// over, and what is no JSON is an error that does not repeat it.
func TestRulesKept(t *testing.T) {
	t.Parallel()
	s := openDSN(t, sqliteDSN(t))
	d := testDictionary(t, s)
	editDictionary(t, s, &d, []respell.Rule{{Term: "API", Respelling: "A P I"}})
	var text string
	err := s.db.Read.NewRaw("SELECT rules FROM dictionary_versions WHERE id = ?", d.Latest.ID).Scan(t.Context(), &text)
	if err != nil || text != `[{"t":"API","r":"A P I"}]` {
		t.Errorf("a rule is kept as %s, %v", text, err)
	}
	for _, tt := range []struct {
		text string
		want []respell.Rule // nil is an error
	}{
		{`[]`, []respell.Rule{}},
		{` [{"t":"a","r":"b","c":true,"w":true,"o":["hi"],"x":["de"],"later":{"c":[1]}}, {"r":"d","t":"c"}] `, []respell.Rule{
			{Term: "a", Respelling: "b", CaseSensitive: true, InWords: true, Only: []string{"hi"}, Except: []string{"de"}}, {Term: "c", Respelling: "d"},
		}},
		{`[{"t":"secret","r":`, nil},
		{`{"secret":1}`, nil},
		{`["secret"]`, nil},
		{``, nil},
	} {
		if _, err := s.db.Write.ExecContext(t.Context(), "UPDATE dictionary_versions SET rules = ?", tt.text); err != nil {
			t.Fatal(err)
		}
		_, rules, ok, err := s.Dictionaries().Rules(t.Context(), d.ID, d.Latest.ID)
		if diff := cmp.Diff(tt.want, rules); diff != "" || ok != (tt.want != nil) || ok != (err == nil) {
			t.Errorf("Rules of %q: %v, %v, -want +got\n%s", tt.text, ok, err, diff)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || fault.KindOf(err) != fault.Internal) {
			t.Errorf("Rules of %q: %v, want an internal error without the text", tt.text, err)
		}
	}
}

// TestDictionariesBrokenConnection ends the connections that listen, again and again:
// what another process changes is told all the same.
func TestDictionariesBrokenConnection(t *testing.T) {
	t.Parallel()
	dsn := databasetest.Postgres(t)
	s, other := openDSN(t, dsn), openDSN(t, dsn)
	d := testDictionary(t, other)
	seen := storetest.WatchDictionaries(t, s.Dictionaries())
	for range 4 {
		awaitListener(t, other)
		for len(seen) > 0 {
			<-seen // of the edit before
		}
		killListeners(t, other)
		begun := time.Now()
		editDictionary(t, other, &d, testRules)
		storetest.AwaitDictionary(t, seen, d.ID, 5*time.Second)
		t.Logf("told after %v", time.Since(begun))
	}
}

// TestDictionariesInOutage stops the database: every call says that it is away, and
// what changes when it is back is told to who has watched all the time.
func TestDictionariesInOutage(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t)
	dsn := cluster.NewDatabase(t)
	s := openDSN(t, dsn)
	d := testDictionary(t, s)
	seen := storetest.WatchDictionaries(t, s.Dictionaries())
	if err := cluster.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	storetest.WantDictionariesAway(t, s.Dictionaries(), d)
	if err := cluster.Start(); err != nil {
		t.Fatal(err)
	}
	editDictionary(t, openDSN(t, dsn), &d, testRules)
	storetest.AwaitDictionary(t, seen, d.ID, 20*time.Second)
	if got, ok, err := s.Dictionaries().Get(t.Context(), d.ID); !ok || err != nil || got != d {
		t.Errorf("Get = %+v, %v, %v, want %+v", got, ok, err, d)
	}
}

// TestDictionariesSpread tells how long it takes until another process is told.
func TestDictionariesSpread(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     sqliteDSN,
		"PostgreSQL": func(t *testing.T) string { return databasetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const edits = 20
			dsn := dsn(t)
			s, other := openDSN(t, dsn), openDSN(t, dsn)
			d := testDictionary(t, other)
			seen := storetest.WatchDictionaries(t, s.Dictionaries())
			if s.db.Postgres() {
				awaitListener(t, other)
			}
			took := make([]time.Duration, edits)
			for i := range took {
				for len(seen) > 0 {
					<-seen
				}
				editDictionary(t, other, &d, testRules)
				begun := time.Now()
				storetest.AwaitDictionary(t, seen, d.ID, 20*time.Second)
				took[i] = time.Since(begun)
			}
			slices.Sort(took)
			t.Logf("p50 %v, p99 %v, most %v", took[edits/2], took[edits*99/100], took[edits-1])
		})
	}
}

// TestDictionariesInFiles: a copy of the database has the dictionaries.
func TestDictionariesInFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "vaak.db"))
	d := testDictionary(t, s)
	editDictionary(t, s, &d, testRules)
	copied := filepath.Join(dir, "copy.db")
	if err := s.CopyTo(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if _, err := CheckFile(t.Context(), copied); err != nil {
		t.Errorf("CheckFile: %v", err)
	}
	of := openAt(t, copied).Dictionaries()
	if got, ok, err := of.Get(t.Context(), d.ID); !ok || err != nil || got != d {
		t.Errorf("Get from a copy = %+v, %v, %v, want %+v", got, ok, err, d)
	}
	_, rules, ok, err := of.Rules(t.Context(), d.ID, d.Latest.ID)
	if diff := cmp.Diff(testRules, rules); !ok || err != nil || diff != "" {
		t.Errorf("Rules from a copy: %v, %v\n%s", ok, err, diff)
	}
}

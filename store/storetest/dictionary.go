package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// OpenedDictionaries are the dictionaries of one store under test, empty and migrated.
type OpenedDictionaries struct {
	Dictionaries dictionary.Store
	// Organisations are those that dictionaries may belong to.
	Organisations account.OrganisationStore
	// Again opens the same data a second time, as another process would. The cleanup of the
	// test closes it. Nil for a store that only one process may open.
	Again func(t *testing.T) dictionary.Store
	// Close closes the store of Dictionaries, but no store that Again returned.
	Close func() error
}

// RunDictionaries runs the suite of pronunciation dictionaries. Each test calls open
// once for a store of its own, in which there are organisations 1 and 2.
func RunDictionaries(t *testing.T, open func(t *testing.T) OpenedDictionaries) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, o OpenedDictionaries)
	}{
		{"Dictionaries", testDictionaries},
		{"DictionaryText", testDictionaryText},
		{"DictionaryNUL", testDictionaryNUL},
		{"DictionaryLarge", testDictionaryLarge},
		{"DictionaryLists", testDictionaryLists},
		{"DictionaryNames", testDictionaryNames},
		{"DictionaryOfNobody", testDictionaryOfNobody},
		{"DictionaryLimit", testDictionaryLimit},
		{"DictionaryLimitAtOnce", testDictionaryLimitAtOnce},
		{"PutRules", testPutRules},
		{"PutRulesAtOnce", testPutAtOnce},
		{"RulesOfManyEditors", testEditors},
		{"VersionsByNumber", testVersionsByNumber},
		{"VersionsByBytes", testVersionsByBytes},
		{"DeleteDictionary", testDeleteDictionary},
		{"DeleteWhileOthersPut", testDeleteWhilePut},
		{"WatchDictionaries", testWatchDictionaries},
		{"WatchDictionariesOfOthers", testWatchDictionariesOthers},
		{"DictionariesReopened", testDictionariesReopened},
		{"DictionariesCancelled", testDictionariesCancelled},
		{"DictionariesClosed", testDictionariesClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := open(t)
			for n := range 2 {
				check(t, "CreateOrganisation", o.Organisations.CreateOrganisation(t.Context(), organisation(n+1)))
			}
			tt.run(t, o)
		})
	}
}

// uuid returns an id as dictionaries and versions have them.
func uuid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

// lexicon returns dictionary n of an organisation without rules, and its first version.
func lexicon(n, org int) dictionary.Dictionary {
	at := created.Add(time.Duration(n) * time.Microsecond)
	return dictionary.Dictionary{
		ID: uuid(n), Org: id("org_", org), Name: fmt.Sprint("dictionary ", n), Description: "of a test",
		CreatedBy: id("key_", 1), CreatedAt: at, Latest: edition(n, 1, nil),
	}
}

// edition returns version number of dictionary n.
func edition(n, number int, rules []respell.Rule) dictionary.Version {
	return dictionary.Version{
		ID: uuid(n<<20 + number), Number: number, Rules: len(rules), CreatedAt: created.Add(time.Duration(number) * time.Hour),
	}
}

// create makes a dictionary with rules and returns it.
func create(t *testing.T, s dictionary.Store, d dictionary.Dictionary, rules ...respell.Rule) dictionary.Dictionary {
	t.Helper()
	d.Latest.Rules = len(rules)
	ok, err := s.Create(t.Context(), d, rules, dictionary.MaxPerOrganisation)
	check(t, "Create "+d.ID, err)
	if !ok {
		t.Fatalf("Create %s = false, want it made", d.ID)
	}
	return d
}

// putRules makes the next version of d, whose number in the tests is n.
func putRules(t *testing.T, s dictionary.Store, n int, d dictionary.Dictionary, rules ...respell.Rule) dictionary.Dictionary {
	t.Helper()
	v := edition(n, d.Latest.Number+1, rules)
	ok, err := s.Put(t.Context(), d.ID, d.Latest.ID, v, rules)
	check(t, "Put", err)
	if !ok {
		t.Fatalf("Put after version %d = false, want it put", d.Latest.Number)
	}
	d.Latest = v
	return d
}

// wantDictionary checks a dictionary and the rules of its latest version.
func wantDictionary(t *testing.T, s dictionary.Store, want dictionary.Dictionary, rules ...respell.Rule) {
	t.Helper()
	got, ok, err := s.Get(t.Context(), want.ID)
	check(t, "Get", err)
	if !ok {
		t.Fatalf("Get(%s) = none, want one", want.ID)
	}
	same(t, "Get", got, want)
	wantRules(t, s, want.ID, want.Latest, rules...)
}

// wantRules checks a version of a dictionary.
func wantRules(t *testing.T, s dictionary.Store, id string, want dictionary.Version, rules ...respell.Rule) {
	t.Helper()
	v, got, ok, err := s.Rules(t.Context(), id, want.ID)
	check(t, "Rules", err)
	if !ok || len(got) != len(rules) {
		t.Fatalf("Rules of version %d = %d of them, %v, want %d", want.Number, len(got), ok, len(rules))
	}
	same(t, "Rules: version", v, want)
	for i := range rules {
		if !reflect.DeepEqual(got[i], rules[i]) { // quick; to compute the difference is not
			t.Fatalf("Rules: rule %d: -want +got\n%s", i, cmp.Diff(rules[i], got[i]))
		}
	}
}

// wantNoDictionary checks that no call finds a dictionary.
func wantNoDictionary(t *testing.T, s dictionary.Store, d dictionary.Dictionary) {
	t.Helper()
	got, found, err := s.Get(t.Context(), d.ID)
	check(t, "Get", err)
	_, rules, kept, err := s.Rules(t.Context(), d.ID, d.Latest.ID)
	check(t, "Rules", err)
	versions, err := s.Versions(t.Context(), d.ID)
	check(t, "Versions", err)
	if found || kept || len(versions)+len(rules) > 0 || got.ID != "" {
		t.Errorf("of %s there are Get %v, Rules %v, %d versions, want none", d.ID, found, kept, len(versions))
	}
}

// everyOption are rules with every option, alone and together.
var everyOption = []respell.Rule{
	{Term: "API", Respelling: "A P I"},
	{Term: "Polish", Respelling: "Poulish", CaseSensitive: true},
	{Term: "ngin", Respelling: "engine", InWords: true},
	{Term: "API", Respelling: "ए पी आई", Only: []string{"hi", "mr-IN"}},
	{Term: "Lidl", Respelling: "Liedel", Except: []string{"de"}},
	{Term: "a", Respelling: "b", CaseSensitive: true, InWords: true, Only: []string{"zh-Hant"}, Except: []string{"English (India)"}, Alphabet: "x"},
	{Term: "none", Respelling: "none", Only: []string{}, Except: []string{}},
}

// testDictionaries checks that a dictionary is stored with all fields and every option of
// rules.
func testDictionaries(t *testing.T, o OpenedDictionaries) {
	s := o.Dictionaries
	one := create(t, s, lexicon(1, 1), everyOption...)
	bare := lexicon(2, 1)
	bare.Description, bare.CreatedBy = "", ""
	bare = create(t, s, bare)
	wantDictionary(t, s, one, everyOption...)
	wantDictionary(t, s, bare)
	reversed := slices.Clone(everyOption)
	slices.Reverse(reversed)
	next := putRules(t, s, 1, one, reversed...)
	wantDictionary(t, s, next, reversed...)
	wantRules(t, s, one.ID, one.Latest, everyOption...) // a version never changes
	wantDictionary(t, s, bare)
}

// testDictionaryText checks that text of many scripts and kinds is stored unchanged.
func testDictionaryText(t *testing.T, o OpenedDictionaries) {
	for i, text := range []string{
		"भारत", "বাংলা", "தமிழ்", "ಕನ್ನಡ", "മലയാളം", "සිංහල", "မြန်မာ", "ไทย", "ខ្មែរ", "አማርኛ", "العربية", "עברית", "فارسی می\u200cخواهم", "اردو",
		"Ελληνικά", "Русский", "Հայերեն", "ქართული", "中文漢字", "日本語かなカナ", "한국어", "Tiếng Việt", "Yorùbá ẹ̀", "İIıi",
		"👩‍👩‍👧 🎙", "e\u0301", "é", "\u2028\u2029\ufeff\ufffd\U0010ffff", "\x01\x7f\u0085", "a\u200cb\u200dc",
		`'; DROP TABLE dictionaries; --`, `a?b`, `"quoted" \ 'it''s'`, `\'; --`, `\u0000 \n`, "<b>&amp;</b>", "$1 :name @x", "%_*",
		`?!(bun: string contains a NUL byte (0x00))`, `[{"t":"a"}]`,
	} {
		d := lexicon(i+1, 1)
		d.Name, d.Description, d.CreatedBy = text, text+text, text
		rules := []respell.Rule{{Term: text, Respelling: text + " " + text, Only: []string{text}, Except: []string{text, text}}}
		d = create(t, o.Dictionaries, d, rules...)
		wantDictionary(t, o.Dictionaries, d, rules...)
		d = putRules(t, o.Dictionaries, i+1, d, everyOption[0], rules[0])
		wantDictionary(t, o.Dictionaries, d, everyOption[0], rules[0])
	}
}

// testDictionaryNUL checks that rules with text that cannot be stored are refused as a whole.
func testDictionaryNUL(t *testing.T, o OpenedDictionaries) {
	ctx, s := t.Context(), o.Dictionaries
	d := create(t, s, lexicon(1, 1), everyOption...)
	for _, text := range []string{"\x00", "a\x00b", "\xff", "a\xc3"} {
		for name, rule := range map[string]respell.Rule{
			"term": {Term: text}, "respelling": {Respelling: text}, "only": {Only: []string{"hi", text}}, "except": {Except: []string{text}},
		} {
			rules := []respell.Rule{{Term: "a", Respelling: "b"}, rule}
			_, err := s.Create(ctx, lexicon(2, 1), rules, 10)
			wantKind(t, fmt.Sprintf("Create with %q in %s", text, name), err, fault.Invalid)
			_, err = s.Put(ctx, d.ID, d.Latest.ID, edition(1, 2, rules), rules)
			wantKind(t, fmt.Sprintf("Put with %q in %s", text, name), err, fault.Invalid)
		}
	}
	nul := lexicon(2, 1)
	nul.Name = "a\x00b"
	_, err := s.Create(ctx, nul, nil, 10)
	wantKind(t, "Create with U+0000 in its name", err, fault.Invalid)
	wantNoDictionary(t, s, nul)
	wantDictionary(t, s, d, everyOption...)
}

// testDictionaryLarge stores the most rules that a dictionary may have, of the largest size.
func testDictionaryLarge(t *testing.T, o OpenedDictionaries) {
	if testing.Short() {
		t.Skip("megabytes of rules, slow under the race detector: go test without -short runs it")
	}
	languages := make([]string, respell.MaxLanguages)
	for i := range languages {
		languages[i] = fmt.Sprintf("zh-Hant-TW-x-%06d", i)
	}
	rules := make([]respell.Rule, respell.MaxRules)
	for i := range rules {
		rules[i] = respell.Rule{
			Term:       fmt.Sprintf("%04d", i) + strings.Repeat("🎙", respell.MaxTerm-4),
			Respelling: strings.Repeat("\u2028", respell.MaxRespelling), // six bytes each in JSON
			Only:       languages, Except: languages, InWords: true,
		}
	}
	d := create(t, o.Dictionaries, lexicon(1, 1), rules...)
	wantDictionary(t, o.Dictionaries, d, rules...)
	putRules(t, o.Dictionaries, 1, d, rules[1:]...)
	wantKept(t, o.Dictionaries, 1, 2, 1)
}

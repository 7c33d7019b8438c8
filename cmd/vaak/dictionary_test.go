package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"vaak/app/deployment"
	"vaak/dictionary"
	"vaak/dictionary/dictionarytest"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// dictionariesInMemory are dictionaries whose times are 09:00, 09:01 and so on.
func dictionariesInMemory(t *testing.T) (*dictionary.Service, *dictionarytest.Memory) {
	t.Helper()
	store := &dictionarytest.Memory{}
	now := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	all, err := dictionary.New(dictionary.Config{Store: store, Now: func() time.Time {
		defer func() { now = now.Add(time.Minute) }()
		return now
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Close)
	return all, store
}

// twoVersions makes a dictionary with two versions, the second of which has every
// option, and a rule that would not be taken.
func twoVersions(t *testing.T, all *dictionary.Service, store *dictionarytest.Memory) (d dictionary.Dictionary, second dictionary.Version) {
	t.Helper()
	draft := dictionary.Draft{Name: "Terms", Description: "Of the product", Rules: []respell.Rule{{Term: "API", Respelling: "A P I"}}}
	d, err := all.Create(t.Context(), "org_a", "key_a", draft)
	second = dictionary.Version{ID: "99eaf880-d75c-4492-8e0f-a2bc89225621", Number: 2, Rules: 3, CreatedAt: d.CreatedAt.Add(time.Minute)}
	if err == nil {
		_, err = store.Put(t.Context(), d.ID, d.Latest.ID, second, []respell.Rule{
			{Term: "API", Respelling: "ए पी आई", Only: []string{"hi", "mr"}},
			{Term: "nginx", Respelling: "engine x", CaseSensitive: true, InWords: true, Except: []string{"ta"}},
			{Term: "a\tb", Respelling: "x\x1b[2J"},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return d, second
}

// TestShowDictionary prints a version with its rules, which do nothing to a terminal.
func TestShowDictionary(t *testing.T) {
	t.Parallel()
	all, store := dictionariesInMemory(t)
	d, second := twoVersions(t, all, store)
	head := "id\t" + d.ID + "\norganisation\torg_a\nname\tTerms\ndescription\tOf the product\ncreated\t2026-01-31T09:00:00Z\ncreated_by\tkey_a\n"
	of := func(name string, v dictionary.Version, at string) string {
		return fmt.Sprintf("%s\t%d\t%s\t%d\t2026-01-31T%sZ\n", name, v.Number, v.ID, v.Rules, at)
	}
	rules := "rule\tAPI\tए पी आई\tonly_languages=hi,mr\n" +
		"rule\tnginx\tengine x\tcase_sensitive=true word_boundaries=false except_languages=ta\n" +
		"rule\ta\\tb\tx\\x1b[2J\t-\n"
	latest := head + of("version", second, "09:01:00") + of("other_version", d.Latest, "09:00:00") + rules
	first := head + of("version", d.Latest, "09:00:00") + of("other_version", second, "09:01:00") + "rule\tAPI\tA P I\t-\n"
	for version, want := range map[string]string{"": latest, "2": latest, second.ID: latest, "1": first, d.Latest.ID: first} {
		var out bytes.Buffer
		if err := (dictionaryShowCommand{ID: d.ID, Version: version}).print(t.Context(), streams{out: &out}, all); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("version %q (-want +got):\n%s", version, diff)
		}
	}
	for id, version := range map[string]string{d.ID: "3", "x\x1b": "", second.ID: "1"} {
		var out bytes.Buffer
		err := (dictionaryShowCommand{ID: id, Version: version}).print(t.Context(), streams{out: &out}, all)
		if fault.KindOf(err) != fault.NotFound || out.Len() > 0 || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("show %q --version %q = %v after %q, want that there is none", id, version, err, &out)
		}
	}
}

// TestDictionaryAsJSON prints all of it, in characters that do nothing to a terminal.
func TestDictionaryAsJSON(t *testing.T) {
	t.Parallel()
	all, store := dictionariesInMemory(t)
	d, second := twoVersions(t, all, store)
	var out bytes.Buffer
	if err := (dictionaryShowCommand{ID: d.ID, JSON: true}).print(t.Context(), streams{out: &out}, all); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\t") {
		t.Errorf("%q does something to a terminal", &out)
	}
	want := fmt.Sprintf(`{"id":%q,"organisation":"org_a","name":"Terms","description":"Of the product","created":"2026-01-31T09:00:00Z","created_by":"key_a",`+
		`"latest_version":{"version_id":%[3]q,"number":2,"version_rules_num":3,"created":"2026-01-31T09:01:00Z"},`+
		`"version":{"version_id":%[3]q,"number":2,"version_rules_num":3,"created":"2026-01-31T09:01:00Z"},`+
		`"versions":[{"version_id":%[3]q,"number":2,"version_rules_num":3,"created":"2026-01-31T09:01:00Z"},{"version_id":%[2]q,"number":1,"version_rules_num":1,"created":"2026-01-31T09:00:00Z"}],`+
		`"rules":[{"string_to_replace":"API","alias":"ए पी आई","case_sensitive":false,"word_boundaries":true,"only_languages":["hi","mr"]},`+
		`{"string_to_replace":"nginx","alias":"engine x","case_sensitive":true,"word_boundaries":false,"except_languages":["ta"]},`+
		`{"string_to_replace":"a\tb","alias":"x\u001b[2J","case_sensitive":false,"word_boundaries":true}]}`, d.ID, d.Latest.ID, second.ID)
	var compact bytes.Buffer
	if err := json.Compact(&compact, out.Bytes()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, compact.String()); diff != "" {
		t.Errorf("JSON differs (-want +got):\n%s", diff)
	}
}

// TestListDictionaries prints those of everybody or of one organisation, however many
// there are, the oldest first.
func TestListDictionaries(t *testing.T) {
	t.Parallel()
	all, _ := dictionariesInMemory(t)
	var want []string
	for i := range dictionary.MaxPage + 10 {
		draft := dictionary.Draft{Name: fmt.Sprint("Terms ", i), Rules: []respell.Rule{{Term: "API", Respelling: "A P I"}}}
		d, err := all.Create(t.Context(), fmt.Sprint("org_", i%2), "key_a", draft)
		if err != nil {
			t.Fatal(err)
		}
		at := d.CreatedAt.Format(time.RFC3339)
		want = append(want, fmt.Sprintf("%s\torg_%d\tTerms %d\t1\t1\t%s\t%s\tkey_a", d.ID, i%2, i, at, at))
	}
	for org, of := range map[string][]string{"": want, "org_1": everySecond(want, 1), "org_2": nil} {
		var out, asJSON bytes.Buffer
		err := errors.Join((dictionaryListCommand{Org: org}).print(t.Context(), streams{out: &out}, all),
			(dictionaryListCommand{Org: org, JSON: true}).print(t.Context(), streams{out: &asJSON}, all))
		if diff := cmp.Diff(of, slices.Collect(fields(out.String()))); diff != "" || err != nil {
			t.Errorf("of %q: %v (-want +got):\n%s", org, err, diff)
		}
		var listed []dictionaryJSON
		if err := json.Unmarshal(asJSON.Bytes(), &listed); err != nil || listed == nil || len(listed) != len(of) {
			t.Errorf("of %q as JSON: %d, want %d (%v)", org, len(listed), len(of), err)
		}
	}
}

func everySecond(all []string, from int) (some []string) {
	for i := from; i < len(all); i += 2 {
		some = append(some, all[i])
	}
	return some
}

// fields are the lines of a text.
func fields(text string) func(func(string) bool) {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' })
}

// keepDictionary, as `dictionary VARIABLE ORG NAME TERM ALIAS…`, makes a dictionary of
// an organisation and puts its id into a variable of the script.
func keepDictionary(ts *testscript.TestScript, _ bool, args []string) {
	var rules []respell.Rule
	for pair := range slices.Chunk(args[3:], 2) {
		rules = append(rules, respell.Rule{Term: pair[0], Respelling: pair[1]})
	}
	ctx := context.Background()
	var stderr bytes.Buffer
	place := deployment.Place{DataDir: ts.Getenv("VAAK_DATA_DIR")}
	db, err := place.Open(ctx, slog.New(slog.NewTextHandler(&stderr, nil)))
	ts.Check(err)
	all, err := dictionary.New(dictionary.Config{Store: db.Dictionaries()})
	if err != nil {
		ts.Check(errors.Join(err, db.Close()))
	}
	d, err := all.Create(ctx, args[1], "key_script", dictionary.Draft{Name: args[2], Rules: rules})
	all.Close()
	ts.Check(errors.Join(err, db.Close()))
	ts.Setenv(args[0], d.ID)
}

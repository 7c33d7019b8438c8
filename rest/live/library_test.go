package live

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vaak/account"
	"vaak/dictionary"
	"vaak/dictionary/dictionarytest"
	"vaak/rest/live/message"
	"vaak/text/respell"
)

// Dictionaries of the tests, all but the last of the organisation that asks.
const (
	acronyms = message.ExampleDictionary // of two versions
	names    = "1f6d2b90-8c47-4e0a-b5d3-90a17c2e64f8"
	places   = "2e7c3a81-9d58-4f1b-a6e4-81b28d3f75a9"
	brands   = "3d8b4972-ae69-4a2c-97f5-72c39e4a86ba"
	foreign  = "4c9a5863-bf7a-4b3d-88a6-63d4af5b97cb"

	acronymsFirst  = "5d3c9a10-7f24-4b8e-8a61-2c90e4d7f1b5"
	acronymsSecond = "6e4dab21-8a35-4c9f-9b72-3da1f5e802c6"
)

// library is the dictionaries of the tests, and how many were looked up.
type library struct {
	*dictionary.Service
	looked atomic.Int64
}

func (l *library) Use(ctx context.Context, org string, locators ...dictionary.Locator) (respell.Dictionaries, error) {
	l.looked.Add(int64(len(locators)))
	return l.Service.Use(ctx, org, locators...)
}

// newLibrary returns them; the rules of none apply to the texts of the tests.
func newLibrary(t testing.TB) *library {
	t.Helper()
	store := &dictionarytest.Memory{}
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	rules := func(term string) []respell.Rule { return []respell.Rule{{Term: term, Respelling: "ex ex"}} }
	for i, id := range []string{acronyms, names, places, brands, foreign} {
		d := dictionary.Dictionary{
			ID: id, Org: account.Local.OrgID, Name: id, CreatedAt: at,
			Latest: dictionary.Version{ID: fmt.Sprintf("7f5ebc32-9b46-4da0-ac83-4eb206f9130%d", i), Number: 1, Rules: 1, CreatedAt: at},
		}
		switch id {
		case acronyms:
			d.Latest.ID = acronymsFirst
		case foreign:
			d.Org = "another"
		}
		if ok, err := store.Create(t.Context(), d, rules("XX"+id[:1]), dictionary.MaxPerOrganisation); !ok || err != nil {
			t.Fatalf("Create = %v, %v", ok, err)
		}
	}
	second := dictionary.Version{ID: acronymsSecond, Number: 2, Rules: 1, CreatedAt: at}
	if ok, err := store.Put(t.Context(), acronyms, acronymsFirst, second, rules("XXQ")); !ok || err != nil {
		t.Fatalf("Put = %v, %v", ok, err)
	}
	s, err := dictionary.New(dictionary.Config{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &library{Service: s}
}

// ready returns dictionaries as a session should have them: each is an id, or an id, an @
// and a version.
func (l *library) ready(t testing.TB, names ...string) respell.Dictionaries {
	t.Helper()
	var all respell.Dictionaries
	for _, name := range names {
		var at dictionary.Locator
		at.ID, at.Version, _ = strings.Cut(name, "@")
		found, err := l.Service.Use(t.Context(), account.Local.OrgID, at)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// locators returns the JSON of a list of them, each as for ready.
func locators(names ...string) string {
	var all []string
	for _, name := range names {
		id, version, _ := strings.Cut(name, "@")
		entry := `{"pronunciation_dictionary_id":"` + id + `"`
		if version != "" {
			entry += `,"version_id":"` + version + `"`
		}
		all = append(all, entry+"}")
	}
	return `"pronunciation_dictionary_locators":[` + strings.Join(all, ",") + `]`
}

package console

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/store"
	"vaak/voice"
)

// Sizes of the organisation of TestSoakOverviewOfMillion.
const (
	largeKeys   = 40
	largeDays   = 100
	largeVoices = 250
)

// TestSoakOverviewOfMillion renders the overview and the list of requests of an
// organisation with 1,000,000 rows of use and 100,000 requests in a database, adds the
// numbers up, and logs how long the pages took.
func TestSoakOverviewOfMillion(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("fills a database for a minute: make soak")
	}
	t.Parallel()
	db := openDatabase(t)
	w := newWorld(t, func(w *world, cfg *Config) {
		if err := w.accounts.Close(t.Context()); err != nil { // the books in memory are not used
			t.Fatal(err)
		}
		accounts, err := account.New(account.Config{Store: db})
		if err != nil {
			t.Fatal(err)
		}
		w.accounts, cfg.Accounts = accounts, accounts
	})
	fill(t, w, db)
	b, at := w.as(t, w.member), "/o/"+w.acme.ID
	const each = largeKeys * largeVoices * 3 // characters of a day
	for _, tt := range []struct{ path, want string }{
		{at, page.Whole(30*each) + " characters by day"},
		{at + "?days=90", page.Whole(90*each) + " characters by day"},
		{at + "?days=30&by=voice", page.Whole(30*each) + " characters by day"},
		{at + "?days=90&by=voice", page.Whole(90*each) + " characters by day"},
		{at + "?days=90&by=language", page.Whole(90*each) + " characters by day"},
		{at + "/requests", `rel="next">Next<`},
		{at + "/requests?outcome=failed", "rate_limit_exceeded"},
		{at + "/keys", " requests of key 39"},
	} {
		var took []time.Duration
		for range 3 {
			began := time.Now()
			has(t, shown(t, b.get(tt.path), http.StatusOK), tt.want)
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("%s: median %v, worst %v", tt.path[len(at):], took[1].Round(time.Millisecond/10), took[2].Round(time.Millisecond/10))
	}
}

func openDatabase(t *testing.T) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: "sqlite:" + filepath.Join(t.TempDir(), "vaak.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// fill writes the use of each key in each voice on each of the last days, and requests,
// one in a hundred of which failed.
func fill(t *testing.T, w *world, db *store.Store) {
	t.Helper()
	began := time.Now()
	var keys []account.Key
	for i := range largeKeys {
		keys = append(keys, w.key(t, w.acme.ID, fmt.Sprint("key ", i)))
	}
	voices := voice.All()
	// The days are those before tomorrow, as they are now: midnight may come while the database
	// is filled, and before the pages are asked for.
	days := make([]string, largeDays)
	for i := range days {
		days[i] = dayAgo(i - 1)
	}
	for _, k := range keys {
		err := db.Post(t.Context(), account.Opening{Orgs: []string{w.acme.ID}}, func(time.Time, map[string]*ledger.Book) (account.Posting, error) {
			uses := make([]account.Use, 0, largeDays*largeVoices)
			for _, day := range days {
				for _, v := range voices[:largeVoices] {
					uses = append(uses, account.Use{
						OrgID: w.acme.ID, KeyID: k.ID, Day: day, Voice: string(v.ID), Language: string(v.Native),
						Requests: 1, Characters: 3, Audio: time.Second,
					})
				}
			}
			return account.Posting{Uses: uses}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range 100 {
		records := asked(w.acme.ID, keys[n%largeKeys].ID, 1000)
		for i := range records {
			if records[i].At = time.Now().Add(-time.Duration(1000*n+i) * 100 * time.Millisecond); i%100 == 0 {
				records[i].Status, records[i].Code = 429, "rate_limit_exceeded"
			}
		}
		if err := db.AddRequests(t.Context(), records); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("filling took %v", time.Since(began).Round(time.Second))
}

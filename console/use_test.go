package console

import (
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// key makes a key of an organisation.
func (w *world) key(t testing.TB, orgID, label string) account.Key {
	t.Helper()
	_, k, err := w.accounts.CreateKey(t.Context(), orgID, account.KeyRequest{Label: label})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// used writes down what was used.
func (w *world) used(t testing.TB, orgID string, uses ...account.Use) {
	t.Helper()
	for i := range uses {
		uses[i].OrgID = orgID
	}
	err := w.books.Post(t.Context(), account.Opening{Orgs: []string{orgID}}, func(time.Time, map[string]*ledger.Book) (account.Posting, error) {
		return account.Posting{Uses: uses}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// recorded writes down requests.
func (w *world) recorded(t testing.TB, records ...account.RequestRecord) {
	t.Helper()
	if err := w.books.AddRequests(t.Context(), records); err != nil {
		t.Fatal(err)
	}
}

// dayAgo returns the day so many days ago, as use is written down.
func dayAgo(n int) string { return time.Now().UTC().AddDate(0, 0, -n).Format(time.DateOnly) }

package console

import (
	"net/http"
	"testing"

	"vaak/account"
	"vaak/store"
	"vaak/token"
)

// TestTokens lists the open tokens of an organisation on the page of its keys, and revokes one.
func TestTokens(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), store.Config{DSN: "sqlite::memory:"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(w *world, cfg *Config) {
		if cfg.Tokens, err = token.New(token.Config{Store: db.Tokens(), Keys: w.accounts}); err != nil {
			t.Fatal(err)
		}
	})
	for _, o := range []account.Organisation{w.acme, w.other} {
		if err := db.CreateOrganisation(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	_, k, err := w.accounts.CreateKey(t.Context(), w.acme.ID, account.KeyRequest{Label: "of the page"})
	if err != nil {
		t.Fatal(err)
	}
	caller := account.Caller{OrgID: w.acme.ID, KeyID: k.ID}
	b, at := w.as(t, w.member), "/o/"+w.acme.ID
	lacks(t, shown(t, b.get(at+"/keys"), http.StatusOK), "Open tokens")
	secret, made, err := w.Tokens.Make(t.Context(), caller, token.Limits{Language: "hi", MaxCharacters: 2000, Origins: []string{"https://app.example.org"}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, any, err := w.Tokens.Make(t.Context(), account.Caller{OrgID: w.acme.ID, KeyID: account.ConsoleKey}, token.Limits{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	body := shown(t, b.get(at+"/keys"), http.StatusOK)
	has(t, body, "Open tokens", made.ID, "made by <bdi>of the page</bdi>", "in 4 minutes", "language hi", "2,000 characters", "https://app.example.org", any.ID, "The console", "any page")
	lacks(t, body, secret)
	lacks(t, shown(t, w.as(t, w.another).get("/o/"+w.other.ID+"/keys"), http.StatusOK), made.ID)

	shown(t, w.as(t, w.another).post("/o/"+w.other.ID+"/tokens/"+made.ID+"/revoke"), http.StatusNotFound)
	shown(t, w.as(t, w.another).post(at+"/tokens/"+made.ID+"/revoke"), http.StatusNotFound)
	if _, _, err := w.Tokens.Find(t.Context(), secret, "https://app.example.org"); err != nil {
		t.Errorf("another organisation revoked it: %v", err)
	}
	moved(t, b.post(at+"/tokens/"+made.ID+"/revoke"), at+"/keys")
	if _, _, err := w.Tokens.Find(t.Context(), secret, "https://app.example.org"); err == nil {
		t.Error("the token is good after it was revoked")
	}
	body = shown(t, b.get(at+"/keys"), http.StatusOK)
	has(t, body, "The token is revoked", any.ID)
	lacks(t, body, made.ID)
	shown(t, b.post(at+"/tokens/"+made.ID+"/revoke"), http.StatusNotFound)
}

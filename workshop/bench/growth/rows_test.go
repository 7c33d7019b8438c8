package growth

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"vaak/store"
	"vaak/workshop/bench/catalogue"
	"vaak/workshop/bench/rig"
)

// newState returns a data directory with an organisation and a key.
func newState(t *testing.T) (state string, db *sql.DB) {
	t.Helper()
	state = t.TempDir()
	s, err := store.Open(t.Context(), store.Config{DSN: "sqlite:" + filepath.Join(state, databaseFile)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = sql.Open("sqlite", "file:"+filepath.Join(state, databaseFile)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, q := range []string{
		"INSERT INTO organisations (id, name, plan, created_at) VALUES ('org_bench', 'bench', 'free', 1)",
		"INSERT INTO api_keys (id, org_id, label, hash, last_four, created_at) VALUES ('key_bench', 'org_bench', 'bench', randomblob(32), 'abcd', 1)",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return state, db
}

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFill fills the tables as they are now, so that a change of them shows here.
func TestFill(t *testing.T) {
	t.Parallel()
	const n = 1100
	for _, tt := range []struct {
		name string
		rows func(owner, int) []statement
		want map[string]int // rows by query
	}{
		{"organisations", organisations, map[string]int{
			"SELECT count(*) FROM organisations": n + 1, "SELECT count(DISTINCT hash) FROM api_keys": n + 1, "SELECT count(*) FROM lots WHERE is_open": n,
			"SELECT count(*) FROM dictionary_versions v JOIN dictionaries d ON d.latest_id = v.id": n,
		}},
		{"keys", keys, map[string]int{"SELECT count(*) FROM api_keys k JOIN organisations o ON o.id = k.org_id": n + 1, "SELECT count(*) FROM key_months": n}},
		{"usage", usage, map[string]int{
			"SELECT count(*) FROM requests WHERE at > unixepoch('now', '-30 days') * 1000000 AND at <= unixepoch('now') * 1000000": n,
			"SELECT count(DISTINCT day) FROM organisation_days WHERE kind = 'voice'":                                               365, "SELECT count(*) FROM usage_days": n,
		}},
		{"rules", rules, map[string]int{"SELECT json_array_length(rules) FROM dictionary_versions": n, "SELECT latest_rules FROM dictionaries": n}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			state, db := newState(t)
			o, err := fill(t.Context(), state, n, tt.rows)
			if err != nil || o != (owner{"org_bench", "key_bench", "free"}) {
				t.Fatalf("fill = %+v, %v", o, err)
			}
			for query, want := range tt.want {
				if got := count(t, db, query); got != want {
					t.Errorf("%s = %d, want %d", query, got, want)
				}
			}
		})
	}
}

// TestLikes checks that records beyond the first have names of their own, also in the record itself.
func TestLikes(t *testing.T) {
	t.Parallel()
	state, db := newState(t)
	const n = wholeRecords + 50
	if err := datasets(t.Context(), state, n); err != nil {
		t.Fatal(err)
	}
	if _, err := fill(t.Context(), state, n, likes); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		"SELECT count(DISTINCT slug) FROM datasets": n, "SELECT max(revision) FROM datasets": n, "SELECT version FROM versions WHERE topic = 'catalogue'": n,
		"SELECT count(*) FROM datasets WHERE instr(entry, slug) > 0 AND instr(record, id) > 0": n,
	} {
		if got := count(t, db, query); got != want {
			t.Errorf("%s = %d, want %d", query, got, want)
		}
	}
	slugs, err := some(t.Context(), state, 30, n)
	if err != nil || len(slugs) != 30 {
		t.Errorf("some = %d slugs, %v; want 30", len(slugs), err)
	}
	if searches, lists := catalogue.Pages(n, 7); len(searches) != 7 || len(lists) != 7 {
		t.Errorf("Pages = %d and %d, want 7 each", len(searches), len(lists))
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	if err := os.WriteFile(filepath.Join(state, "console-setup-token"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	console := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.PostFormValue("token") != "secret" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "console", Value: "x"})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}))
	defer console.Close()
	if got, err := signIn(t.Context(), console.Listener.Addr().String(), state); err != nil || got != "console=x" {
		t.Errorf("signIn = %q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(state, "console-setup-token"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := signIn(t.Context(), console.Listener.Addr().String(), state); err == nil {
		t.Errorf("signIn with another token = %q, want an error", got)
	}
}

// TestAxes checks that each axis has the sizes of the plan or what an organisation may have of them.
func TestAxes(t *testing.T) {
	t.Parallel()
	for _, a := range axes(rig.FullPlan) {
		last := a.sizes[len(a.sizes)-1]
		if len(a.sizes) != 4 || last != 100_000 && last != 1000 || a.sizes[3] != 10*a.sizes[2] {
			t.Errorf("%s has the sizes %v", a.of, a.sizes)
		}
	}
}

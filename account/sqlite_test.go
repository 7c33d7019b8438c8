package account_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/pause"
	"vaak/store"
)

// openSQLite opens the database at path, which it closes with the test.
func openSQLite(t testing.TB, path string, now func() time.Time) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{DSN: "sqlite:" + path, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func tempPath(t testing.TB) string { return filepath.Join(t.TempDir(), "vaak.db") }

// TestServiceOnSQLite runs the suite of TestService on a true database.
func TestServiceOnSQLite(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T, now func() time.Time) account.Store { return openSQLite(t, tempPath(t), now) })
}

// TestTwoProcesses works with two services on one file, as a command beside a
// running server does.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	server := newService(t, account.Config{Store: openSQLite(t, path, nil)})
	command := newService(t, account.Config{Store: openSQLite(t, path, nil)})
	server.Start(t.Context())
	secret, k, c := newKey(t, server, "free")
	ctx, stop := server.Session(t.Context(), c)
	defer stop()
	if err := speak(t.Context(), server, c, 12, time.Second); err != nil {
		t.Fatal(err)
	}
	if got := balance(t, command, c); got != 9_988 {
		t.Errorf("balance seen by the other process = %d, want 9988", got)
	}
	if err := command.RevokeKey(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	late, cancel := pause.Within(t.Context(), 6*time.Second)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-late.Done():
		t.Error("the session did not end within 6 s of the revocation")
	}
	_, err := server.Authenticate(t.Context(), secret)
	wantFault(t, "the next request", err, fault.Unauthenticated, fault.CodeInvalidKey)
}

// TestSecretsAreNotKept checks that no file of the database holds the secret.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	svc := newService(t, account.Config{Store: openSQLite(t, path, nil)})
	secret, _, c := newKey(t, svc, "free")
	if err := speak(t.Context(), svc, c, 10, 0); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("files = %v, %v, want the database and its WAL", files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		random := strings.TrimPrefix(secret[:len(secret)-4], account.SecretPrefix)
		if bytes.Contains(b, []byte(account.SecretPrefix)) || bytes.Contains(b, []byte(random)) {
			t.Errorf("%s holds a secret", file)
		}
	}
}

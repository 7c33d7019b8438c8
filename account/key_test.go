package account_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/internal/fault"
)

func TestOrganisation(t *testing.T) {
	t.Parallel()
	ctx, svc := t.Context(), newService(t, openStore(t, tempPath(t)))
	want, err := svc.CreateOrganisation(ctx, "Example", "")
	if err != nil {
		t.Fatal(err)
	}
	if want.Plan != account.PlanUnlimited || want.Created.Nanosecond() != 123_456_000 {
		t.Errorf("CreateOrganisation = %+v, want plan unlimited and a time in microseconds", want)
	}
	byID, err := svc.Organisation(ctx, want.ID)
	if err != nil || byID != want {
		t.Errorf("Organisation = %+v, %v, want %+v", byID, err, want)
	}
	all, err := svc.Organisations(ctx)
	if err != nil || len(all) != 1 || all[0] != want {
		t.Errorf("Organisations = %+v, %v, want %+v alone", all, err, want)
	}
	_, err = svc.CreateOrganisation(ctx, "Example", "")
	wantFault(t, "same name", err, fault.Conflict, account.CodeOrganisationExists)
	for _, id := range []string{"", "org_", "org_aaaaaaaaaaaaaaaa", "org_aaaaaaaaaaaaaaa\x00", "key_aaaaaaaaaaaaaaaa", "Example"} {
		_, err = svc.Organisation(ctx, id)
		wantFault(t, "unknown id "+id, err, fault.NotFound, fault.CodeNotFound)
		_, _, err = svc.CreateKey(ctx, id, "label")
		wantFault(t, "key of unknown id "+id, err, fault.NotFound, fault.CodeNotFound)
		_, err = svc.Keys(ctx, id)
		wantFault(t, "keys of unknown id "+id, err, fault.NotFound, fault.CodeNotFound)
		_, err = svc.Usage(ctx, id, "2026-02")
		wantFault(t, "usage of unknown id "+id, err, fault.NotFound, fault.CodeNotFound)
	}
	_, err = svc.CreateOrganisation(ctx, "Other", "growth")
	wantFault(t, "unknown plan", err, fault.Invalid, fault.CodeInvalidParameter)
	if !strings.Contains(err.Error(), `"growth"`) || !strings.Contains(err.Error(), "available: unlimited") {
		t.Errorf("unknown plan: %q does not say what was sent and what is available", err)
	}
	_, err = svc.Usage(ctx, want.ID, "February")
	wantFault(t, "no period", err, fault.Invalid, fault.CodeInvalidParameter)
}

func TestNames(t *testing.T) {
	t.Parallel()
	ctx, svc := t.Context(), newService(t, openStore(t, tempPath(t)))
	o, err := svc.CreateOrganisation(ctx, strings.Repeat("भ", account.MaxName), "")
	if err != nil {
		t.Fatalf("a name of %d code points: %v", account.MaxName, err)
	}
	for _, tt := range []struct{ name, sent string }{
		{"empty", ""},
		{"blank", " \u00a0 "},
		{"too long", strings.Repeat("x", account.MaxName+1)},
		{"NUL", "a\x00b"},
		{"line feed", "a\nb"},
		{"C1 control", "a\u0085b"},
		{"invalid UTF-8", "a\xffb"},
		{"a secret", "my sk_live_abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := svc.CreateOrganisation(ctx, tt.sent, "")
			wantFault(t, "CreateOrganisation", err, fault.Invalid, fault.CodeInvalidParameter)
			_, _, err = svc.CreateKey(ctx, o.ID, tt.sent)
			wantFault(t, "CreateKey", err, fault.Invalid, fault.CodeInvalidParameter)
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	ctx, svc := t.Context(), newService(t, openStore(t, tempPath(t)))
	secret, want, c := newKey(t, svc)
	if c != (account.Caller{OrgID: want.OrgID, KeyID: want.ID, Plan: account.PlanUnlimited}) {
		t.Errorf("Authenticate = %+v", c)
	}
	if want.Display != "sk_live_…"+secret[len(secret)-4:] {
		t.Errorf("Display = %q of a secret that ends in %q", want.Display, secret[len(secret)-4:])
	}
	got, err := svc.Keys(ctx, want.OrgID)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]account.Key{want}, got); d != "" {
		t.Errorf("Keys: -want +got\n%s", d)
	}
	for _, id := range []string{"", "key_aaaaaaaaaaaaaaaa", "key_'", "key_\x00", want.OrgID} {
		wantFault(t, "RevokeKey "+id, svc.RevokeKey(ctx, id), fault.NotFound, fault.CodeNotFound)
	}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), openStore(t, tempPath(t))
	svc := newService(t, db)
	secret, k, _ := newKey(t, svc)
	stranger, _, _ := newKey(t, newService(t, openStore(t, tempPath(t))))
	for name, sent := range map[string]string{
		"stranger":        stranger,
		"cut":             secret[:len(secret)-1],
		"one more":        secret + "0",
		"other case":      strings.ToUpper(secret),
		"space":           " " + secret,
		"prefix only":     account.SecretPrefix,
		"NUL":             "\x00",
		"invalid UTF-8":   "\xff\xfe",
		"very long":       strings.Repeat(secret, 10_000),
		"another product": "sk-proj-0123456789",
	} {
		_, err := svc.Authenticate(ctx, sent)
		wantFault(t, name, err, fault.Unauthenticated, fault.CodeInvalidKey)
		if len(sent) > 4 && strings.Contains(err.Error(), sent) {
			t.Errorf("%s: the error shows the key", name)
		}
	}
	_, err := svc.Authenticate(ctx, "")
	wantFault(t, "no key", err, fault.Unauthenticated, fault.CodeMissingKey)

	if err := svc.RevokeKey(ctx, k.ID); err != nil {
		t.Fatal(err)
	}
	_, err = svc.Authenticate(ctx, secret)
	wantFault(t, "revoked", err, fault.Unauthenticated, fault.CodeInvalidKey)
	if err := svc.RevokeKey(ctx, k.ID); err != nil {
		t.Errorf("RevokeKey again: %v", err)
	}
}

// TestRevokedByAnother revokes through a second store on the same file, as a
// command beside a running server does.
func TestRevokedByAnother(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), tempPath(t)
	server := newService(t, openStore(t, path))
	secret, k, _ := newKey(t, server)
	if err := newService(t, openStore(t, path)).RevokeKey(ctx, k.ID); err != nil {
		t.Fatal(err)
	}
	_, err := server.Authenticate(ctx, secret)
	wantFault(t, "the next request", err, fault.Unauthenticated, fault.CodeInvalidKey)
}

func TestAuthenticateWithoutStore(t *testing.T) {
	t.Parallel()
	db := openStore(t, tempPath(t))
	svc := newService(t, db)
	secret, _, _ := newKey(t, svc)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := svc.Authenticate(t.Context(), secret)
	wantFault(t, "closed store", err, fault.Unavailable, fault.CodeStoreUnavailable)
	_, err = svc.Authenticate(t.Context(), "nonsense")
	wantFault(t, "a malformed key needs no store", err, fault.Unauthenticated, fault.CodeInvalidKey)
}

// TestSecretsAreNotKept looks for the secret in everything that is written.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), tempPath(t)
	db := openStore(t, path)
	var log bytes.Buffer
	svc, err := account.New(account.Config{Store: db, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	secret, k, c := newKey(t, svc)
	if err := speak(ctx, svc, c, 10, 0); err != nil {
		t.Fatal(err)
	}
	if err := svc.RevokeKey(ctx, k.ID); err != nil {
		t.Fatal(err)
	}
	look := func(what string, b []byte) {
		random := secret[len(account.SecretPrefix) : len(secret)-4]
		if bytes.Contains(b, []byte(account.SecretPrefix)) || bytes.Contains(b, []byte(random)) {
			t.Errorf("%s holds a secret", what)
		}
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
		look(file, b)
	}
	if err := svc.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), k.ID) {
		t.Errorf("the log does not name key %s:\n%s", k.ID, &log)
	}
	look("log", log.Bytes())
}

package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"vaak/app/deployment"
	"vaak/edge"
	"vaak/enquiry"
)

func TestLinked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ flag, address, want string }{
		{"", "http://127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"", "https://[2001:db8::1]:443", "https://[2001:db8::1]:443"},
		{"", "http://[::]:8080", ""},
		{"", "http://0.0.0.0:8080", ""},
		{"https://x.test", "https://x.test", "https://x.test"},
		{"http://0.0.0.0:1", "http://0.0.0.0:1", "http://0.0.0.0:1"}, // as it was told
	} {
		if got := (Config{PublicURL: tt.flag}).linked(tt.address); got != tt.want {
			t.Errorf("linked(%q) with --public-url %q = %q, want %q", tt.address, tt.flag, got, tt.want)
		}
	}
}

// TestServer opens a server in this process, asks it, and drains it.
func TestServer(t *testing.T) {
	t.Parallel()
	addresses := enquiry.Addresses{Operator: "desk@example.org", From: "desk@example.org"}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s, err := Open(ctx, Config{
		Version: "test", Place: deployment.Place{DataDir: t.TempDir()}, Catalogue: true,
		Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Console: Console{Off: true}, Clients: edge.NewClients(nil),
		DrainTimeout: time.Minute, Mail: Mail{Addresses: addresses, Keep: 72 * time.Hour}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Run(ctx, func() error {
		at := s.Addresses()
		for _, url := range []string{at.Admin + "/livez", at.Admin + "/readyz", at.Public + "/api/catalogue/datasets"} {
			answer, err := http.Get(url)
			if err != nil {
				return err
			}
			if err := answer.Body.Close(); err != nil {
				return err
			}
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s = %s, want 200", url, answer.Status)
			}
		}
		stop()
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Errorf("Run and Close = %v", err)
	}
}

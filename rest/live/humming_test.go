package live

import (
	"log/slog"
	"testing"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
)

// humming is the real service with an engine that needs nothing installed, and leaves
// words with a ж out.
func humming(t testing.TB) *speech.Service {
	t.Helper()
	s, err := speech.New(speech.Config{
		Engines: engine.Set{enginetest.Tone{Cannot: "ж"}}, Ledger: account.Unmetered{},
		PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

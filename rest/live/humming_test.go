package live

import (
	"log/slog"
	"strings"
	"testing"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
)

// humming is the real service with an engine that needs nothing installed, leaves words with a ж
// out, and estimates the times of what has the word "roughly".
func humming(t testing.TB) *speech.Service {
	t.Helper()
	s, err := speech.New(speech.Config{
		Engines: engine.Set{enginetest.Tone{Cannot: "ж", Frame: func(u engine.Utterance, f *engine.Frame) {
			f.Estimated = strings.Contains(u.Text, "roughly")
		}}}, Ledger: account.Unmetered{},
		PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

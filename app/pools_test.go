package app

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vaak/app/speaker"
	"vaak/console/system"
	"vaak/engine"
	"vaak/engine/remote"
	"vaak/internal/needed"
	"vaak/internal/telemetry"
	"vaak/voice"
)

// TestPoolStates has a pool speak whose other member is not there.
func TestPoolStates(t *testing.T) {
	t.Parallel()
	const samples = 24000
	well := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Content-Type", "audio/pcm")
			_, _ = w.Write(slices.Repeat([]byte{0, 20}, samples)) // the client tells of a failure
		}
	}))
	defer well.Close()
	gone := "http://" + needed.Address(t)
	path := filepath.Join(t.TempDir(), "pools.toml")
	file := fmt.Sprintf("[pools.p]\nkind = \"openai\"\nstreams = 4\nmembers = [{ url = %q }, { url = %q }]\n[voices.v]\npool = \"p\"\n", well.URL, gone)
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := remote.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := remote.Open(remote.Config{Settings: settings, Find: voice.Lookup, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const sentences = 20
	drop := engine.SinkFunc(func(engine.Frame) error { return nil })
	for range sentences {
		if err := e.Synthesize(t.Context(), engine.Utterance{Text: "One sentence.", Language: "en", Voice: settings.Voices[0].Voice}, drop); err != nil {
			t.Fatal(err)
		}
	}
	a := &application{engines: &speaker.Engines{Remote: e}}

	figures, err := a.poolFigures(t.Context())
	if err != nil || len(figures) != 1 || len(figures[0].Members) != 2 {
		t.Fatalf("the figures are %+v, %v", figures, err)
	}
	p := figures[0]
	good := p.Members[slices.IndexFunc(p.Members, func(m telemetry.PoolMember) bool { return m.Address == well.URL })]
	bad := p.Members[slices.IndexFunc(p.Members, func(m telemetry.PoolMember) bool { return m.Address == gone })]
	if good.Outcomes["ok"] != sentences || good.State != "up" || good.P99 <= 0 || good.Audio.Seconds() != sentences || p.Name != "p" || !p.Found {
		t.Errorf("the figures of the member that speaks are %+v of %+v", good, p)
	}
	if n := bad.Outcomes["unreachable"]; n < 1 || n != p.Retries || bad.Outcomes["ok"] != 0 || bad.Share >= 1 {
		t.Errorf("the figures of the member that is not there are %+v, with %d retries", bad, p.Retries)
	}

	states := (&state{app: a}).pools()
	if len(states) != 1 || states[0].Open < 1 || states[0].Voices != 1 || states[0].Retries != p.Retries {
		t.Fatalf("the states are %+v", states)
	}
	i := slices.IndexFunc(states[0].Members, func(m system.MemberState) bool { return m.Address == gone })
	m := states[0].Members[i]
	if m.State == "ejected" && m.Wait <= 0 || m.LastFailure != "unreachable" || m.MostStreams != 4 || len(m.Failures) != 1 || m.Failures[0].N != bad.Outcomes["unreachable"] {
		t.Errorf("the state of the member that is not there is %+v", m)
	}
	if none := (&state{app: &application{engines: &speaker.Engines{}}}).pools(); none != nil {
		t.Errorf("without pools there are %+v", none)
	}
}

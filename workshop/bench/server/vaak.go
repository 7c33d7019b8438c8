package server

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"vaak/audio"
	"vaak/workshop/bench/corpus"
)

// VaakRate is the rate that Vaak is asked for, its default, in Hz.
const VaakRate = 24000

// finite is a plan whose limits are counted and never reached.
var finite = []string{"plan", "set", "bench", "--characters", "1000000000000", "--rpm", "1000000", "--streams", "100000"}

// Settings say which program is measured, and how.
type Settings struct {
	Bin       string // directory of the built programs
	Unmetered bool   // leave the organisation on the plan without limits
}

// StartVaak starts the server of the program in o.bin, with a fresh data
// directory in dir that holds one organisation, on a finite plan unless o says
// otherwise, and one key. It is told more, if anything.
func StartVaak(ctx context.Context, o Settings, dir string, more ...string) (*Server, error) {
	key, err := Found(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	return StartWith(ctx, o, dir, key, more...)
}

// Found makes the data directory of [StartVaak] and returns the key.
func Found(ctx context.Context, o Settings, dir string) (key string, err error) {
	program, err := filepath.Abs(filepath.Join(o.Bin, "vaak"))
	if err != nil {
		return "", err
	}
	state := filepath.Join(dir, StateDir)
	plan := "unlimited"
	if !o.Unmetered {
		plan = "bench"
		if _, err := Command(ctx, program, append(finite, "--data-dir", state)...); err != nil {
			return "", err
		}
	}
	org, err := Command(ctx, program, "org", "create", "bench", "--plan", plan, "--data-dir", state)
	if err != nil {
		return "", err
	}
	return Command(ctx, program, "key", "create", "--org", org, "--name", "bench", "--data-dir", state)
}

// StateDir is the data directory, in the directory of a server.
const StateDir = "state"

// StartWith starts the server on a data directory that is there.
func StartWith(ctx context.Context, o Settings, dir, key string, more ...string) (*Server, error) {
	program, err := filepath.Abs(filepath.Join(o.Bin, "vaak"))
	if err != nil {
		return nil, err
	}
	s := &Server{Name: "vaak", Key: key, Format: audio.Format{Codec: audio.PCM, SampleRate: VaakRate}, HasWorker: true}
	s.requestIn = func(t corpus.Sample, c audio.Codec) []byte { return vaakRequest(s.Addr, key, t, c) }
	s.Request = func(t corpus.Sample) []byte { return s.requestIn(t, audio.PCM) }
	cmd := exec.CommandContext(ctx, program, append([]string{"serve",
		"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data-dir", filepath.Join(dir, StateDir)}, more...)...)
	cmd.Env = append(os.Environ(),
		"VAAK_CACHE_BYTES=0", // a cached answer measures nothing
		"VAAK_CONSOLE_LISTEN=off",
		"VAAK_RENDER_PREVIEWS=false") // nor does one that is made beside others
	return s, s.Start(cmd, dir)
}

func vaakRequest(addr, key string, t corpus.Sample, c audio.Codec) []byte {
	body, err := json.Marshal(map[string]any{
		"input": t.Text, "voice": t.Lang.Voice, "lang": t.Lang.Code, "stream": true, "response_format": c,
	})
	if err != nil {
		panic(err) // only strings and booleans
	}
	return fmt.Appendf(nil, "POST /v1/audio/speech HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		addr, key, len(body), body)
}

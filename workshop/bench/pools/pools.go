// Package pools measures speech from pools of model servers: what Vaak adds to the first audio of
// a server, what a stream costs and takes, and what listeners hear when a server dies.
//
// The servers are those of remotetest, processes that answer at once with a tone for each word, so
// that nothing is measured but the way.
package pools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vaak/audio"
	"vaak/engine/remote/remotetest"
	"vaak/voice"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// pace is how many seconds of audio a paced server makes in a second.
const pace = 3

// pool is one kind of servers, with a voice of Vaak.
type pool struct {
	kind    string
	options remotetest.Options
	members int

	servers []*remotetest.Server
	voice   corpus.Language
}

// bench is what the measurements share.
type bench struct {
	*rig.Bench
	pools map[string]*pool
	vaak  *server.Server
}

// The pools. Instant servers send 20 ms of audio at once, whatever else their pace.
const (
	events = "events" // vLLM-Omni, audio in events, as fast as it is read
	raw    = "raw"    // bare samples, as fast as they are read
	paced  = "paced"  // vLLM-Omni, three times as fast as it is played, in pieces of 20 ms
	coarse = "coarse" // the same in pieces of 100 ms
	trio   = "trio"   // three servers of which one dies
)

// Measure measures pools of servers.
func Measure(ctx context.Context, b *rig.Bench) (_ []report.Part, err error) {
	m := &bench{Bench: b, pools: map[string]*pool{
		events: {kind: "vllm-omni", members: 1, options: remotetest.Options{Instant: true}},
		raw:    {kind: "openai", members: 1, options: remotetest.Options{Instant: true}},
		paced:  {kind: "vllm-omni", members: 1, options: remotetest.Options{Instant: true, Speed: pace}},
		coarse: {kind: "vllm-omni", members: 1, options: remotetest.Options{Speed: pace}},
		trio:   {kind: "vllm-omni", members: 3, options: remotetest.Options{Speed: pace, First: 50 * time.Millisecond}},
	}}
	defer m.stop()
	if err := m.start(ctx); err != nil {
		return nil, err
	}
	all := []report.Part{report.Prose("Model servers for tests (`engine/remote/remotetest`), each a process of its own: they answer at once, with a tone for each word. " +
		"*Direct* is a bare client in Go that asks such a server itself and reads the server's protocol up to the first sample; *Vaak* is `POST /v1/audio/speech` with `stream: true` and pcm, " +
		"authenticated, admitted, counted and settled, asking the same server. Both have kept-alive connections and take turns.")}
	for _, measure := range []func(context.Context) ([]report.Part, error){m.firstAudio, m.crowd, m.death} {
		parts, err := measure(ctx)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// start starts the servers, and Vaak before them.
func (m *bench) start(ctx context.Context) error {
	var file strings.Builder
	for name, p := range m.pools {
		p.options.Kind = p.kind
		var urls []string
		for range p.members {
			s, err := remotetest.Run(p.options)
			if err != nil {
				return err
			}
			p.servers = append(p.servers, s)
			urls = append(urls, fmt.Sprintf("{ url = %q }", s.URL))
		}
		p.voice = corpus.English
		p.voice.Voice = voice.IDOf("remote/" + name)
		fmt.Fprintf(&file, "[pools.%s]\nkind = %q\nmodel = \"some-model\"\nmembers = [%s]\n", name, p.kind, strings.Join(urls, ", "))
		fmt.Fprintf(&file, "[voices.%s]\nid = %q\nnative = \"en\"\npool = %q\nvoice = %q\n", name, p.voice.Voice, name, serverVoice)
	}
	dir := filepath.Join(m.Dir, "pools")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, "pools.toml")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		return err
	}
	var err error
	m.vaak, err = server.StartVaak(ctx, m.Settings, dir, "--pools", path, "--pprof")
	return err
}

func (m *bench) stop() {
	m.vaak.Stop()
	for _, p := range m.pools {
		for _, s := range p.servers {
			s.Kill()
		}
	}
}

// serverVoice is the name of the voice on the servers.
const serverVoice = "vivian"

// direct returns the first server of a pool as one that can be asked for texts.
func (p *pool) direct() *server.Server {
	s := &server.Server{Name: p.kind, Addr: p.servers[0].Address(), Format: audio.Format{Codec: audio.PCM, SampleRate: server.VaakRate}}
	s.Request = func(t corpus.Sample) []byte {
		fields := map[string]any{"model": "some-model", "input": t.Text, "voice": serverVoice, "response_format": "pcm"}
		if p.kind == "vllm-omni" {
			fields["stream"], fields["stream_format"], fields["language"] = true, "sse", "English"
		}
		body, err := json.Marshal(fields)
		if err != nil {
			panic(err) // only strings and booleans
		}
		return fmt.Appendf(nil, "POST /v1/audio/speech HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.Addr, len(body), body)
	}
	return s
}

// sample returns a text for the voice of a pool.
func (p *pool) sample(text string) corpus.Sample {
	return corpus.Sample{Lang: p.voice, Size: len(text), Text: text}
}

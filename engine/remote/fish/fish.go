// Package fish asks Fish-speech servers, which answer POST /v1/tts.
//
// Read: tools/server/views.py, api_utils.py and schema.py of Fish-speech as of July 2025 and later.
// A stream is WAV by its type; its header says no length, and some versions leave the header out.
package fish

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"mime"

	"vaak/engine"
	"vaak/engine/remote/exchange"
	"vaak/engine/remote/wire"
)

// Kind is the kind of these servers. The languages are for the model to find out.
var Kind = wire.Kind{
	Name: "fish",
	Rate: 44100,
	Parameters: []engine.Parameter{
		{Name: "temperature", Min: 0.1, Max: 1},
		{Name: "top_p", Min: 0.1, Max: 1},
		{Name: "repetition_penalty", Min: 0.9, Max: 2},
		{Name: "seed", Min: 0, Max: engine.MaxSeed},
	},
	Reference: true,
	Dial:      dial,
}

type server struct {
	target wire.Target
	client *exchange.Client
}

func dial(t wire.Target) (wire.Server, error) {
	if _, err := json.Marshal(t.Extra); err != nil {
		return nil, fmt.Errorf("further fields: %w", err)
	}
	client, err := exchange.New(t)
	if err != nil {
		return nil, err
	}
	return &server{t, client}, nil
}

// Close implements [wire.Server].
func (s *server) Close() { s.client.Close() }

// Healthy implements [wire.Server].
func (s *server) Healthy(ctx context.Context) error {
	_, err := s.client.Get(ctx, "/v1/health", 64<<10)
	return err
}

// Voices returns the names of the references that the server has, at most 10,000. The error is as
// that of [wire.Server.Healthy].
func (s *server) Voices(ctx context.Context) ([]string, error) {
	body, err := s.client.Get(ctx, "/v1/references/list", 4<<20)
	if err != nil {
		return nil, err
	}
	return exchange.Names(body, "reference_ids")
}

// Speak implements [wire.Server].
func (s *server) Speak(ctx context.Context, ask wire.Ask) (wire.Answer, error) {
	body, err := json.Marshal(s.fields(ask))
	if err != nil {
		return nil, &wire.Failure{Reason: wire.Refused, Detail: "the request is no JSON", Err: err}
	}
	resp, _, err := s.client.Post(ctx, "/v1/tts", body, ask.Text)
	if err != nil {
		return nil, err
	}
	format, err := exchange.Header(resp.Header)
	if err != nil {
		resp.Close()
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" where it is damaged
	return exchange.Sound(resp, ask.Text, media, format, s.target.Rate, true, nil)
}

// fields returns what is sent. A request has no model and no language: a server has one model.
func (s *server) fields(ask wire.Ask) map[string]any {
	f := map[string]any{"format": "wav", "streaming": true, "normalize": s.target.Normalize}
	maps.Copy(f, s.target.Extra)
	f["text"] = ask.Text
	delete(f, "reference_id")
	if ask.Voice != "" {
		f["reference_id"] = ask.Voice
	}
	if ask.Reference != nil {
		delete(f, "reference_id") // which the server would take instead
		f["references"] = []map[string]any{{
			"audio": base64.StdEncoding.EncodeToString(ask.Reference.Audio), "text": ask.Reference.Text,
		}}
	}
	maps.Copy(f, exchange.Knobs(ask.Sampling, Kind.Parameters))
	return f
}

package main

import (
	"context"
	"log/slog"
	"net/http"

	"vaak/account"
	"vaak/dictionary"
	"vaak/rest/frame"
	"vaak/rest/live"
)

// newLive returns what serves the sockets.
func newLive(s observedSpeech, accounts *account.Service, dictionaries *dictionary.Service, file *configFile, log *slog.Logger) (*live.Handler, error) {
	return live.New(live.Config{
		Speech:           s,
		Accounts:         accounts,
		Dictionaries:     dictionaries,
		Refuse:           frame.Refuse,
		RefuseElevenLabs: frame.RefuseElevenLabs,
		Origins:          file.WSOrigins,
		Ended:            frame.Spoken,
		Logger:           log,
	})
}

// sockets are the addresses of live speech.
func sockets(live *live.Handler) map[string]http.Handler {
	return map[string]http.Handler{
		"/v1/audio/speech/stream-input":                    http.HandlerFunc(live.Native),
		"/v1/text-to-speech/{voice_id}/stream-input":       http.HandlerFunc(live.StreamInput),
		"/v1/text-to-speech/{voice_id}/multi-stream-input": http.HandlerFunc(live.MultiStreamInput),
	}
}

// drainSockets ends the sockets in good order, see [ws.Handler.Drain].
func (a *application) drainSockets(ctx context.Context) error {
	if a.live == nil {
		return nil
	}
	return a.live.Drain(ctx)
}

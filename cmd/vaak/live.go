package main

import (
	"context"
	"log/slog"
	"net/http"

	"vaak/account"
	"vaak/dictionary"
	"vaak/rest"
	"vaak/rest/ws"
)

// newLive returns what serves the sockets.
func newLive(s observedSpeech, accounts *account.Service, dictionaries *dictionary.Service, file *configFile, log *slog.Logger) (*ws.Handler, error) {
	return ws.New(ws.Config{
		Speech:           s,
		Accounts:         accounts,
		Dictionaries:     dictionaries,
		Refuse:           rest.Refuse,
		RefuseElevenLabs: rest.RefuseElevenLabs,
		Origins:          file.WSOrigins,
		Ended:            rest.Spoken,
		Logger:           log,
	})
}

// sockets are the addresses of live speech.
func sockets(live *ws.Handler) map[string]http.Handler {
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

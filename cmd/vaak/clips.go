package main

import (
	"log/slog"
	"path/filepath"

	"vaak/internal/seal"
	"vaak/speech/clip"
)

// Names in the data directory.
const (
	secretFile = "secret"
	clipsDir   = "clips"
)

// minClipBytes is the least room for audio. One clip may take a quarter of it, so that
// it holds nearly six minutes of WAV at 48 kHz, which is about what the longest text
// takes.
const minClipBytes = 128 << 20

// openSecret opens the deployment's secret, which is made when it is not there.
func (c serveCommand) openSecret() (*seal.Secret, error) {
	if c.Secret != "" {
		return seal.Open(c.Secret)
	}
	return seal.Open(filepath.Join(c.DataDir, secretFile))
}

// openClips opens the audio that agents get a link to; nil where the flag turned
// links off. Servers share the directory, so it may be in use.
func (c serveCommand) openClips(log *slog.Logger) (*clip.Service, error) {
	if c.ClipBytes == 0 {
		return nil, nil
	}
	secret, err := c.openSecret()
	if err != nil {
		return nil, err
	}
	return clip.Open(clip.Config{Dir: filepath.Join(c.DataDir, clipsDir), MaxBytes: c.ClipBytes, Secret: secret, Logger: log})
}
